/**
 * Secrets on command lines: `--token abc`, `"--token", "abc"`, `curl -u user:password`, `mysql -psecret`. Owns which short
 * flags of which tools take a password. Returns where the scan goes on.
 */

import { maskQuotedValue, openingQuote } from "./bare-value.ts";
import {
  APOSTROPHE,
  afterBackslashes,
  isAlphanumeric,
  isSpace,
  QUOTE,
  quoteStartsAt,
  quoteWidth,
  skipSpace,
} from "./escapes.ts";
import { afterQuote, COLON, COMMA, contentEnd, contentStart } from "./json-text.ts";
import { classOfKey, MAX_KEY_LENGTH } from "./key-cache.ts";
import { KEY, type KeyClass } from "./key-class.ts";
import { isPlaceholder } from "./placeholder.ts";
import type { Scan } from "./scan-state.ts";
import { isSecretValue } from "./secret-value.ts";
import { valueEnd } from "./value-end.ts";
import { JSON_FORM, WORD_FORM } from "./value-form.ts";

/** Short flags that take a secret, and the tools of which they do. */
const SHORT_FLAGS: Readonly<Record<string, RegExp>> = {
  u: /\b(?:curl|wget|http|https|xh|httpie)\b/,
  p: /\b(?:mysql(?:dump|admin|import|sh)?|mariadb(?:-dump|-admin)?|sshpass|mongo(?:sh|dump|restore)?|docker login|podman login|sqlcmd|7z|zip|unzip)\b/,
  a: /\bredis-cli\b/,
  w: /\bldap(?:search|modify|add|delete)\b/,
};

/** Characters before a short flag in which its tool's name is looked for. */
const LOOK_BACK = 256;

/** Words that follow a flag in prose about it. */
const PROSE =
  /^(?:to|is|are|was|the|and|or|flag|flags|option|options|for|with|from|in|on|a|an|if|when|as|not|be|instead|via|argument|arguments|parameter|value|must|can|cannot|file|string|takes|will|should|has|does|of|by|at|it|this|that|you|your|then|so|but|switch|setting|instead|only|may|needs|which|where)$/i;

/** `--` at `at`: a long flag and its value. */
export function maskLongFlag(scan: Scan, at: number): number {
  const { text } = scan;
  const nameAt = at + 2;
  let end = nameAt;
  while (end - nameAt < MAX_KEY_LENGTH) {
    const c = text.charCodeAt(end);
    if (!isAlphanumeric(c) && c !== 0x2d && c !== 0x5f && c !== 0x2e) break;
    end++;
  }
  if (end - nameAt === 4 && text.startsWith("user", nameAt)) return maskFlagOf(scan, at, "u", end);
  const found = classOfKey(scan.codes, nameAt, end);
  if (found < KEY.secret || text.charCodeAt(end) === 0x3d) return end - 1;
  if (end >= text.length) scan.openAtEnd = true;
  const key = text.slice(nameAt, end);
  const c = text.charCodeAt(end);
  if (c === 0x20) return maskWord(scan, end, found, key);
  return maskNextItem(scan, end, found, key);
}

/** `-u` and the like at `at`, the dash. */
export function maskShortFlag(scan: Scan, at: number): number {
  const { text } = scan;
  const before = text.charCodeAt(at - 1);
  if (at > 0 && !isSpace(before) && before !== QUOTE && before !== APOSTROPHE) return at + 1;
  const letter = text.charAt(at + 1);
  const isAttached = letter === "p" && isAlphanumeric(text.charCodeAt(at + 2));
  return maskFlagOf(scan, at, letter, at + 2, isAttached);
}

