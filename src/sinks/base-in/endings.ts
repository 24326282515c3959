import type { SinkCursor } from "../../store/sink-cursor.ts";
import type { SinkClock } from "./parts.ts";

/**
 * Ends that no event tells: a run whose owner is gone is told to be abandoned, and what became known of a run after its end goes out
 * with another finish. Both only once things have been quiet for a while: a server that was started anew goes on with its runs.
 */

const LOOK_EVERY_MS = 2000;
/** An owner that is not there for so long does not come back. */
const GONE_MS = 30_000;

export class Endings {
  readonly #clock: SinkClock;
  readonly #isAlive: (pid: number, startedAt: string) => boolean;
  /** Run → when its owner was first missed. */
  #missed = new Map<string, number>();
  /** Run → its last event at the look before. */
  #tails = new Map<string, number>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: SinkClock, isAlive: (pid: number, startedAt: string) => boolean) {
    this.#clock = clock;
    this.#isAlive = isAlive;
  }

  /** Leaves alone what is `active`. */
  look(cursor: SinkCursor, active: { has(runId: string): boolean }): void {
    const now = this.#clock.steady();
    if (now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    this.#lookForOwners(cursor, active, now);
    const tails = new Map<string, number>();
    for (const { runId, tail, status } of cursor.toldAfterEnd()) {
      if (active.has(runId)) continue;
      if (this.#tails.get(runId) === tail) cursor.setEnding(runId, tail, status);
      else tails.set(runId, tail);
    }
    this.#tails = tails;
  }

  #lookForOwners(cursor: SinkCursor, active: { has(runId: string): boolean }, now: number): void {
    const missed = new Map<string, number>();
    /** Several runs have the same owner, and on some systems asking costs a process. */
    const alive = new Map<string, boolean>();
    for (const { runId, tail, pid, startedAt } of cursor.unended()) {
      const owner = `${pid} ${startedAt}`;
      const isAlive = alive.get(owner) ?? this.#isAlive(pid, startedAt);
      alive.set(owner, isAlive);
      if (isAlive || active.has(runId)) continue;
      const since = this.#missed.get(runId) ?? now;
      if (now - since >= GONE_MS) cursor.setEnding(runId, tail, "abandoned");
      else missed.set(runId, since);
    }
    this.#missed = missed;
  }
}
