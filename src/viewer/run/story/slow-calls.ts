import type { Step } from "../../../core/run.ts";
import { isLaunch } from "../../../core/story.ts";

/** Which calls of a run are slow, compared with its others. Pure. */

/** A call is never slow below this, ms. */
const NEVER_SLOW_MS = 2000;
/** Of a run with few calls: so many times its median. */
const TIMES_MEDIAN = 5;
const FEW_CALLS = 20;

/**
 * From how long a call is slow, ms: in a long run as long as its slowest twentieth. What a person or a server's own question
 * took is not counted, and calls that launch agents are not compared.
 */
export function slowThreshold(steps: readonly Step[]): number {
  const durations = new Float64Array(steps.length);
  let count = 0;
  for (const step of steps) {
    if (step.durationMs !== null && !isLaunch(step)) durations[count++] = step.durationMs - step.waitingMs;
  }
  if (count < 2) return Number.POSITIVE_INFINITY;
  const sorted = durations.subarray(0, count).sort();
  const at = (share: number) => sorted[Math.floor((count - 1) * share)] ?? 0;
  return Math.max(NEVER_SLOW_MS, count < FEW_CALLS ? at(0.5) * TIMES_MEDIAN : at(0.95));
}

export function isSlow(step: Step, slowMs: number): boolean {
  // One that was called off lasted as long as somebody had patience.
  const isAnswered = step.status === "ok" || step.status === "error";
  return isAnswered && step.durationMs !== null && !isLaunch(step) && step.durationMs - step.waitingMs >= slowMs;
}
