/**
 * Pieces of a message that was cut at a capture bound. Owns what a cut can hide: a secret that is only partly there, or
 * whose key is missing. Drops from the edges and masks on less evidence than a whole text needs, so that no part of a secret
 * stays; what remains is text, not JSON. A secret object that both starts and ends in the part between head and tail is out
 * of reach: its end in the tail looks like any other data.
 */

import type { RedactedText } from "../core/redacted.ts";
import {
  APOSTROPHE,
  afterBackslashes,
  BACKSLASH,
  backslashesBefore,
  isAlphanumeric,
  isSpace,
  LINE_FEED,
  looksClosing,
  QUOTE,
  quoteWidth,
  skipSpace,
  stringEnd,
} from "./escapes.ts";
import { COLON, OPEN_BRACE, OPEN_BRACKET } from "./json-text.ts";
import { MAX_KEY_LENGTH } from "./key-cache.ts";
import { marker } from "./mask-list.ts";
import { endOfCutKey } from "./private-key.ts";
import { mask } from "./redact.ts";

/** Where a fragment was cut. */
export interface Cut {
  cutStart: boolean;
  cutEnd: boolean;
}

/** Longest piece dropped at the end of a head: longer runs are data (base64), not tokens. */
const MAX_DROP = 4096;

/** Characters at the start of a tail in which the end of a string or a line is looked for. */
const START_WINDOW = 1024;

/** Words dropped at the start of a tail that has neither. */
const START_WORDS = 3;

/** Masks the secrets in a fragment and drops what the cut left of a token or a value. */
export function redactFragment(text: string, cut: Cut): RedactedText {
  const whole = cut.cutEnd ? withoutHalfEscape(text) : text;
  const body = cut.cutStart ? maskedTail(whole, cut.cutEnd) : whole;
  const masked = mask(body, cut.cutEnd).text;
  return (cut.cutEnd ? masked.slice(0, endOfHead(masked)) : masked) as RedactedText;
}

/** A head that was cut at its end, masked; and whether it ends inside a secret, as `endsInsideSecret` tells. In one pass. */
export function redactHead(head: string): { text: RedactedText; endsInsideSecret: boolean } {
  const { text: masked, openAtEnd } = mask(withoutHalfEscape(head), true);
  return { text: masked.slice(0, endOfHead(masked)) as RedactedText, endsInsideSecret: openAtEnd };
}

/**
 * True when the end of `head` lies inside a value under a secret key, or where such a value is about to start: what follows
 * in the message cannot be judged, so its tail must be dropped.
 */
export function endsInsideSecret(head: string): boolean {
  return mask(withoutHalfEscape(head), true).openAtEnd;
}

/** `text` without the backslashes at its end, whose character is cut off. */
function withoutHalfEscape(text: string): string {
  const end = text.length - backslashesBefore(text, text.length, 0);
  return end === text.length ? text : text.slice(0, end);
}

/** Where a head is cut back to: before the last run of characters that a token may consist of. */
function endOfHead(text: string): number {
  let i = text.length;
  while (i > 0 && isTokenCharacter(text.charCodeAt(i - 1))) i--;
  if (text.length - i <= MAX_DROP) return i;
  return /^(?:eyJ|[a-z]+:\/\/)/.test(text.slice(i, i + 32)) ? i : text.length - MAX_DROP;
}

/** A tail without what the cut made unreadable. */
function maskedTail(text: string, cutEnd: boolean): string {
  const keyEnd = endOfCutKey(text);
  if (keyEnd > 0) return marker("private-key") + text.slice(keyEnd);
  const colon = colonOfCutKey(text);
  if (colon < 0) {
    // Masked before its start is dropped, which may hold the key of a block that goes on.
    const whole = mask(text, cutEnd).text;
    return whole.slice(startOfTail(whole));
  }
  // The key is gone, so the value may be anything: it is read as a block of secrets, or dropped.
  const value = skipSpace(text, colon + 1);
  const quote = text.slice(value).match(/\\*"/)?.[0] ?? '"';
  const c = text.charCodeAt(value);
  if (c === OPEN_BRACE || c === OPEN_BRACKET) {
    const key = `${quote}secret${quote}:`;
    return mask(key + text.slice(value), cutEnd).text.slice(key.length);
  }
  const afterRun = afterBackslashes(text, value);
  if (text.charCodeAt(afterRun) !== QUOTE) return text.slice(afterPlainValue(text, value));
  const end = stringEnd(text, afterRun + 1, quoteWidth(afterRun - value));
  return end < 0 ? "" : text.slice(end);
}

/** The colon after a key that began before the cut, or right at its start; -1 when the tail starts otherwise. */
function colonOfCutKey(text: string): number {
  const first = skipSpace(text, 0);
  if (text.charCodeAt(first) === COLON) return first;
  for (let i = 0; i <= MAX_KEY_LENGTH && i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c !== QUOTE && c !== APOSTROPHE) continue;
    const after = skipSpace(text, i + 1);
    if (text.charCodeAt(after) === COLON) return after;
    if (looksClosing(text, i)) return -1;
  }
  return -1;
}

/**
 * Where a tail starts to be readable: after the first string or line that ends, since both may have begun before the cut;
 * without any near, after a few words.
 */
function startOfTail(text: string): number {
  const limit = Math.min(text.length, START_WINDOW);
  for (let i = 0; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c === LINE_FEED || (c === QUOTE && looksClosing(text, i))) return i + 1;
    if (c === BACKSLASH) {
      i = afterBackslashes(text, i);
      const letter = text.charCodeAt(i);
      if (letter === 0x6e || (letter === QUOTE && looksClosing(text, i))) return i + 1;
    }
  }
  return afterWords(text);
}

function afterPlainValue(text: string, at: number): number {
  const end = text.slice(at, at + START_WINDOW).search(/[,\n}\]]/);
  return end < 0 ? Math.min(text.length, at + START_WINDOW) : at + end;
}

function afterWords(text: string): number {
  let i = 0;
  for (let word = 0; word < START_WORDS; word++) {
    while (i < text.length && !isSpace(text.charCodeAt(i))) i++;
    while (i < text.length && isSpace(text.charCodeAt(i))) i++;
  }
  return i;
}

/** Letters, digits and what occurs inside tokens, URLs and assignments. */
function isTokenCharacter(c: number): boolean {
  return isAlphanumeric(c) || c > 127 || "._~+/=-:@%&?#$!".includes(String.fromCharCode(c));
}
