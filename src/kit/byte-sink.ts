/**
 * Writing to a pipe: every write can be waited for, and a reader that has gone away is a fact (`broken`), never an
 * error. The one place that touches a `FileSink`: under pressure both its `write` and its `flush` answer promises, and
 * one that nobody catches ends the program.
 */
export class ByteSink {
  readonly #sink: Bun.FileSink;
  #broken = false;

  constructor(sink: Bun.FileSink) {
    this.#sink = sink;
  }

  /** True once nobody reads any more. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Starts writing. Answers null when everything is taken already, else a promise that resolves when it is. */
  write(...pieces: readonly (Uint8Array | string)[]): Promise<void> | null {
    if (this.#broken) return null;
    try {
      for (const piece of pieces) {
        const written: unknown = this.#sink.write(piece);
        if (written instanceof Promise) written.catch(this.#onBroken);
      }
      const flushed: unknown = this.#sink.flush();
      return flushed instanceof Promise ? flushed.then(() => {}, this.#onBroken) : null;
    } catch {
      this.#broken = true;
      return null;
    }
  }

  /** Tells the reader that nothing more will come. */
  end(): void {
    try {
      const ended: unknown = this.#sink.end();
      if (ended instanceof Promise) ended.catch(this.#onBroken);
    } catch {
      this.#broken = true;
    }
  }

  readonly #onBroken = (): void => {
    this.#broken = true;
  };
}
