/**
 * The first JSON value on a byte stream that may stay open for ever. Fed with chunks, whatever their cut; looks at each
 * byte once and copies it once, so a stream of many small chunks costs no more than one of few. Finds where the value ends
 * by its brackets and quotes alone: whether it is well formed is for its reader to say. Never throws.
 */

/**
 * `open`: more is needed. `complete`: the whole value came; what follows is not looked at. `too large`: it is longer than
 * the bound, or of so many small parts that reading it would take too long. `not json`: what came begins no JSON value. All
 * but `open` are final.
 */
export type FirstJsonState = "open" | "complete" | "too large" | "not json";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/**
 * Steps of the search for the end: bytes outside strings, and quotes. What a tool writes is strings for the most part, and of
 * them only the quotes cost anything; whoever reads the value afterwards takes such steps again.
 */
const MAX_STEPS = 1024 * 1024;

export class FirstJson {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #steps = 0;
  #state: FirstJsonState = "open";
  /** What the value is, once its first byte came. */
  #form: "container" | "string" | "scalar" | null = null;
  /** Bytes of a byte order mark that came. */
  #marks = 0;
  #depth = 0;
  #inString = false;
  /** The last byte of the string so far is a backslash that escapes what comes next. */
  #isEscaped = false;

  /** `maxBytes` bounds the value, and so the memory held. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get state(): FirstJsonState {
    return this.#state;
  }

  /** Takes the next bytes of the stream; the caller may reuse `chunk` afterwards. */
  feed(chunk: Uint8Array): FirstJsonState {
    if (this.#state !== "open") return this.#state;
    const start = this.#form === null ? this.#findStart(chunk) : 0;
    if (this.#form === null) return this.#state;
    const end = this.#findEnd(chunk, start);
    const until = end < 0 ? chunk.length : end;
    const room = this.#maxBytes - this.#bytes;
    if (until - start > room || this.#steps > MAX_STEPS) {
      this.#keep(chunk, start, Math.min(until, start + room));
      this.#state = "too large";
    } else {
      this.#keep(chunk, start, until);
      if (end >= 0) this.#state = "complete";
    }
    return this.#state;
  }

  /** The stream has ended: a number or a literal is complete then; anything else that is open stays so. */
  end(): FirstJsonState {
    if (this.#state === "open" && this.#form === "scalar") this.#state = "complete";
    return this.#state;
  }

  /** The value; as much of it as came where it is not complete. */
  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#chunks, this.#bytes));
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    if (end <= start) return;
    this.#chunks.push(chunk.slice(start, end));
    this.#bytes += end - start;
  }

  /** Where the value starts in `chunk`; sets its form when it does. */
  #findStart(chunk: Uint8Array): number {
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      if (this.#marks < BYTE_ORDER_MARK.length && byte === BYTE_ORDER_MARK[this.#marks]) {
        this.#marks++;
        continue;
      }
      this.#form = formOf(byte);
      if (this.#form === null) this.#state = "not json";
      return i;
    }
    return chunk.length;
  }

  /** Position after the value's last byte, or where the steps are used up; or -1. `start` is past its first byte only in later chunks. */
  #findEnd(chunk: Uint8Array, start: number): number {
    if (this.#form === "scalar") {
      for (let i = start; i < chunk.length; i++) if (!isScalarByte(chunk[i])) return i;
      return -1;
    }
    let i = start;
    while (i < chunk.length) {
      if (this.#inString) {
        i = this.#stringEnd(chunk, i);
        if (i < 0) return -1;
        if (this.#steps > MAX_STEPS) return i;
        this.#inString = false;
        if (this.#form === "string") return i;
        continue;
      }
      if (++this.#steps > MAX_STEPS) return i;
      const byte = chunk[i++];
      if (byte === QUOTE) this.#inString = true;
      else if (byte === 0x7b || byte === 0x5b) this.#depth++;
      else if ((byte === 0x7d || byte === 0x5d) && --this.#depth === 0) return i;
    }
    return -1;
  }

  /** Position after the quote that ends the string which `from` is inside, or -1. Finds quotes at native speed. */
  #stringEnd(chunk: Uint8Array, from: number): number {
    let start = from;
    for (;;) {
      const quote = chunk.indexOf(QUOTE, start);
      const end = quote < 0 ? chunk.length : quote;
      let first = end;
      while (first > start && chunk[first - 1] === BACKSLASH) first--;
      this.#steps += end - first + (quote < 0 ? 0 : 1);
      // Backslashes that reach back to where this piece starts go on from what was before it.
      const carried = first === start && this.#isEscaped ? 1 : 0;
      this.#isEscaped = ((end - first + carried) & 1) === 1;
      if (quote < 0) return -1;
      if (!this.#isEscaped) return quote + 1;
      this.#isEscaped = false;
      if (this.#steps > MAX_STEPS) return quote + 1;
      start = quote + 1;
    }
  }
}

function formOf(byte: number | undefined): "container" | "string" | "scalar" | null {
  if (byte === 0x7b || byte === 0x5b) return "container";
  if (byte === QUOTE) return "string";
  return isScalarByte(byte) ? "scalar" : null;
}

/** Bytes of numbers, `true`, `false` and `null`. */
function isScalarByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || [0x2b, 0x2d, 0x2e, 0x45].includes(byte);
}
