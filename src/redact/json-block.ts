/**
 * Goes through one JSON object or array that stands under a key for secrets, environment variables or headers, at any
 * level of nesting in strings, and masks its leaves. Owns what is masked in such a block and what only describes it. Never
 * masks structure, keys, literals or short numbers; gives what it leaves to the scan. Iterative, so that depth costs no stack.
 */

import { skipSpace } from "./escapes.ts";
import { isHeaderName, isSafeHeader } from "./headers.ts";
import {
  afterQuote,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
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
import { classOfString } from "./key-cache.ts";
import { isValueKey, KEY, type KeyClass } from "./key-class.ts";
import { isEmptyOrReference } from "./placeholder.ts";
import type { Scan } from "./scan-state.ts";
import { isSecretValue } from "./secret-value.ts";
import { JSON_FORM } from "./value-form.ts";

/** Digits from which on a number in a block of secrets may be a secret itself. */
const LONG_NUMBER = 8;

/** A string of a block longer than this is masked unread. */
const LONG_STRING = 8192;

interface Frame {
  isObject: boolean;
  /** Nothing in it is masked: it describes. */
  keep: boolean;
  /** An element of a list of `{name, value}` or `[name, value]`. */
  isPair: boolean;
  /** The values of one header (`"Set-Cookie": ["…", "…"]`). */
  isValues: boolean;
  /** The key of the member at hand; in an array, the key it stands under. */
  key: string;
  /** The name of a pair, or the last string of a flat list of headers. */
  name: string;
}

/** Masks the leaves of the block whose bracket is at `at`, quotes being `width` wide (0: apostrophes). Returns the index after it. */
export function maskBlock(scan: Scan, at: number, width: number, found: KeyClass, key: string): number {
  const { text } = scan;
  const frames: Frame[] = [];
  let i = at;
  let wantsKey = false;
  let keep = false;
  for (;;) {
    i = skipSpace(text, i);
    if (i >= text.length) {
      scan.openAtEnd = true;
      return text.length;
    }
    const c = text.charCodeAt(i);
    const top = frames.at(-1);
    if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      frames.push(openFrame(c === OPEN_BRACE, top, keep, found, key));
      wantsKey = c === OPEN_BRACE;
      i++;
    } else if (top === undefined) {
      return i;
    } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      frames.pop();
      i++;
      if (frames.length === 0) return i;
    } else if (c === COMMA) {
      wantsKey = top.isObject;
      keep = top.keep;
      i++;
    } else if (stringStarts(text, i, width)) {
      const start = contentStart(i, width);
      const end = contentEnd(text, start, width);
      if (end < -1) return start;
      if (end < 0) {
        scan.openAtEnd = true;
        if (!wantsKey && !keep) scan.mask(start, text.length, kindOf(found));
        return text.length;
      }
      i = afterQuote(text, end);
      if (wantsKey) {
        scan.range(scan, start, end);
        top.key = scan.masks.reading(text, start, end);
        keep = top.keep || keepsMember(found, top);
        wantsKey = false;
        i = skipSpace(text, i);
        if (text.charCodeAt(i) === COLON) i++;
        else if (i < text.length) return i;
      } else {
        leaf(scan, start, end, found, top, keep);
      }
    } else {
      const end = literalEnd(text, i);
      if (end === i) return i;
      if (!keep) maskNumber(scan, i, end, width, found);
      i = end;
    }
  }
}

function openFrame(isObject: boolean, top: Frame | undefined, keep: boolean, found: KeyClass, key: string): Frame {
  const isPair = top !== undefined && !top.isObject && (found === KEY.headers || (found === KEY.env && isObject));
  const isValues = top?.isObject === true && !isObject;
  return { isObject, keep: keep || (top?.keep ?? false), isPair, isValues, key: top?.key ?? key, name: "" };
}

/** True when the member at hand only describes the block. */
function keepsMember(found: KeyClass, frame: Frame): boolean {
  if (frame.isPair) return !isValueKey(frame.key, "");
  if (found === KEY.env) return false;
  if (found === KEY.headers) return isSafeHeader(frame.key);
  const own = classOfString(frame.key);
  return own === KEY.exempt || (own === KEY.name && frame.key.toLowerCase() !== "key");
}

/** Masks the string `[start, end)` or gives it to the scan. */
function leaf(scan: Scan, start: number, end: number, found: KeyClass, frame: Frame, keep: boolean): void {
  const isLong = end - start > LONG_STRING;
  const value = isLong ? "" : scan.text.slice(start, end);
  if (frame.isPair && frame.isObject && keep && /^(?:name|key|header)$/i.test(frame.key)) frame.name = value;
  let from = start;
  if (found === KEY.headers) from = headerValue(value, start, frame, keep);
  else if (keep) from = end;
  else if (found === KEY.env) from = frame.isObject ? start : afterMatch(value, start, /^[A-Za-z_][A-Za-z0-9_.]*=/);
  else if (!isLong && !isSecretValue(classOfLeaf(found, frame), frame.key, value, JSON_FORM)) from = end;
  if (from < 0 || from >= end || (found <= KEY.headers && !isLong && isEmptyOrReference(value.slice(from - start)))) {
    scan.range(scan, start, end);
  } else {
    scan.mask(from, end, kindOf(found));
  }
}

/** Class by which a leaf of a block of secrets is judged: its own key's, if that names a secret. */
function classOfLeaf(found: KeyClass, frame: Frame): KeyClass {
  const own = classOfString(frame.key);
  if (own >= KEY.secret && own !== KEY.cookie) return own;
  return found === KEY.cookie || found === KEY.authorization ? KEY.secret : found;
}

/** Where the value starts in a string of a block of headers, -1 when it holds none. */
function headerValue(value: string, start: number, frame: Frame, keep: boolean): number {
  if (frame.isObject) {
    const secret = frame.isPair ? !keep && frame.name !== "" && !isSafeHeader(frame.name) : !keep;
    return secret ? start : -1;
  }
  if (frame.isValues) return keep ? -1 : start;
  const line = afterMatch(value, start, /^[A-Za-z][A-Za-z0-9-]*:[ \t]*/);
  const name = line < 0 ? frame.name : value.slice(0, value.indexOf(":"));
  frame.name = line < 0 ? value : "";
  if (keep || name === "" || isSafeHeader(name)) return -1;
  const namesSecret = classOfString(name) >= KEY.secret && isHeaderName(name);
  // Plain words are the heads of a table's columns.
  if (!namesSecret && !(isHeaderName(name) && (line >= 0 || !isHeaderName(value)))) return -1;
  frame.name = "";
  return line < 0 ? start : line;
}

function afterMatch(value: string, start: number, pattern: RegExp): number {
  const match = pattern.exec(value);
  return match === null ? -1 : start + match[0].length;
}

function maskNumber(scan: Scan, start: number, end: number, width: number, found: KeyClass): void {
  if (found <= KEY.headers) return;
  const open = end === scan.text.length;
  if (open) scan.openAtEnd = true;
  if (isLongNumber(scan.text, start, end, found === KEY.legacy || (open && scan.cutEnd) ? 1 : LONG_NUMBER)) {
    scan.masks.add(start, end, quotedMarker("key", width));
  }
}

function kindOf(found: KeyClass): string {
  if (found === KEY.env) return "env";
  return found === KEY.headers ? "header" : "key";
}
