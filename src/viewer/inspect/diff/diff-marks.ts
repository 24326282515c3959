import type { Line, LineSource, LineSpan } from "../text/line-source.ts";
import { LINE_LENGTH } from "../text/line-source.ts";
import { piecesOf } from "../text/pieces.ts";
import { type DiffLine, diffCounts } from "./line-diff.ts";
import { commonParts } from "./sequence-diff.ts";

/** A difference as lines to show: signs, numbers, and within lines that were changed, what was changed. Pure. */

const SIGNS = {
  added: { text: "+", words: "added: ", class: "added" },
  removed: { text: "−", words: "removed: ", class: "removed" },
  same: { text: " ", words: "", class: "same" },
} as const;

/** Lines longer than this are not compared within. */
const LONGEST_COMPARED = 600;
const MOST_DIFFERENCES = 60;

export function diffLineSource(lines: readonly DiffLine[]): LineSource {
  const marks = changesWithin(lines);
  const shown: Line[] = [];
  const isNumbered = lines.some((line) => line.old !== null || line.new !== null);
  for (const [index, line] of lines.entries()) {
    if (line.kind === "heading") {
      shown.push({ text: line.text, isHeading: true });
      continue;
    }
    const sign = SIGNS[line.kind];
    for (const piece of piecesOf(line.text, LINE_LENGTH)) {
      shown.push({
        text: line.text.slice(piece.start, piece.end),
        sign,
        ...(isNumbered ? { gutter: piece.isLineStart ? [line.old, line.new] : [null, null] } : {}),
        ...(piece.start === 0 ? { spans: marks.get(index) } : {}),
      });
    }
  }
  const last = lines.reduce((most, line) => Math.max(most, line.old ?? 0, line.new ?? 0), 0);
  return {
    count: shown.length,
    at: (index) => shown[index] ?? { text: "" },
    gutter: { columns: isNumbered ? 2 : 0, digits: String(last).length },
  };
}

/** `3 lines added, 1 removed`. */
export function diffSummary(lines: readonly DiffLine[]): string {
  const { added, removed } = diffCounts(lines);
  if (added === 0 && removed === 0) return "nothing changed";
  return [added > 0 ? `${added} added` : "", removed > 0 ? `${removed} removed` : ""]
    .filter((one) => one !== "")
    .join(", ");
}

/** By line: which parts differ from the line that it took the place of, or that took its place. */
function changesWithin(lines: readonly DiffLine[]): Map<number, LineSpan[]> {
  const marks = new Map<number, LineSpan[]>();
  let at = 0;
  while (at < lines.length) {
    const removed = runOf(lines, at, "removed");
    const added = runOf(lines, removed, "added");
    // Only where as many lines came as went does each have a counterpart.
    if (removed > at && added - removed === removed - at) {
      for (let index = at; index < removed; index++) {
        const pair = changedParts(lines[index]?.text ?? "", lines[index + removed - at]?.text ?? "");
        if (pair === null) continue;
        marks.set(index, pair.before);
        marks.set(index + removed - at, pair.after);
      }
    }
    at = Math.max(added, at + 1);
  }
  return marks;
}

function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): number {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return end;
}

/** What differs between two lines, by words; null where they have too little in common to be worth it. */
export function changedParts(before: string, after: string): { before: LineSpan[]; after: LineSpan[] } | null {
  if (before.length > LONGEST_COMPARED || after.length > LONGEST_COMPARED) return null;
  const left = wordsOf(before);
  const right = wordsOf(after);
  const numbers = new Map<string, number>();
  const numbered = (word: string) => {
    const known = numbers.get(word) ?? numbers.size;
    numbers.set(word, known);
    return known;
  };
  const parts = commonParts(left.map(numbered), right.map(numbered), MOST_DIFFERENCES);
  let common = 0;
  for (const part of parts) {
    for (let index = part.left; index < part.left + part.length; index++) common += left[index]?.trim().length ?? 0;
  }
  if (common * 3 < Math.max(before.trim().length, after.trim().length)) return null;
  return {
    before: differing(
      left,
      parts.map((part) => [part.left, part.length]),
    ),
    after: differing(
      right,
      parts.map((part) => [part.right, part.length]),
    ),
  };
}

function differing(words: readonly string[], same: readonly (readonly [number, number])[]): LineSpan[] {
  const spans: LineSpan[] = [];
  let at = 0;
  let offset = 0;
  const skipTo = (end: number) => {
    for (; at < end; at++) offset += words[at]?.length ?? 0;
  };
  for (const [start, length] of [...same, [words.length, 0] as const]) {
    const from = offset;
    skipTo(start);
    if (offset > from) spans.push({ start: from, end: offset, class: "changed" });
    skipTo(start + length);
  }
  return spans;
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}
