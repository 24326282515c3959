import type { RedactedJson, RedactedText } from "../core/redacted.ts";
import type { NoteKind, Owner, RunStatus, Tier, Usage } from "../core/run.ts";
import type { EventHead, JournalEntry } from "../store/entry.ts";

/**
 * One run on its way into the journal: gives sequence numbers and writes each thing that happens in it as an event. Remembers
 * what a store that lost everything would have to be told. Decides nothing about runs; never reads a clock.
 */

export interface HostFact {
  app: RedactedText;
  version: RedactedText | null;
}

export interface RunFacts {
  id: RedactedText;
  tier: Tier;
  cwd: RedactedText;
  owner: Owner;
  sessionId: RedactedText | null;
  host: HostFact | null;
  wrappedServers: RedactedText[];
}

/** What may become known of a run after it was opened. */
export interface RunChange {
  host?: HostFact;
  sessionId?: RedactedText;
  wrappedServers?: RedactedText[];
  input?: RedactedText;
  finalAnswer?: RedactedText;
  /** Total so far. */
  hostHookCalls?: number;
  /** Total so far. */
  usage?: Usage;
  /** The process that goes on with the run. */
  owner?: Owner;
}

type HeadOf<Type extends EventHead["type"]> = Extract<EventHead, { type: Type }>;
type Own = "type" | "runId" | "seq" | "at";

/** A step as it is first known. */
export type StepOpening = Omit<HeadOf<"step.opened">, Own>;
export type StepChange = Omit<HeadOf<"step.updated">, Own | "stepId">;
export type StepClosing = Omit<HeadOf<"step.closed">, Own | "stepId">;

/** How most calls end, but for how that went. */
export const PLAIN_CLOSING: Omit<StepClosing, "status" | "isError"> = {
  error: null,
  rpcError: null,
  durationMs: null,
  waitingMs: 0,
  legs: 1,
  progress: 0,
  truncated: false,
  join: null,
};

/** A step's place in its run. */
export interface StepPlace {
  readonly stepId: RedactedText;
  readonly seq: number;
}

export interface NoteFacts {
  kind: NoteKind;
  text: RedactedText;
  agentId: RedactedText | null;
  source?: RedactedText;
}

/** How far a run had come that another process began. */
export interface Adopted {
  opened: JournalEntry;
  changed: RunChange;
  nextSeq: number;
  closed: JournalEntry | null;
  /** The process that goes on with it. */
  owner: Owner;
}

type Write = (entry: JournalEntry) => void;

export class RunWriter {
  readonly id: RedactedText;
  readonly #write: Write;
  readonly #opened: JournalEntry;
  readonly #changed: RunChange;
  readonly #openSteps = new Map<RedactedText, JournalEntry>();
  /** Whom the store takes for the owner, and who it is. */
  #toldOwner: Owner;
  readonly #owner: Owner;
  #nextSeq: number;
  #closed: JournalEntry | null;

  private constructor(id: RedactedText, write: Write, toldOwner: Owner, adopted: Adopted) {
    const { opened, changed, nextSeq, closed, owner } = adopted;
    this.id = id;
    this.#toldOwner = toldOwner;
    this.#owner = owner;
    this.#write = write;
    this.#opened = opened;
    this.#changed = changed;
    this.#nextSeq = nextSeq;
    this.#closed = closed;
  }

  /** Begins a run at `at` (epoch ms). */
  static open({ id, ...facts }: RunFacts, at: number, write: Write): RunWriter {
    const head = { type: "run.opened", runId: id, seq: 0, at: Math.floor(at), ...facts } as HeadOf<"run.opened">;
    const opened: JournalEntry = { head, payload: null };
    write(opened);
    const { owner } = facts;
    return new RunWriter(id, write, owner, { opened, changed: {}, nextSeq: 0, closed: null, owner });
  }

