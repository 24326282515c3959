/**
 * The head of an answer: status line and headers, gathered from chunks of any cut and parsed strictly. Bounded, so that a server
 * that never ends its head costs no more than that. Never quotes what came.
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

/** Gathers one head after the other. */
export class HeadReader {
  #held: Buffer = NOTHING;

  /** The head once it is whole, and where in `chunk` the rest starts; null while more is needed. */
  take(chunk: Buffer, start: number): { head: ResponseHead; end: number } | null {
    const held = this.#held.length;
    const bytes = held === 0 ? chunk.subarray(start) : Buffer.concat([this.#held, chunk.subarray(start)]);
    const end = bytes.indexOf(END, Math.max(0, held - END.length + 1));
    if (end > MAX_HEAD_BYTES || (end < 0 && bytes.length > MAX_HEAD_BYTES)) {
      throw new HttpFailure("invalid", `the head of the answer is longer than ${MAX_HEAD_BYTES} bytes`);
    }
    if (!startsLikeHttp(bytes)) throw new HttpFailure("invalid", "what answers does not speak HTTP/1.1");
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

/** @param text the head without the empty line that ends it */
function parseHead(text: string): ResponseHead {
  const [first = "", ...lines] = text.split("\r\n");
  const status = STATUS_LINE.exec(first);
  if (status === null) throw new HttpFailure("invalid", "the answer has a status line that is no HTTP/1.1");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    // A line that is folded onto the one before starts with a blank, which no name has.
    if (!NAME.test(name) || NOT_IN_VALUE.test(line)) {
      throw new HttpFailure("invalid", "the answer has a header line that is no HTTP/1.1");
    }
    const key = name.toLowerCase();
    const value = trimBlanks(line.slice(colon + 1));
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return { status: Number(status[2]), isCurrent: status[1] === "1", headers };
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
