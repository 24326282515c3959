/**
 * A body in chunks (RFC 9112, 7.1) with its trailers, taken apart from pieces of any cut. Copies nothing: what it gives on are
 * views of what it takes. Strict: a size that is not plain hexadecimal digits ends it.
 */

import { HttpFailure } from "./http.ts";
import { MAX_HEAD_BYTES } from "./response-head.ts";

const CR = 13;
const LF = 10;
const SEMICOLON = 59;
const MAX_EXTENSION_BYTES = 16 * 1024;
/** Where the parser stands. In `size` no digit may have come yet. */
type Place =
  | "size"
  | "extension"
  | "size-lf"
  | "data"
  | "data-cr"
  | "data-lf"
  | "trailer-start"
  | "trailer"
  | "trailer-lf"
  | "end-lf"
  | "done";

export class ChunkedBody {
  #place: Place = "size";
  #digits = 0;
  #size = 0;
  #extraBytes = 0;

  /** Takes from `start` on; answers where the body ended in `chunk`, or -1 while more is needed. */
  take(chunk: Buffer, start: number, onPiece: (piece: Uint8Array) => void): number {
    let at = start;
    while (at < chunk.length) {
      if (this.#place === "data") {
        const end = Math.min(chunk.length, at + this.#size);
        onPiece(chunk.subarray(at, end));
        this.#size -= end - at;
        at = end;
        if (this.#size === 0) this.#place = "data-cr";
        continue;
      }
      this.#takeByte(chunk[at++] ?? 0);
      if (this.#place === "done") return at;
    }
    return -1;
  }

  #takeByte(byte: number): void {
    switch (this.#place) {
      case "size":
        if (!this.#takeDigit(byte)) this.#endSize(byte);
        break;
      case "extension":
        if (byte === CR) this.#place = "size-lf";
        else this.#countExtra(byte, MAX_EXTENSION_BYTES);
        break;
      case "size-lf":
        this.#expect(byte, LF, this.#size === 0 ? "trailer-start" : "data");
        this.#extraBytes = 0;
        break;
      case "data-cr":
        this.#expect(byte, CR, "data-lf");
        break;
      case "data-lf":
        this.#expect(byte, LF, "size");
        this.#digits = 0;
        break;
      case "trailer-start":
      case "trailer":
        if (byte === CR) this.#place = this.#place === "trailer" ? "trailer-lf" : "end-lf";
        else {
          this.#countExtra(byte, MAX_HEAD_BYTES);
          this.#place = "trailer";
        }
        break;
      case "trailer-lf":
        this.#expect(byte, LF, "trailer-start");
        break;
      default:
        this.#expect(byte, LF, "done");
    }
  }

  #takeDigit(byte: number): boolean {
    const digit = hexDigit(byte);
    if (digit < 0) return false;
    this.#size = this.#digits === 0 ? digit : this.#size * 16 + digit;
    if (++this.#digits > 16 || this.#size > Number.MAX_SAFE_INTEGER) throw malformed();
    return true;
  }

  #endSize(byte: number): void {
    if (this.#digits === 0) throw malformed();
    if (byte === CR) this.#place = "size-lf";
    else if (byte === SEMICOLON) this.#place = "extension";
    else throw malformed();
  }

  #countExtra(byte: number, most: number): void {
    if (byte === LF || ++this.#extraBytes > most) throw malformed();
  }

  #expect(byte: number, expected: number, next: Place): void {
    if (byte !== expected) throw malformed();
    this.#place = next;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 0x20;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function malformed(): HttpFailure {
  return new HttpFailure("invalid", "the answer's chunks are malformed");
}