  /** Goes on with a run that is in the store. One that is open is the new owner's from `at` (epoch ms) on. */
  static adopt(adopted: Adopted, at: number, write: Write): RunWriter {
    const { head } = adopted.opened;
    if (head.type !== "run.opened") throw new TypeError("a run begins with its opening");
    const toldOwner = adopted.changed.owner ?? head.owner;
    const writer = new RunWriter(head.runId, write, toldOwner, { ...adopted, changed: { ...adopted.changed } });
    if (writer.isOpen) writer.#tellOwner(at);
    return writer;
  }

  get isOpen(): boolean {
    return this.#closed === null;
  }

  get status(): RunStatus {
    const head = this.#closed?.head;
    return head?.type === "run.closed" ? head.status : "running";
  }

  update(at: number, changed: RunChange): void {
    Object.assign(this.#changed, changed);
    this.#tell({ type: "run.updated", ...this.#here(at), ...changed } as HeadOf<"run.updated">);
  }

  /** Answers the step's place. */
  openStep(step: StepOpening, args: RedactedJson | null): StepPlace {
    const seq = this.#nextSeq++;
    const at = Math.floor(step.startedAt);
    const head: HeadOf<"step.opened"> = { type: "step.opened", runId: this.id, seq, at, ...step, startedAt: at };
    const entry: JournalEntry = { head, payload: args };
    this.#openSteps.set(step.stepId, entry);
    this.#write(entry);
    return { stepId: step.stepId, seq };
  }

  /** Tells only what changed; `args` where those did. */
  updateStep({ stepId, seq }: StepPlace, at: number, changed: StepChange, args: RedactedJson | null = null): void {
    const head: EventHead = {
      type: "step.updated",
      runId: this.id,
      seq,
      at: Math.floor(at),
      stepId,
      ...changed,
    };
    this.#write({ head, payload: args });
  }

  closeStep({ stepId, seq }: StepPlace, at: number, closing: StepClosing, result: RedactedJson | null): void {
    this.#openSteps.delete(stepId);
    const head: EventHead = { type: "step.closed", runId: this.id, seq, at: Math.floor(at), stepId, ...closing };
    this.#write({ head, payload: result });
  }

  note(at: number, note: NoteFacts): void {
    const place = this.#here(at);
    this.#nextSeq++;
    this.#tell({ type: "note", ...place, ...note });
  }

  /** `lost` things could not be recorded. May be told of a run that is closed. */
  gap(at: number, reason: RedactedText, lost: number): void {
    this.#tell({ type: "gap", ...this.#here(at), reason, lost });
  }

  close(status: RunStatus, at: number): void {
    this.#closed = { head: { type: "run.closed", ...this.#here(at), status }, payload: null };
    this.#openSteps.clear();
    this.#write(this.#closed);
  }

  /** The run goes on after all. */
  reopen(at: number): void {
    if (this.#closed === null) return;
    this.#closed = null;
    this.#tell({ type: "run.updated", ...this.#here(at), status: "running" });
    this.#tellOwner(at);
  }

  /** What a store that lost everything has to be told before anything else of this run. */
  reopeningEntries(): JournalEntry[] {
    const entries = [this.#opened];
    if (Object.keys(this.#changed).length > 0) {
      const head = { type: "run.updated", ...this.#here(this.#opened.head.at), ...this.#changed };
      entries.push({ head: head as HeadOf<"run.updated">, payload: null });
    }
    entries.push(...this.#openSteps.values());
    if (this.#closed !== null) entries.push(this.#closed);
    return entries;
  }

  /** An open run whose owner is gone reads as abandoned. */
  #tellOwner(at: number): void {
    const { pid, startedAt } = this.#owner;
    if (this.#toldOwner.pid === pid && this.#toldOwner.startedAt === startedAt) return;
    this.#toldOwner = this.#owner;
    this.update(at, { owner: this.#owner });
  }

  /** Where in the run something happens that has no number of its own. */
  #here(at: number): { runId: RedactedText; seq: number; at: number } {
    return { runId: this.id, seq: this.#nextSeq, at: Math.floor(at) };
  }

  #tell(head: EventHead): void {
    this.#write({ head, payload: null });
  }
}
