import { EventData, type OversizedData } from "./event-data.ts";

/**
 * Server-sent events out of the bytes of one response body, whatever their cut (WHATWG HTML, section 9.2.6). Works on bytes: what a
 * server wrote is never decoded, so it reaches the host as it was. Never waits and never fails: bytes that say nothing are passed over.
 */

export interface StreamEvent {
  /** What `event:` said, else "message". */
  type: string;
  /** The id to resume after: the last one told up to here, be it by an earlier event; null for none, or when it was emptied. */
  id: string | null;
  /** Its data without the last line end. A view of the chunk where that was possible: good until that buffer is used again. */
  data: Uint8Array;
  /** False for an event that only tells an id (a priming event): it is no message. */
  hasData: boolean;
  /** What was kept of data over the bound, where `data` is empty; else null. */
  oversized: OversizedData | null;
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);
const DATA_FIELD = new TextEncoder().encode("data:");
/** Bytes of a cut line that tell whether it holds data, and whether a space follows the colon. */
const TELLING_BYTES = DATA_FIELD.length + 1;
/** What is kept of a cut line that holds no data. Only comments are longer in earnest. */
const MOST_HELD_BYTES = 16 * 1024;
const FIRST_HELD_BYTES = 128;
const NOTHING = new Uint8Array(0);

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The parser of one stream. Feed it every chunk in order; at the end of the stream, an event under way is no event. */
export class EventStream {
  /** Wait before the next connection, as the server asked for last; null while it did not. */
  retryMs: number | null = null;
  /** The id that the last event has left: what a request to resume tells; null for none. */
  lastEventId: string | null = null;

  readonly #data: EventData;
  #type = "";
  #id: string | null = null;
  /** The event under way has told an id or data, so its end is told. */
  #isTold = false;

  /** How much of a byte order mark has been seen; past its length once the stream has begun. */
  #markSeen = 0;
  /** A line has ended in CR: a LF that follows belongs to it. */
  #afterCr = false;
  /** The start of a line that was cut, unless that line is known to hold data. */
  #held = new Uint8Array(FIRST_HELD_BYTES);
  #heldUsed = 0;
  #heldIsCut = false;
  /** The line that was cut holds data, which went into `#data` as far as it came. */
  #inData = false;

  /** `mostBytes` bounds the data of one event. */
  constructor(mostBytes: number) {
    this.#data = new EventData(mostBytes);
  }

