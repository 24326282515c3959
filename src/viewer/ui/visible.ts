import { visible } from "../../core/text/visible.ts";

/**
 * Recorded text for a page: control characters, marks that turn the direction of text, invisible characters and lone
 * surrogates become escapes that can be seen (`\x1b`, `\u{202e}`). Line breaks and tabs stay what they are. Pure; what
 * terminals make of escape sequences is not looked at here.
 */

/** A part of a text; `isEscape`: it stands for a character that cannot be seen. */
export interface Piece {
  text: string;
  /** UTF-16 offsets in the text as it was recorded. */
  start: number;
  end: number;
  isEscape: boolean;
}

const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]|\r(?!\n))+/gu;

/** More runs of such characters than this are shown as plain escapes: each piece is an element of the page. */
const MOST_PIECES = 500;

/** A text in pieces, in order; one piece for text that holds nothing unseen. */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (pieces.length >= MOST_PIECES) break;
    if (match.index > from)
      pieces.push({ text: text.slice(from, match.index), start: from, end: match.index, isEscape: false });
    const end = match.index + match[0].length;
    pieces.push({ text: visible(match[0]), start: match.index, end, isEscape: true });
    from = end;
  }
  if (from < text.length || pieces.length === 0) {
    pieces.push({ text: visibleText(text.slice(from)), start: from, end: text.length, isEscape: false });
  }
  return pieces;
}

/** The same as one text, for where there is no place for elements. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, visible);
}

/** The first line that says anything, its white space made single; for a title. */
export function firstLine(text: string, length = 300): string {
  const line = /\S[^\n\r]*/.exec(text.slice(0, 20_000))?.[0] ?? "";
  const single = line
    .slice(0, length * 4)
    .replace(/\s+/g, " ")
    .trim();
  return visibleText(single.length <= length ? single : `${single.slice(0, length).toWellFormed()}…`);
}
