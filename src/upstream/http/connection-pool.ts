/**
 * Connections that wait for their next request, the one used last first. A server may close an idle one at any time, and a request
 * that meets that is lost; so none is used after the time it was kept for (as undici does it), nor once its end was seen, nor where the
 * other side has been seen to close them behind an answer. There is no limit to how many are open at once.
 */

import { ReuseTrust, SOON_MS } from "./reuse-trust.ts";

/** What the pool needs of a connection. */
export interface Reusable {
  readonly isOpen: boolean;
  close(): void;
}

interface Idle<C> {
  connection: C;
  until: number;
}

/** No key of a route: connections under it are used for nothing. */
const WATCHED = "";
/** How often connections are looked for that have waited too long. */
const SWEEP_MS = 1000;

export class ConnectionPool<C extends Reusable> {
  readonly #idle = new Map<string, Idle<C>[]>();
  readonly #trust: ReuseTrust;
  readonly #now: () => number;
  #sweeping: ReturnType<typeof setTimeout> | null = null;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#trust = new ReuseTrust(now);
  }

  /** Takes a connection that may serve for requests of `key`, for `idleMs` at most. */
  give(key: string, connection: C, idleMs: number): void {
    const fate = this.#trust.release(key, connection);
    if (fate === "close") connection.close();
    else if (fate === "watch") this.#hold(WATCHED, connection, SOON_MS);
    else this.#hold(key, connection, idleMs);
  }

  /** False where connections are seen to be closed behind their answers. */
  mayReuse(key: string): boolean {
    return !this.#trust.isDoubted(key);
  }

  /** The other side has ended a connection of `key` that lay idle. */
  endedIdle(key: string, connection: C): void {
    this.#trust.endedIdle(key, connection);
  }

  /** A request of `key` was lost on a connection that was used before, without a byte of an answer. */
  endedUnheard(key: string): void {
    this.#trust.doubt(key);
  }

  /** A connection that can be used now; null when there is none. It is the taker's then. */
  take(key: string): C | null {
    if (!this.mayReuse(key)) return null;
    const list = this.#idle.get(key);
    const now = this.#now();
    for (let idle = list?.pop(); idle !== undefined; idle = list?.pop()) {
      if (idle.connection.isOpen && now < idle.until) return idle.connection;
      idle.connection.close();
    }
    return null;
  }

  /** Closes those that have waited too long. */
  sweep(): void {
    const now = this.#now();
    for (const [key, list] of this.#idle) {
      const kept: Idle<C>[] = [];
      for (const idle of list) {
        if (idle.connection.isOpen && now < idle.until) kept.push(idle);
        else idle.connection.close();
      }
      if (kept.length === 0) this.#idle.delete(key);
      else this.#idle.set(key, kept);
    }
  }

  close(): void {
    if (this.#sweeping !== null) clearTimeout(this.#sweeping);
    this.#sweeping = null;
    const all = [...this.#idle.values()].flat();
    this.#idle.clear();
    for (const { connection } of all) connection.close();
  }

  #hold(key: string, connection: C, idleMs: number): void {
    const idle = { connection, until: this.#now() + idleMs };
    const list = this.#idle.get(key);
    if (list === undefined) this.#idle.set(key, [idle]);
    else list.push(idle);
    this.#sweepLater();
  }

  #sweepLater(): void {
    if (this.#sweeping !== null) return;
    this.#sweeping = setTimeout(() => {
      this.#sweeping = null;
      this.sweep();
      if (this.#idle.size > 0) this.#sweepLater();
    }, SWEEP_MS);
    this.#sweeping.unref();
  }
}
