import { HEAD_BYTES, TAIL_BYTES } from "../../jsonrpc/line-capture.ts";

/**
 * The data of one server-sent event while its lines come in. One line that lies in one chunk is not copied; data over the bound is
 * kept as a head and a tail, so memory does not follow its size. Never looks at what the data says.
 */

/** Data over the bound: its first 128 KiB, its last 4 KiB (which may overlap), and how long it was. */
export interface OversizedData {
  head: Uint8Array;
  tail: Uint8Array;
  totalBytes: number;
}

const NEWLINE = Uint8Array.of(0x0a);
const SMALLEST_BUFFER = 1024;

export class EventData {
  readonly #mostBytes: number;
  #lines = 0;
  #totalBytes = 0;
  /** All of the data while it is one piece of a chunk; not ours. */
  #view: Uint8Array | null = null;
  /** All of the data where it is a copy, its head once it is over the bound. */
  #buffer = new Uint8Array(0);
  #used = 0;
  /** The latest bytes, once the data is over the bound. */
  #tail: Uint8Array | null = null;
  #tailUsed = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** A further line of data begins: lines are joined by a newline. */
  startLine(): void {
    if (this.#lines++ > 0) this.append(NEWLINE);
  }

  append(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const before = this.#totalBytes;
    this.#totalBytes += piece.length;
    if (before === 0 && this.#totalBytes <= this.#mostBytes) {
      this.#view = piece;
      return;
    }
    this.keep();
    if (this.#tail === null && this.#totalBytes <= this.#mostBytes) {
      this.#reserve(this.#totalBytes);
      this.#buffer.set(piece, this.#used);
      this.#used += piece.length;
    } else this.#appendOversized(piece);
  }

  /** Copies what lies in a chunk that is not going to last. */
  keep(): void {
    const view = this.#view;
    if (view === null) return;
    this.#view = null;
    this.#reserve(view.length);
    this.#buffer.set(view);
    this.#used = view.length;
  }

  /** All the data, `whole` or `oversized`, and the start of the next event. */
  finish(): { whole: Uint8Array | null; oversized: OversizedData | null } {
    const whole = this.#tail === null ? (this.#view ?? this.#buffer.subarray(0, this.#used)) : null;
    const oversized =
      this.#tail === null
        ? null
        : {
            head: this.#buffer.subarray(0, this.#used),
            tail: this.#tail.subarray(0, this.#tailUsed),
            totalBytes: this.#totalBytes,
          };
    this.#lines = 0;
    this.#totalBytes = 0;
    this.#view = null;
    // The buffers are the event's now.
    if (this.#used > 0) this.#buffer = new Uint8Array(0);
    this.#used = 0;
    this.#tail = null;
    this.#tailUsed = 0;
    return { whole, oversized };
  }

  #reserve(size: number): void {
    if (this.#buffer.length >= size) return;
    const doubled = Math.min(this.#mostBytes, this.#buffer.length * 2);
    const grown = new Uint8Array(Math.max(SMALLEST_BUFFER, size, doubled));
    grown.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = grown;
  }

  #appendOversized(piece: Uint8Array): void {
    if (this.#tail === null) {
      this.#tail = new Uint8Array(TAIL_BYTES);
      this.#appendTail(this.#buffer.subarray(0, this.#used));
      const head = new Uint8Array(HEAD_BYTES);
      this.#used = Math.min(this.#used, HEAD_BYTES);
      head.set(this.#buffer.subarray(0, this.#used));
      this.#buffer = head;
    }
    const room = Math.min(piece.length, HEAD_BYTES - this.#used);
    this.#buffer.set(piece.subarray(0, room), this.#used);
    this.#used += room;
    this.#appendTail(piece);
  }

  #appendTail(piece: Uint8Array): void {
    const tail = this.#tail;
    if (tail === null) return;
    const added = piece.length > TAIL_BYTES ? piece.subarray(piece.length - TAIL_BYTES) : piece;
    const kept = Math.min(this.#tailUsed, TAIL_BYTES - added.length);
    tail.copyWithin(0, this.#tailUsed - kept, this.#tailUsed);
    tail.set(added, kept);
    this.#tailUsed = kept + added.length;
  }
}
