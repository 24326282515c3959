import type { Deadline } from "./deadline.ts";

/** Wakes whoever waits for something to have happened. What it was they look up themselves. */
export class News {
  readonly #waiting = new Set<() => void>();

  /** Something has happened. */
  tell(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Waits for the next news; false when the deadline came first. */
  async next(deadline: Deadline): Promise<boolean> {
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    const inTime = await deadline.race(woken);
    this.#waiting.delete(wake);
    return inTime;
  }
}
