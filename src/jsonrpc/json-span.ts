/**
 * Where values begin and end in JSON text, without building objects: the recorder keeps the text of arguments and
 * results as it was on the wire. Works on text that was cut off: an end of -1 says that the text ended first. Expects
 * well-formed JSON up to there; on anything else it ends early and never throws or loops.
 */

/**
 * Called for each member of an object or element of an array: its value is `start`..`end`, where an `end` of -1 says that
 * the text ended inside it; `keyStart` is where the member's key begins.
 */
type Visit = (key: string, start: number, end: number, keyStart: number) => void;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** First position at or after `at` that is no JSON white space. */
export function skipSpace(text: string, at: number): number {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) i++;
    else return i;
  }
}

/** Position after the string whose opening quote is at `at`, or -1. */
export function stringEnd(text: string, at: number): number {
  let quote = at;
  for (;;) {
    quote = text.indexOf('"', quote + 1);
    if (quote < 0) return -1;
    let first = quote;
    while (text.charCodeAt(first - 1) === BACKSLASH && first - 1 > at) first--;
    if (((quote - first) & 1) === 0) return quote + 1;
  }
}

/** Position after the value that starts at `at`, or -1 when the text ends inside it. */
export function valueEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return stringEnd(text, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return containerEnd(text, at);
  for (let i = at; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === COMMA || c === CLOSE_BRACE || c === CLOSE_BRACKET || c <= 0x20) return i;
  }
  return -1;
}

function containerEnd(text: string, at: number): number {
  let depth = 0;
  let i = at;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) {
      i = stringEnd(text, i);
      if (i < 0) return -1;
      continue;
    }
    if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++;
    else if ((c === CLOSE_BRACE || c === CLOSE_BRACKET) && --depth === 0) return i + 1;
    i++;
  }
  return -1;
}

/** Visits the members of the object that starts at `at`; answers the position after it, or -1. */
export function eachMember(text: string, at: number, visit: Visit): number {
  if (text.charCodeAt(at) !== OPEN_BRACE) return -1;
  let i = skipSpace(text, at + 1);
  if (text.charCodeAt(i) === CLOSE_BRACE) return i + 1;
  // Most keys hold no escape and have no space around them: a call less for each is felt in a process of a few milliseconds.
  for (;;) {
    if (text.charCodeAt(i) !== QUOTE) return -1;
    const keyStart = i;
    const quote = text.indexOf('"', keyStart + 1);
    const keyEnd = text.charCodeAt(quote - 1) === BACKSLASH ? stringEnd(text, keyStart) : quote + 1;
    if (keyEnd <= 0) return -1;
    const key = decodeString(text, keyStart, keyEnd);
    i = text.charCodeAt(keyEnd) > SPACE ? keyEnd : skipSpace(text, keyEnd);
    if (text.charCodeAt(i) !== COLON) return -1;
    const start = text.charCodeAt(i + 1) > SPACE ? i + 1 : skipSpace(text, i + 1);
    if (start >= text.length) return -1;
    const end = valueEnd(text, start);
    visit(key, start, end, keyStart);
    if (end < 0) return -1;
    i = text.charCodeAt(end) > SPACE ? end : skipSpace(text, end);
    const c = text.charCodeAt(i);
    if (c === CLOSE_BRACE) return i + 1;
    if (c !== COMMA) return -1;
    i = text.charCodeAt(i + 1) > SPACE ? i + 1 : skipSpace(text, i + 1);
  }
}

/** Visits the elements of the array that starts at `at` (with an empty key); answers the position after it, or -1. */
export function eachElement(text: string, at: number, visit: Visit): number {
  if (text.charCodeAt(at) !== OPEN_BRACKET) return -1;
  let i = skipSpace(text, at + 1);
  if (text.charCodeAt(i) === CLOSE_BRACKET) return i + 1;
  for (;;) {
    if (i >= text.length) return -1;
    const end = valueEnd(text, i);
    visit("", i, end, i);
    if (end < 0) return -1;
    i = skipSpace(text, end);
    const c = text.charCodeAt(i);
    if (c === CLOSE_BRACKET) return i + 1;
    if (c !== COMMA) return -1;
    i = skipSpace(text, i + 1);
  }
}

/**
 * The last members of an object that began before `tail`, as an object of their own; null where there are none. `tail` is
 * the end of a line that holds one value; `depth` 1 asks for the members of that value, 2 for those of the member of it
 * that was being written where `tail` begins.
 */
export function closingMembers(tail: string, depth: number): string | null {
  let level = 0;
  let from = -1;
  for (let i = tail.length - 1; i >= 0; i--) {
    const c = tail.charCodeAt(i);
    if (c === QUOTE) {
      // What stands before a quote that ends a string is that string, up to its own quote.
      i = stringStart(tail, i);
    } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) level++;
    else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      // One that began within the tail is none of those that were cut.
      if (level-- === depth) from = -1;
    } else if (c === COMMA && level === depth) from = i + 1;
  }
  return from < 0 ? null : `{${tail.slice(from)}`;
}

/** Position of the quote that opens the string whose closing quote is at `at`, or -1 when it began before the text. */
function stringStart(text: string, at: number): number {
  let quote = at;
  for (;;) {
    quote = quote > 0 ? text.lastIndexOf('"', quote - 1) : -1;
    if (quote < 0) return -1;
    let first = quote;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if (((quote - first) & 1) === 0) return quote;
  }
}

/** The value of the string literal that spans `start`..`end`; its raw text where it is not well formed. */
export function decodeString(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  if (!inner.includes("\\")) return inner;
  try {
    return JSON.parse(text.slice(start, end)) as string;
  } catch {
    return inner;
  }
}

/** The string at `start`..`end`, or null when that value is of another type. */
export function stringValue(text: string, start: number, end: number): string | null {
  return end > start && text.charCodeAt(start) === QUOTE ? decodeString(text, start, end) : null;
}
