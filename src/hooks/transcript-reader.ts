import type { RedactedText } from "../core/redacted.ts";
import type { TranscriptFact } from "../core/transcript-fact.ts";
import type { OpenFile } from "../kit/file-tail.ts";
import { TranscriptRows } from "./transcript-rows.ts";

/**
 * Follows a transcript that its host writes to meanwhile: each poll reads what was appended, whole lines only. Notices a file
 * that was cut, replaced or rewritten, and then reads it from its start without telling again what it has told. Owns no
 * file: it opens one through `TailFile` and closes it before a poll returns.
 */

/** Opens the file anew for each poll; null where there is none that can be read. */
export interface TailFile {
  open(): OpenFile | null;
}

export interface ReaderOptions {
  /** Whose transcript it is, where it is a subagent's. */
  agentId?: RedactedText;
  /** Rows older than this (epoch ms) tell nothing: a fork's file begins with a copy of another session's. */
  since?: number;
  /** Where to begin: the `offset` of an earlier reader of the same file. */
  offset?: number;
  /** A row longer than this is passed over. */
  maxRowBytes?: number;
  /** Bytes that one poll reads at most, give or take a block. */
  maxPollBytes?: number;
}

export interface Poll {
  facts: TranscriptFact[];
  /** The file is not there. */
  isMissing: boolean;
  /** The file was not what had been read before: it was read from its start. */
  isRestarted: boolean;
  /** Lines that were no rows, or too long. */
  lostRows: number;
  /** There is more to read now. */
  isBehind: boolean;
}

const BLOCK_BYTES = 128 * 1024;
/** Bytes before the position that must still be there for the file to be the same. */
const PROOF_BYTES = 64;
const NEWLINE = 0x0a;

export class TranscriptReader {
  readonly #file: TailFile;
  readonly #rows: TranscriptRows;
  readonly #maxRowBytes: number;
  readonly #maxPollBytes: number;
  /** Ids of rows that were told, so that a file read again tells only what is new. */
  readonly #told = new Set<string>();
  #identity: string | null = null;
  /** Where the next read begins; `#pending` are the bytes of an unfinished line before it. */
  #position: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** The unfinished line is too long, and not kept. */
  #isSkipping = false;
  #proof = new Uint8Array(0);

  constructor(file: TailFile, options: ReaderOptions = {}) {
    this.#file = file;
    this.#rows = new TranscriptRows(options.agentId ?? null, options.since);
    this.#position = options.offset ?? 0;
    this.#maxRowBytes = options.maxRowBytes ?? 16 * 1024 * 1024;
    this.#maxPollBytes = options.maxPollBytes ?? 32 * 1024 * 1024;
  }

  /** Bytes of whole lines that were read: where another reader may go on. */
  get offset(): number {
    return this.#position - this.#pendingBytes;
  }

  /** Reads what is there. What the host appends meanwhile is for the next poll. Throws only what reading throws. */
  poll(): Poll {
    const poll: Poll = { facts: [], isMissing: false, isRestarted: false, lostRows: 0, isBehind: false };
    const open = this.#file.open();
    if (open === null) {
      poll.isMissing = true;
      return poll;
    }
    try {
      if (!this.#isSame(open)) {
        this.#restart();
        poll.isRestarted = true;
      }
      this.#identity = open.identity;
      this.#readOn(open, poll);
    } finally {
      open.close();
    }
    return poll;
  }

  #readOn(open: OpenFile, poll: Poll): void {
    const block = new Uint8Array(Math.min(BLOCK_BYTES, Math.max(0, open.sizeBytes - this.#position)));
    const stop = this.#position + this.#maxPollBytes;
    while (this.#position < open.sizeBytes) {
      if (this.#position >= stop) {
        poll.isBehind = true;
        break;
      }
      const wanted = Math.min(block.length, open.sizeBytes - this.#position);
      const count = open.read(this.#position, block.subarray(0, wanted));
      if (count <= 0) break;
      this.#position += count;
      this.#take(block.subarray(0, count), poll);
      this.#remember(block.subarray(0, count));
    }
  }

  #isSame(open: OpenFile): boolean {
    if (open.sizeBytes < this.#position) return false;
    if (this.#identity !== null && open.identity !== this.#identity) return false;
    const found = new Uint8Array(this.#proof.length);
    for (let at = 0; at < found.length; ) {
      const count = open.read(this.#position - found.length + at, found.subarray(at));
      if (count <= 0) return false;
      at += count;
    }
    return found.every((byte, i) => byte === this.#proof[i]);
  }

  #restart(): void {
    this.#position = 0;
    this.#dropPending();
    this.#isSkipping = false;
    this.#proof = new Uint8Array(0);
  }

  #remember(read: Uint8Array): void {
    if (read.length >= PROOF_BYTES) {
      this.#proof = read.slice(-PROOF_BYTES);
      return;
    }
    const both = new Uint8Array(this.#proof.length + read.length);
    both.set(this.#proof);
    both.set(read, this.#proof.length);
    this.#proof = both.slice(-PROOF_BYTES);
  }

  #take(bytes: Uint8Array, poll: Poll): void {
    let from = 0;
    for (;;) {
      const newline = bytes.indexOf(NEWLINE, from);
      const end = newline < 0 ? bytes.length : newline;
      this.#extend(bytes.subarray(from, end));
      if (newline < 0) return;
      if (this.#isSkipping) poll.lostRows++;
      else this.#line(poll);
      this.#dropPending();
      this.#isSkipping = false;
      from = newline + 1;
    }
  }

  #extend(piece: Uint8Array): void {
    this.#pendingBytes += piece.length;
    if (this.#pendingBytes > this.#maxRowBytes) {
      this.#isSkipping = true;
      this.#pending = [];
    }
    if (!this.#isSkipping && piece.length > 0) this.#pending.push(piece.slice());
  }

  #dropPending(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  #line(poll: Poll): void {
    const text = new TextDecoder().decode(Buffer.concat(this.#pending)).trim();
    if (text === "") return;
    const facts = this.#rows.read(text);
    if (facts === null) {
      poll.lostRows++;
      return;
    }
    const [first] = facts;
    if (first === undefined) return;
    if (first.rowId !== null) {
      if (this.#told.has(first.rowId)) return;
      this.#told.add(first.rowId);
    }
    poll.facts.push(...facts);
  }
}
