/**
 * When a request has left, told once for all places that it is sent to on its way. Knows nothing of bytes: it is told what became of
 * them. Never told before a redirect is followed that came while the request was still being written.
 */

export class SentNotice {
  #tell: (() => void) | null;
  #isLast = false;
  #isOver = false;

  constructor(tell: (() => void) | undefined) {
    this.#tell = tell ?? null;
  }

  /** It is sent, or sent on. Answers what to call once all of it was handed to the system (true), or no more of it will be (false). */
  begin(): (isWhole: boolean) => void {
    this.#isOver = false;
    return (isWhole) => {
      this.#isOver = true;
      if (isWhole || this.#isLast) this.end();
    };
  }

  /** It will be sent nowhere else: what is being written is the last of it. */
  last(): void {
    this.#isLast = true;
    if (this.#isOver) this.end();
  }

  /** No more of it is written. */
  end(): void {
    const tell = this.#tell;
    this.#tell = null;
    tell?.();
  }
}
