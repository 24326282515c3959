import { debug } from "../../../kit/log.ts";
import { HttpFailure } from "../../http/http.ts";
import { drain, isEventStream, isSuccess, readEvents, type StreamMark } from "../answer.ts";
import { pause } from "../pause.ts";
import type { RemoteWire } from "../wire.ts";
import type { LegacySession } from "./legacy-headers.ts";
import { LATER_STATUSES, openStream, retryAfterMs } from "./resume.ts";

/**
 * The stream on which a server speaks unasked: kept open as long as the session lasts. A server that has none says so once; one that
 * cannot be reached is asked more and more rarely.
 */

const NOT_FOUND = 404;

/** `onGone`: the server does not know the session any more. `refuse`: what to tell it of a message that was too long. */
export async function keepServerStream(
  wire: RemoteWire,
  session: LegacySession,
  signal: AbortSignal,
  onGone: () => void,
  refuse: (answer: string) => void,
): Promise<void> {
  const mark: StreamMark = { lastEventId: null, retryMs: null };
  let wasOpen = false;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const response = await openStream(wire, session, mark, signal);
      if (isSuccess(response) && isEventStream(response)) {
        failures = 0;
        wasOpen = true;
        await readEvents(response, mark, wire, null, refuse);
      } else {
        await drain(response);
        // One that never was there is no sign of anything: a message will tell whether the session is.
        if (response.status === NOT_FOUND && session.id !== null && wasOpen) {
          onGone();
          return;
        }
        if (!LATER_STATUSES.has(response.status)) return;
      }
    } catch (cause) {
      if (!(cause instanceof HttpFailure)) throw cause;
      debug("proxy", () => `the stream of server "${wire.serverName}" broke: ${cause.message}`);
    }
    await pause(retryAfterMs(mark, failures), signal);
  }
}
