import type { BackgroundTask, HookFact } from "../../core/hook-fact.ts";
import type { RedactedText } from "../../core/redacted.ts";
import { redactText, trustedText } from "../../redact/redact.ts";
import type { BoundRun } from "./bound-run.ts";
import { type CallEnded, type CallSeen, endOf, type Witness } from "./calls/call-told.ts";
import { beginPrompt } from "./prompts.ts";
import type { Session } from "./session.ts";

/**
 * What a hook tells, put into the session's runs. Hooks may come late, twice or out of order: everything is placed by the
 * host's ids and by when it was told, and nothing here depends on what came before.
 */

/** What calls that hooks tell of have to do with calls on the wire. */
export interface HookedCalls {
  /** The call that a hook tells of: the one that is known already, or a new one. `isEnd`: it tells how the call ended. */
  hooked(session: Session, run: BoundRun, seen: CallSeen, at: number, isEnd: boolean): HookedCall;
  /** True where a proxy will tell how this call ended. */
  isProxied(session: Session, server: RedactedText | null): boolean;
}

export interface HookedCall {
  run: BoundRun;
  /** What the call began. */
  startedAgent(agentId: RedactedText): void;
  end(ended: CallEnded, witness: Witness, isBetterExpected: boolean): void;
  /** An id for its arguments; null where none must be put in. */
  inject(): string | null;
}

/** When a hook ran (epoch ms), and the fingerprint of the arguments that it told. */
export interface HookMoment {
  at: number;
  argsHash: string | null;
}

type Fact<Kind extends HookFact["kind"]> = Extract<HookFact, { kind: Kind }>;
type CallFact = Fact<"tool-starting" | "tool-ended" | "tool-failed" | "permission-asked">;

/**
 * Hooks of calls are not waited for by the host, and a busy system starts them late: one that tells of a call this much after
 * the agent had stopped is no sign yet that the agent went on.
 */
const LATE_START_MS = 1_000;

/** Answers the call that the hook told of, where it told of one. */
export function applyHookFact(
  session: Session,
  fact: HookFact,
  moment: HookMoment,
  calls: HookedCalls,
): HookedCall | null {
  const { at } = moment;
  const belonging = { promptId: fact.promptId, agentId: fact.agentId, at };
  switch (fact.kind) {
    case "session-started":
      if (fact.source !== "compact") session.begin(at);
      return null;
    case "session-ended":
      session.end(at);
      return null;
    case "prompt-submitted": {
      const { promptId, prompt: text, notice } = fact;
      beginPrompt(session, { promptId, text, notice, at, row: null, isHook: true });
      return null;
    }
    case "tool-starting":
      return callTold(session, fact, moment, calls, { startedAt: at, isStartGuessed: false });
    case "tool-ended":
    case "tool-failed":
      return callEnded(session, fact, moment, calls);
    case "batch-ended":
      for (const each of fact.calls) {
        const told = { ...fact, ...each };
        const call = callTold(session, told, { at, argsHash: null }, calls, { startedAt: at, isStartGuessed: true });
        call.end(endOf({ status: "ok", result: each.response, endedAt: at }), "batch", true);
      }
      return null;
    case "subagent-started": {
      const { agentId } = fact;
      const run = session.findRun({ ...belonging, agentId: null });
      if (agentId !== null && run !== null && session.background.runOfAgent(agentId) === null) {
        session.background.learnAgent(agentId, run.id);
      }
      return null;
    }
    case "subagent-stopped":
      subagentStopped(session, fact, at);
      return null;
    case "stopped":
      if (fact.agentId !== null) subagentStopped(session, fact, at);
      else stopped(session, session.runFor(belonging), fact, at);
      return null;
    case "stop-failed":
      stopFailed(session.runFor(belonging), fact, at);
      return null;
    default:
      told(session, fact, at);
      return null;
  }
}

function callEnded(
  session: Session,
  fact: Fact<"tool-ended" | "tool-failed">,
  moment: HookMoment,
  calls: HookedCalls,
): HookedCall {
  const { at } = moment;
  const { durationMs } = fact;
  const start = { startedAt: Math.max(0, at - (durationMs ?? 0)), isStartGuessed: durationMs === null };
  const call = callTold(session, fact, moment, calls, start);
  const isBetterExpected = calls.isProxied(session, fact.server);
  if (fact.kind === "tool-failed") {
    const status = fact.isInterrupt ? "cancelled" : "error";
    call.end(endOf({ status, error: fact.error, durationMs, endedAt: at }), "hook", isBetterExpected);
    return call;
  }
  const { started } = fact;
  if (started?.isAgent) {
    session.background.learnAgent(started.id, call.run.id);
    call.startedAgent(started.id);
  }
  if (started?.isBackground) {
    session.background.started(started.id, { runId: call.run.id, isAgent: started.isAgent }, at);
  }
  call.end(endOf({ status: "ok", result: fact.response, durationMs, endedAt: at }), "hook", isBetterExpected);
  return call;
}

