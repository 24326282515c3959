import type { NoteEntry, Run, Step } from "./run.ts";

/** The parts of a run one after the other. Pure. */

/** The steps and notes of a run in the order they began. */
export function inOrder(run: Run): (Step | NoteEntry)[] {
  const at = (part: Step | NoteEntry) => (isStep(part) ? part.startedAt : part.at);
  return [...run.steps, ...run.notes].sort((a, b) => at(a) - at(b) || a.seq - b.seq);
}

export function isStep(part: Step | NoteEntry): part is Step {
  return "tool" in part;
}
