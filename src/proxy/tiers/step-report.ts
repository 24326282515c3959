import type { ProxyEventReport, ProxyStepReport } from "../../core/control-wire.ts";
import type { RedactedJson } from "../../core/redacted.ts";
import type { StepStatus } from "../../core/run.ts";
import type { CallOutcome } from "../../record/assembler.ts";
import type { ObservedCall } from "./call-recorder.ts";

/**
 * The JSON of what a proxy tells the control server. Payloads go in as the very text they were on the wire, redacted, so
 * that numbers and the order of keys survive; they are never written anew.
 */

/** A call that is told of. */
export interface ToldCall {
  /** The same in every report of it. */
  ref: string;
  fact: ObservedCall;
  legs: number;
  status: StepStatus;
}

type Payload = "args" | "result" | "rpcError" | "hostMeta";

/** The report of a call: how it ended, or with no outcome that it runs. */
export function stepReport(
  reportId: string,
  { ref, fact, legs, status }: ToldCall,
  outcome: CallOutcome | null,
): string {
  const head: Omit<ProxyStepReport, Payload> = {
    kind: "step",
    reportId,
    callRef: ref,
    serverName: fact.server,
    toolName: fact.tool,
    qualifiedName: fact.qualifiedName,
    argsHash: fact.argsHash,
    isError: outcome?.isError ?? false,
    errorMessage: outcome?.error ?? null,
    startedAt: fact.startedAt,
    durationMs: outcome === null ? null : Math.max(0, roundedMs(outcome.endedAt - fact.startedAt)),
    waitingMs: outcome?.waitingMs ?? 0,
    progress: outcome?.progress ?? 0,
    status: outcome?.status ?? status,
    hostCallId: fact.callId,
    injectedId: fact.injectedId,
    sessionId: fact.sessionId,
    legs: outcome?.legs ?? legs,
    truncated: fact.truncated || (outcome?.truncated ?? false),
    isAmbiguous: outcome?.join === "ambiguous",
  };
  const { result = null, rpcError = null } = outcome ?? {};
  const payloads = `,"args":${payload(fact.args)},"result":${payload(result)}`;
  const own = `,"rpcError":${detail(rpcError)},"hostMeta":${detail(fact.hostMeta)}}`;
  return JSON.stringify(head).slice(0, -1) + payloads + own;
}

export function eventReport(report: ProxyEventReport): string {
  return JSON.stringify(report);
}

/** What came off a wire may be no JSON after all, or nested too deeply to be read again: its text is kept then. */
function payload(json: RedactedJson | null): string {
  if (json === null) return "null";
  return isSound(json) ? json : JSON.stringify(json);
}

/** The same, for what a reader expects to be an object. */
function detail(json: RedactedJson | null): string {
  if (json === null) return "null";
  return isSound(json) ? json : JSON.stringify({ unreadable: json });
}

function isSound(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function roundedMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
