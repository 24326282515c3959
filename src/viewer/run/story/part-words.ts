import type { NoteKind, RunStatus, Step } from "../../../core/run.ts";
import type { AgentStory } from "../../../core/story.ts";
import { counted, span } from "../../../core/text/when.ts";
import { isSlow } from "./slow-calls.ts";

/** What the rows of a story say in words of our own. Pure. */

export interface CallMark {
  tone: "warn" | "plain";
  text: string;
  /** In a sentence, for who points at it. */
  title: string;
}

/** What is out of the ordinary about a call. */
export function callMarks(step: Step, slowMs: number): CallMark[] {
  const marks: CallMark[] = [];
  if (isSlow(step, slowMs)) marks.push({ tone: "warn", text: "slow", title: "One of the slowest calls of this run" });
  if (step.truncated) {
    marks.push({ tone: "plain", text: "cut", title: "Too large to keep whole: its beginning and its end were kept" });
  }
  if (step.join === "ambiguous") {
    marks.push({ tone: "warn", text: "guess", title: "Which report of the host belongs to this call is a guess" });
  }
  if (step.legs > 1) {
    marks.push({
      tone: "plain",
      text: `${step.legs} rounds`,
      title: `The server asked the host back before it answered: ${step.legs} rounds in all`,
    });
  }
  if (step.waitingMs > 0) {
    const waited = span(step.waitingMs);
    marks.push({
      tone: "plain",
      text: `${waited} waiting`,
      title: `For ${waited} of it the server waited for the host`,
    });
  }
  if (step.progress > 0) {
    marks.push({
      tone: "plain",
      text: counted(step.progress, "report"),
      title: "Reports of progress that the server sent",
    });
  }
  return marks;
}

/** What a subagent did, in a few words: `12 calls, 1 error · 34 s`. */
export function agentWords(agent: AgentStory): string {
  const errors = agent.errorCount === 0 ? "" : `, ${counted(agent.errorCount, "error")}`;
  const running = agent.runningCount === 0 ? "" : `, ${agent.runningCount} running`;
  return `${counted(agent.callCount, "call")}${errors}${running} · ${span(agent.endedAt - agent.startedAt)}`;
}

export const NOTE_WORDS: Record<NoteKind, string> = {
  text: "said",
  thought: "thought",
  permission: "permission",
  plan: "plan",
  interrupt: "interrupted",
  compact: "compacted",
  warning: "warning",
};

/** What is to be said at the end of a run besides how it stands. */
export const END_WORDS: Record<RunStatus, string> = {
  running: "What comes next appears here.",
  completed: "",
  failed: "",
  interrupted: "",
  abandoned: "Its recorder ended without closing it; what it had written is here.",
};
