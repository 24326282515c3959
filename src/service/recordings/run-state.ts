import type { RedactedText } from "../../core/redacted.ts";
import type { Owner } from "../../core/run.ts";
import type { KnownRun, OpenStep, Received } from "../../store/received.ts";

/**
 * What has to be known of a received run to add to it: its next number, whether it is open, and the calls that have no answer
 * yet. Valid as long as this process is the run's owner: nobody else adds to it then.
 */

/** Of a run that leaves more calls unanswered, only the last ones are matched with answers that do not name theirs. */
const MAX_OPEN_STEPS = 1000;

export class RunState {
  readonly runId: RedactedText;
  nextSeq: number;
  isOpen: boolean;
  /** This process still has to tell that it goes on with the run. */
  isAnothers: boolean;
  /** Numbers were given here: the store has to know the next one. */
  isNumbered = false;
  /** In order; null until it matters. */
  #openSteps: Map<string, OpenStep> | null;

  private constructor(runId: RedactedText, nextSeq: number, isOpen: boolean, isAnothers: boolean, isNew: boolean) {
    this.runId = runId;
    this.nextSeq = nextSeq;
    this.isOpen = isOpen;
    this.isAnothers = isAnothers;
    this.#openSteps = isNew ? new Map() : null;
  }

  static begun(runId: RedactedText): RunState {
    return new RunState(runId, 0, true, false, true);
  }

  /** Of a run in the store; `nextSeq` is its own, never null. */
  static of(runId: RedactedText, known: KnownRun, nextSeq: number, owner: Owner): RunState {
    return new RunState(runId, nextSeq, known.status === "running", !isOwnedBy(known, owner), false);
  }

  /** A number of the run: the one that the sender gave, or the next. */
  take(told: number | undefined): number {
    const seq = told ?? this.nextSeq;
    this.nextSeq = Math.max(this.nextSeq, seq + 1);
    // Who gives numbers to all that it sends needs none of ours.
    if (told === undefined) this.isNumbered = true;
    return seq;
  }

  /** The calls without an answer, for senders that do not say which one an answer belongs to. */
  openSteps(received: Received): Map<string, OpenStep> {
    this.#openSteps ??= new Map(received.openSteps(this.runId, MAX_OPEN_STEPS).map((step) => [step.stepId, step]));
    return this.#openSteps;
  }

  /** Only where the open steps are asked for at all. */
  opened(step: OpenStep): void {
    const open = this.#openSteps;
    if (open === null) return;
    open.set(step.stepId, step);
    const [oldest] = open.keys();
    if (open.size > MAX_OPEN_STEPS && oldest !== undefined) open.delete(oldest);
  }

  answered(stepId: string): void {
    this.#openSteps?.delete(stepId);
  }

  get openCount(): number {
    return this.#openSteps?.size ?? 0;
  }
}

export function isOwnedBy(known: KnownRun, owner: Owner): boolean {
  return known.ownerPid === owner.pid && known.ownerStartedAt === owner.startedAt;
}

/** The states of the runs that were added to last. */
export class RunStates {
  readonly #states = new Map<string, RunState>();

  /** The state of a run that this process owns, if it is remembered. */
  get(runId: string): RunState | undefined {
    const state = this.#states.get(runId);
    if (state === undefined) return undefined;
    this.#states.delete(runId);
    this.#states.set(runId, state);
    return state;
  }

  set(state: RunState): void {
    this.#states.set(state.runId, state);
  }

  forget(runId: string): void {
    this.#states.delete(runId);
  }

  clear(): void {
    this.#states.clear();
  }

  /** Forgets what was used longest ago. */
  trim(maxRuns: number, maxOpenSteps: number): void {
    let openSteps = 0;
    for (const state of this.#states.values()) openSteps += state.openCount;
    for (const state of this.#states.values()) {
      if (this.#states.size <= maxRuns && openSteps <= maxOpenSteps) return;
      openSteps -= state.openCount;
      this.#states.delete(state.runId);
    }
  }
}
