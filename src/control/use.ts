/**
 * Whether somebody uses the server: what is under way, and when something last was. Decides nothing; where the system sleeps,
 * that time does not count.
 */
export class Use {
  #underWay = 0;
  #lastAt: number;
  #isLeaving = false;
  readonly #now: () => number;
  #idle: (() => void) | null = null;

  /** `now` answers ms on a clock that only goes forward. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#lastAt = now();
  }

  /** True once the server takes nothing new. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Runs work for somebody. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay++;
    try {
      return await work();
    } finally {
      this.#underWay--;
      this.touch();
      if (this.#underWay === 0) this.#idle?.();
    }
  }

  /** Something was done that shows it is needed. */
  touch(): void {
    this.#lastAt = this.#now();
  }

  /** How long nothing has been under way, in ms; 0 while something is. */
  idleForMs(): number {
    return this.#underWay > 0 ? 0 : this.#now() - this.#lastAt;
  }

  /** Takes nothing new from now on; resolves when nothing is under way any more. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }
}
