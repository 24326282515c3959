import type { Run, StepStatus } from "../../../core/run.ts";
import { isSlow } from "../story/slow-calls.ts";
import type { AxisTick } from "./axis-model.ts";

/** The signs that a time axis shows, with their words: only those that are on it. Pure. */

export type AxisSign = "error" | "slow" | "undone" | "running" | "agents" | "alert" | "event" | "interrupt" | "said";

export interface LegendEntry {
  sign: AxisSign;
  word: string;
}

const SIGN_OF_TICK: Record<AxisTick["kind"], readonly [AxisSign, string]> = {
  gap: ["alert", "gap"],
  warning: ["alert", "warning"],
  permission: ["event", "permission"],
  plan: ["event", "plan"],
  compact: ["event", "compaction"],
  interrupt: ["interrupt", "interruption"],
  text: ["said", "said"],
  thought: ["said", "thought"],
};
const SIGN_OF_STATUS: Record<StepStatus, readonly [AxisSign, string] | null> = {
  ok: null,
  error: ["error", "error"],
  denied: ["undone", "denied"],
  cancelled: ["undone", "cancelled"],
  lost: ["undone", "lost"],
  running: ["running", "running"],
};
const ORDER: readonly AxisSign[] = [
  "error",
  "slow",
  "undone",
  "running",
  "agents",
  "interrupt",
  "alert",
  "event",
  "said",
];

/** What is drawn alike is one entry: `warning, gap`. */
export function axisLegend(
  { steps, notes, gaps }: Pick<Run, "steps" | "notes" | "gaps">,
  slowMs: number,
): LegendEntry[] {
  const words = new Map<AxisSign, Set<string>>();
  const add = (sign: AxisSign, word: string) => {
    const known = words.get(sign);
    if (known === undefined) words.set(sign, new Set([word]));
    else known.add(word);
  };
  for (const step of steps) {
    const own = SIGN_OF_STATUS[step.status];
    if (own !== null) add(...own);
    if (isSlow(step, slowMs)) add("slow", "slow");
    if (step.agentId !== null) add("agents", "subagent");
  }
  if (gaps.length > 0) add(...SIGN_OF_TICK.gap);
  for (const { kind } of notes) add(...SIGN_OF_TICK[kind]);
  return ORDER.flatMap((sign) => {
    const own = words.get(sign);
    return own === undefined ? [] : [{ sign, word: [...own].join(", ") }];
  });
}
