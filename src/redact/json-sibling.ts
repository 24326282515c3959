/**
 * Secrets whose name is a value beside them: `{"name": "DB_PASSWORD", "value": "…"}`, a form that is filled in. Owns the
 * search among the members that follow. Returns where the scan goes on.
 */

import { BACKSLASH, QUOTE, quoteStartsAt, skipSpace, stringEnd } from "./escapes.ts";
import { afterQuote, COLON, COMMA, literalEnd } from "./json-text.ts";
import { classOfName, MAX_KEY_LENGTH } from "./key-cache.ts";
import { isValueKey, KEY } from "./key-class.ts";
import type { Scan } from "./scan-state.ts";
import { isSecretValue } from "./secret-value.ts";
import { JSON_FORM } from "./value-form.ts";

/** Members after a `name` among which its `value` is looked for. */
const SIBLINGS = 12;

/** True for a string after `at` that names no secret: most of them, so it is asked before anything else. */
export function namesNothing(scan: Scan, at: number): boolean {
  const { codes } = scan;
  let start = at;
  while (codes[start] === 0x20 || codes[start] === BACKSLASH) start++;
  if (codes[start] !== QUOTE) return false;
  start++;
  const limit = start + MAX_KEY_LENGTH;
  let end = start;
  while (end < limit && codes[end] !== QUOTE && codes[end] !== BACKSLASH && codes[end] !== 0) end++;
  return classOfName(codes, start, end) < KEY.secret;
}

/** `"name": "DB_PASSWORD"`: masks the `value` that follows in the same object. */
export function maskSiblingOf(
  scan: Scan,
  start: number,
  end: number,
  width: number,
  keyStart: number,
  keyEnd: number,
): number {
  const { text } = scan;
  const found = classOfName(scan.codes, start, end);
  if (found < KEY.secret || width === 0) return start;
  const nameKey = text.slice(keyStart, keyEnd);
  let i = afterQuote(text, end);
  for (let member = 0; member < SIBLINGS; member++) {
    i = skipSpace(text, i);
    if (i >= text.length) scan.openAtEnd = true;
    if (text.charCodeAt(i) !== COMMA) break;
    i = skipSpace(text, i + 1);
    const keyAt = i + width;
    const keyTo = quoteStartsAt(text, i, width) ? stringEnd(text, keyAt, width) : -1;
    if (keyTo < 0) {
      if (i >= text.length - 24) scan.openAtEnd = true;
      break;
    }
    const key = text.slice(keyAt, Math.min(keyTo, keyAt + MAX_KEY_LENGTH));
    i = skipSpace(text, afterQuote(text, keyTo));
    if (text.charCodeAt(i) !== COLON) break;
    i = skipSpace(text, i + 1);
    if (i >= text.length) scan.openAtEnd = true;
    if (!quoteStartsAt(text, i, width)) {
      const literal = literalEnd(text, i);
      if (literal === i) break;
      i = literal;
      continue;
    }
    const valueAt = i + width;
    const valueTo = stringEnd(text, valueAt, width);
    const isValue = isValueKey(key, nameKey);
    if (valueTo < 0) {
      scan.openAtEnd = true;
      if (!isValue) break;
      scan.range(scan, start, valueAt);
      scan.mask(valueAt, text.length, "key");
      return text.length;
    }
    if (isValue) {
      if (!isSecretValue(found, text.slice(start, end), text.slice(valueAt, valueTo), JSON_FORM)) break;
      scan.range(scan, start, valueAt);
      scan.mask(valueAt, valueTo, "key");
      return valueTo;
    }
    i = afterQuote(text, valueTo);
  }
  return start;
}
