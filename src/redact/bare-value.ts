/**
 * The value after a key in text that is not JSON: `.env` files, YAML, INI, code, query strings, prose, header dumps. Owns
 * where such a value ends. Never crosses a quote that could close the string it stands in, so that JSON around it stays
 * JSON. Returns where the scan goes on.
 */

import {
  APOSTROPHE,
  afterBackslashes,
  BACKSLASH,
  BACKTICK,
  CARRIAGE_RETURN,
  isAlphanumeric,
  isEscapeLetter,
  LINE_FEED,
  looksClosing,
  QUOTE,
  quoteWidth,
  stringEnd,
} from "./escapes.ts";
import { maskAuthorization, maskCookies } from "./header-line.ts";
import { KEY, type KeyClass } from "./key-class.ts";
import type { Scan } from "./scan-state.ts";
import { isSecretValue } from "./secret-value.ts";
import { endsLine, lineEnd, skipBlanks, startsCode, startsLine, valueEnd, wideEnd } from "./value-end.ts";
import { QUOTED_FORM, type ValueForm } from "./value-form.ts";

/** A type between the key and the value: `apiKey: String = "…"`. */
const TYPED = /[A-Za-z_][\w.<>[\]?|]{0,60} ?= ?/y;

/** Characters of a quoted value outside JSON. */
const MAX_QUOTED = 4096;

/**
 * Masks the value that starts at `at`, after the separator, under the key `[keyStart, keyEnd)`, whose class is `of`.
 * `isEquals`: the separator is `=`, not `:` or the like.
 */
export function maskBareValue(
  scan: Scan,
  at: number,
  of: KeyClass,
  keyStart: number,
  keyEnd: number,
  isEquals: boolean,
): number {
  const { text } = scan;
  const i = skipBlanks(text, at);
  if (i >= text.length) {
    scan.openAtEnd = true;
    return i;
  }
  const key = text.slice(keyStart, keyEnd);
  // `PASS: test/a.sh` is what test runners print.
  const found = /^pass$/i.test(key) && !isEquals ? KEY.weak : of;
  const quote = openingQuote(text, i);
  if (quote >= 0) return maskQuotedValue(scan, quote, found, key);
  const c = text.charCodeAt(i);
  if (c === LINE_FEED || c === CARRIAGE_RETURN || c === QUOTE) return i;
  if (c === BACKSLASH && isEscapeLetter(text.charCodeAt(afterBackslashes(text, i)))) return i;
  if (found === KEY.authorization) return maskAuthorization(scan, i, key, isEquals && i !== keyEnd + 1);
  if (found === KEY.cookie) return maskCookies(scan, i);
  const before = text.charCodeAt(keyStart - 1);
  const inQuery = before === 0x3f || before === 0x26; // ? &
  const tight = isEquals && i === keyEnd + 1;
  // A quoted key stands in an object, whose end may be on the same line.
  const starts = before !== QUOTE && before !== APOSTROPHE && startsLine(text, keyStart);
  const wide = tight && !inQuery && before !== 0x3b && (starts || !/[a-z]/.test(key));
  const end = found === KEY.phrase && starts ? lineEnd(text, i) : wide ? wideEnd(text, i) : valueEnd(text, i, false);
  if (end >= text.length) scan.openAtEnd = true;
  const value = text.slice(i, end);
  if (end >= text.length && scan.cutEnd) {
    scan.mask(i, end, "key");
    return end;
  }
  if (startsCode(text, i)) return i + 1;
  if (!isEquals) {
    TYPED.lastIndex = i;
    const typed = TYPED.test(text) ? openingQuote(text, TYPED.lastIndex) : -1;
    if (typed >= 0) return maskQuotedValue(scan, typed, found, key);
  }
  const stop = text.charCodeAt(end);
  const isWide = wide && stop !== 0x29 && stop !== 0x2c; // ) ,
  const isLine = isWide && starts && !/^\w+\.\w+$/.test(key);
  const verbatim = tight && (inQuery || key.startsWith("-") || !/[a-z]/.test(key) || isLine);
  const form: ValueForm = {
    quoted: found === KEY.phrase && starts,
    assigned: tight && (verbatim || (stop !== 0x29 && stop !== 0x2c)),
    verbatim,
    alone: starts && endsLine(text, end),
    spaced: isEquals && !tight,
    code: stop === 0x2c || stop === 0x3b || stop === 0x29 || stop === 0x7d || stop === 0x5d, // , ; ) } ]
  };
  if (!isSecretValue(found, key, value, form)) return i;
  scan.mask(i, end, "key");
  return end;
}

/** Masks the quoted value whose quote character is at `quote`; returns where to go on. */
export function maskQuotedValue(
  scan: Scan,
  quote: number,
  found: KeyClass,
  key: string,
  form: ValueForm = QUOTED_FORM,
): number {
  const { text } = scan;
  const start = quote + 1;
  const end = quotedEnd(text, quote);
  if (end < 0) {
    if (!scan.cutEnd) return start;
    scan.openAtEnd = true;
    scan.mask(start, text.length, "key");
    return text.length;
  }
  if (end - start > MAX_QUOTED) return start;
  const value = text.slice(start, end);
  if (text.charCodeAt(quote) === BACKTICK && value.includes("${")) return start;
  if (!isSecretValue(found, key, value, form)) return start;
  scan.mask(start, end, "key");
  return end;
}

/** The index of the quote character that opens a value at `at`, a string prefix (`b'…'`) allowed; -1 when none does. */
export function openingQuote(text: string, at: number): number {
  let i = at;
  if (
    isAlphanumeric(text.charCodeAt(i)) &&
    !isAlphanumeric(text.charCodeAt(i - 1)) &&
    /^[bBrRuUfF]["'\\]/.test(text.slice(i, i + 2))
  )
    i++;
  const afterRun = afterBackslashes(text, i);
  const c = text.charCodeAt(afterRun);
  if (c === QUOTE) return looksClosing(text, afterRun) ? -1 : afterRun;
  if (afterRun === i && (c === APOSTROPHE || c === BACKTICK)) return looksClosing(text, afterRun) ? -1 : afterRun;
  return -1;
}

/** Where the value ends whose quote character is at `quote`: the index of the closing quote's first character, or -1. */
function quotedEnd(text: string, quote: number): number {
  const mark = text.charCodeAt(quote);
  const start = quote + 1;
  if (mark === QUOTE) {
    let run = quote;
    while (run > 0 && text.charCodeAt(run - 1) === BACKSLASH) run--;
    return stringEnd(text, start, quoteWidth(quote - run));
  }
  const limit = Math.min(text.length, start + MAX_QUOTED);
  for (let i = start; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c === LINE_FEED) return -1;
    if (c === mark) {
      // '' is an apostrophe in YAML and SQL, \' one in code.
      if (mark === APOSTROPHE && text.charCodeAt(i + 1) === mark) i++;
      else if (text.charCodeAt(i - 1) !== BACKSLASH) return i;
    } else if (c === QUOTE && looksClosing(text, i)) {
      return -1;
    } else if (c === BACKSLASH && text.charCodeAt(i + 1) === 0x6e) {
      return -1; // an escaped line break
    }
  }
  return -1;
}
