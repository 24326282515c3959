/**
 * Quotes and escapes as they look in raw text, JSON inside JSON strings included. Owns the one fact the engine rests on:
 * a `"` after n backslashes belongs to nesting level log2(w), where w, its width, is the lowest set bit of n + 1 (`"` is
 * 1 wide, `\"` 2, `\\\"` 4), and a string opened by a quote of width w ends at the next quote of width w or less. Must
 * never decode, copy or change text.
 */

export const QUOTE = 0x22;
export const APOSTROPHE = 0x27;
export const BACKSLASH = 0x5c;
export const BACKTICK = 0x60;

export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;

/** How many backslashes stand directly before `index`, none counted before `floor`. */
export function backslashesBefore(text: string, index: number, floor: number): number {
  let i = index;
  while (i > floor && text.charCodeAt(i - 1) === BACKSLASH) i--;
  return index - i;
}

/** Width of a quote that follows `backslashes` backslashes. */
export function quoteWidth(backslashes: number): number {
  const n = backslashes + 1;
  return n & -n;
}

/** True where a quote of exactly `width` characters (its backslashes and the `"`) starts at `index`. */
export function quoteStartsAt(text: string, index: number, width: number): boolean {
  const last = index + width - 1;
  if (text.charCodeAt(last) !== QUOTE) return false;
  for (let i = index; i < last; i++) if (text.charCodeAt(i) !== BACKSLASH) return false;
  return true;
}

/**
 * Where the content of a string ends that was opened by a quote of `width` and whose content starts at `start`: the index
 * of the closing quote's first character, or -1 when it is never closed.
 */
export function stringEnd(text: string, start: number, width: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at);
    if (at < 0) return -1;
    const closing = quoteWidth(backslashesBefore(text, at, start));
    if (closing <= width) return at - closing + 1;
    at++;
  }
}

/** The first index from `at` on that is neither white space nor an escaped line break or tab of any level. */
export function skipSpace(text: string, at: number): number {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === SPACE || c === LINE_FEED || c === CARRIAGE_RETURN || c === TAB) {
      i++;
    } else if (c === BACKSLASH) {
      const end = afterBackslashes(text, i);
      if (!isSpaceLetter(text.charCodeAt(end))) return i;
      i = end + 1;
    } else {
      return i;
    }
  }
}

/** The index after the run of backslashes that starts at `index`. */
export function afterBackslashes(text: string, index: number): number {
  let i = index;
  while (text.charCodeAt(i) === BACKSLASH) i++;
  return i;
}

/** True for the letter of an escape that stands for white space: `n`, `r`, `t`. */
function isSpaceLetter(c: number): boolean {
  return c === 0x6e || c === 0x72 || c === 0x74;
}

/** True for a letter that completes an escape after a backslash, so that it is no character of the text itself. */
export function isEscapeLetter(c: number): boolean {
  return isSpaceLetter(c) || c === 0x62 || c === 0x66 || c === 0x75; // b f u
}

/** True for space, tab, line feed and carriage return. */
export function isSpace(c: number): boolean {
  return c === SPACE || c === TAB || c === LINE_FEED || c === CARRIAGE_RETURN;
}

/** True for an ASCII letter or digit. */
export function isAlphanumeric(c: number): boolean {
  return (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a) || (c >= 0x30 && c <= 0x39);
}

/** True for an ASCII digit. */
export function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

/**
 * True where the quote that ends at `index` (the index of its `"`) is followed by what follows a closing quote in JSON or
 * code. In valid JSON every closing quote is, so a quote that fails this is an opening one or part of a string.
 */
export function looksClosing(text: string, index: number): boolean {
  if (index + 1 >= text.length) return true;
  const c = text.charCodeAt(index + 1);
  // , : } ] ) ; + and backslash
  return (
    isSpace(c) ||
    c === 0x2c ||
    c === 0x3a ||
    c === 0x7d ||
    c === 0x5d ||
    c === 0x29 ||
    c === 0x3b ||
    c === 0x2b ||
    c === BACKSLASH
  );
}
