/**
 * A quoted key and its value, in JSON at any level of nesting in strings and in what looks like it (Python's `repr`, Ruby,
 * JavaScript). Owns the reading of the key and the choice of what to do with the value. Returns where the scan goes on.
 */

import { maskBareValue } from "./bare-value.ts";
import { APOSTROPHE, BACKSLASH, backslashesBefore, quoteWidth, skipSpace } from "./escapes.ts";
import { maskBlock } from "./json-block.ts";
import { isSchema } from "./json-schema.ts";
import { maskSiblingOf, namesNothing } from "./json-sibling.ts";
import {
  afterQuote,
  COMMA,
  contentEnd,
  contentStart,
  isLongNumber,
  literalEnd,
  OPEN_BRACE,
  OPEN_BRACKET,
  quotedMarker,
  stringStarts,
} from "./json-text.ts";
import { classOfKey, classOfQuotedKey, classOfString, MAX_KEY_LENGTH } from "./key-cache.ts";
import { KEY, type KeyClass } from "./key-class.ts";
import type { Scan } from "./scan-state.ts";
import { isSecretValue } from "./secret-value.ts";
import { JSON_FORM, QUOTED_FORM, type ValueForm } from "./value-form.ts";

/** Members that stand beside a `token` which is a piece of text (language models, search engines). */
const TEXT_TOKEN_SIBLINGS =
  /^[\\"']*(?:logprob|start_offset|end_offset|position|bytes|score|start|end|pos|lemma|top_logprobs|is_special|offset|freq|count|prob|probability|index|sequence|token_str)[\\"']*\s*:/;

/**
 * The quote at `quote` may end a key, `separator` being the `:` or `=` after it. Masks what the key makes a secret; returns
 * the index from which to go on. Small, because most keys say nothing and the scan spends most of its time here.
 */
export function maskMember(scan: Scan, quote: number, separator: number): number {
  const { codes } = scan;
  const mark = codes[quote] as number;
  if (codes[quote - 1] === BACKSLASH || scan.masks.lastEnd + MAX_KEY_LENGTH >= quote)
    return maskMemberSlowly(scan, quote, separator);
  const found = classOfQuotedKey(codes, quote, mark);
  return found < KEY.name ? quote + 1 : maskMemberOf(scan, quote, separator, found, mark === APOSTROPHE ? 0 : 1);
}

/** A key in a nested string, or one near a mask. */
function maskMemberSlowly(scan: Scan, quote: number, separator: number): number {
  const { codes, text, masks } = scan;
  const mark = codes[quote] as number;
  const width = mark === APOSTROPHE ? 0 : quoteWidth(backslashesBefore(text, quote, 0));
  const keyEnd = width === 0 ? quote : quote - width + 1;
  const isMasked = masks.size > 0 && masks.lastEnd + MAX_KEY_LENGTH >= keyEnd;
  const found = isMasked ? classOfMaskedKey(scan, keyEnd, mark) : classOfQuotedKey(codes, keyEnd, mark);
  return found < KEY.name ? quote + 1 : maskMemberOf(scan, quote, separator, found, width);
}

/** The member whose key ends at `quote`, `width` wide, and is of class `found`. */
function maskMemberOf(scan: Scan, quote: number, separator: number, found: KeyClass, width: number): number {
  const { codes, text } = scan;
  if (found === KEY.name && namesNothing(scan, separator + 1)) return separator + 1;
  const mark = codes[quote] as number;
  const keyEnd = width === 0 ? quote : quote - width + 1;
  let keyStart = keyEnd;
  while (codes[keyStart - 1] !== mark) keyStart--;
  if (width > 0 && quoteWidth(backslashesBefore(text, keyStart - 1, 0)) !== width) return quote + 1;
  const isArrow = codes[separator + 1] === 0x3e;
  const valueAt = isArrow ? separator + 2 : separator + 1;
  const isEquals = !isArrow && codes[separator] === 0x3d;
  const form = isEquals ? QUOTED_FORM : JSON_FORM;
  const next = maskJsonValue(scan, valueAt, width, found, keyStart, keyEnd, form);
  return next >= 0 ? next : maskBareValue(scan, valueAt, found, keyStart, keyEnd, isEquals);
}

/** As `classOfQuotedKey`, where masks are near: the key is read as it will be, or it would be another key next time. */
function classOfMaskedKey(scan: Scan, keyEnd: number, mark: number): KeyClass {
  const { codes, masks } = scan;
  let i = keyEnd;
  let length = 0;
  let last = masks.size - 1;
  while (codes[i - 1] !== mark) {
    if (i <= 0 || length > MAX_KEY_LENGTH) return KEY.plain;
    if (last >= 0 && masks.ends[last] === i) {
      length += masks.replacements[last]?.length ?? 0;
      i = masks.starts[last] ?? 0;
      last--;
    } else {
      length++;
      i--;
    }
  }
  if (masks.lastEnd <= i) return classOfKey(codes, i, keyEnd);
  return classOfString(masks.reading(scan.text, i, keyEnd));
}

/** Masks the value as JSON has it; -1 when it is something else. */
function maskJsonValue(
  scan: Scan,
  valueAt: number,
  width: number,
  found: KeyClass,
  keyStart: number,
  keyEnd: number,
  form: ValueForm,
): number {
  const { text } = scan;
  const at = skipSpace(text, valueAt);
  if (at >= text.length) {
    scan.openAtEnd = true;
    return at;
  }
  const c = text.charCodeAt(at);
  if (c === OPEN_BRACE || c === OPEN_BRACKET) {
    const key = text.slice(keyStart, keyEnd);
    // A path of an API or of a file (`"/oauth/token": {…}`) describes what is there.
    if (found === KEY.name || found === KEY.weak || key.includes("/") || isSchema(text, at, width)) return at + 1;
    return maskBlock(scan, at, width, found, key);
  }
  if (c === APOSTROPHE || stringStarts(text, at, width)) {
    return maskString(scan, at, c === APOSTROPHE ? 0 : width, found, keyStart, keyEnd, form);
  }
  if (found <= KEY.headers) return at;
  if (/^(?:true|false|null)\b/.test(text.slice(at, at + 6))) return at;
  const end = literalEnd(text, at);
  if (!/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text.slice(at, Math.min(end, at + 400)))) return -1;
  const open = end === text.length;
  if (open) scan.openAtEnd = true;
  if (isLongNumber(text, at, end, open && scan.cutEnd ? 1 : digitsOfSecret(found))) {
    scan.masks.add(at, end, quotedMarker("key", width));
  }
  return end;
}

