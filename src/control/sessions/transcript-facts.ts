import type { RedactedText } from "../../core/redacted.ts";
import type { TranscriptFact } from "../../core/transcript-fact.ts";
import { trustedText } from "../../redact/redact.ts";
import type { BoundRun } from "./bound-run.ts";
import { type CallSeen, endOf } from "./calls/call-told.ts";
import { resultText } from "./calls/result-text.ts";
import { beginPrompt } from "./prompts.ts";
import type { PlacedCall, Session } from "./session.ts";

/**
 * What a transcript tells, put into the session's runs: what the model thought and said, the calls as it wrote them, usage,
 * and the ends of calls for which no hook runs. May be told twice; a row that was taken in changes nothing again.
 */

/** Where in a transcript its reader is: the run that its rows belong to, as far as rows say. */
export interface Reading {
  runId: RedactedText | null;
  /** The run of the prompt, the answer or the call that was read last. */
  workedOn: RedactedText | null;
  /** Facts of the row that is being read: one row can hold several. */
  rowId: string | null;
  ofRow: number;
  /** A call may follow to which what was read last is the reasoning: nobody may begin to read here. */
  isInMessage: boolean;
  /** Of the newest row that was read, epoch ms. */
  lastAt: number;
}

type Fact<Kind extends TranscriptFact["kind"]> = Extract<TranscriptFact, { kind: Kind }>;

/** A call that the transcript tells of; a proxy may know it already. */
export interface CallDirectory {
  /** The call with this id in the session, opened where nobody told of it. */
  transcribed(session: Session, run: BoundRun, callId: RedactedText, seen: CallSeen, at: number): void;
}

export function applyTranscriptFact(
  session: Session,
  fact: TranscriptFact,
  reading: Reading,
  directory: CallDirectory,
): void {
  const at = fact.at ?? session.about.lastAt;
  reading.lastAt = Math.max(reading.lastAt, fact.at ?? 0);
  if (fact.isCopied) return;
  if (fact.rowId !== reading.rowId) Object.assign(reading, { rowId: fact.rowId, ofRow: 0 });
  const source = fact.rowId === null ? null : trustedText(`${fact.rowId}/${reading.ofRow++}`);
  if (fact.kind !== "usage") {
    reading.isInMessage = fact.kind === "thought" || (fact.kind === "text" && fact.endsTurn !== true);
  }
  if (fact.hostVersion !== null) session.learnHost(null, fact.hostVersion, at);
  if (fact.kind === "prompt") {
    if (!fact.isSidechain) reading.runId = reading.workedOn = promptTold(session, fact, at).id;
    return;
  }
  const { agentId, isSidechain } = fact;
  const speaker = agentId ?? (isSidechain ? "?" : "");
  const run =
    (fact.kind === "interrupt" ? cutShort(session, fact, reading, speaker) : null) ?? runOf(session, fact, reading, at);
  if (run === null) return;
  if ("messageId" in fact && fact.messageId !== null) run.hears(speaker, fact.messageId, at);
  if ("messageId" in fact && fact.kind !== "interrupt") run.starts.spoke(speaker, fact.messageId, at);
  const ended = fact.kind === "tool-result" ? endedCall(session, run, fact, at) : null;
  if (!isSidechain && WORK.has(fact.kind)) reading.workedOn = (ended?.run ?? run).id;
  const sourced = source === null ? {} : { source };
  switch (fact.kind) {
    case "thought":
      if (!isSidechain) run.isActive(at);
      run.note(at, { kind: "thought", text: fact.text, agentId, ...sourced });
      return;
    case "text":
      if (isSidechain) run.note(at, { kind: "text", text: fact.text, agentId, ...sourced });
      else if (fact.endsTurn === false) {
        run.isActive(at);
        run.words.flush();
        run.note(at, { kind: "text", text: fact.text, agentId, ...sourced });
      } else run.say({ text: fact.text, at, source, messageId: fact.messageId });
      return;
    case "tool-use":
      if (!isSidechain) {
        run.words.flush();
        run.goOn(at);
      }
      if (fact.toolUseId !== null) {
        directory.transcribed(session, run, fact.toolUseId, seenIn(fact, at), at);
        const made = placed(run, fact.toolUseId) ?? session.callById(fact.toolUseId);
        made?.run.starts.called(speaker, made.call, fact.messageId);
      }
      return;
    case "tool-result":
      applyResult(session, run, ended, fact, at);
      return;
    case "interrupt":
      if (!run.note(at, { kind: "interrupt", text: trustedText("interrupted by the person"), agentId, ...sourced }))
        return;
      if (!isSidechain) interrupt(session, run, at);
      return;
    case "usage":
      run.count(speaker, fact.messageId, fact.usage, at);
      return;
    case "api-error":
      run.note(at, { kind: "warning", text: fact.text, agentId, ...sourced });
      return;
  }
}

