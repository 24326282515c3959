/**
 * Bounded copies of the lines that pass in one direction. Fed with chunks as they come, at memcpy speed, whatever
 * their cut; never looks at what a line says. A line over the bound is kept as a head and a tail, so memory does not
 * follow message size. Buffers that are given back are used again: a busy wire makes no garbage.
 */

/** Bytes kept from the start of a line. */
export const HEAD_BYTES = 128 * 1024;
/** Bytes kept from the end of a line that is longer than head and tail together. */
export const TAIL_BYTES = 4 * 1024;

/** A buffer that several captures share. */
interface Slab {
  readonly bytes: Uint8Array;
  used: number;
  /** Captures in it that were not given back yet. */
  captures: number;
}

/** Whole lines as they came in one piece, newlines included: bytes `start`..`end` of the slab. */
export interface CapturedLines {
  slab: Slab;
  start: number;
  end: number;
  /** Clock reading when the last byte came. */
  at: number;
}

/** One line that was longer than the bound; its newline is not included. */
export interface CapturedLongLine {
  /** The first `HEAD_BYTES` bytes of it are the line's. */
  head: Uint8Array;
  tail: Uint8Array;
  totalBytes: number;
  at: number;
}

export type Captured = CapturedLines | CapturedLongLine;

const SLAB_BYTES = 64 * 1024;
/** How many buffers of each kind are kept for use again. */
const MOST_FREE = 12;
const SMALL_HEAD_BYTES = 8 * 1024;
const NEWLINE = 0x0a;

export class LineCapture {
  readonly #take: (captured: Captured) => void;
  readonly #freeSlabs: Slab[] = [];
  readonly #freeHeads: Uint8Array[] = [];
  #slab: Slab = { bytes: new Uint8Array(0), used: 0, captures: 0 };
  /** The line under way: its first bytes, and once it has outgrown them its latest bytes too. */
  #head: Uint8Array = new Uint8Array(0);
  #headUsed = 0;
  #tail: Uint8Array | null = null;
  #totalBytes = 0;

  constructor(take: (captured: Captured) => void) {
    this.#take = take;
  }

  /** Copies what is kept of `chunk`; the caller may reuse it afterwards. */
  feed(chunk: Uint8Array, at: number): void {
    let from = 0;
    if (this.#totalBytes > 0) {
      const newline = chunk.indexOf(NEWLINE);
      if (newline < 0) {
        this.#extend(chunk);
        return;
      }
      this.#extend(chunk.subarray(0, newline));
      this.#finishLine(at);
      from = newline + 1;
    }
    const last = chunk.lastIndexOf(NEWLINE);
    if (last >= from) {
      this.#takeLines(chunk, from, last + 1, at);
      from = last + 1;
    }
    if (from < chunk.length) this.#extend(from === 0 ? chunk : chunk.subarray(from));
  }

  /** Gives a capture back: its buffer may be written over from now on. */
  release(captured: Captured): void {
    if ("head" in captured) {
      if (this.#freeHeads.length < MOST_FREE) this.#freeHeads.push(captured.head);
      return;
    }
    const { slab } = captured;
    if (--slab.captures > 0) return;
    slab.used = 0;
    if (slab !== this.#slab && slab.bytes.length === SLAB_BYTES && this.#freeSlabs.length < MOST_FREE) {
      this.#freeSlabs.push(slab);
    }
  }

  /** Hands over a last line without a newline. */
  end(at: number): void {
    if (this.#totalBytes > 0) this.#finishLine(at);
  }

  #takeLines(chunk: Uint8Array, from: number, to: number, at: number): void {
    const size = to - from;
    if (this.#slab.bytes.length - this.#slab.used < size) this.#slab = this.#emptySlab(size);
    const slab = this.#slab;
    const start = slab.used;
    slab.bytes.set(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to), start);
    slab.used += size;
    slab.captures++;
    this.#take({ slab, start, end: start + size, at });
  }

  #emptySlab(size: number): Slab {
    const free = size <= SLAB_BYTES ? this.#freeSlabs.pop() : undefined;
    return free ?? { bytes: new Uint8Array(Math.max(SLAB_BYTES, size)), used: 0, captures: 0 };
  }

  #extend(piece: Uint8Array): void {
    const room = HEAD_BYTES + TAIL_BYTES - this.#headUsed;
    const kept = Math.min(room, piece.length);
    this.#reserve(this.#headUsed + kept);
    this.#head.set(kept === piece.length ? piece : piece.subarray(0, kept), this.#headUsed);
    this.#headUsed += kept;
    this.#totalBytes += piece.length;
    if (kept < piece.length) this.#extendTail(piece.subarray(kept));
  }

  /** A line that comes in pieces is small, or may get as large as the bound: growing in steps would copy it over and over. */
  #reserve(size: number): void {
    if (this.#head.length >= size) return;
    const grown = size <= SMALL_HEAD_BYTES ? new Uint8Array(SMALL_HEAD_BYTES) : this.#fullHead();
    grown.set(this.#head.subarray(0, this.#headUsed));
    this.#head = grown;
  }

  #fullHead(): Uint8Array {
    return this.#freeHeads.pop() ?? new Uint8Array(HEAD_BYTES + TAIL_BYTES);
  }

  #extendTail(piece: Uint8Array): void {
    this.#tail ??= this.#head.slice(HEAD_BYTES);
    const tail = this.#tail;
    if (piece.length >= TAIL_BYTES) {
      tail.set(piece.subarray(piece.length - TAIL_BYTES));
    } else {
      tail.copyWithin(0, piece.length);
      tail.set(piece, TAIL_BYTES - piece.length);
    }
  }

  #finishLine(at: number): void {
    if (this.#tail === null) {
      this.#takeLines(this.#head, 0, this.#headUsed, at);
    } else {
      // The buffers go with it: the next long line gets its own.
      this.#take({ head: this.#head, tail: this.#tail, totalBytes: this.#totalBytes, at });
      this.#head = new Uint8Array(0);
    }
    this.#headUsed = 0;
    this.#totalBytes = 0;
    this.#tail = null;
  }
}
