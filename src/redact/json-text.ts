/**
 * Small readings of JSON text at any level of nesting in strings. Owns no decision; must never allocate but for a marker.
 */

import { APOSTROPHE, BACKSLASH, isDigit, QUOTE, quoteStartsAt, stringEnd } from "./escapes.ts";
import { marker } from "./mask-list.ts";

export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const COMMA = 0x2c;
export const COLON = 0x3a;

/** The index after the closing quote (of any width, or an apostrophe) that starts at `end`. */
export function afterQuote(text: string, end: number): number {
  let i = end;
  while (text.charCodeAt(i) === BACKSLASH) i++;
  return i + 1;
}

/** The index after a number or a literal that starts at `at`; `at` itself when there is none. */
export function literalEnd(text: string, at: number): number {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    const isLetter = (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a);
    if (!isLetter && !isDigit(c) && c !== 0x2b && c !== 0x2d && c !== 0x2e) return i;
    i++;
  }
}

/** True where a string starts at `at`: a quote of `width`, or an apostrophe for width 0 (Python's `repr`). */
export function stringStarts(text: string, at: number, width: number): boolean {
  return width === 0 ? text.charCodeAt(at) === APOSTROPHE : quoteStartsAt(text, at, width);
}

/** Where the content starts of a string that starts at `at`. */
export function contentStart(at: number, width: number): number {
  return at + (width === 0 ? 1 : width);
}

/**
 * Where the content ends that starts at `start`: -1 when the text ends first, -2 when a string between apostrophes meets a
 * quote, which may end the string that it is in itself.
 */
export function contentEnd(text: string, start: number, width: number): number {
  if (width > 0) return stringEnd(text, start, width);
  for (let i = start; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) return -2;
    if (c === APOSTROPHE && text.charCodeAt(i - 1) !== BACKSLASH) return i;
  }
  return -1;
}

/** True for a whole number of at least `digits` digits. */
export function isLongNumber(text: string, start: number, end: number, digits: number): boolean {
  const from = text.charCodeAt(start) === 0x2d ? start + 1 : start;
  if (end - from < digits) return false;
  for (let i = from; i < end; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return true;
}

/** The marker as a string whose quotes are `width` wide, 0 for apostrophes: what takes the place of a number. */
export function quotedMarker(kind: string, width: number): string {
  const quote = width === 0 ? "'" : `${"\\".repeat(width - 1)}"`;
  return quote + marker(kind) + quote;
}
