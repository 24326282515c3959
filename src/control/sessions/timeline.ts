import type { RedactedText } from "../../core/redacted.ts";
import type { Turn } from "./session-state.ts";

/**
 * On which run the main agent of a session worked when. It works on one at a time, also where several are open: that of the
 * prompt that came last, a machine-made one included.
 */

/** Turns that are remembered. */
const REMEMBERED = 24;

export class Timeline {
  /** Oldest first. */
  readonly #turns: Turn[];

  constructor(turns: readonly Turn[]) {
    this.#turns = [...turns];
  }

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  /** From `at` (epoch ms) on it works on this run. */
  began(at: number, runId: RedactedText): void {
    const later = this.#turns.findIndex((turn) => turn.at > at);
    const place = later < 0 ? this.#turns.length : later;
    if (this.#turns[place - 1]?.runId === runId) return;
    this.#turns.splice(place, 0, { at, runId });
    if (this.#turns.length > REMEMBERED) this.#turns.shift();
  }

  /** The run of a time; of one before all that is known, the first. Null where there is none. */
  at(at: number): RedactedText | null {
    return (this.#turns.findLast((turn) => turn.at <= at) ?? this.#turns[0])?.runId ?? null;
  }

  /** Forgets runs that are not known any more. */
  keepOnly(known: ReadonlySet<RedactedText>): void {
    const kept = this.#turns.filter(({ runId }) => known.has(runId));
    this.#turns.splice(0, this.#turns.length, ...kept);
  }
}