/** What an agent does in a run. */
const WORK: ReadonlySet<TranscriptFact["kind"]> = new Set(["thought", "text", "tool-use", "tool-result"]);

function promptTold(session: Session, { promptId, text, notice, rowId }: Fact<"prompt">, at: number): BoundRun {
  return beginPrompt(session, { promptId, text, notice, at, row: rowId, isHook: false });
}

/** Rows of the model's carry no prompt's id: they belong to what was asked last in the same file. */
function runOf(session: Session, fact: TranscriptFact, reading: Reading, at: number): BoundRun | null {
  const ofAgent = fact.agentId === null ? null : session.background.runOfAgent(fact.agentId);
  if (ofAgent !== null) return session.runById(ofAgent);
  if (fact.promptId !== null && !fact.isSidechain) {
    const named = session.runOfPrompt(fact.promptId);
    if (named !== null) reading.runId = named.id;
  }
  return (reading.runId === null ? null : session.runById(reading.runId)) ?? session.runAt(at);
}

/**
 * The run that an interruption cut short, where its row may carry another prompt's id: a person who types fast has sent the next
 * prompt before the host writes down that the last one was interrupted. The answer that was interrupted says it; where there
 * was none, so does the order of the rows.
 */
function cutShort(
  session: Session,
  { messageId }: Fact<"interrupt">,
  reading: Reading,
  speaker: string,
): BoundRun | null {
  const ofMessage = messageId === null ? null : session.runOfAnswer(speaker, messageId);
  if (ofMessage !== null) return ofMessage;
  const before = reading.workedOn === null ? null : session.runById(reading.workedOn);
  return before !== null && before.stoppedAt === null && !before.isInterrupted ? before : null;
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
    isStartGuessed: false,
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

/** The end of a call may be written down only when the next prompt has been sent, which has ended its run. */
const LATE_MS = 10_000;

function endedCall(session: Session, run: BoundRun, { toolUseId }: Fact<"tool-result">, at: number): PlacedCall | null {
  return toolUseId === null ? null : (placed(run, toolUseId) ?? session.callOfTime(toolUseId, at, LATE_MS));
}

function applyResult(
  session: Session,
  run: BoundRun,
  found: PlacedCall | null,
  fact: Fact<"tool-result">,
  at: number,
): void {
  if (fact.startedAgentId !== null) {
    session.background.learnAgent(fact.startedAgentId, (found?.run ?? run).id);
    if (found !== null) found.run.starts.startedAgent(fact.startedAgentId, found.call);
  }
  if (found === null) return;
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

function placed(run: BoundRun, callId: string) {
  const call = run.callById(callId);
  return call === undefined ? null : { run, call };
}

/** The person stopped the agent: no hook tells of it, and none of what it had begun goes on. */
function interrupt(session: Session, run: BoundRun, at: number): void {
  run.isActive(at);
  if (at < (run.stoppedAt ?? 0)) return;
  run.words.flush();
  run.isInterrupted = true;
  run.stoppedAt = null;
  if (session.background.isWaitedFor(run.id)) run.loseCalls(at, "cancelled", true);
  // One that the next prompt has ended already was interrupted by then.
  else session.endRun(run, Math.min(at, run.closedAt ?? at), "interrupted");
}
