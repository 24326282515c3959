/**
 * One request and its answer on a connection: sends the one, reads the other, and says what became of it. Reads no more from the
 * connection than is taken of the body. Never sends anything twice.
 */

import { BodyPieces } from "./body-pieces.ts";
import { HttpFailure, type HttpResponse } from "./http.ts";
import type { ResponseHead } from "./response-head.ts";
import { ResponseReader } from "./response-reader.ts";

/** What an exchange needs of its connection. */
export interface Carrier {
  /** `onHanded` is called once all bytes have been handed to the system. */
  write(parts: readonly Uint8Array[], onHanded: () => void): void;
  pause(): void;
  resume(): void;
  /** The exchange is over. The connection may be kept for so long; 0 = it must be closed. */
  release(idleMs: number): void;
}

export interface Outgoing {
  parts: readonly Uint8Array[];
  signal: AbortSignal;
  /** Told once: all has been handed to the system (true), or no more of it will be (false). */
  onWritten: (isWhole: boolean) => void;
}

export class Exchange {
  readonly answer: Promise<HttpResponse>;
  readonly #carrier: Carrier;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.#abort();
  readonly #reader = new ResponseReader({
    onHead: (head) => this.#takeHead(head),
    onPiece: (piece) => this.#body.push(piece),
  });
  readonly #body = new BodyPieces({
    onWanted: () => this.#carrier.resume(),
    onLeft: () => this.#finish(0),
  });
  #resolve: (response: HttpResponse) => void = () => {};
  #reject: (failure: HttpFailure) => void = () => {};
  readonly #onWritten: (isWhole: boolean) => void;
  #isSent = false;
  #hasHeard = false;
  #isOver = false;

  constructor(carrier: Carrier, { parts, signal, onWritten }: Outgoing) {
    this.#carrier = carrier;
    this.#onWritten = onWritten;
    this.#signal = signal;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal.addEventListener("abort", this.#onAbort, { once: true });
    carrier.write(parts, () => {
      if (this.#isOver) return;
      this.#isSent = true;
      onWritten(true);
    });
  }

  /** True once a byte of an answer has come. */
  get hasHeard(): boolean {
    return this.#hasHeard;
  }

  /** Bytes from the connection. */
  take(chunk: Buffer): void {
    this.#hasHeard = true;
    try {
      this.#reader.take(chunk);
    } catch (error) {
      this.#fail(asFailure(error));
      return;
    }
    if (this.#reader.isComplete) this.#complete();
    else if (this.#body.isHolding) this.#carrier.pause();
  }

  /** The connection has ended, in order or not: nothing more comes. */
  end(isInOrder: boolean): void {
    try {
      if (!isInOrder && !this.#reader.isComplete)
        throw new HttpFailure("lost", "the connection broke before the answer ended");
      this.#reader.end();
    } catch (error) {
      this.#fail(asFailure(error));
      return;
    }
    this.#complete();
  }

  #takeHead({ status, headers }: ResponseHead): void {
    this.#resolve({ status, headers, body: this.#body });
  }

  #complete(): void {
    this.#body.end();
    // An answer that came before the request was out: the rest of the request is still on its way.
    this.#finish(this.#isSent ? this.#reader.idleMs : 0);
  }

  #fail(failure: HttpFailure): void {
    this.#reject(failure);
    this.#body.fail(failure);
    this.#finish(0);
  }

  #abort(): void {
    const failure = new HttpFailure("aborted", "the request was given up");
    this.#reject(failure);
    this.#body.failAtOnce(failure);
    this.#finish(0);
  }

  #finish(idleMs: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#carrier.release(idleMs);
    // The connection is closed, and takes the rest of the request with it.
    if (!this.#isSent) this.#onWritten(false);
  }
}

function asFailure(error: unknown): HttpFailure {
  return error instanceof HttpFailure ? error : new HttpFailure("invalid", "the answer could not be read");
}
