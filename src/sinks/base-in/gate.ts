import type { SinkClock } from "./parts.ts";

/**
 * Whether a service may be asked just now. After trouble it is left alone for 5 s, doubling to 60 s, and then asked one thing at a
 * time until something was taken. Decides nothing about single writes.
 */

/** `sign-in`: a person has to sign in again. `asked`: the service asks to wait. `trouble`: it cannot be reached, or fails. */
export type GateReason = "sign-in" | "asked" | "trouble";

export interface Closed {
  reason: GateReason;
  /** In words for people; nothing that the service said. */
  why: string;
  /** Since when, epoch ms. */
  since: number;
  /** When it is asked again, epoch ms as the clock went when that was told. */
  until: number;
}

const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;
const SIGN_IN_PAUSE_MS = 60_000;

export class Gate {
  readonly #clock: SinkClock;
  #closed: Closed | null = null;
  /** Not before, on the steady clock. */
  #until = 0;
  #pauseMs = 0;

  constructor(clock: SinkClock) {
    this.#clock = clock;
  }

  /** Why the service waits; null while all is well. */
  get closed(): Closed | null {
    return this.#closed;
  }

  /** How many requests may be under way. */
  width(most: number): number {
    if (this.#closed === null) return most;
    return this.#isOver ? 1 : 0;
  }

  /** Something was taken. Answers what is over now; null where nothing was amiss. */
  worked(): Closed | null {
    const before = this.#closed;
    this.#closed = null;
    this.#pauseMs = 0;
    return before;
  }

  /** `atLeastMs`: what the service itself asked for. True where this is news. */
  close(reason: GateReason, why: string, atLeastMs = 0): boolean {
    // What was under way beside it meets the same trouble, and tells nothing new.
    if (this.#closed?.reason === reason && !this.#isOver) return false;
    if (reason === "trouble") {
      this.#pauseMs = this.#pauseMs === 0 ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
    }
    const ownMs = reason === "sign-in" ? SIGN_IN_PAUSE_MS : reason === "trouble" ? this.#pauseMs : 0;
    const pauseMs = Math.max(ownMs, atLeastMs);
    const isNews = this.#closed?.reason !== reason;
    const now = this.#clock.now();
    this.#closed = { reason, why, since: this.#closed?.since ?? now, until: now + pauseMs };
    this.#until = this.#clock.steady() + pauseMs;
    return isNews;
  }

  get #isOver(): boolean {
    return this.#clock.steady() >= this.#until;
  }
}