function callTold(
  session: Session,
  fact: Omit<CallFact, "kind"> & { kind: HookFact["kind"] },
  { at, argsHash }: HookMoment,
  calls: HookedCalls,
  start: Pick<CallSeen, "startedAt" | "isStartGuessed">,
): HookedCall {
  const { promptId, agentId, toolUseId: callId } = fact;
  const run = session.runFor({ promptId, agentId, callId, at: start.startedAt });
  if (agentId !== null) {
    if (session.background.runOfAgent(agentId) === null) session.background.learnAgent(agentId, run.id);
  } else if (!start.isStartGuessed && !session.isEnded) {
    run.goOn(fact.kind === "tool-starting" ? start.startedAt : start.startedAt - LATE_START_MS);
  }
  const { qualifiedName, server, tool, input: args } = fact;
  const rest = { context: null, hostMeta: null, truncated: fact.isCut };
  const seen: CallSeen = { callId, qualifiedName, server, tool, args, argsHash, ...start, agentId, ...rest };
  return calls.hooked(session, run, seen, at, fact.kind !== "tool-starting");
}

function stopped(session: Session, run: BoundRun, fact: Fact<"stopped">, at: number): void {
  const tasks = fact.backgroundTasks;
  if (tasks !== null) session.background.listed(goingOn(tasks), run.id, at);
  if (!run.stop(fact.finalText, at)) return;
  if (tasks === null) session.background.stopped(run.id);
  closeAgain(run, at);
}

/** What had ended it was taken for a cut, or for its end: its own word came late, or there was more. */
function closeAgain(run: BoundRun, at: number): void {
  if (!run.isOpen) run.close(run.isFailed ? "failed" : "completed", at);
}

/** Tasks that a host lists as they end: those do not go on. Answers which of them are subagents. */
function goingOn(tasks: readonly BackgroundTask[]): Map<string, boolean> {
  const running = tasks.filter(({ status }) => status === null || status === "running");
  return new Map(running.flatMap(({ id, type }) => (id === null ? [] : [[id, type === "subagent"] as const])));
}

function stopFailed(run: BoundRun, fact: Fact<"stop-failed">, at: number): void {
  if (run.stop(fact.finalText, at)) {
    run.isFailed = true;
    closeAgain(run, at);
  }
  const why = fact.error === null ? "" : `: ${fact.error}`;
  run.note(at, { kind: "warning", text: trustedText(`the agent stopped with a failure${why}`), agentId: null });
}

function subagentStopped(session: Session, fact: Fact<"subagent-stopped" | "stopped">, at: number): void {
  const { agentId, finalText } = fact;
  const runId = agentId === null ? null : session.background.runOfAgent(agentId);
  if (runId === null || finalText === null || finalText === "") return;
  session.runById(runId)?.note(at, { kind: "text", text: finalText, agentId });
}

/** What is told and belongs to no call. Never opens a run: a host compacts between prompts, too. */
function told(session: Session, fact: HookFact, at: number): void {
  const run = session.findRun({ promptId: null, agentId: fact.agentId, at });
  if (run === null) return;
  const note = (kind: "compact" | "permission", text: string) =>
    run.note(at, { kind, text: trustedText(text), agentId: fact.agentId });
  switch (fact.kind) {
    case "compacting":
      note("compact", `the conversation is compacted (${fact.trigger ?? "for an unknown reason"})`);
      return;
    case "compacted":
      if (fact.summary !== null) note("compact", fact.summary);
      return;
    case "permission-asked":
      note("permission", `asked whether ${fact.qualifiedName} may run`);
      return;
    case "elicitation-asked":
      note("permission", `server ${nameOf(fact.server)} asked the person: ${fact.message ?? ""}`);
      return;
    case "elicitation-answered":
      note("permission", `server ${nameOf(fact.server)} was answered: ${fact.action ?? "nothing"}`);
      return;
  }
}

function nameOf(server: RedactedText | null): string {
  return server === null ? "of an unknown name" : JSON.stringify(redactText(server));
}
