/**
 * Runs that met trouble, and whether the trouble is theirs. A write that fails while the service is known to be well gets a strike;
 * with the fifth it is given up, so that one row which the service stumbles over does not hold its run up for ever. Strikes of a
 * run stand 5, 10, 20, 40 s apart; other runs go on meanwhile.
 */

export interface Suspect {
  /** The write that failed. */
  id: string;
  strikes: number;
  /** Not tried again before, on the sink's steady clock. */
  until: number;
  /** How many writes of all runs had been taken when it failed last. */
  takenThen: number;
}

const STRIKES = 5;
const FIRST_PAUSE_MS = 5000;

export class Suspects {
  readonly #runs = new Map<string, Suspect>();

  get(runId: string): Suspect | undefined {
    return this.#runs.get(runId);
  }

  get size(): number {
    return this.#runs.size;
  }

  isPaused(runId: string, now: number): boolean {
    return now < (this.#runs.get(runId)?.until ?? 0);
  }

  /** When the first of them may be tried again; null where there is none. */
  nextTry(): number | null {
    const times = [...this.#runs.values()].map(({ until }) => until);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** A write failed, and nothing tells whose fault it is. */
  doubt(runId: string, id: string, now: number, taken: number): void {
    const known = this.#runs.get(runId);
    const strikes = known?.id === id ? known.strikes : 0;
    this.#runs.set(runId, { id, strikes, until: now, takenThen: taken });
  }

  /** A write failed while the service was well. True where it is to be given up. */
  strike(runId: string, id: string, now: number, taken: number): boolean {
    const known = this.#runs.get(runId);
    const strikes = (known?.id === id ? known.strikes : 0) + 1;
    if (strikes >= STRIKES) {
      this.#runs.delete(runId);
      return true;
    }
    this.#runs.set(runId, { id, strikes, until: now + FIRST_PAUSE_MS * 2 ** (strikes - 1), takenThen: taken });
    return false;
  }

  clear(runId: string): void {
    this.#runs.delete(runId);
  }
}
