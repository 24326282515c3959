/**
 * The pieces of a body between the connection that brings them and the one who takes them, in order. Tells the connection when more is
 * wanted and when nobody will take the rest. Holds what has come and was not taken.
 */

import type { HttpFailure } from "./http.ts";

export interface PieceSource {
  /** Somebody waits for a piece, and none is there. */
  onWanted(): void;
  /** Nobody will take what is still to come. */
  onLeft(): void;
}

interface Waiter {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(failure: HttpFailure): void;
}

const DONE: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };

export class BodyPieces implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: PieceSource;
  #pieces: Uint8Array[] = [];
  #taken = 0;
  readonly #waiting: Waiter[] = [];
  #isOver = false;
  #failure: HttpFailure | null = null;

  constructor(source: PieceSource) {
    this.#source = source;
  }

  /** True while pieces lie here that nobody has taken. */
  get isHolding(): boolean {
    return this.#taken < this.#pieces.length;
  }

  push(piece: Uint8Array): void {
    if (this.#isOver) return;
    const waiter = this.#waiting.shift();
    if (waiter === undefined) this.#pieces.push(piece);
    else waiter.resolve({ done: false, value: piece });
  }

  /** No piece comes any more. */
  end(): void {
    this.#isOver = true;
    for (const waiter of this.#waiting.splice(0)) waiter.resolve(DONE);
  }

  /** What is missing will not come; told after the pieces that are there. The first failure is the one that counts. */
  fail(failure: HttpFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const waiter = this.#waiting.shift();
    if (waiter === undefined) this.#failure = failure;
    else waiter.reject(failure);
    for (const other of this.#waiting.splice(0)) other.resolve(DONE);
  }

  /** As `fail`, and what is there is of no use to anybody. */
  failAtOnce(failure: HttpFailure): void {
    this.#drop();
    this.fail(failure);
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const piece = this.#pieces[this.#taken];
    if (piece !== undefined) {
      if (++this.#taken === this.#pieces.length) this.#drop();
      return Promise.resolve({ done: false, value: piece });
    }
    if (this.#failure !== null) {
      const failure = this.#failure;
      this.#failure = null;
      return Promise.reject(failure);
    }
    if (this.#isOver) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#source.onWanted();
    });
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#drop();
    this.#failure = null;
    const wasOver = this.#isOver;
    this.end();
    if (!wasOver) this.#source.onLeft();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #drop(): void {
    this.#pieces = [];
    this.#taken = 0;
  }
}
