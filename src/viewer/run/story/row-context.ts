import type { Run } from "../../../core/run.ts";

/** What the rows of one story share. */
export interface RowContext {
  run: Run;
  /** The selected row's key. */
  selected: string | null;
  /** Words to mark. */
  words: readonly string[];
  slowMs: number;
  /** Prose that was unfolded. */
  unfolded: ReadonlySet<string>;
  onSelect: (key: string) => void;
  /** Folds the work of agents away, or back. */
  onFold: (agentIds: readonly string[]) => void;
  onUnfold: (key: string) => void;
}
