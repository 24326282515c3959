import { decodeString } from "../../jsonrpc/json-span.ts";

/**
 * Reads the envelope of a line as it comes in, byte by byte, keeping nothing but the keys, ids and methods of its messages:
 * of one message, or of each in a batch. Whatever else stands in them passes by uncopied. Never throws.
 */

/** What a message says of itself. */
export interface Envelope {
  /** The id as written; null when there is none, or one too long to be kept. */
  rawId: string | null;
  method: string | null;
  /** It has a result or an error. */
  isAnswer: boolean;
}

/** Where in a message the scanner is, on the level of its own members. */
type Phase = "key" | "colon" | "value" | "comma";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MOST_KEPT_BYTES = 256 * 1024;

export class EnvelopeScanner {
  /** The messages that have ended. */
  readonly ended: Envelope[] = [];
  /** The message under way. */
  #envelope: Envelope | null = null;
  /** The level of messages' own members: 1, in a batch 2. */
  #keyLevel = 0;
  #level = 0;
  #phase: Phase = "comma";
  #key = "";
  #inString = false;
  #escaped = false;
  /** What is kept of the string or number under way; null when it is not. */
  #kept: number[] | null = null;
  #isMalformed = false;

  /** The message under way, as far as it is known. */
  get current(): Envelope | null {
    return this.#envelope;
  }

  /** It cannot be a message. */
  get isMalformed(): boolean {
    return this.#isMalformed;
  }

  /** Reads bytes `from`..`to`. */
  scan(bytes: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to && !this.#isMalformed; i++) {
      const c = bytes[i] as number;
      if (this.#inString) this.#stringByte(c);
      else this.#byte(c);
    }
  }

  #stringByte(c: number): void {
    this.#keep(c);
    if (this.#escaped) this.#escaped = false;
    else if (c === BACKSLASH) this.#escaped = true;
    else if (c === QUOTE) {
      this.#inString = false;
      if (this.#level === this.#keyLevel) this.#stringEnds();
    }
  }

  #byte(c: number): void {
    switch (c) {
      case QUOTE:
        this.#stringBegins();
        return;
      case 0x7b:
      case 0x5b:
        this.#opens(c === 0x7b);
        return;
      case 0x7d:
      case 0x5d:
        this.#closes();
        return;
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        if (this.#level === this.#keyLevel) this.#scalarEnds();
        return;
    }
    if (this.#level !== this.#keyLevel) return;
    if (c === 0x2c) this.#next();
    else if (c === 0x3a && this.#phase === "colon") this.#phase = "value";
    else if (this.#envelope !== null) this.#scalarByte(c);
  }

  #stringBegins(): void {
    this.#inString = true;
    if (this.#level !== this.#keyLevel || this.#envelope === null) return;
    if (this.#phase === "key" || (this.#phase === "value" && isWanted(this.#key))) this.#kept = [QUOTE];
  }

  #stringEnds(): void {
    if (this.#phase === "key") {
      this.#key = this.#takeKept() ?? "";
      this.#key = decodeString(this.#key, 0, this.#key.length);
      this.#phase = "colon";
      if (this.#envelope !== null && (this.#key === "result" || this.#key === "error")) this.#envelope.isAnswer = true;
    } else this.#valueEnds();
  }

  #scalarByte(c: number): void {
    if (this.#phase === "key" || this.#phase === "colon") this.#isMalformed = true;
    if (this.#phase !== "value") return;
    if (this.#kept === null && isWanted(this.#key)) this.#kept = [];
    this.#keep(c);
  }

  #scalarEnds(): void {
    if (this.#phase === "value" && this.#kept !== null) this.#valueEnds();
  }

  #valueEnds(): void {
    const raw = this.#takeKept();
    this.#phase = "comma";
    if (raw === null || this.#envelope === null) return;
    if (this.#key === "id") this.#envelope.rawId = raw;
    else if (this.#key === "method") {
      this.#envelope.method = raw.startsWith('"') ? decodeString(raw, 0, raw.length) : null;
    }
  }

  #next(): void {
    this.#scalarEnds();
    this.#phase = "key";
  }

  #opens(isObject: boolean): void {
    if (this.#keyLevel === 0) this.#keyLevel = isObject ? 1 : 2;
    if (this.#level === this.#keyLevel && this.#envelope !== null && this.#phase !== "value") this.#isMalformed = true;
    this.#level++;
    if (this.#level !== this.#keyLevel) return;
    this.#phase = "key";
    this.#envelope = isObject ? { rawId: null, method: null, isAnswer: false } : null;
  }

  #closes(): void {
    if (this.#level === this.#keyLevel) {
      this.#scalarEnds();
      if (this.#envelope !== null) this.ended.push(this.#envelope);
      this.#envelope = null;
    }
    this.#level--;
    if (this.#level === this.#keyLevel) this.#phase = "comma";
    if (this.#level < 0) this.#isMalformed = true;
  }

  #keep(c: number): void {
    if (this.#kept !== null && this.#kept.length <= MOST_KEPT_BYTES) this.#kept.push(c);
  }

  #takeKept(): string | null {
    const kept = this.#kept;
    this.#kept = null;
    return kept === null || kept.length > MOST_KEPT_BYTES ? null : Buffer.from(kept).toString("utf8");
  }
}

function isWanted(key: string): boolean {
  return key === "id" || key === "method";
}
