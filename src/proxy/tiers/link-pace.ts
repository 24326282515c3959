/**
 * Calls one piece of work again and again at the moments it asks for, one call at a time. Owns the timer; knows nothing of
 * the work.
 */

export class LinkPace {
  readonly #step: () => Promise<number | null>;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** When the timer fires, by `performance.now()`. */
  #due = Number.POSITIVE_INFINITY;
  #running: Promise<void> | null = null;
  /** Asked for during a call: how long after it the next one is due. */
  #wantedMs = Number.POSITIVE_INFINITY;
  #stopped = false;

  /** `step` does what is due; answers in how many ms to call it again, or null. It must not throw. */
  constructor(step: () => Promise<number | null>) {
    this.#step = step;
  }

  /** Has the work called within `inMs`. */
  poke(inMs: number): void {
    if (this.#stopped) return;
    if (this.#running !== null) {
      this.#wantedMs = Math.min(this.#wantedMs, inMs);
      return;
    }
    const due = performance.now() + inMs;
    if (due >= this.#due) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => this.#call(), inMs);
  }

  /** No more calls; resolves when the one under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  #call(): void {
    this.#timer = null;
    this.#due = Number.POSITIVE_INFINITY;
    this.#running = this.#step().then((againMs) => {
      this.#running = null;
      const wantedMs = Math.min(this.#wantedMs, againMs ?? Number.POSITIVE_INFINITY);
      this.#wantedMs = Number.POSITIVE_INFINITY;
      if (wantedMs < Number.POSITIVE_INFINITY) this.poke(wantedMs);
    });
  }
}
