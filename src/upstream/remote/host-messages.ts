import { HEAD_BYTES, TAIL_BYTES } from "../../jsonrpc/line-capture.ts";
import { GrowingBytes } from "./growing-bytes.ts";

/**
 * The host's bytes as messages: a remote server gets each as a whole. One that is longer than the bound is kept as its start and end
 * only, so that it can be answered.
 */

/** A message that was held whole, without its newline, or what is kept of one that was too long for that. */
export type HeldMessage =
  | { kind: "whole"; bytes: Uint8Array }
  | { kind: "oversized"; head: Uint8Array; tail: Uint8Array; totalBytes: number };

const NEWLINE = 0x0a;

export class HostMessages {
  readonly #mostBytes: number;
  readonly #take: (message: HeldMessage) => void;
  readonly #held = new GrowingBytes();
  #totalBytes = 0;
  /** The start of a line that is too long, and its latest bytes. */
  #head: Uint8Array | null = null;
  #tail: Uint8Array = new Uint8Array(0);

  constructor(mostBytes: number, take: (message: HeldMessage) => void) {
    this.#mostBytes = mostBytes;
    this.#take = take;
  }

  /** Takes the next bytes from the host, which may use their buffer again. */
  feed(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, from);
      this.#piece(bytes.subarray(from, newline < 0 ? undefined : newline));
      if (newline < 0) return;
      this.end();
      from = newline + 1;
    }
  }

  /** The line is complete, or nothing more comes. */
  end(): void {
    if (this.#head !== null) {
      this.#take({ kind: "oversized", head: this.#head, tail: this.#tail, totalBytes: this.#totalBytes });
    } else if (this.#held.length > 0) this.#take({ kind: "whole", bytes: this.#held.take() });
    this.#totalBytes = 0;
    this.#head = null;
  }

  #piece(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#totalBytes += piece.length;
    if (this.#head !== null) {
      this.#tail = lastBytes(this.#tail, piece);
      return;
    }
    this.#held.append(piece);
    if (this.#totalBytes > this.#mostBytes) this.#giveUp();
  }

  #giveUp(): void {
    const held = this.#held.take();
    this.#head = new Uint8Array(held.subarray(0, HEAD_BYTES));
    this.#tail = lastBytes(new Uint8Array(0), held);
  }
}

function lastBytes(before: Uint8Array, piece: Uint8Array): Uint8Array {
  if (piece.length >= TAIL_BYTES) return new Uint8Array(piece.subarray(piece.length - TAIL_BYTES));
  return Buffer.concat([before.subarray(Math.max(0, before.length + piece.length - TAIL_BYTES)), piece]);
}
