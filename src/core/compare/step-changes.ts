import type { Step } from "../run.ts";
import { type ValueChange, valueChanges } from "./value-diff.ts";

/** In what one call differs from another, value by value: `arguments.path`, `result.content[0].text`, `error.code`. Pure. */

export interface StepChanges {
  changes: ValueChange[];
  /** Differences that are not listed. */
  more: number;
}

type Compared = Pick<Step, "args" | "result" | "rpcError" | "error" | "status">;

export function stepChanges(left: Compared, right: Compared, limit = 1_000): StepChanges {
  const all = [
    valueChanges(left.args, right.args, "arguments", limit),
    valueChanges(answerOf(left), answerOf(right), "", limit),
    valueChanges(left.status, right.status, "status", limit),
  ];
  const changes = all.flatMap((part) => part.changes.map(named));
  const more = all.reduce((sum, part) => sum + part.more, 0);
  return { changes: changes.slice(0, limit), more: more + Math.max(0, changes.length - limit) };
}

/** What came back: a result, the protocol's error, or what was said in words where there is neither. */
export function answerOf({ result, rpcError, error }: Omit<Compared, "args" | "status">): Record<string, unknown> {
  if (rpcError !== null && rpcError !== undefined) return { error: rpcError };
  if (result !== null) return { result };
  return error === null ? {} : { error };
}

function named(change: ValueChange): ValueChange {
  return { ...change, path: change.path.replace(/^\./, "") };
}
