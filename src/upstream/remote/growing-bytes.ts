/**
 * Bytes that come in pieces and are wanted as one: each is copied once as a rule, and what is given out is never written to again.
 */

/** What is longer gets room for more than has come, as nobody knows how long it gets. */
const LONG_BYTES = 64 * 1024;

export class GrowingBytes {
  #bytes: Buffer | null = null;
  #used = 0;
  /** How many will come, as far as that is known: long messages often are alike. */
  #expected: number;

  constructor(expected = 0) {
    this.#expected = expected;
  }

  get length(): number {
    return this.#used;
  }

  append(piece: Uint8Array): void {
    const needed = this.#used + piece.length;
    if (this.#bytes === null || needed > this.#bytes.length) this.#grow(needed);
    this.#bytes?.set(piece, this.#used);
    this.#used = needed;
  }

  /** All of them; the next piece begins anew. */
  take(): Uint8Array {
    const taken = this.#bytes?.subarray(0, this.#used) ?? new Uint8Array(0);
    this.#expected = this.#used;
    this.#bytes = null;
    this.#used = 0;
    return taken;
  }

  #grow(needed: number): void {
    const isShort = needed < LONG_BYTES / 2;
    const grown = Buffer.allocUnsafeSlow(isShort ? needed : needed <= this.#expected ? this.#expected : 2 * needed);
    if (this.#bytes !== null) grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
  }
}
