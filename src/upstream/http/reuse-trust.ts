/**
 * Where connections can be used again. Some servers close each one right behind their answer without saying so; a request that meets that
 * is lost, and must not be sent again. So where it was seen once, connections are used once, for a minute and until one of them was
 * seen to last. That is looked for on one released connection at a time, which no request is sent on. Knows nothing of sockets.
 */

/** A connection that ends so soon after its release was closed behind the answer, not for having lain idle. */
export const SOON_MS = 1000;
const DOUBT_MS = 60_000;

interface Doubt {
  until: number;
  /** The connection that is looked at, and since when. */
  watched: { connection: object; since: number } | null;
}

/** What is to become of a connection that has carried its answer. */
export type Fate = "keep" | "watch" | "close";

export class ReuseTrust {
  readonly #doubts = new Map<string, Doubt>();
  readonly #releasedAt = new WeakMap<object, number>();
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  isDoubted(key: string): boolean {
    return this.#doubts.has(key);
  }

  /** A connection has carried its answer whole. `watch`: hold it open for `SOON_MS`, and use it for nothing. */
  release(key: string, connection: object): Fate {
    const now = this.#now();
    this.#releasedAt.set(connection, now);
    const doubt = this.#doubts.get(key);
    if (doubt === undefined) return "keep";
    const { watched } = doubt;
    if (watched !== null && now - watched.since < SOON_MS) return "close";
    if (watched !== null && now >= doubt.until) {
      this.#doubts.delete(key);
      return "keep";
    }
    doubt.watched = { connection, since: now };
    return "watch";
  }

  /** The other side has ended a connection that lay idle. */
  endedIdle(key: string, connection: object): void {
    const releasedAt = this.#releasedAt.get(connection);
    if (releasedAt !== undefined && this.#now() - releasedAt < SOON_MS) this.doubt(key);
  }

  /** A connection was lost that could have been thought to last. */
  doubt(key: string): void {
    this.#doubts.set(key, { until: this.#now() + DOUBT_MS, watched: null });
  }
}
