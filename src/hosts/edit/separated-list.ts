import type { TextEdit } from "./config-text.ts";
import { breakBeforeLine, breakLength, indentAt, isBlank, isBreak, nextBreak, skipBlanks } from "./text-place.ts";

/**
 * Items between brackets with commas between them, in any format that has them: puts items in and takes them out by ranges. What it puts
 * in is laid out as the neighbours are, and what was put in is taken out to the byte: each form of insertion has its own way back. Comments
 * behind an item on its line are that item's; comments on lines of their own stay.
 */

export type CommentSyntax = "slashes" | "hash";

export interface Span {
  start: number;
  end: number;
}

export interface ListPlace {
  /** Just behind the opening bracket. */
  open: number;
  /** At the closing bracket. */
  close: number;
  items: readonly Span[];
  comments: CommentSyntax;
}

/** What cannot be seen from the items that are there. */
export interface ListStyle {
  eol: string;
  /** Of items on their own lines, where none is there to look at. */
  indent: string;
  /** Before the closing bracket on a line of its own. */
  closeIndent: string;
  /** An empty list becomes one with an item a line. */
  multiline: boolean;
  /** Inside the brackets of a list in one line. */
  pad: string;
  /** Behind a comma in one line. */
  separator: string;
  trailingComma: boolean;
}

/** Adds items before the one at `index`. `write` gives their texts for the indentation that they get. */
export function insertItems(
  text: string,
  list: ListPlace,
  index: number,
  write: (indent: string) => string[],
  style: ListStyle,
): TextEdit[] {
  const { open, close, items, comments } = list;
  const before = items[index - 1];
  const next = items[index];
  const lines = (indent: string) => write(indent).map((item) => style.eol + indent + item);
  const inline = () => write(indentAt(text, open));

  if (before === undefined) {
    if (next === undefined) return insertIntoEmpty(text, list, write, style);
    if (breakIn(text, open, next.start, comments) < 0) {
      return insertion(
        next.start,
        inline()
          .map((item) => `${item},${style.separator}`)
          .join(""),
      );
    }
    const at = behind(text, open, next.start, comments).end;
    return insertion(
      at,
      lines(indentAt(text, next.start))
        .map((line) => `${line},`)
        .join(""),
    );
  }

  const isOwnLine = breakIn(text, items[index - 2]?.end ?? open, before.start, comments) >= 0;
  const comma = commaIn(text, before.end, next?.start ?? close, comments);
  const anchor = comma < 0 ? before.end : comma + 1;
  const rest = behind(text, anchor, next?.start ?? close, comments);
  if (next === undefined ? isOwnLine : rest.isLineEnd) {
    const indent = indentAt(text, isOwnLine || next === undefined ? before.start : next.start);
    if (comma >= 0)
      return insertion(
        rest.end,
        lines(indent)
          .map((line) => `${line},`)
          .join(""),
      );
    const added = lines(indent).join(",");
    return rest.end === before.end
      ? insertion(rest.end, `,${added}`)
      : [...insertion(before.end, ","), ...insertion(rest.end, added)];
  }
  const added = inline();
  if (comma >= 0) return insertion(anchor, added.map((item) => `${style.separator}${item},`).join(""));
  return insertion(rest.isLineEnd ? before.end : rest.end, added.map((item) => `,${style.separator}${item}`).join(""));
}

function insertIntoEmpty(
  text: string,
  { open, close, comments }: ListPlace,
  write: (indent: string) => string[],
  style: ListStyle,
): TextEdit[] {
  const written = (indent: string) =>
    write(indent)
      .map((item) => style.eol + indent + item)
      .join(",") + (style.trailingComma ? "," : "");
  const comment = lastComment(text, open, close, comments);
  if (comment !== null) {
    const rest = behind(text, comment.end, close, comments);
    if (!rest.isLineEnd) return insertion(comment.end, ` ${write(indentAt(text, open)).join(`,${style.separator}`)}`);
    const isOwnLine = breakIn(text, open, comment.start, comments) >= 0;
    return insertion(rest.end, written(isOwnLine ? indentAt(text, comment.start) : style.indent));
  }
  const lastBreak = breakIn(text, open, close, comments);
  // The empty line tells it from a list whose brackets stood together.
  if (lastBreak >= 0) return insertion(lastBreak, style.eol + written(style.indent));
  if (style.multiline) return insertion(close, written(style.indent) + style.eol + style.closeIndent);
  const items = write(indentAt(text, open)).join(`,${style.separator}`);
  return insertion(close, open === close ? style.pad + items + style.pad : items);
}

