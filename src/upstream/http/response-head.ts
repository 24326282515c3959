/**
 * The head of an answer: status line and headers, gathered from chunks of any cut and parsed strictly, but for old habits that
 * other clients bear: lines that are folded, and blanks in a name, or no name at all. None is borne where it says how the answer is
 * cut. Bounded, so that a server that never ends its head costs no more than that. Never quotes what came.
 */

import { HttpFailure } from "./http.ts";

export interface ResponseHead {
  status: number;
  /** HTTP/1.1; false for HTTP/1.0. */
  isCurrent: boolean;
  /** Names in small letters; values of one name joined with ", ". */
  headers: ReadonlyMap<string, string>;
}

/** Longest head that is read. Also bounds trailers. */
export const MAX_HEAD_BYTES = 64 * 1024;

const START = Buffer.from("HTTP/1.");
const END = Buffer.from("\r\n\r\n");
const NOTHING = Buffer.alloc(0);
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NOT_IN_VALUE = /[\0\r\n]/;
/** Read differently by different readers, these would let one answer pass for two. */
const OF_THE_CUT = /^(?:content-length|transfer-encoding)/;
/** In place of the name of a header that has none. */
const PASSED_OVER = "";
const CR = 13;
const LF = 10;

/** Gathers one head after the other. */
export class HeadReader {
  #held: Buffer = NOTHING;

  /** The head once it is whole, and where in `chunk` the rest starts; null while more is needed. */
  take(chunk: Buffer, start: number): { head: ResponseHead; end: number } | null {
    const held = this.#held.length;
    const bytes = held === 0 ? chunk.subarray(start) : Buffer.concat([this.#held, chunk.subarray(start)]);
    const end = bytes.indexOf(END, Math.max(0, held - END.length + 1));
    if (!startsLikeHttp(bytes)) throw new HttpFailure("invalid", "what answers does not speak HTTP/1.1");
    // At once, as an end that is written this way would never be found.
    if (!hasWholeLineEnds(end < 0 ? bytes : bytes.subarray(0, end), Math.max(0, held - 1))) {
      throw new HttpFailure("invalid", "the answer has a line end that is no HTTP/1.1");
    }
    if (end > MAX_HEAD_BYTES || (end < 0 && bytes.length > MAX_HEAD_BYTES)) {
      throw new HttpFailure("invalid", `the head of the answer is longer than ${MAX_HEAD_BYTES} bytes`);
    }
    if (end < 0) {
      this.#held = bytes;
      return null;
    }
    this.#held = NOTHING;
    return { head: parseHead(bytes.toString("latin1", 0, end)), end: start + end + END.length - held };
  }
}

function startsLikeHttp(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, START.length);
  return bytes.compare(START, 0, length, 0, length) === 0;
}

/** A carriage return and a line feed come together or not at all; the last byte may be half of them. */
function hasWholeLineEnds(bytes: Buffer, start: number): boolean {
  for (let at = bytes.indexOf(LF, start); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR) return false;
  }
  for (let at = bytes.indexOf(CR, start); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) return false;
  }
  return true;
}

/** @param text the head without the empty line that ends it */
function parseHead(text: string): ResponseHead {
  const [first = "", ...lines] = text.split("\r\n");
  const status = STATUS_LINE.exec(first);
  if (status === null) throw new HttpFailure("invalid", "the answer has a status line that is no HTTP/1.1");
  const headers = new Map<string, string>();
  let last: string | null = null;
  for (const line of lines) {
    if (NOT_IN_VALUE.test(line)) throw malformed();
    if (isBlank(line.charCodeAt(0))) {
      if (last === null || OF_THE_CUT.test(last)) throw malformed();
      if (last !== PASSED_OVER) headers.set(last, trimBlanks(`${headers.get(last)} ${trimBlanks(line)}`));
      continue;
    }
    const colon = line.indexOf(":");
    last = colon < 0 ? null : keyOf(line.slice(0, colon));
    if (last === null) throw malformed();
    if (last === PASSED_OVER) continue;
    const value = trimBlanks(line.slice(colon + 1));
    const before = headers.get(last);
    headers.set(last, before === undefined ? value : `${before}, ${value}`);
  }
  return { status: Number(status[2]), isCurrent: status[1] === "1", headers };
}

/** The name in small letters; `PASSED_OVER` where it names nothing that could be asked for; null where it must not be borne. */
function keyOf(written: string): string | null {
  const name = written.replaceAll(/[\t ]/g, "").toLowerCase();
  if (name !== "" && !NAME.test(name)) return null;
  if (name.length === written.length) return name;
  if (OF_THE_CUT.test(name)) return null;
  return trimBlanks(written).length === name.length ? name : PASSED_OVER;
}

function malformed(): HttpFailure {
  return new HttpFailure("invalid", "the answer has a header line that is no HTTP/1.1");
}

/** Not `trim`, which takes more away than HTTP's blanks. */
function trimBlanks(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