  /** The events that `chunk` completes. What is kept for later is copied. */
  feed(chunk: Uint8Array): StreamEvent[] {
    const events: StreamEvent[] = [];
    const size = chunk.length;
    let at = this.#markSeen < BYTE_ORDER_MARK.length ? this.#passMark(chunk) : 0;
    let lf = -1;
    let cr = -1;
    while (at < size) {
      if (this.#afterCr) {
        this.#afterCr = false;
        if (chunk[at] === LF) {
          at++;
          continue;
        }
      }
      if (lf < at) lf = indexOrEnd(chunk, LF, at);
      if (cr < at) cr = indexOrEnd(chunk, CR, at);
      const end = Math.min(lf, cr);
      if (end === size) {
        this.#extendLine(chunk, at);
        break;
      }
      this.#afterCr = end === cr;
      if (this.#inData || this.#heldUsed > 0) this.#endCutLine(chunk, at, end);
      else if (end > at) this.#takeLine(chunk, at, end, false);
      else this.#endEvent(events);
      at = end + 1;
    }
    this.#data.keep();
    return events;
  }

  #passMark(chunk: Uint8Array): number {
    let at = 0;
    while (at < chunk.length && this.#markSeen < BYTE_ORDER_MARK.length) {
      if (chunk[at] !== BYTE_ORDER_MARK[this.#markSeen]) {
        // No mark after all: what looked like one begins the first line.
        this.#hold(BYTE_ORDER_MARK.subarray(0, this.#markSeen));
        this.#markSeen = BYTE_ORDER_MARK.length;
        break;
      }
      this.#markSeen++;
      at++;
    }
    return at;
  }

  /** The chunk ends inside the line that goes on at `at`. */
  #extendLine(chunk: Uint8Array, at: number): void {
    let from = at;
    if (!this.#inData) {
      const telling = Math.min(Math.max(0, TELLING_BYTES - this.#heldUsed), chunk.length - from);
      this.#hold(chunk.subarray(from, from + telling));
      from += telling;
      if (this.#heldUsed >= TELLING_BYTES && startsWith(this.#held, DATA_FIELD)) {
        this.#data.startLine();
        this.#data.append(
          this.#held.subarray(valueStart(this.#held, DATA_FIELD.length, this.#heldUsed), this.#heldUsed),
        );
        this.#heldUsed = 0;
        this.#inData = true;
        this.#isTold = true;
      }
    }
    if (this.#inData) this.#data.append(chunk.subarray(from));
    else this.#hold(chunk.subarray(from));
  }

  #hold(piece: Uint8Array): void {
    const kept = Math.min(piece.length, MOST_HELD_BYTES - this.#heldUsed);
    const size = this.#heldUsed + kept;
    if (size > this.#held.length) {
      const grown = new Uint8Array(MOST_HELD_BYTES);
      grown.set(this.#held);
      this.#held = grown;
    }
    this.#held.set(kept === piece.length ? piece : piece.subarray(0, kept), this.#heldUsed);
    this.#heldUsed = size;
    if (kept < piece.length) this.#heldIsCut = true;
  }

  #endCutLine(chunk: Uint8Array, at: number, end: number): void {
    if (end > at) this.#extendLine(end === chunk.length ? chunk : chunk.subarray(0, end), at);
    if (!this.#inData) this.#takeLine(this.#held, 0, this.#heldUsed, this.#heldIsCut);
    this.#inData = false;
    this.#heldUsed = 0;
    this.#heldIsCut = false;
  }

  /** A whole line that is not empty. `isCut` says that its end is missing. */
  #takeLine(bytes: Uint8Array, from: number, to: number, isCut: boolean): void {
    const colon = bytes.subarray(from, to).indexOf(COLON);
    if (colon === 0) return;
    const nameEnd = colon < 0 ? to : from + colon;
    const start = colon < 0 ? to : valueStart(bytes, nameEnd + 1, to);
    const name = fieldName(bytes, from, nameEnd);
    if (name === "data") {
      this.#isTold = true;
      this.#data.startLine();
      this.#data.append(bytes.subarray(start, to));
    } else if (name === "event") {
      if (!isCut) this.#type = decoder.decode(bytes.subarray(start, to));
    } else if (name === "id") {
      const value = bytes.subarray(start, to);
      if (value.includes(0)) return;
      this.#isTold = true;
      // Too long to be told back: resuming after an earlier one would repeat what has come since.
      this.#id = isCut || start === to ? null : decoder.decode(value);
    } else if (name === "retry" && !isCut) {
      const value = decoder.decode(bytes.subarray(start, to));
      if (/^[0-9]+$/.test(value)) this.retryMs = Math.min(Number(value), Number.MAX_SAFE_INTEGER);
    }
  }

  #endEvent(events: StreamEvent[]): void {
    const type = this.#type === "" ? "message" : this.#type;
    this.#type = "";
    if (!this.#isTold) return;
    this.#isTold = false;
    this.lastEventId = this.#id;
    const { whole, oversized } = this.#data.finish();
    const data = whole ?? NOTHING;
    events.push({ type, id: this.#id, data, hasData: data.length > 0 || oversized !== null, oversized });
  }
}

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from);
  return index < 0 ? bytes.length : index;
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}

/** One space after the colon is not of the value. */
function valueStart(bytes: Uint8Array, from: number, to: number): number {
  return from < to && bytes[from] === SPACE ? from + 1 : from;
}

function fieldName(bytes: Uint8Array, from: number, to: number): string {
  return to - from > 5 ? "" : String.fromCharCode(...bytes.subarray(from, to));
}
