import type { RunStatus, RunSummary, StepStatus } from "../run.ts";

/** How runs and calls ended, as a sign and a word; and why something was lost. The word always stands beside the sign. */

const STEP: Record<StepStatus, string> = {
  ok: "✓ ok",
  error: "✗ error",
  cancelled: "⊘ cancelled",
  denied: "⊘ denied",
  lost: "… lost",
  running: "▸ running",
};

const RUN: Record<RunStatus, string> = {
  completed: "✓ completed",
  failed: "✗ failed",
  interrupted: "⊘ interrupted",
  abandoned: "… abandoned",
  running: "▸ running",
};

export function stepOutcome(status: StepStatus): string {
  return STEP[status];
}

export function runStatus(status: RunStatus): string {
  return RUN[status];
}

/**
 * How much a run could not record: what its gaps count (calls, or messages where no call could be made out), and
 * `lostCalls`, those that were seen without their outcome.
 */
export function lostCount(run: Pick<RunSummary, "gaps">, lostCalls = 0): number {
  return run.gaps.reduce((sum, gap) => sum + gap.lost, lostCalls);
}

const GAP_REASONS: Record<string, string> = {
  "store-unavailable": "the store could not be written for so long that memory ran out",
  "store-lost": "the store was damaged or removed while this run was recorded",
  rejected: "the store would not take it",
  "unreadable-message": "what passed could not be read as a message",
  "switched-off": "recording was switched off while it was under way",
  "recorder-fault": "a fault in bir itself; please report it",
};

/** Why something was lost, in words; a reason of a later version as it is. The row of the matrix goes behind it. */
export function gapReason(reason: string): string {
  const [, row, name = reason] = /^(?:(DEG-\d+) )?(.*)$/s.exec(reason) ?? [];
  const words = GAP_REASONS[name] ?? name;
  return row === undefined ? words : `${words} (${row})`;
}
