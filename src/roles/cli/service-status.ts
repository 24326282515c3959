import { Problem } from "../../core/problem.ts";
import { visible } from "../../core/text/visible.ts";
import { ago, counted } from "../../core/text/when.ts";
import { readService, readToken } from "../../kit/config.ts";
import type { SinkState } from "../../sinks/base-in/sink.ts";
import { sinkName } from "../../sinks/sink-name.ts";
import type { StoreReader } from "../../store/reader.ts";
import { lookAtWaiting, type Refusal } from "../../store/sink-waiting.ts";
import type { CliContext } from "./context.ts";
import type { Paint } from "./text/paint.ts";
import { statusLine } from "./text/status-line.ts";

/** The recordings service and what waits for it, as `bir status` and `bir doctor` tell of them. Never shows a token. */

export interface ServiceStatus {
  /** Null where the settings name one that cannot be used. */
  url: string | null;
  /** There is a token for it. */
  signedIn: boolean;
  /** Runs that began before (epoch ms) are not sent; 0: everything is. */
  since: number;
  waitingRuns: number;
  /** About: what is recorded just now may or may not be among it. */
  waitingEvents: number;
  /** Epoch ms. */
  lastSuccessAt: number | null;
  /** In words; null when all is well. */
  trouble: string | null;
  /** Epoch ms; null when nothing stands in the way, or nobody tries. */
  nextTryAt: number | null;
  /** Parts of runs that it refused for good. */
  refused: number;
  /** The last of them, newest first. */
  refusals: Refusal[];
}

const NOTHING: ServiceStatus = {
  url: null,
  signedIn: false,
  since: 0,
  waitingRuns: 0,
  waitingEvents: 0,
  lastSuccessAt: null,
  trouble: null,
  nextTryAt: null,
  refused: 0,
  refusals: [],
};
const SHOWN_REFUSALS = 3;

/** Null where no service is named. */
export function lookAtService(home: string): ServiceStatus | null {
  try {
    const service = readService(home);
    if (service === null) return null;
    const { url, since } = service;
    const signedIn = readToken(url, home) !== null;
    return { ...NOTHING, url, since, signedIn, trouble: signedIn ? null : "there is no token for it: sign in again" };
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    return { ...NOTHING, trouble: cause.message };
  }
}

/** Adds what the store knows of it. */
export function fillService(found: ServiceStatus, reader: StoreReader, isServed: boolean): void {
  if (found.url === null) return;
  const { runs, events, refused, refusals, state } = lookAtWaiting(reader, sinkName(found.url), found.since);
  const { lastSuccessAt = null, closed = null } = JSON.parse(state) as Partial<SinkState>;
  Object.assign(found, { waitingRuns: runs, waitingEvents: events, refused, refusals, lastSuccessAt });
  if (closed === null || !found.signedIn) return;
  found.trouble = closed.reason === "sign-in" ? `${closed.why}: sign in again` : closed.why;
  found.nextTryAt = isServed ? closed.until : null;
}

/** Lines of `bir status`; none where no service is named. */
export function serviceLines(
  context: CliContext,
  found: ServiceStatus | null,
  isServed: boolean,
  paint: Paint,
): string[] {
  if (found === null) return [];
  const { url, waitingRuns, waitingEvents, lastSuccessAt, trouble, nextTryAt, refused } = found;
  const now = context.now();
  if (url === null) return [statusLine("Sends to", paint.bad(`✗ ${visible(trouble ?? "")}.`))];
  const last = lastSuccessAt === null ? "" : `, last sent ${ago(lastSuccessAt, now)}`;
  const waits =
    waitingRuns === 0
      ? `nothing waits${last}`
      : `${counted(waitingEvents, "event")} of ${counted(waitingRuns, "run")} ${waitingEvents === 1 ? "waits" : "wait"}${last}`;
  const lines = [statusLine("Sends to", `${visible(url)}: ${waits}`)];
  if (trouble !== null) {
    const next = nextTryAt === null ? "" : `; tried again ${inWords(nextTryAt - now)}`;
    lines.push(statusLine("", paint.warn(`! ${visible(trouble)}${next}`)));
  } else if (waitingRuns > 0 && !isServed) {
    lines.push(statusLine("", "Nothing sends just now: the control server is not running. `bir up` starts it."));
  }
  if (refused > 0) lines.push(statusLine("", paint.warn(`! ${refusedSentence(found)}`)));
  return lines;
}

/** What was refused for good, and the last of it. */
export function refusedSentence({ refused, refusals }: ServiceStatus): string {
  const last = refusals
    .slice(0, SHOWN_REFUSALS)
    .map(({ runId, row, status }) => {
      const where = row === runId ? `all of ${visible(runId)}` : `${visible(row)} of ${visible(runId)}`;
      return `${where} (${status === null ? "no answer" : `HTTP ${status}`})`;
    })
    .join(", ");
  return `${counted(refused, "part")} of runs refused for good${last === "" ? "" : `: ${last}`}${refused > refusals.slice(0, SHOWN_REFUSALS).length && last !== "" ? ", …" : ""}`;
}

function inWords(ms: number): string {
  if (ms <= 0) return "now";
  return ms < 90_000 ? `in ${Math.ceil(ms / 1000)} s` : `in ${Math.ceil(ms / 60_000)} min`;
}
