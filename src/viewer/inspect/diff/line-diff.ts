import { commonParts } from "./sequence-diff.ts";

/** Two texts compared line by line. Pure. */

export interface DiffLine {
  kind: "same" | "added" | "removed" | "heading";
  text: string;
  /** Numbers in the old and the new text, from 1. */
  old: number | null;
  new: number | null;
}

/** Differences that are looked for between two lines that both have. */
const MOST_DIFFERENCES = 400;
const CONTEXT_LINES = 3;

/** All lines of both, in order; `at`: the number of the first line. */
export function diffOf(before: string, after: string, at = { old: 1, new: 1 }): DiffLine[] {
  const left = linesOf(before);
  const right = linesOf(after);
  const numbers = new Map<string, number>();
  const numbered = (line: string) => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  const parts = commonParts(left.map(numbered), right.map(numbered), MOST_DIFFERENCES);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  for (const part of [...parts, { left: left.length, right: right.length, length: 0 }]) {
    for (; i < part.left; i++) lines.push({ kind: "removed", text: left[i] ?? "", old: at.old + i, new: null });
    for (; j < part.right; j++) lines.push({ kind: "added", text: right[j] ?? "", old: null, new: at.new + j });
    for (let count = 0; count < part.length; count++, i++, j++) {
      lines.push({ kind: "same", text: left[i] ?? "", old: at.old + i, new: at.new + j });
    }
  }
  return lines;
}

/** The same with long stretches that are the same left out, told in a heading. */
export function withoutSame(lines: readonly DiffLine[]): DiffLine[] {
  const result: DiffLine[] = [];
  let from = 0;
  while (from < lines.length) {
    let end = from;
    while (end < lines.length && lines[end]?.kind === "same") end += 1;
    const head = from === 0 ? 0 : CONTEXT_LINES;
    const tail = end === lines.length ? 0 : CONTEXT_LINES;
    const hidden = end - from - head - tail;
    if (hidden > 1) {
      result.push(...lines.slice(from, from + head));
      result.push({ kind: "heading", text: `${hidden} unchanged lines`, old: null, new: null });
      result.push(...lines.slice(end - tail, end));
    } else result.push(...lines.slice(from, end));
    from = end;
    while (from < lines.length && lines[from]?.kind !== "same") {
      const line = lines[from];
      if (line !== undefined) result.push(line);
      from += 1;
    }
  }
  return result;
}

export function diffCounts(lines: readonly DiffLine[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const { kind } of lines) {
    if (kind === "added") added += 1;
    else if (kind === "removed") removed += 1;
  }
  return { added, removed };
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}
