import type { TaskNotice } from "../../core/hook-fact.ts";
import type { RedactedText } from "../../core/redacted.ts";
import type { BoundRun } from "./bound-run.ts";
import type { Session } from "./session.ts";

/**
 * What a prompt begins. One that a person or a program wrote opens a run, and ends the one before it unless that still has
 * work in the background. One that the host made because such work has ended goes on with the run that started the work.
 */

/** A hook and the transcript both tell of a prompt; where the host gives it no id, they do so within this time. */
const SAME_PROMPT_MS = 5_000;

/** A prompt as a hook tells it, or a row of the transcript. */
export interface PromptTold {
  promptId: RedactedText | null;
  text: RedactedText | null;
  notice: TaskNotice | null;
  /** Epoch ms. */
  at: number;
  /** The row that tells it; null for a hook. */
  row: string | null;
  isHook: boolean;
}

/** The run of a prompt, opened where it is new. */
export function beginPrompt(session: Session, told: PromptTold): BoundRun {
  const { text, notice, at, isHook } = told;
  const known = knownRun(session, told);
  const run = known ?? (notice === null ? null : launchedBy(session, notice)) ?? openRun(session, told);
  const key = keyOf(told);
  if (key !== null) run.promptIds.add(key);
  if (notice !== null) {
    if (notice.taskId !== null) session.background.ended(notice.taskId);
    if (known === null) {
      session.timeline.began(at, run.id);
      run.goOn(at);
    }
    return run;
  }
  run.promptBy.add(isHook ? "hook" : "transcript");
  run.learnInput(text, at);
  // Only the host itself says that it is done with what came before: its rows may be read ahead of its hooks.
  if (isHook) endOthers(session, run, at);
  return run;
}

function openRun(session: Session, { promptId, text, at }: PromptTold): BoundRun {
  return session.openRun(at, { promptId, input: text });
}

function endOthers(session: Session, run: BoundRun, at: number): void {
  for (const other of session.openRuns) {
    if (other === run || other.activeAt > at || session.background.isWaitedFor(other.id)) continue;
    session.endRun(other, at, "interrupted");
  }
}

/** What the prompt is known by when it is told again. */
function keyOf({ promptId, row }: PromptTold): string | null {
  return promptId ?? (row === null ? null : `row:${row}`);
}

function knownRun(session: Session, told: PromptTold): BoundRun | null {
  const key = keyOf(told);
  const named = key === null ? null : session.runOfPrompt(key);
  if (named !== null || told.promptId !== null || told.notice !== null) return named;
  const near = session.latest;
  if (near === null || Math.abs(near.openedAt - told.at) >= SAME_PROMPT_MS || !near.isInput(told.text)) return null;
  return near.promptBy.has(told.isHook ? "hook" : "transcript") ? null : near;
}

/** The run that goes on with this notice. */
function launchedBy(session: Session, { taskId, toolUseId }: TaskNotice): BoundRun | null {
  const byTask = taskId === null ? null : session.background.runOfTask(taskId);
  const byCall = toolUseId === null ? undefined : session.callById(toolUseId)?.run;
  return (byTask === null ? null : session.runById(byTask)) ?? byCall ?? session.latest;
}
