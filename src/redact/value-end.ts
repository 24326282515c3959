/**
 * Where a value in text that is not JSON starts and ends, and whether it has its line to itself. Owns these boundaries; a
 * value never includes a quote that could close the string it stands in, nor half an escape.
 */

import {
  APOSTROPHE,
  afterBackslashes,
  BACKSLASH,
  BACKTICK,
  CARRIAGE_RETURN,
  isEscapeLetter,
  isSpace,
  LINE_FEED,
  QUOTE,
} from "./escapes.ts";

/** The start of a colour on a terminal, as it is or escaped. */
const COLOUR = new RegExp(`(?:${String.fromCharCode(0x1b)}|\\\\{1,64}(?:u001[bB]|x1[bB]|033|e))\\[[\\d;]{0,20}m`, "y");

/** 1: ends every value; 2: ends a value but not in a line of assignments (`DB_PASSWORD=a;b`). */
const STOPS = new Uint8Array(128);
for (const c of " \t\n\r\u001b\"'`") STOPS[c.charCodeAt(0)] = 1;
for (const c of ",;)]}<>|&") STOPS[c.charCodeAt(0)] = 2;

/** Where an unquoted value ends that starts at `at`; `wide` values end at white space and quotes only. */
export function valueEnd(text: string, at: number, wide: boolean): number {
  let i = at;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    const stop = c < 128 ? STOPS[c] : 0;
    if (stop === 1 || (stop === 2 && !wide)) return i;
    if (c === BACKSLASH) {
      const after = afterBackslashes(text, i);
      const next = text.charCodeAt(after);
      if (after >= text.length || isEscapeLetter(next) || next === QUOTE || next === APOSTROPHE) return i;
      i = after;
    } else {
      i++;
    }
  }
  return i;
}

/** As `valueEnd`, wide, unless more assignments follow (`a.token=b,a.x=c`) or only what ends an argument (`token=x),`). */
export function wideEnd(text: string, at: number): number {
  const narrow = valueEnd(text, at, false);
  const wide = valueEnd(text, at, true);
  const rest = text.slice(narrow, wide);
  return rest.includes("=") || /^[,;)\]}>:]+$/.test(rest) ? narrow : wide;
}

/** Where the line ends that `at` is on, or the string around it. */
export function lineEnd(text: string, at: number): number {
  let i = at;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    if (c === LINE_FEED || c === CARRIAGE_RETURN || c === QUOTE) return i;
    if (c === BACKSLASH) {
      const after = afterBackslashes(text, i);
      const next = text.charCodeAt(after);
      if (after >= text.length || next === 0x6e || next === 0x72 || next === QUOTE) return i;
      i = after;
    } else {
      i++;
    }
  }
  return i;
}

/** Spaces, tabs, the asterisks of Markdown and colour codes. */
export function skipBlanks(text: string, at: number): number {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === 0x20 || c === 0x09 || (c === 0x2a && i - at <= 2)) {
      i++;
    } else if (c === 0x1b || c === BACKSLASH) {
      COLOUR.lastIndex = i;
      if (!COLOUR.test(text)) return i;
      i = COLOUR.lastIndex;
    } else {
      return i;
    }
  }
}

/** True where a value starts like an expression or a reference, not like a secret. */
export function startsCode(text: string, at: number): boolean {
  const c = text.charCodeAt(at);
  if (c === 0x28 || c === 0x5b || c === 0x7b || c === 0x3c) return true; // ( [ { <
  if (c === 0x2f) return /^\/[*^[(\\/]/.test(text.slice(at, at + 2)); // a comment or a regular expression
  if (c !== 0x24 && c !== 0x23 && c !== 0x25) return false; // $ # %
  const next = text.charCodeAt(at + 1);
  if (next === 0x28) return true;
  if (next !== 0x7b) return false;
  return !/^\$\{[A-Za-z_]\w*:?[-=+?][^}"'\\\s]{3,}\}/.test(text.slice(at, at + 200));
}

/** True when nothing but indentation, list marks and `export` stands before `keyStart` on its line. */
export function startsLine(text: string, keyStart: number): boolean {
  const line = text.slice(Math.max(0, keyStart - 40), keyStart);
  return /(?:^|[\n\r]|\\+[nr]|["'`])[ \t\-*>|+#.$%]*(?:\\t)*(?:(?:export|set|env|ENV|ARG|SET|setx|declare -x|readonly|-e|--env|--build-arg)[ \t]+)?$/.test(
    line,
  );
}

/** True when nothing but a comment or a comma follows on the line. */
export function endsLine(text: string, end: number): boolean {
  let i = end;
  while (
    text.charCodeAt(i) === 0x20 ||
    text.charCodeAt(i) === 0x2c ||
    text.charCodeAt(i) === 0x3b ||
    text.charCodeAt(i) === 0x2a
  )
    i++;
  const c = text.charCodeAt(i);
  return (
    i >= text.length || isSpace(c) || c === QUOTE || c === BACKSLASH || c === 0x23 || c === APOSTROPHE || c === BACKTICK
  );
}
