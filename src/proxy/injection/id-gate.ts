import { type Envelope, EnvelopeScanner } from "./envelope-scanner.ts";
import { type CallInLine, takeOutIds } from "./take-out-id.ts";

/**
 * Stands in the way from the host to the server where ids of ours are put into calls, and takes them out. Only calls are held
 * until they are whole, and what may still turn out to be one; everything else passes in the pieces it came in. Never drops or
 * changes another byte.
 */

/** What becomes of bytes from the host, in their order. */
export type Passage =
  /** They go on. `calls`: the calls in them that were held. */
  | { kind: "pass"; bytes: Uint8Array; calls: readonly CallInLine[] }
  /** They are a part of what is too large to be held, and go nowhere. */
  | { kind: "keep-back"; bytes: Uint8Array }
  /** A line that was kept back has ended; these messages were in it. */
  | { kind: "refuse"; messages: readonly Envelope[]; isStateless: boolean };

const NEWLINE = 0x0a;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const STATELESS_MARK = '"io.modelcontextprotocol/protocolVersion"';
const NONE: readonly CallInLine[] = [];

/** What is done with the rest of the line under way. */
type Mode = "start" | "pass" | "undecided" | "hold" | "keep-back";

export class IdGate {
  readonly #mostBytes: number;
  #mode: Mode = "start";
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #scanner = new EnvelopeScanner();
  /** Held pieces up to here were scanned. */
  #scannedPieces = 0;
  #isStateless = false;
  #out: Passage[] = [];

  /** `mostBytes`: a message that has to be held may be this long. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Takes the next bytes from the host, which may use their buffer again; answers what becomes of what is known. */
  feed(bytes: Uint8Array): Passage[] {
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, from);
      const to = newline < 0 ? bytes.length : newline + 1;
      this.#piece(bytes.subarray(from, to), newline >= 0);
      from = to;
    }
    return this.#takeOut();
  }

  /** Nothing more comes: a line without a newline is whole. */
  end(): Passage[] {
    this.#lineEnds();
    return this.#takeOut();
  }

  #takeOut(): Passage[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** A piece of one line. */
  #piece(piece: Uint8Array, isLast: boolean): void {
    if (this.#mode === "start") this.#mode = modeFor(piece);
    if (this.#mode === "start" || this.#mode === "pass") this.#pass(piece, NONE);
    else if (this.#mode === "undecided") this.#decide(piece);
    else if (this.#mode === "keep-back") {
      this.#scanner.scan(piece, 0, piece.length);
      this.#keepBack(new Uint8Array(piece));
    } else this.#hold(piece);
    if (isLast) this.#lineEnds();
  }

  /** Looks whether what is held, and this, can be a call. */
  #decide(piece: Uint8Array): void {
    this.#scanner.scan(piece, 0, piece.length);
    const { current, ended, isMalformed } = this.#scanner;
    const known = current ?? ended[0];
    const isCall = known?.method === "tools/call";
    const isOther = isMalformed || known === undefined || known.method !== null || known.isAnswer || ended.length > 0;
    if (isCall || !isOther) {
      if (isCall) this.#mode = "hold";
      this.#scannedPieces++;
      this.#hold(piece);
      return;
    }
    this.#mode = "pass";
    for (const held of this.#takeHeld()) this.#pass(held, NONE);
    this.#pass(piece, NONE);
  }

  #hold(piece: Uint8Array): void {
    this.#held.push(new Uint8Array(piece));
    this.#heldBytes += piece.length;
    if (this.#heldBytes > this.#mostBytes) this.#giveUp();
  }

  #scanHeld(): void {
    for (; this.#scannedPieces < this.#held.length; this.#scannedPieces++) {
      const piece = this.#held[this.#scannedPieces];
      if (piece !== undefined) this.#scanner.scan(piece, 0, piece.length);
    }
  }

  /** Too much is held: the line goes nowhere, and only what has to be known to answer it is read of the rest. */
  #giveUp(): void {
    this.#scanHeld();
    this.#mode = "keep-back";
    for (const piece of this.#takeHeld()) this.#keepBack(piece);
  }

  #keepBack(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    this.#isStateless ||= bytes.includes(STATELESS_MARK);
    this.#out.push({ kind: "keep-back", bytes });
  }

  #lineEnds(): void {
    if (this.#mode === "keep-back") {
      const { ended, current } = this.#scanner;
      const messages = current === null ? ended : [...ended, current];
      this.#out.push({ kind: "refuse", messages, isStateless: this.#isStateless });
    } else {
      const held = this.#takeHeld();
      const [first, ...more] = held;
      if (first !== undefined) {
        const { line, calls } = takeOutIds(more.length === 0 ? first : Buffer.concat(held));
        this.#pass(line, calls);
      }
    }
    this.#mode = "start";
    this.#scanner = new EnvelopeScanner();
    this.#isStateless = false;
  }

  #pass(bytes: Uint8Array, calls: readonly CallInLine[]): void {
    const last = this.#out.at(-1);
    const isNext =
      last?.kind === "pass" && last.bytes.buffer === bytes.buffer && endOf(last.bytes) === bytes.byteOffset;
    if (isNext && calls.length === 0 && last.calls.length === 0) {
      last.bytes = new Uint8Array(bytes.buffer, last.bytes.byteOffset, last.bytes.length + bytes.length);
    } else if (bytes.length > 0) this.#out.push({ kind: "pass", bytes, calls });
  }

  #takeHeld(): Uint8Array[] {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    this.#scannedPieces = 0;
    return held;
  }
}

/** What the first bytes of a line say of it. */
function modeFor(piece: Uint8Array): Mode {
  for (const c of piece) {
    if (c === 0x20 || c === 0x09 || c === 0x0d) continue;
    if (c === OPEN_BRACE) return "undecided";
    return c === OPEN_BRACKET ? "hold" : "pass";
  }
  return "start";
}

function endOf(bytes: Uint8Array): number {
  return bytes.byteOffset + bytes.length;
}
