/**
 * A host's handshake once more, under an id of ours: for a server that was started again, or has forgotten its session. Hosts never see
 * its answer.
 */

/** The id of our own `initialize`. */
export const REPEATED_ID = "bir:initialize";

const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** The host's `initialize` under an id of ours, without a newline; null where the text is no single request. */
export function repeatedInitialize(text: string): string | null {
  try {
    const request: unknown = JSON.parse(text);
    if (typeof request !== "object" || request === null || Array.isArray(request)) return null;
    return JSON.stringify({ ...request, id: REPEATED_ID });
  } catch {
    return null;
  }
}

/** The host's `notifications/initialized`, without a newline. What else was in a batch is not for a second time. */
export function repeatedInitialized(text: string): string {
  const line = text.trim();
  return line.startsWith("[") ? INITIALIZED : line;
}
