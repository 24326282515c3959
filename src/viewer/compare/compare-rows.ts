import { isDifferent } from "../../core/compare.ts";
import type { Comparison, ComparisonRow } from "../../core/comparison.ts";
import { type CalledTool, calledTools } from "../../core/text/run-title.ts";

/** Two compared runs as the rows of a list: the prompt, the calls, those that are the same folded, the answer. Pure. */

export type CompareRow =
  | { kind: "text"; key: "prompt" | "answer"; left: string | null; right: string | null; isSame: boolean }
  /** Calls that are the same on both sides: rows of the comparison from `from` on, `to` excluded. */
  | { kind: "same"; key: string; from: number; to: number; isOpen: boolean }
  | { kind: "call"; key: string; index: number; row: ComparisonRow };

/** Fewer are not worth folding. */
const LEAST_FOLDED = 3;
/** Of a fold, so many rows stay on each side that borders on a difference. */
const SHOWN_AROUND = 1;

/** The tools that the run of one side called. */
export function sideTools({ rows }: Comparison, side: "left" | "right"): CalledTool[] {
  return calledTools(rows.flatMap((row) => row[side] ?? []));
}

/** `open`: keys of folds that are open; `selected` is never folded away. */
export function compareRows(
  comparison: Comparison,
  open: ReadonlySet<string>,
  isAllOpen: boolean,
  selected: number | null,
): CompareRow[] {
  const { left, right, rows, sameInput, sameAnswer } = comparison;
  const list: CompareRow[] = [];
  if (left.input !== null || right.input !== null) {
    list.push({ kind: "text", key: "prompt", left: left.input, right: right.input, isSame: sameInput });
  }
  for (let index = 0; index < rows.length; ) {
    const end = endOfSame(rows, index);
    const from = index === 0 ? index : Math.min(end, index + SHOWN_AROUND);
    const to = end === rows.length ? end : Math.max(from, end - SHOWN_AROUND);
    if (end === index) {
      list.push(...calls(rows, index, index + 1));
      index++;
      continue;
    }
    const key = `same ${index}`;
    const holdsSelected = selected !== null && selected >= from && selected < to;
    if (to - from < LEAST_FOLDED || isAllOpen || holdsSelected) list.push(...calls(rows, index, end));
    else {
      const isOpen = open.has(key);
      list.push(...calls(rows, index, from), { kind: "same", key, from, to, isOpen });
      if (isOpen) list.push(...calls(rows, from, to));
      list.push(...calls(rows, to, end));
    }
    index = end;
  }
  if (left.finalAnswer !== null || right.finalAnswer !== null) {
    list.push({ kind: "text", key: "answer", left: left.finalAnswer, right: right.finalAnswer, isSame: sameAnswer });
  }
  return list;
}

/** Indices of the rows that are not the same on both sides, rising. */
export function differencesOf({ rows }: Comparison): number[] {
  return rows.flatMap((row, index) => (isDifferent(row) ? [index] : []));
}

/** Sign and words for what a row is; together they tell it without a colour. */
export function rowWords(row: ComparisonRow): { sign: string; words: string } {
  if (row.left === null) return { sign: "+", words: "only in B" };
  if (row.right === null) return { sign: "−", words: "only in A" };
  return row.differs.length === 0 ? { sign: "=", words: "the same" } : { sign: "≠", words: row.differs.join(", ") };
}

function endOfSame(rows: readonly ComparisonRow[], from: number): number {
  let end = from;
  for (let row = rows[end]; row !== undefined && !isDifferent(row); row = rows[end]) end++;
  return end;
}

function calls(rows: readonly ComparisonRow[], from: number, to: number): CompareRow[] {
  return rows.slice(from, to).map((row, at) => ({ kind: "call", key: `call ${from + at}`, index: from + at, row }));
}
