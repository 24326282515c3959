/**
 * A long text cut into pieces that can be shown one by one: its lines, and long lines in parts, never within a character of
 * two units. Linear in the text. Pure.
 */

/** UTF-16 offsets into the text, line end excluded. */
export interface TextPiece {
  start: number;
  end: number;
  /** Of the line it belongs to, from 0. */
  line: number;
  /** False for the second and later parts of a long line. */
  isLineStart: boolean;
}

/** `longest`: UTF-16 units in one piece. */
export function piecesOf(text: string, longest: number): TextPiece[] {
  const pieces: TextPiece[] = [];
  let line = 0;
  let start = 0;
  while (start <= text.length) {
    const lineBreak = text.indexOf("\n", start);
    const next = lineBreak < 0 ? text.length + 1 : lineBreak + 1;
    let end = lineBreak < 0 ? text.length : lineBreak;
    if (lineBreak > start && text.charCodeAt(lineBreak - 1) === 0x0d) end -= 1;
    cutLine(text, { start, end, line }, longest, pieces);
    start = next;
    line += 1;
  }
  // A line end at the very end ends the last line and begins none.
  if (pieces.length > 1 && text.endsWith("\n")) pieces.pop();
  return pieces;
}

function cutLine(text: string, line: Omit<TextPiece, "isLineStart">, longest: number, pieces: TextPiece[]): void {
  let { start } = line;
  do {
    let end = Math.min(line.end, start + longest);
    if (end < line.end && isInPair(text, end)) end -= 1;
    pieces.push({ start, end, line: line.line, isLineStart: start === line.start });
    start = end;
  } while (start < line.end);
}

function isInPair(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
