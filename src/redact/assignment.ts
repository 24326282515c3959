/**
 * Keys without quotes: `key: value`, `KEY=value`, `?key=value`, `<key>value</key>`, `name="key" value="…"`. Owns where such
 * a key starts. Returns where the scan goes on.
 */

import { maskBareValue, maskQuotedValue, openingQuote } from "./bare-value.ts";
import { BACKSLASH, isDigit, isEscapeLetter } from "./escapes.ts";
import { classOfKey, classOfName, MAX_KEY_LENGTH } from "./key-cache.ts";
import { KEY, type KeyClass } from "./key-class.ts";
import type { Scan } from "./scan-state.ts";
import { isSecretValue, looksRandom } from "./secret-value.ts";
import { maskUrlCredentials } from "./url.ts";
import { lineEnd } from "./value-end.ts";
import { COMPARED_FORM, JSON_FORM, WORD_FORM } from "./value-form.ts";

const EQUALS = 0x3d;
const COLON = 0x3a;
const SLASH = 0x2f;
const MORE = 0x3e;

const TELEGRAM = /AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y;
const VALUE_LINE = /["']?(?:\r?\n|\\{1,64}n)(?:[ \t]|\\{1,64}t){0,40}value:[ \t]{1,8}/y;
const ATTRIBUTE = /\s+(?:value|content)\s*=\s*/y;

/** By length, the first letter of `is`, `key`, `code`, `string`: the words that end a key of several. */
const LAST_WORDS: readonly number[] = [0, 0, 0x69, 0x6b, 0x63, 0, 0x73];

/** 1 for a letter, a digit, `_`, `-` and `.`. Not asked for one by one: that many calls set the compiler to work. */
const KEY_CHARACTERS = new Uint8Array(128).fill(1, 0x30, 0x3a).fill(1, 0x41, 0x5b).fill(1, 0x61, 0x7b);
for (const c of [0x5f, 0x2d, 0x2e]) KEY_CHARACTERS[c] = 1;

/** A separator at `separator` whose key ends before `keyEnd`. */
export function maskAssignment(scan: Scan, keyEnd: number, separator: number): number {
  const { codes } = scan;
  if (codes[separator + 1] === SLASH && codes[separator + 2] === SLASH && codes[separator] === COLON) {
    return maskUrlCredentials(scan, separator + 3);
  }
  const keyStart = bareKeyStart(scan, keyEnd);
  const found = classOfKey(codes, keyStart, keyEnd);
  if (found >= KEY.secret) return maskAssigned(scan, keyStart, keyEnd, separator, found);
  return codes[separator] === COLON
    ? maskAfterColon(scan, keyStart, keyEnd, separator, found)
    : maskAfterEquals(scan, keyStart, keyEnd, separator, found);
}

/** What follows a colon after a key that is no secret by itself: a Telegram token, a name, or a key of several words. */
function maskAfterColon(scan: Scan, keyStart: number, keyEnd: number, separator: number, key: KeyClass): number {
  const { text, codes } = scan;
  if (separator === keyEnd && isDigit(codes[keyEnd - 1] as number)) {
    const end = telegramEnd(text, keyStart, separator);
    if (end > 0) scan.mask(separator + 1, end, "telegram-token");
    return Math.max(end, separator + 1);
  }
  const found = classOfWords(scan, keyStart, keyEnd);
  if (found >= KEY.secret) return maskAssigned(scan, keyStart, keyEnd, separator, found);
  return key === KEY.name ? maskNamedLine(scan, separator + 1) : separator + 1;
}

/** The same for an equals sign: an attribute that names a secret, or a parameter of a URL. */
function maskAfterEquals(scan: Scan, keyStart: number, keyEnd: number, separator: number, found: KeyClass): number {
  return found === KEY.name ? maskAttribute(scan, separator + 1) : maskQueryKey(scan, keyStart, keyEnd, separator);
}

/** The value of a key that is a secret. */
function maskAssigned(scan: Scan, keyStart: number, keyEnd: number, separator: number, found: KeyClass): number {
  const { text } = scan;
  const isEquals = text.charCodeAt(separator) === EQUALS;
  const next = text.charCodeAt(separator + 1);
  // `arn:aws:secretsmanager:…:secret:name`: a list, not a key.
  if (!isEquals && text.charCodeAt(keyStart - 1) === COLON) return separator + 1;
  if (next === 0x7e || (!isEquals && next === COLON)) return separator + 2; // =~ and ::
  if (!isEquals || next !== EQUALS) {
    const isPair = next === EQUALS || (isEquals && next === MORE); // := and =>
    return maskBareValue(scan, isPair ? separator + 2 : separator + 1, found, keyStart, keyEnd, isEquals);
  }
  let valueAt = separator + 2;
  if (text.charCodeAt(valueAt) === EQUALS) valueAt++;
  while (text.charCodeAt(valueAt) === 0x20) valueAt++;
  const quote = openingQuote(text, valueAt);
  return quote < 0 ? valueAt : maskQuotedValue(scan, quote, found, text.slice(keyStart, keyEnd), COMPARED_FORM);
}

/** Class of a key of several words, as prose has them: `API key: …`, `Connection string: …`, `The password is: …`. */
function classOfWords(scan: Scan, keyStart: number, keyEnd: number): KeyClass {
  const { text, codes } = scan;
  const length = keyEnd - keyStart;
  if (codes[keyStart - 1] !== 0x20 || LAST_WORDS[length] !== ((codes[keyStart] as number) | 0x20)) return KEY.plain;
  const word = text.slice(keyStart, keyEnd).toLowerCase();
  const before = bareKeyStart(scan, keyStart - 1);
  if (before === keyStart - 1) return KEY.plain;
  if (word !== "is") return /^(?:key|string|code)$/.test(word) ? classOfKey(codes, before, keyEnd) : KEY.plain;
  const found = classOfKey(codes, before, keyStart - 1);
  return found >= KEY.secret ? found : classOfWords(scan, before, keyStart - 1);
}

/** `name: DB_PASSWORD` and `value: …` on the next line. */
function maskNamedLine(scan: Scan, at: number): number {
  const { text, codes } = scan;
  let start = at;
  while (codes[start] === 0x20 || codes[start] === 0x22 || codes[start] === 0x27) start++;
  let end = start;
  while (end - start < MAX_KEY_LENGTH && isKeyCharacter(codes[end] as number)) end++;
  const found = classOfName(codes, start, end);
  if (found < KEY.secret) return at;
  VALUE_LINE.lastIndex = end;
  if (!VALUE_LINE.test(text)) return at;
  const valueAt = VALUE_LINE.lastIndex;
  const quote = openingQuote(text, valueAt);
  const name = text.slice(start, end);
  if (quote >= 0) return maskQuotedValue(scan, quote, found, name);
  const valueTo = lineEnd(text, valueAt);
  if (valueTo >= text.length) scan.openAtEnd = true;
  if (!isSecretValue(found, name, text.slice(valueAt, valueTo), WORD_FORM)) return at;
  scan.mask(valueAt, valueTo, "key");
  return valueTo;
}

/** `>` at `close` ends a tag: masks the text of the element if its name is that of a secret. */
export function maskElement(scan: Scan, close: number): number {
  const { text } = scan;
  const nameStart = bareKeyStart(scan, close);
  if (text.charCodeAt(nameStart - 1) !== 0x3c) return close + 1;
  const found = classOfKey(scan.codes, nameStart, close);
  if (found < KEY.secret) return close + 1;
  const name = text.slice(nameStart, close);
  const end = text.indexOf("<", close + 1);
  if (end < 0) {
    scan.openAtEnd = true;
    if (scan.cutEnd) scan.mask(close + 1, text.length, "key");
    return scan.cutEnd ? text.length : close + 1;
  }
  const value = text.slice(close + 1, end);
  if (value.includes('"') || !closesTag(text, end, name)) return close + 1;
  if (!isSecretValue(found, name, value, JSON_FORM)) return close + 1;
  scan.mask(close + 1, end, "key");
  return end;
}

/** Where the key starts that ends before `keyEnd`: letters, digits, `_`, `-` and `.`, without an escape before it. */
function bareKeyStart(scan: Scan, keyEnd: number): number {
  const { codes } = scan;
  const floor = Math.max(scan.masks.lastEnd, keyEnd - MAX_KEY_LENGTH - 1);
  let start = keyEnd;
  while (start > floor && isKeyCharacter(codes[start - 1] as number)) start--;
  if (start === 0) return 0;
  const before = codes[start - 1] as number;
  // `\npassword`: the n is not of the key.
  if (before === BACKSLASH && isEscapeLetter(codes[start] as number)) return start + (codes[start] === 0x75 ? 5 : 1);
  // `\u001b[31mpassword`: neither is the end of a colour code.
  if (before === 0x5b || before === 0x3b) {
    let i = start;
    while (isDigit(codes[i] as number)) i++;
    if (codes[i] === 0x6d) return Math.min(i + 1, keyEnd);
  }
  return start;
}

function isKeyCharacter(c: number): boolean {
  return c < 128 && KEY_CHARACTERS[c] === 1;
}

/** Where a Telegram bot token ends whose number ends before `separator`, 0 when there is none. */
function telegramEnd(text: string, keyStart: number, separator: number): number {
  let digits = separator;
  while (digits > keyStart && isDigit(text.charCodeAt(digits - 1))) digits--;
  if (separator - digits < 6 || separator - digits > 12) return 0;
  TELEGRAM.lastIndex = separator + 1;
  return TELEGRAM.test(text) ? TELEGRAM.lastIndex : 0;
}

/** `?key=…` and `&sig=…`: names that are secrets in a URL only, when the value looks random. */
function maskQueryKey(scan: Scan, keyStart: number, keyEnd: number, separator: number): number {
  const { text } = scan;
  const before = text.charCodeAt(keyStart - 1);
  if (before !== 0x3f && before !== 0x26) return separator + 1;
  const key = text.slice(keyStart, keyEnd);
  if (!/^(?:key|sig|signature|x-(?:amz|goog)-signature|code|ticket|hash|auth|pass|pw|subscription-key)$/i.test(key))
    return separator + 1;
  const rest = text.slice(separator + 1, separator + 1025);
  const value = /^[\w%.~+/=-]*/.exec(rest)?.[0] ?? "";
  const end = separator + 1 + value.length;
  const isCut = end >= text.length && scan.cutEnd;
  if (isCut) scan.openAtEnd = true;
  if (!isCut && (value.length < 16 || !looksRandom(value))) return separator + 1;
  scan.mask(separator + 1, end, "key");
  return end;
}

/** `name="password" value="…"`: an attribute that names a secret, and the value beside it. */
function maskAttribute(scan: Scan, at: number): number {
  const { text } = scan;
  const quote = openingQuote(text, at);
  if (quote < 0) return at;
  const mark = text.slice(at, quote + 1);
  const end = text.slice(quote + 1, quote + 1 + MAX_KEY_LENGTH).indexOf(mark);
  if (end < 0) return at;
  const nameEnd = quote + 1 + end;
  const found = classOfName(scan.codes, quote + 1, nameEnd);
  if (found < KEY.secret) return at;
  ATTRIBUTE.lastIndex = nameEnd + mark.length;
  if (ATTRIBUTE.test(text)) {
    const valueQuote = openingQuote(text, ATTRIBUTE.lastIndex);
    return valueQuote < 0 ? at : maskQuotedValue(scan, valueQuote, found, text.slice(quote + 1, nameEnd));
  }
  const close = nameEnd + mark.length;
  if (text.charCodeAt(close) !== MORE) return at;
  const length = text.slice(close + 1, close + 1025).indexOf("<");
  const valueEnd = close + 1 + length;
  const value = text.slice(close + 1, valueEnd);
  if (length < 0 || text.charCodeAt(valueEnd + 1) !== SLASH || value.includes('"')) return at;
  if (!isSecretValue(found, "", value, JSON_FORM)) return at;
  scan.mask(close + 1, valueEnd, "key");
  return valueEnd;
}

function closesTag(text: string, at: number, name: string): boolean {
  return text.startsWith("/", at + 1) && text.startsWith(name, at + 2);
}
