import type { StepStatus } from "./run.ts";

/**
 * Two runs side by side, as `bir run diff` and the page show them. Pure types; `core/compare.ts` makes one.
 */

/** One call on one side. */
export interface ComparedStep {
  id: string;
  index: number;
  server: string | null;
  tool: string;
  qualifiedName: string;
  status: StepStatus;
  durationMs: number | null;
  agentId: string | null;
  /** Its arguments on one line, at most 300 characters. */
  argumentLine: string;
}

export type Difference = "arguments" | "result" | "status";

/** One line: a call on both sides, or on one. `differs` is empty where both are the same. */
export interface ComparisonRow {
  left: ComparedStep | null;
  right: ComparedStep | null;
  differs: Difference[];
}

export interface ComparedRun {
  id: string;
  input: string | null;
  finalAnswer: string | null;
  status: string;
  startedAt: number;
  endedAt: number | null;
  stepCount: number;
}

export interface Comparison {
  left: ComparedRun;
  right: ComparedRun;
  rows: ComparisonRow[];
  /** Index of the first row that is not the same on both sides; null where there is none. */
  firstDifference: number | null;
  sameInput: boolean;
  sameAnswer: boolean;
  counts: { same: number; changed: number; leftOnly: number; rightOnly: number };
}
