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

/** The run of a prompt, opened where it is new. */
export function beginPrompt(
  session: Session,
  promptId: RedactedText | null,
  text: RedactedText | null,
  notice: TaskNotice | null,
  at: number,
): BoundRun {
  const known = knownRun(session, promptId, text, at);
  if (known !== null) {
    if (notice === null) known.learnInput(text, at);
    return known;
  }
  const launched = notice === null ? null : launchedBy(session, notice);
  if (launched !== null) {
    if (promptId !== null) launched.promptIds.add(promptId);
    if (notice?.taskId != null) session.taskEnded(notice.taskId);
    launched.flushText();
    launched.goOn(at);
    return launched;
  }
  for (const run of session.openRuns) {
    if (run.openedAt <= at && run.tasks.size === 0) session.endRun(run, at, "interrupted");
  }
  return session.openRun(at, { promptId, input: text });
}

function knownRun(
  session: Session,
  promptId: RedactedText | null,
  text: RedactedText | null,
  at: number,
): BoundRun | null {
  if (promptId !== null) return session.runOfPrompt(promptId);
  const near = session.latest;
  return near !== null && Math.abs(near.openedAt - at) < SAME_PROMPT_MS && near.isInput(text) ? near : null;
}

function launchedBy(session: Session, { taskId, toolUseId }: TaskNotice): BoundRun | null {
  const byTask = taskId === null ? null : session.runOfTask(taskId);
  const byCall = toolUseId === null ? undefined : session.callById(toolUseId)?.run;
  return byTask ?? byCall ?? session.latest;
}
