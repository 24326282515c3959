import { piecesOf } from "./pieces.ts";

/** Lines as all long text of the inspector is shown: a plain text, a file, what a terminal showed, a difference. Pure. */

/** How a part of a line looks. */
export interface LineSpan {
  start: number;
  end: number;
  class?: string | undefined;
  style?: Record<string, string> | undefined;
}

export interface Line {
  text: string;
  /** In order and not overlapping. */
  spans?: readonly LineSpan[] | undefined;
  /** What stands before it: numbers in a file; nothing for a line that goes on. */
  gutter?: readonly (number | null)[] | undefined;
  /** What kind of line it is, as a sign that is read out too. */
  sign?: { text: string; words: string; class: string } | undefined;
  /** A heading between lines. */
  isHeading?: boolean | undefined;
}

export interface LineSource {
  count: number;
  at(index: number): Line;
  /** How many columns of numbers there are, and how many digits the longest has. */
  gutter: { columns: number; digits: number };
}

/** The longest line that is shown as one, UTF-16 units. */
export const LINE_LENGTH = 2000;

/** A text as lines; `firstLine`: the number of the first, null for lines without numbers. */
export function textLines(text: string, firstLine: number | null = null): LineSource {
  const pieces = piecesOf(text, LINE_LENGTH);
  const lastLine = pieces.at(-1)?.line ?? 0;
  return {
    count: pieces.length,
    at(index) {
      const piece = pieces[index];
      if (piece === undefined) return { text: "" };
      const line = { text: text.slice(piece.start, piece.end) };
      if (firstLine === null) return line;
      return { ...line, gutter: [piece.isLineStart ? firstLine + piece.line : null] };
    },
    gutter: { columns: firstLine === null ? 0 : 1, digits: String((firstLine ?? 0) + lastLine).length },
  };
}

/** Lines that are there already. */
export function lineArray(lines: readonly Line[], gutter = { columns: 0, digits: 0 }): LineSource {
  return { count: lines.length, at: (index) => lines[index] ?? { text: "" }, gutter };
}