/** Digits from which on a number is a secret: a PIN under `password`, nothing that could be a count under others. */
function digitsOfSecret(found: KeyClass): number {
  if (found === KEY.legacy) return 1;
  if (found === KEY.weak || found === KEY.cookie) return 64;
  return found === KEY.secret || found === KEY.phrase ? 4 : 8;
}

/** The string whose quote is at `at`; `width` is 0 for an apostrophe. */
function maskString(
  scan: Scan,
  at: number,
  width: number,
  found: KeyClass,
  keyStart: number,
  keyEnd: number,
  form: ValueForm,
): number {
  const { text } = scan;
  const start = contentStart(at, width);
  const end = contentEnd(text, start, width);
  if (end < 0) {
    if (found <= KEY.headers || end < -1) return start;
    scan.openAtEnd = true;
    scan.mask(start, text.length, "key");
    return text.length;
  }
  if (found === KEY.name) return maskSiblingOf(scan, start, end, width, keyStart, keyEnd);
  if (found <= KEY.headers) return start;
  const key = text.slice(keyStart, keyEnd);
  if (!isSecretValue(found, key, text.slice(start, end), form)) return start;
  if (found === KEY.token && isTextToken(text, end)) return start;
  scan.mask(start, end, "key");
  return end;
}

/** True when the member after the string that ends at `end` is one of a piece of text. */
function isTextToken(text: string, end: number): boolean {
  const comma = skipSpace(text, afterQuote(text, end));
  if (text.charCodeAt(comma) !== COMMA) return false;
  const next = skipSpace(text, comma + 1);
  return TEXT_TOKEN_SIBLINGS.test(text.slice(next, next + 48));
}
