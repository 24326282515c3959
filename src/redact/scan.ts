/**
 * The one pass over a text: a table of character pairs finds candidates, and each kind of candidate has a reader that masks
 * what it finds and says where to go on. Owns the order of things. Must never look at a character more often than a fixed
 * number of times, whatever the text.
 */

import { maskAssignment, maskElement } from "./assignment.ts";
import { CANDIDATE } from "./candidate-kind.ts";
import { type Anchored, CANDIDATES, rulesOf } from "./candidates.ts";
import { BACKSLASH, isAlphanumeric, isDigit, isEscapeLetter, isSpace } from "./escapes.ts";
import { maskLongFlag, maskShortFlag } from "./flags.ts";
import { maskMember } from "./json-member.ts";
import { maskLabelled } from "./labels.ts";
import { maskPrivateKey } from "./private-key.ts";
import { Scan } from "./scan-state.ts";
import { isDocumented } from "./token-rules.ts";

/** The one scan of this process. */
export const theScan = new Scan(scanRange);

function scanRange(scan: Scan, from: number, to: number): void {
  const last = to - 1;
  let i = from;
  while (i < last) {
    i = nextCandidate(scan.codes, i, last);
    if (i >= last) return;
    const first = scan.codes[i] as number;
    const second = scan.codes[i + 1] as number;
    const next = read(scan, i, CANDIDATES[(first << 7) | second] as number);
    i = next > i ? next : i + 1;
  }
}

/** The first index from `from` on where a candidate is, `last` when there is none. The loop that sets the speed. */
function nextCandidate(codes: Uint16Array, from: number, last: number): number {
  let i = from;
  let a = (codes[i] as number) & 127;
  // Four pairs at a time; the window has room after the text.
  while (i < last) {
    const b = (codes[i + 1] as number) & 127;
    const c = (codes[i + 2] as number) & 127;
    const d = (codes[i + 3] as number) & 127;
    const e = (codes[i + 4] as number) & 127;
    const ab = CANDIDATES[(a << 7) | b] as number;
    const bc = CANDIDATES[(b << 7) | c] as number;
    const cd = CANDIDATES[(c << 7) | d] as number;
    if ((ab | bc | cd | (CANDIDATES[(d << 7) | e] as number)) !== 0) {
      const found = ab !== 0 ? i : bc !== 0 ? i + 1 : cd !== 0 ? i + 2 : i + 3;
      if (found >= last) return last;
      if (((codes[found] as number) | (codes[found + 1] as number)) < 128) return found;
      i = found + 1;
      a = (codes[i] as number) & 127;
    } else {
      i += 4;
      a = e;
    }
  }
  return last;
}

/** Reads the candidate at `i`; returns where to go on. */
function read(scan: Scan, i: number, candidate: number): number {
  switch (candidate) {
    case CANDIDATE.bareKey:
      return maskAssignment(scan, i + 1, i + 1);
    case CANDIDATE.quotedKey:
      return maskMember(scan, i, i + 1);
    case CANDIDATE.spacedKey:
      return readSpacedKey(scan, i);
    case CANDIDATE.index:
      return readIndex(scan, i);
    case CANDIDATE.tag:
      return maskElement(scan, i + 1);
    case CANDIDATE.dashes:
      return readDashes(scan, i);
    case CANDIDATE.shortFlag:
      return maskShortFlag(scan, i);
    case CANDIDATE.label:
      return maskLabelled(scan, i);
    case CANDIDATE.escape:
      return readEscape(scan, i);
    default:
      return readToken(scan, i, rulesOf(candidate));
  }
}

/** `key :` and `"key" :`. */
function readSpacedKey(scan: Scan, space: number): number {
  const { text } = scan;
  let end = space + 1;
  const floor = Math.max(0, end - 9);
  while (end > floor && isSpace(text.charCodeAt(end - 1))) end--;
  const c = text.charCodeAt(end - 1);
  if (c === 0x22 || c === 0x27) return maskMember(scan, end - 1, space + 1);
  if (c === 0x5d && (text.charCodeAt(end - 2) === 0x22 || text.charCodeAt(end - 2) === 0x27)) return space + 2;
  return isAlphanumeric(c) || c === 0x5f ? maskAssignment(scan, end, space + 1) : space + 2;
}

/** `config["token"] = …`. */
function readIndex(scan: Scan, quote: number): number {
  const { text } = scan;
  let i = quote + 2;
  while (text.charCodeAt(i) === 0x20 && i - quote < 8) i++;
  if (text.charCodeAt(i) !== 0x3d || text.charCodeAt(i + 1) === 0x3d) return quote + 1;
  return maskMember(scan, quote, i);
}

/** A private key, a long flag, or a rule of dashes. */
function readDashes(scan: Scan, at: number): number {
  const { text } = scan;
  const third = text.charCodeAt(at + 2);
  if (third === 0x2d) {
    let end = at + 3;
    while (text.charCodeAt(end) === 0x2d) end++;
    if (end - at === 5 && text.charCodeAt(end) === 0x42) {
      const next = maskPrivateKey(scan, at);
      if (next > at) return next;
    }
    return end;
  }
  return isAlphanumeric(third) && text.charCodeAt(at - 1) !== 0x2d ? maskLongFlag(scan, at) : at + 1;
}

/** A printable ASCII character that need not be escaped. */
function readEscape(scan: Scan, at: number): number {
  const { text } = scan;
  if (scan.isReading) return at + 1;
  if (text.charCodeAt(at + 1) !== 0x2f && !/^00[2-7][0-9a-fA-F]/.test(text.slice(at + 2, at + 6))) return at + 1;
  scan.needsUnescape = true;
  return text.length;
}

function readToken(scan: Scan, at: number, group: readonly Anchored[]): number {
  const { text } = scan;
  for (let k = 0; k < group.length; k++) {
    const anchored = group[k] as Anchored;
    const { rule } = anchored;
    const start = at - anchored.offset;
    if (!matches(scan.codes, start, anchored.codes) || start < scan.masks.lastEnd) continue;
    if (start !== scan.masks.lastEnd && !startsToken(text, start)) continue;
    const { pattern } = anchored;
    pattern.lastIndex = start;
    if (!pattern.test(text)) continue;
    const end = pattern.lastIndex;
    const match = text.slice(start, end);
    if (rule.accepts !== undefined && !rule.accepts(match)) continue;
    if (isDocumented(match)) continue;
    if (end >= text.length) scan.openAtEnd = true;
    scan.mask(start + (rule.keeps?.(match) ?? 0), end, rule.kind);
    return end;
  }
  return at + 1;
}

function matches(codes: Uint16Array, at: number, literal: Uint16Array): boolean {
  let i = 0;
  while (i < literal.length && codes[at + i] === literal[i]) i++;
  return i === literal.length;
}

/**
 * True where a token may start: not inside a word, where the letter of an escape (`\n`) and the end of a colour code are
 * not of the word.
 */
function startsToken(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (before === BACKSLASH) return !isEscapeLetter(text.charCodeAt(at));
  if (before === 0x2d || before === 0x5f) return false;
  if (!isAlphanumeric(before)) return true;
  if (text.charCodeAt(at - 2) === BACKSLASH) return isEscapeLetter(before) && before !== 0x75;
  if (text.charCodeAt(at - 6) === BACKSLASH && text.charCodeAt(at - 5) === 0x75) return true;
  if (before !== 0x6d) return false;
  let i = at - 1;
  while (isDigit(text.charCodeAt(i - 1)) || text.charCodeAt(i - 1) === 0x3b) i--;
  return text.charCodeAt(i - 1) === 0x5b && i < at - 1;
}
