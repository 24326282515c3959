import type { RedactedJson, RedactedText } from "../../core/redacted.ts";
import type { Owner } from "../../core/run.ts";
import type { EventHead, JournalEntry, ReceivedKind, StoreEntry } from "../../store/entry.ts";
import type { KnownWrite, Received } from "../../store/received.ts";
import { isOwnedBy, RunState, type RunStates } from "./run-state.ts";
import { stepIdInRun, storedId } from "./stored-id.ts";

/**
 * The writes that one transaction takes: what they add to the journal, and what is known while it is made, of the store as of the
 * writes before. Decides nothing about what a write means.
 */

export type RunFound = { run: RunState } | "unknown" | "own";

const MAX_RUNS = 1000;
const MAX_OPEN_STEPS = 100_000;

export class Batch {
  readonly received: Received;
  readonly owner: Owner;
  /** Epoch ms. */
  readonly now: number;
  readonly #states: RunStates;
  readonly #entries: StoreEntry[] = [];
  readonly #runs = new Map<string, RunState>();
  /** What was taken within this transaction, by run and id. */
  readonly #writes = new Map<string, KnownWrite>();
  /** Steps that begin within it, and their runs. */
  readonly #stepRuns = new Map<string, string>();

  constructor(received: Received, states: RunStates, owner: Owner, now: number) {
    this.received = received;
    this.owner = owner;
    this.now = now;
    this.#states = states;
  }

  /** The run of a sender's id. */
  find(id: string): RunFound {
    const runId = storedId(id);
    const touched = this.#runs.get(runId);
    if (touched !== undefined) return { run: touched };
    const known = this.received.run(runId);
    if (known === null) return "unknown";
    if (known.nextSeq === null) return "own";
    const remembered = isOwnedBy(known, this.owner) ? this.#states.get(runId) : undefined;
    const nextSeq = Math.max(known.nextSeq, remembered === undefined ? this.received.afterSteps(runId) : 0);
    const run = remembered ?? RunState.of(runId, known, nextSeq, this.owner);
    this.#runs.set(runId, run);
    return { run };
  }

  /** Begins a run that nobody knows. */
  begin(run: RunState): void {
    this.#runs.set(run.runId, run);
    this.remember(run, "", "run", null, run.nextSeq);
  }

  /** What a write of this id was taken as; null where none was. */
  written(run: RunState, id: string): KnownWrite | null {
    return this.#writes.get(key(run.runId, id)) ?? this.received.write(run.runId, id);
  }

  remember(run: RunState, id: string, kind: ReceivedKind, stepId: RedactedText | null, seq: number | null): void {
    this.#writes.set(key(run.runId, id), { kind, stepId, seq });
    this.#entries.push({ book: "received", runId: run.runId, id, kind, stepId, seq });
  }

  /** The step that a sender calls by this id, as it is called here. */
  stepId(run: RunState, told: string): RedactedText {
    const stepId = storedId(told);
    const runId = this.#stepRuns.get(stepId) ?? this.received.runOfStep(stepId);
    return runId === null || runId === run.runId ? stepId : stepIdInRun(run.runId, stepId);
  }

  tell(run: RunState, head: EventHead, payload: RedactedJson | null = null): void {
    this.#takeOver(run);
    if ("stepId" in head) this.#stepRuns.set(head.stepId, run.runId);
    this.#entries.push({ head, payload });
  }

  /** The end of a step that this transaction tells. */
  pendingClosing(stepId: string): JournalEntry | null {
    for (const entry of this.#entries.toReversed()) {
      if ("head" in entry && entry.head.type === "step.closed" && entry.head.stepId === stepId) return entry;
    }
    return null;
  }

  /** All that the transaction writes. */
  finish(): StoreEntry[] {
    for (const run of this.#runs.values()) {
      if (run.isNumbered) this.#entries.push({ book: "numbered", runId: run.runId, nextSeq: run.nextSeq });
    }
    return this.#entries;
  }

  /** It was committed: what was learnt is remembered. */
  committed(): void {
    for (const run of this.#runs.values()) {
      run.isNumbered = false;
      this.#states.set(run);
    }
    this.#states.trim(MAX_RUNS, MAX_OPEN_STEPS);
  }

  /** It was not: what is remembered of its runs is no longer what the store holds. */
  failed(): void {
    for (const runId of this.#runs.keys()) this.#states.forget(runId);
  }

  /** A run that another process went on with, or a former one of this service, is this one's with the first event. */
  #takeOver(run: RunState): void {
    if (!run.isAnothers) return;
    run.isAnothers = false;
    const { runId, nextSeq: seq } = run;
    const { pid, startedAt } = this.owner;
    // The start time is the system's word, not a sender's.
    const owner = { pid, startedAt } as Extract<EventHead, { type: "run.opened" }>["owner"];
    this.#entries.push({ head: { type: "run.updated", runId, seq, at: this.now, owner }, payload: null });
  }
}

function key(runId: string, id: string): string {
  return `${runId}\u0000${id}`;
}
