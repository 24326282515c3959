import { HttpFailure, type HttpResponse } from "../../http/http.ts";
import { drain, isEventStream, isSuccess, type StreamMark } from "../answer.ts";
import { pause } from "../pause.ts";
import type { RemoteWire } from "../wire.ts";
import { type LegacySession, streamHeaders } from "./legacy-headers.ts";

/**
 * Opens a stream of the server again (2025-03-26 to 2025-11-25): after the time it has asked for, behind the last event that came. What
 * the server does with a request does not depend on the connection, so this repeats nothing.
 */

const DEFAULT_RETRY_MS = 1_000;
const MOST_RETRY_MS = 30_000;
/** Failures in a row before a request is given up: about half a minute. */
const MOST_FAILURES = 5;
/** A server that asks for no wait at all would be asked without end. */
const LEAST_RETRY_MS = 50;
/** Not now: a server that is starting or away, one that has not seen our last stream end yet. Anything else is a no. */
export const LATER_STATUSES = new Set([408, 409, 425, 429, 500, 502, 503, 504]);

/** Waits, then asks for what follows `mark`. Null when the server does not go on with it, or cannot be reached for long. */
export async function resumeStream(
  wire: RemoteWire,
  session: LegacySession,
  mark: StreamMark,
  signal: AbortSignal,
): Promise<HttpResponse | null> {
  for (let failures = 0; failures < MOST_FAILURES; failures++) {
    await pause(retryAfterMs(mark, failures), signal);
    if (signal.aborted) return null;
    try {
      const response = await openStream(wire, session, mark, signal);
      if (isSuccess(response) && isEventStream(response)) return response;
      await drain(response);
      if (!LATER_STATUSES.has(response.status)) return null;
    } catch (cause) {
      if (!(cause instanceof HttpFailure)) throw cause;
    }
  }
  return null;
}

/** Asks for a stream, without waiting. */
export function openStream(
  { client, url, credentials }: RemoteWire,
  session: LegacySession,
  mark: StreamMark,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const headers = streamHeaders(session, mark.lastEventId);
  return client.send({ method: "GET", url, headers, credentials, body: null, signal });
}

/** How long to wait before a stream is asked for again, after so many failures in a row. */
export function retryAfterMs({ retryMs }: StreamMark, failures: number): number {
  const firstMs = Math.max(LEAST_RETRY_MS, retryMs ?? DEFAULT_RETRY_MS);
  return failures === 0 ? firstMs : Math.max(firstMs, Math.min(MOST_RETRY_MS, DEFAULT_RETRY_MS * 2 ** failures));
}
