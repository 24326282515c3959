import type { MessageObserver, ObservedMessage } from "./observed-message.ts";

/**
 * Remembers the handshake that passed, to repeat it before a restarted server. A session of the stateless protocol has
 * none, and needs none.
 */

/** The id of our own request; hosts never see it. */
export const REPLAY_ID = "bir:initialize";

const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n';

export class Handshake implements MessageObserver {
  #initialize: string | null = null;
  #initialized: string | null = null;

  see({ direction, message, text, tail }: ObservedMessage): void {
    if (direction !== "to-upstream" || tail !== null) return;
    if (message.method === "initialize" && message.kind === "request") this.#initialize = text;
    else if (message.method === "notifications/initialized") this.#initialized = text;
  }

  /** The host's `initialize` under an id of ours, as a line; null when none was seen. */
  initializeLine(): string | null {
    if (this.#initialize === null) return null;
    try {
      const request: unknown = JSON.parse(this.#initialize);
      if (typeof request !== "object" || request === null || Array.isArray(request)) return null;
      return `${JSON.stringify({ ...request, id: REPLAY_ID })}\n`;
    } catch {
      return null;
    }
  }

  /** The host's `notifications/initialized` as a line; null when none was seen. */
  initializedLine(): string | null {
    const line = this.#initialized?.trim();
    if (line === undefined) return null;
    // What else was in a batch is not for a second time.
    return line.startsWith("[") ? INITIALIZED : `${line}\n`;
  }
}
