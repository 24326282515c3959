/**
 * PEM and PGP private keys. Owns where a block ends, closed or not. The block goes at most to the quote that ends the string
 * it stands in.
 */

import { afterBackslashes, BACKSLASH, isAlphanumeric, QUOTE } from "./escapes.ts";
import type { Scan } from "./scan-state.ts";

const KIND = "private-key";
const BEGIN = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const END = /-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const ANY_END = /-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/;
const ANY_BEGIN = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/;

/** Characters of key that make a block more than a mention or an elided example. */
const MIN_KEY = 24;

/** Five dashes may start at `at`. Masks the key; returns where the scan goes on, `at` when there is none. */
export function maskPrivateKey(scan: Scan, at: number): number {
  const { text } = scan;
  BEGIN.lastIndex = at;
  if (!BEGIN.test(text)) return at;
  const bodyAt = BEGIN.lastIndex;
  const body = bodyEnd(text, bodyAt);
  END.lastIndex = body;
  const isClosed = END.test(text);
  const end = isClosed ? END.lastIndex : body;
  if (!isClosed && end >= text.length) scan.openAtEnd = true;
  if (keyCharacters(text, bodyAt, body) < MIN_KEY && !(scan.cutEnd && end >= text.length)) return bodyAt;
  scan.mask(at, end, KIND);
  return end;
}

/** In a text cut at its start: the index after the end of a key that began before it, 0 when there is none. */
export function endOfCutKey(text: string): number {
  const end = ANY_END.exec(text);
  if (end === null) return 0;
  const begin = ANY_BEGIN.exec(text);
  return begin !== null && begin.index < end.index ? 0 : end.index + end[0].length;
}

/** Base64, white space, escapes of line breaks, and headers such as `Proc-Type: 4,ENCRYPTED`, line by line. */
function bodyEnd(text: string, at: number): number {
  let i = at;
  let lineStart = at;
  let isHeader = false;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    if (isAlphanumeric(c) || c === 0x2b || c === 0x2f || c === 0x3d) {
      i++;
    } else if (c === 0x0a || c === 0x0d) {
      i++;
      lineStart = i;
      isHeader = false;
    } else if (c === BACKSLASH) {
      const after = afterBackslashes(text, i);
      const letter = text.charCodeAt(after);
      if (letter !== 0x6e && letter !== 0x72 && letter !== 0x74)
        return letter === QUOTE || after >= text.length ? i : after;
      i = after + 1;
      lineStart = i;
      isHeader = false;
    } else if (c === 0x20 || c === 0x09) {
      // Indentation and single-line keys; words with spaces are prose unless they are a header.
      if (i !== lineStart && !isHeader && i - lineStart < 16 && !isAlphanumeric(text.charCodeAt(i - 1))) return i;
      i++;
    } else if (c === 0x3a && i - lineStart < 24) {
      isHeader = true;
      i++;
    } else if (isHeader && c !== QUOTE) {
      i++;
    } else if (c === 0x2d && !text.startsWith("-----", i) && i - lineStart < 24) {
      i++;
    } else {
      return i;
    }
  }
  return i;
}

/** Length of the longest run of base64 in the body. */
function keyCharacters(text: string, from: number, to: number): number {
  let longest = 0;
  let run = 0;
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    run = isAlphanumeric(c) || c === 0x2b || c === 0x2f || c === 0x3d ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
