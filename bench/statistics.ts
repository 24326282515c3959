import type { Outcome } from "./run-figure.ts";

/** From the samples of the rounds to one number: medians, and medians of what is compared within a round. */

/** Median by interpolation; undefined of nothing. */
function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const low = sorted[Math.floor(middle)];
  const high = sorted[Math.ceil(middle)];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

export interface Compared {
  median: number;
  /** Median over rounds of (this − direct) and (this ÷ direct) of the same round. */
  difference: number | undefined;
  ratio: number | undefined;
  rounds: number;
}

/** One metric of a subject beside the yardstick's; undefined when there is no sample of it. */
export function compare(metric: string, outcome: Outcome, yardstick: Outcome | undefined): Compared | undefined {
  const values: number[] = [];
  const differences: number[] = [];
  const ratios: number[] = [];
  for (const [round, samples] of outcome.rounds) {
    const value = samples[metric];
    if (value === undefined) continue;
    values.push(value);
    const reference = yardstick?.rounds.get(round)?.[metric];
    if (reference === undefined || reference === 0) continue;
    differences.push(value - reference);
    ratios.push(value / reference);
  }
  const middle = median(values);
  if (middle === undefined) return undefined;
  return { median: middle, difference: median(differences), ratio: median(ratios), rounds: values.length };
}
