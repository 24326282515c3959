import type { RedactedText } from "../../core/redacted.ts";
import type { TranscriptFact } from "../../core/transcript-fact.ts";
import { trustedText } from "../../redact/redact.ts";
import { type BoundRun, endOf } from "./bound-run.ts";
import type { CallRecord, CallSeen } from "./call-record.ts";
import { beginPrompt } from "./prompts.ts";
import { resultText } from "./result-text.ts";
import type { Session } from "./session.ts";

/**
 * What a transcript tells, put into the session's runs: what the model thought and said, the calls as it wrote them, usage,
 * and the ends of calls for which no hook runs. May be told twice; a row that was taken in changes nothing again.
 */

/** Where in a transcript its reader is: the run that its rows belong to, as far as rows say. */
export interface Reading {
  runId: RedactedText | null;
  /** Facts of the row that is being read: one row can hold several. */
  rowId: string | null;
  ofRow: number;
}

type Fact<Kind extends TranscriptFact["kind"]> = Extract<TranscriptFact, { kind: Kind }>;

/** A call that the transcript tells of; a proxy may know it already. */
export interface CallDirectory {
  /** The call with this id in any session; null where nobody told of it. */
  transcribed(session: Session, run: BoundRun, callId: RedactedText, seen: CallSeen, at: number): TranscribedCall;
}

export interface TranscribedCall {
  run: BoundRun;
  call: CallRecord;
}

export function applyTranscriptFact(
  session: Session,
  fact: TranscriptFact,
  reading: Reading,
  directory: CallDirectory,
): void {
  if (fact.isCopied) return;
  const at = fact.at ?? session.lastAt;
  if (fact.rowId !== reading.rowId) Object.assign(reading, { rowId: fact.rowId, ofRow: 0 });
  const source = fact.rowId === null ? {} : { source: trustedText(`${fact.rowId}/${reading.ofRow++}`) };
  if (fact.hostVersion !== null) session.learnHost(null, fact.hostVersion, at);
  if (fact.kind === "prompt") {
    if (!fact.isSidechain) reading.runId = beginPrompt(session, fact.promptId, fact.text, fact.notice, at).id;
    return;
  }
  const run = runOf(session, fact, reading, at);
  if (run === null) return;
  const agentId = fact.agentId;
  const speaker = speakerOf(fact);
  if ("messageId" in fact && fact.kind !== "interrupt") run.starts.spoke(speaker, fact.messageId, at);
  switch (fact.kind) {
    case "thought":
      run.note(at, { kind: "thought", text: fact.text, agentId, ...source });
      return;
    case "text":
      if (fact.isSidechain) run.note(at, { kind: "text", text: fact.text, agentId, ...source });
      else if (fact.endsTurn === false) {
        run.flushText();
        run.note(at, { kind: "text", text: fact.text, agentId, ...source });
      } else run.say({ text: fact.text, at, source: source.source });
      return;
    case "tool-use":
      if (!fact.isSidechain) {
        run.flushText();
        if (run.stoppedAt !== null && at > run.stoppedAt) run.goOn(at);
      }
      if (fact.toolUseId !== null) {
        const made = directory.transcribed(session, run, fact.toolUseId, seenIn(fact, at), at);
        made.run.starts.called(speaker, made.call, fact.messageId);
      }
      return;
    case "tool-result":
      applyResult(session, run, fact, at);
      return;
    case "interrupt":
      if (!run.note(at, { kind: "interrupt", text: trustedText("interrupted by the person"), agentId, ...source }))
        return;
      if (!fact.isSidechain) interrupt(session, run, at);
      return;
    case "usage":
      run.count(speaker, fact.messageId, fact.usage, at);
      return;
    case "api-error":
      run.note(at, { kind: "warning", text: fact.text, agentId, ...source });
      return;
  }
}

/** Who speaks in a row: the main agent, or a subagent; older versions do not always say which. */
function speakerOf({ agentId, isSidechain }: TranscriptFact): string {
  return agentId ?? (isSidechain ? "?" : "");
}

/** Rows of the model's carry no prompt's id: they belong to what was asked last in the same file. */
function runOf(session: Session, fact: TranscriptFact, reading: Reading, at: number): BoundRun | null {
  if (fact.agentId !== null && session.knowsAgent(fact.agentId)) {
    return session.findRun({ promptId: null, agentId: fact.agentId, at });
  }
  if (fact.promptId !== null && !fact.isSidechain) {
    const named = session.runOfPrompt(fact.promptId);
    if (named !== null) reading.runId = named.id;
  }
  return (reading.runId === null ? null : session.runById(reading.runId)) ?? session.runAt(at);
}

function seenIn(fact: Fact<"tool-use">, at: number): CallSeen {
  return {
    callId: fact.toolUseId,
    qualifiedName: fact.qualifiedName,
    server: fact.server,
    tool: fact.tool,
    args: fact.input,
    argsHash: null,
    startedAt: at,
    isStartUnknown: false,
    agentId: fact.agentId,
    context: fact.reasoning,
    hostMeta: null,
    truncated: false,
  };
}

const STATUS = {
  ok: "ok",
  error: "error",
  "not-run": "error",
  denied: "denied",
  interrupted: "cancelled",
  rejected: "denied",
} as const;
/** What no hook tells of. */
const UNHOOKED: ReadonlySet<string> = new Set(["not-run", "denied", "interrupted", "rejected"]);

function applyResult(session: Session, run: BoundRun, fact: Fact<"tool-result">, at: number): void {
  const found = fact.toolUseId === null ? null : session.callById(fact.toolUseId);
  if (fact.startedAgentId !== null) {
    session.learnAgent(fact.startedAgentId, found?.run ?? run);
    if (found !== null) found.run.starts.startedAgent(fact.startedAgentId, found.call);
  }
  if (found === null || found.call.isClosed) return;
  const { call } = found;
  // One that the wire saw under way was stopped, not refused.
  const status = fact.outcome === "rejected" && call.has("proxy") ? "cancelled" : STATUS[fact.outcome];
  const isError = status === "error";
  const ended = endOf({
    status,
    isError,
    error: isError || status === "denied" ? resultText(fact.content) : null,
    result: isError || status !== "ok" ? null : (fact.response ?? fact.content),
    durationMs: status === "ok" || fact.outcome === "error" ? Math.max(0, at - Math.floor(call.startedAt)) : null,
    endedAt: at,
  });
  call.end(ended, "transcript", !UNHOOKED.has(fact.outcome));
}

/** The person stopped the agent: no hook tells of it, and none of what it had begun goes on. */
function interrupt(session: Session, run: BoundRun, at: number): void {
  run.flushText();
  run.isInterrupted = true;
  run.stoppedAt = null;
  run.settleCalls();
  if (run.tasks.size === 0) session.endRun(run, at, "interrupted");
}
