/** One point in time that a chain of waits shares, so that a hang fails with what was seen and not with a blank timeout. */

const DEFAULT_MS = 25_000;

export class Deadline {
  readonly #at: number;

  constructor(ms = DEFAULT_MS) {
    this.#at = performance.now() + ms;
  }

  /** True when `work` settled first, false when the time is over. A rejection of `work` is passed on. */
  async race(work: Promise<unknown>): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), Math.max(0, this.#at - performance.now()));
    });
    try {
      return await Promise.race([work.then(() => true), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
