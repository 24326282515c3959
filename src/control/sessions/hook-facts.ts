import type { BackgroundTask, HookFact } from "../../core/hook-fact.ts";
import type { RedactedText } from "../../core/redacted.ts";
import { redactText, trustedText } from "../../redact/redact.ts";
import { type BoundRun, endOf } from "./bound-run.ts";
import type { CallEnded, CallRecord, CallSeen } from "./call-record.ts";
import { beginPrompt } from "./prompts.ts";
import type { Session } from "./session.ts";

/**
 * What a hook tells, put into the session's runs. Hooks may come late, twice or out of order: everything is placed by the
 * host's ids, and nothing here depends on what came before.
 */

/** What calls that hooks tell of have to do with calls on the wire. */
export interface HookedCalls {
  /** The call that a hook tells of: the one that is known already, or a new one. */
  hooked(session: Session, run: BoundRun, seen: CallSeen, at: number): HookedCall;
  /** True where a proxy will tell how this call ended. */
  isProxied(session: Session, server: RedactedText | null): boolean;
}

export interface HookedCall {
  run: BoundRun;
  call: CallRecord;
  end(ended: CallEnded, isBetterExpected: boolean): void;
}

type Fact<Kind extends HookFact["kind"]> = Extract<HookFact, { kind: Kind }>;
type CallFact = Fact<"tool-starting" | "tool-ended" | "tool-failed" | "permission-asked">;

export function applyHookFact(
  session: Session,
  fact: HookFact,
  { at, argsHash }: { at: number; argsHash: string | null },
  calls: HookedCalls,
): void {
  const belonging = { promptId: fact.promptId, agentId: fact.agentId, at };
  switch (fact.kind) {
    case "session-started":
      session.isEnded = false;
      return;
    case "session-ended":
      session.end(at, "interrupted");
      return;
    case "prompt-submitted":
      beginPrompt(session, fact.promptId, fact.prompt, fact.notice, at);
      return;
    case "tool-starting":
      callTold(session, fact, { at, argsHash }, calls);
      return;
    case "tool-ended": {
      const call = callTold(session, fact, { at, argsHash }, calls);
      const started = fact.started;
      if (started?.isAgent) {
        session.learnAgent(started.id, call.run);
        call.run.starts.startedAgent(started.id, call.call);
      }
      if (started?.isBackground) session.taskStarted(started.id, call.run);
      const { response: result, durationMs } = fact;
      call.end(endOf({ status: "ok", result, durationMs, endedAt: at }), calls.isProxied(session, fact.server));
      return;
    }
    case "tool-failed": {
      const call = callTold(session, fact, { at, argsHash }, calls);
      const status = fact.isInterrupt ? "cancelled" : "error";
      const { error, durationMs } = fact;
      call.end(endOf({ status, error, durationMs, endedAt: at }), calls.isProxied(session, fact.server));
      return;
    }
    case "batch-ended":
      for (const each of fact.calls) {
        const call = callTold(session, { ...fact, ...each }, { at, argsHash: null }, calls);
        call.end(endOf({ status: "ok", result: each.response, endedAt: at }), true);
      }
      return;
    case "subagent-started":
      if (fact.agentId !== null && !session.knowsAgent(fact.agentId)) {
        const run = session.findRun({ ...belonging, agentId: null });
        if (run !== null) session.learnAgent(fact.agentId, run);
      }
      return;
    case "subagent-stopped":
      subagentStopped(session, fact, at);
      return;
    case "stopped":
      stopped(session, session.runFor(belonging), fact, at);
      return;
    case "stop-failed": {
      const run = session.runFor(belonging);
      run.stop(fact.finalText, at);
      run.isFailed = true;
      const why = fact.error === null ? "" : `: ${fact.error}`;
      run.note(at, { kind: "warning", text: trustedText(`the agent stopped with a failure${why}`), agentId: null });
      return;
    }
    default:
      told(session, fact, at);
  }
}

function callTold(
  session: Session,
  fact: Omit<CallFact, "kind">,
  { at, argsHash }: { at: number; argsHash: string | null },
  calls: HookedCalls,
): HookedCall {
  // Neither how a call starts nor how it ends is told without its duration by every version.
  const durationMs = (fact as Partial<Fact<"tool-ended">>).durationMs;
  const startedAt = Math.max(0, at - (durationMs ?? 0));
  const { promptId, agentId, toolUseId: callId } = fact;
  const run = session.runFor({ promptId, agentId, callId, at: startedAt });
  if (agentId === null && run.stoppedAt !== null && startedAt > run.stoppedAt) run.goOn(startedAt);
  const { qualifiedName, server, tool, input: args } = fact;
  const rest = { isStartUnknown: durationMs === null, context: null, hostMeta: null, truncated: fact.isCut };
  return calls.hooked(
    session,
    run,
    { callId, qualifiedName, server, tool, args, argsHash, startedAt, agentId, ...rest },
    at,
  );
}

function stopped(session: Session, run: BoundRun, fact: Fact<"stopped">, at: number): void {
  if (fact.backgroundTasks !== null) session.tasksAre(runningTasks(fact.backgroundTasks), run);
  else for (const task of [...run.tasks]) session.taskEnded(task);
  run.stop(fact.finalText, at);
}

/** Tasks that a host lists as they end: those do not go on. */
function runningTasks(tasks: readonly BackgroundTask[]): string[] {
  return tasks.flatMap(({ id, status }) => (id === null || (status !== null && status !== "running") ? [] : [id]));
}

function subagentStopped(session: Session, fact: Fact<"subagent-stopped">, at: number): void {
  const { agentId, finalText } = fact;
  if (agentId === null || !session.knowsAgent(agentId)) return;
  const run = session.findRun({ promptId: null, agentId, at });
  if (run === null || finalText === null || finalText === "" || run.hasSaid(agentId, finalText)) return;
  run.note(at, { kind: "text", text: finalText, agentId });
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