/** Takes `count` items out, with their commas and the comments behind them on their lines. */
export function removeItems(text: string, list: ListPlace, index: number, count: number): TextEdit[] {
  const { open, close, items, comments } = list;
  const first = items[index];
  const last = items[index + count - 1];
  if (first === undefined || last === undefined || count === 0) return [];
  const before = items[index - 1];
  const next = items[index + count];
  if (before === undefined && next === undefined) return removeAll(text, list, first, last);

  const comma = commaIn(text, last.end, next?.start ?? close, comments);
  const anchor = comma < 0 ? last.end : comma + 1;
  const rest = behind(text, anchor, next?.start ?? close, comments);
  if (before === undefined) {
    const lineBreak = breakIn(text, open, first.start, comments);
    if (lineBreak >= 0 && rest.isLineEnd) return line(open, lineBreak);
    return removal(first.start, rest.isLineEnd ? rest.end : skipBlanks(text, anchor));
  }

  const commaBefore = commaIn(text, before.end, first.start, comments);
  const lineBreak = breakIn(text, commaBefore + 1, first.start, comments);
  if (next !== undefined) {
    if (lineBreak < 0) return removal(commaBefore + 1, anchor);
    return rest.isLineEnd ? line(commaBefore + 1, lineBreak) : removal(first.start, skipBlanks(text, anchor));
  }
  if (comma >= 0) return lineBreak < 0 ? removal(commaBefore + 1, anchor) : line(commaBefore + 1, lineBreak);
  if (lineBreak >= 0) return [...removal(commaBefore, commaBefore + 1), ...line(commaBefore + 1, lineBreak)];
  const start = trimmedBlanks(text, commaBefore);
  const isFirstOfLine = start > before.end && isBreak(text, start - 1);
  if (!isFirstOfLine) return removal(commaBefore, last.end);
  return withoutLine(text, list, before.end, breakBeforeLine(text, start), last.end);

  function line(from: number, lineBreak: number): TextEdit[] {
    return withoutLine(text, list, from, lineBreak, rest.end);
  }
}

/** Takes out from a line end on; not the line end of a comment that would go on over what follows. */
function withoutLine(text: string, { comments }: ListPlace, from: number, lineBreak: number, end: number): TextEdit[] {
  const isOpenComment =
    lastComment(text, from, lineBreak, comments)?.end === lineBreak && !text.endsWith("*/", lineBreak);
  const start = isOpenComment && !isBreak(text, end) ? lineBreak + breakLength(text, lineBreak) : lineBreak;
  return removal(start, end);
}

function removeAll(text: string, list: ListPlace, first: Span, last: Span): TextEdit[] {
  const { open, close, comments } = list;
  const comma = commaIn(text, last.end, close, comments);
  const end = comma < 0 ? last.end : comma + 1;
  const comment = lastComment(text, open, first.start, comments);
  const lineBreak = breakIn(text, open, first.start, comments);
  if (lineBreak < 0) {
    if (comment !== null) return removal(comment.end, end);
    const isEven = text.slice(open, first.start) === text.slice(end, close);
    return isEven ? removal(open, close) : removal(first.start, end);
  }
  const rest = behind(text, end, close, comments);
  if (comment !== null || lastComment(text, rest.end, close, comments) !== null) {
    return withoutLine(text, list, open, lineBreak, rest.end);
  }
  if (breakIn(text, open, lineBreak, comments) < 0) return removal(lineBreak, close);
  const isEmptyLine = isBreak(text, lineBreak - 1);
  return removal(isEmptyLine ? breakBeforeLine(text, lineBreak) : lineBreak, rest.end);
}

/** What stands behind an item on its line: blanks and comments of one line. */
function behind(text: string, from: number, to: number, comments: CommentSyntax): { end: number; isLineEnd: boolean } {
  let end = from;
  for (let at = skipBlanks(text, from); at < to; at = skipBlanks(text, end)) {
    if (isBreak(text, at)) return { end: at, isLineEnd: true };
    const commentEnd = endOfComment(text, at, comments);
    if (commentEnd < 0) break;
    if (nextBreak(text, at) < commentEnd) return { end, isLineEnd: true };
    end = commentEnd;
  }
  return { end, isLineEnd: false };
}

/** Where the last line end in a gap begins that is in no comment; -1 where there is none. */
function breakIn(text: string, from: number, to: number, comments: CommentSyntax): number {
  let last = -1;
  for (let at = from; at < to; ) {
    const length = breakLength(text, at);
    if (length > 0) last = at;
    at = length > 0 ? at + length : Math.max(endOfComment(text, at, comments), at + 1);
  }
  return last;
}

function commaIn(text: string, from: number, to: number, comments: CommentSyntax): number {
  for (let at = from; at < to; at = Math.max(endOfComment(text, at, comments), at + 1)) {
    if (text[at] === ",") return at;
  }
  return -1;
}

function lastComment(text: string, from: number, to: number, comments: CommentSyntax): Span | null {
  let last: Span | null = null;
  for (let at = from; at < to; ) {
    const end = endOfComment(text, at, comments);
    if (end > 0) last = { start: at, end };
    at = Math.max(end, at + 1);
  }
  return last;
}

/** The end of the comment that begins at `at`; -1 where none does. Of one to the end of its line: before the line end. */
function endOfComment(text: string, at: number, comments: CommentSyntax): number {
  if (comments === "hash") return text[at] === "#" ? nextBreak(text, at) : -1;
  if (text[at] !== "/") return -1;
  if (text[at + 1] === "/") return nextBreak(text, at);
  return text[at + 1] === "*" ? text.indexOf("*/", at + 2) + 2 : -1;
}

function trimmedBlanks(text: string, end: number): number {
  let at = end;
  while (at > 0 && isBlank(text, at - 1)) at--;
  return at;
}

function insertion(offset: number, text: string): TextEdit[] {
  return [{ offset, length: 0, text }];
}

function removal(start: number, end: number): TextEdit[] {
  return [{ offset: start, length: end - start, text: "" }];
}
