import type { ProxyStep } from "../../recorder.ts";
import type { CallRecord } from "./call-record.ts";
import type { CallSeen } from "./call-told.ts";

/**
 * Whether a call that the host told of can be one that was seen on the wire, where no id says it: the same tool with the same
 * arguments, at a time at which it can be. Several that can be the same are twins: they are marked, never guessed.
 */

/** A host may ask its person for so long before it calls. */
const MAX_APART_MS = 10 * 60_000;
/** A host's hook tells of a start a little late. */
const LATE_MS = 2_000;
/** Clocks are read at other places of the two. */
const CLOCK_MS = 20;

/** The call as its proxy told it. */
export function seenOnWire(step: ProxyStep): CallSeen {
  return {
    callId: step.hostCallId,
    qualifiedName: step.qualifiedName,
    server: step.serverName,
    tool: step.toolName,
    args: step.args,
    argsHash: step.argsHash,
    startedAt: step.startedAt,
    isStartGuessed: false,
    agentId: null,
    context: null,
    hostMeta: step.hostMeta,
    truncated: step.truncated,
  };
}

/** Can this call of the host, which no proxy told of, be this one on the wire? */
export function mayBeSame(call: CallRecord, step: ProxyStep): boolean {
  // A host that sends its id to the server tells its hooks of it, too: but for some old versions.
  if (step.hostCallId !== null && !(call.callId === null && call.has("hook"))) return false;
  return !call.has("proxy") && isPlausible(call, step) && call.isSameCall(seenOnWire(step));
}

function isPlausible(call: CallRecord, { startedAt }: ProxyStep): boolean {
  const earliest = call.startedAt - (call.isStartGuessed ? MAX_APART_MS : LATE_MS);
  const latest = call.endedAt ?? call.startedAt + MAX_APART_MS;
  return startedAt >= earliest && startedAt <= latest + CLOCK_MS;
}

/** A call that was joined by its arguments alone while this one was on the wire. */
export function isJoinedTwin(call: CallRecord, step: ProxyStep): boolean {
  if (call.join !== "fingerprint" && call.join !== "ambiguous") return false;
  const endedAt = step.durationMs === null ? Number.POSITIVE_INFINITY : step.startedAt + step.durationMs;
  const isAtOnce = call.startedAt <= endedAt && (call.endedAt ?? Number.POSITIVE_INFINITY) >= step.startedAt;
  return isAtOnce && call.isSameCall(seenOnWire(step));
}