/** The value after the flag that ends at `end`, if a tool stands before it that takes a secret so. */
function maskFlagOf(scan: Scan, at: number, letter: string, end: number, isAttached = false): number {
  const { text } = scan;
  const tools = SHORT_FLAGS[letter];
  const next = text.charCodeAt(end);
  const isSeparated = next === 0x20 || next === QUOTE || next === APOSTROPHE || next === 0x5c;
  if (tools === undefined || (!isAttached && !isSeparated)) return at + 1;
  if (!tools.test(text.slice(Math.max(0, at - LOOK_BACK), at))) return at + 1;
  let start = isAttached ? end : afterItem(text, end);
  if (start < 0) return at + 1;
  const quote = isAttached ? -1 : openingQuote(text, start);
  if (quote >= 0) start = quote + 1;
  const valueTo = valueEnd(text, start, true);
  const colon = text.slice(start, valueTo).indexOf(":");
  if (letter === "u" && colon < 0) return at + 1;
  if (letter === "u") start += colon + 1;
  const value = text.slice(start, valueTo);
  const isIsolatedPort = letter === "p" && /^\d{1,5}(?::\d{1,5})?$/.test(value);
  if (valueTo >= text.length) scan.openAtEnd = true;
  if (value === "" || isIsolatedPort || value.startsWith("$") || isPlaceholder(value, "password")) return at + 1;
  scan.mask(start, valueTo, "key");
  return valueTo;
}

/** The word after a flag. */
function maskWord(scan: Scan, space: number, found: KeyClass, key: string): number {
  const { text } = scan;
  let i = space;
  while (text.charCodeAt(i) === 0x20 && i - space < 8) i++;
  if (i >= text.length) scan.openAtEnd = true;
  const quote = openingQuote(text, i);
  if (quote >= 0) return maskQuotedValue(scan, quote, found, key);
  const end = valueEnd(text, i, true);
  const value = text.slice(i, end).replace(/[.,;:)\]]+$/, "");
  const isOpen = end >= text.length && scan.cutEnd;
  if (end >= text.length) scan.openAtEnd = true;
  if (!isOpen && (/^[-<[({$|&=]/.test(value) || PROSE.test(value) || !isSecretValue(found, key, value, WORD_FORM)))
    return i;
  scan.mask(i, isOpen ? end : i + value.length, "key");
  return end;
}

/** The item of a list after the one that ends at `end` (`["--token", "abc"]`). */
function maskNextItem(scan: Scan, end: number, found: KeyClass, key: string): number {
  const { text } = scan;
  const start = afterItem(text, end);
  if (start < 0) return end;
  const width = text.charCodeAt(start) === APOSTROPHE ? 0 : quoteWidth(afterBackslashes(text, start) - start);
  const valueAt = contentStart(start, width);
  const valueTo = contentEnd(text, valueAt, width);
  if (valueTo < -1) return valueAt;
  if (valueTo < 0) {
    scan.openAtEnd = true;
    if (scan.cutEnd) scan.mask(valueAt, text.length, "key");
    return scan.cutEnd ? text.length : valueAt;
  }
  const value = text.slice(valueAt, valueTo);
  // A key after it: the flag was the last string of an object's member.
  if (text.charCodeAt(skipSpace(text, afterQuote(text, valueTo))) === COLON) return valueAt;
  if (value.startsWith("-") || !isSecretValue(found, key, value, JSON_FORM)) return valueAt;
  scan.mask(valueAt, valueTo, "key");
  return valueTo;
}

/** Where the next word or list item starts after the quote or space at `at`; -1 when none follows. */
function afterItem(text: string, at: number): number {
  if (text.charCodeAt(at) === 0x20) return at + 1;
  const isApostrophe = text.charCodeAt(at) === APOSTROPHE;
  const width = isApostrophe ? 1 : quoteWidth(afterBackslashes(text, at) - at);
  if (!isApostrophe && !quoteStartsAt(text, at, width)) return -1;
  let i = skipSpace(text, afterQuote(text, at));
  if (text.charCodeAt(i) !== COMMA) return -1;
  i = skipSpace(text, i + 1);
  return isApostrophe ? (text.charCodeAt(i) === APOSTROPHE ? i : -1) : quoteStartsAt(text, i, width) ? i : -1;
}
