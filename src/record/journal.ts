import type { JournalEntry, StoreEntry } from "../store/entry.ts";
import type { SqliteStore } from "../store/sqlite-store.ts";
import { StoreError, storeError } from "../store/store-error.ts";

/**
 * The queue between the assembler and the store. Keeps what the store refuses, tries again later, and counts what it has
 * to drop; never throws and never waits. Memory is bounded by bytes.
 */

type OpenStore = Pick<SqliteStore, "append" | "close" | "leave"> & Partial<Pick<SqliteStore, "checkpoint">>;

/** What the journal needs of a store; `SqliteStore` behind it, fakes in tests. */
export interface StoreAccess {
  open(): OpenStore;
  /** Which file is there now; null when none. */
  identity(): string | null;
  setCorruptAside(identity: string | null): void;
}

export interface JournalOptions {
  store: StoreAccess;
  /** What to tell a store that lost everything, before the rest of the run goes on. */
  reopening: () => JournalEntry[];
  /** Adds a gap for steps that were lost. */
  tellLoss: (reason: LossReason, lost: number) => void;
  /** Says a store's trouble once an episode. */
  report: (trouble: StoreError, episode: "began" | "ended") => void;
  maxPendingBytes?: number;
}

export type LossReason =
  /** The store refused for so long that memory ran out. */
  | "store-unavailable"
  /** The store was damaged and set aside, or removed, with what it held. */
  | "store-lost"
  /** The store would not take this content. */
  | "rejected";

/** Default bound on what waits for the store. */
const MAX_PENDING_BYTES = 12 * 1024 * 1024;
/** One transaction takes about this much, so that it stays within an idle slice. */
const BATCH_BYTES = 256 * 1024;
const BATCH_ENTRIES = 512;
const ENTRY_OVERHEAD_BYTES = 400;
/** When room has to be made, this part of the bound is freed at once, so that not every entry has to make some. */
const FREED_SHARE = 1 / 16;
const BUSY_RETRY_MS = 10;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

export class Journal {
  readonly #options: JournalOptions;
  readonly #maxPendingBytes: number;
  #store: OpenStore | null = null;
  /** The file that the entries committed so far went to. */
  #identity: string | null = null;
  /** The file that was there before the last try; the one at fault if that failed. */
  #tried: string | null = null;
  /** That file is gone: the next one knows nothing of this run. */
  #storeWasLost = false;
  #queue: StoreEntry[] = [];
  #pendingBytes = 0;
  /** Entries of the next batch; fewer while one that the store rejects is being singled out. */
  #batchEntries = BATCH_ENTRIES;
  /** Last entries of what is committed whole or not at all; none where every entry stands alone. */
  readonly #unitEnds = new Set<StoreEntry>();
  /** Steps of which an event was dropped since the last loss was told, by why. */
  readonly #lost = new Map<LossReason, Set<string>>();
  #committedSteps = 0;
  /** The last try did not work. */
  #refused = false;
  /** What was reported as begun. */
  #trouble: StoreError | null = null;
  #retryMs = 0;
  #disabled = false;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#maxPendingBytes = options.maxPendingBytes ?? MAX_PENDING_BYTES;
  }

  /** True once the store turned out to be a newer program's: nothing can be recorded in this process. */
  get disabled(): boolean {
    return this.#disabled;
  }

  /** True while the store does not take what is queued. */
  get isRefused(): boolean {
    return this.#refused;
  }

  /** True where so much waits that nothing more may be queued without losing some of it. */
  get isFull(): boolean {
    return this.#pendingBytes > this.#maxPendingBytes;
  }

  get pendingEntries(): number {
    return this.#queue.length;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Queues an entry; over the bound the oldest step events make room. */
  add(entry: StoreEntry): void {
    if (this.#disabled) return;
    this.#enqueue(entry);
    this.#flushExcess();
    if (this.#pendingBytes > this.#maxPendingBytes) this.#makeRoom();
  }

  /** Queues entries that one transaction takes, all or none, also over the bound: it is for the caller to heed `isFull`. */
  addUnit(entries: readonly StoreEntry[]): void {
    const last = entries.at(-1);
    if (last === undefined || this.#disabled) return;
    this.#unitEnds.add(last);
    for (const entry of entries) this.#enqueue(entry);
    this.#flushExcess();
  }

  /**
   * Commits one batch. Answers how long to wait before the next try in ms: 0 when more waits and can be tried at once,
   * null when there is nothing left to do.
   */
  flush(): number | null {
    if (this.#disabled || this.#queue.length === 0) return null;
    let batch: StoreEntry[] = [];
    try {
      const store = this.#usableStore();
      batch = this.#nextBatch();
      store.append(batch);
    } catch (cause) {
      const error = storeError(cause);
      if (error.failure !== "rejected" || batch.length === 0) return this.#failed(error);
      this.#singleOut(batch);
      return this.#queue.length > 0 ? 0 : null;
    }
    this.#take(batch);
    for (const entry of batch) if (isStepOpening(entry)) this.#committedSteps++;
    this.#worked();
    return this.#queue.length > 0 ? 0 : null;
  }

  /** Folds what it can of the store's log into its file. */
  checkpoint(): void {
    try {
      this.#store?.checkpoint?.();
    } catch {
      // Whatever is wrong shows with the next commit.
    }
  }

  /** The process is about to end: what still waits is lost, and its number of steps is answered. */
  close(): number {
    for (const entry of this.#queue) this.#countLost("store-unavailable", entry);
    this.#take(this.#queue);
    this.#letGo((store) => store.leave());
    const steps = new Set<string>();
    for (const lost of this.#lost.values()) for (const step of lost) steps.add(step);
    return steps.size;
  }

  #enqueue(entry: StoreEntry): void {
    this.#queue.push(entry);
    this.#pendingBytes += entryBytes(entry);
  }

  /** A store that takes writes is given what is over the bound here and now: memory is kept, and nothing is lost. */
  #flushExcess(): void {
    while (this.#pendingBytes > this.#maxPendingBytes && !this.#refused && this.flush() === 0);
  }

  #usableStore(): OpenStore {
    const access = this.#options.store;
    this.#tried = access.identity();
    const isSame = this.#tried === this.#identity;
    if (this.#store !== null && isSame) return this.#store;
    // Told apart before the file is closed: the next one may get its number.
    if (this.#identity !== null && !isSame) this.#storeWasLost = true;
    this.#closeStore();
    this.#store = access.open();
    this.#identity = access.identity();
    if (this.#tried !== null && this.#tried !== this.#identity) {
      this.#closeStore();
      throw new StoreError("busy", "another process replaced the store while it was being opened");
    }
    if (this.#storeWasLost) this.#startOver();
    return this.#store;
  }

  /** The store at hand knows nothing of this run: tells it how the run began, and what it lost. */
  #startOver(): void {
    this.#storeWasLost = false;
    const waiting = new Set(this.#queue);
    const missing: StoreEntry[] = this.#options.reopening().filter((entry) => !waiting.has(entry));
    this.#queue.unshift(...missing);
    let lost = this.#committedSteps;
    for (const entry of missing) {
      this.#pendingBytes += entryBytes(entry);
      if (isStepOpening(entry)) lost--;
    }
    this.#committedSteps = 0;
    this.#options.tellLoss("store-lost", Math.max(0, lost));
  }

  #nextBatch(): StoreEntry[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#queue.length && count < this.#batchEntries && bytes < BATCH_BYTES) {
      bytes += entryBytes(this.#queue[count++] as StoreEntry);
    }
    if (this.#unitEnds.size > 0) {
      while (count < this.#queue.length && !this.#unitEnds.has(this.#queue[count - 1] as StoreEntry)) count++;
    }
    return this.#queue.slice(0, count);
  }

  /** Takes the first entries out of the queue. */
  #take(batch: readonly StoreEntry[]): void {
    for (const entry of batch) {
      this.#pendingBytes -= entryBytes(entry);
      this.#unitEnds.delete(entry);
    }
    this.#queue.splice(0, batch.length);
  }

  /** The store rejected something in this batch: halves it until that is alone, and drops it. */
  #singleOut(batch: StoreEntry[]): void {
    if (batch.length > 1 && this.#batchEntries > 1) {
      this.#batchEntries = Math.ceil(Math.min(batch.length, this.#batchEntries) / 2);
      return;
    }
    this.#batchEntries = BATCH_ENTRIES;
    this.#take(batch);
    for (const entry of batch) this.#countLost("rejected", entry);
    this.#worked();
  }

  /** The store answers: tells what was lost while it did not. */
  #worked(): void {
    this.#refused = false;
    this.#retryMs = 0;
    for (const [reason, steps] of this.#lost) {
      this.#lost.delete(reason);
      this.#options.tellLoss(reason, steps.size);
    }
    if (this.#trouble !== null) {
      this.#options.report(this.#trouble, "ended");
      this.#trouble = null;
    }
  }

  #failed(error: StoreError): number | null {
    this.#refused = true;
    if (error.failure === "busy") return BUSY_RETRY_MS;
    if (this.#trouble?.failure !== error.failure) this.#options.report(error, "began");
    this.#trouble = error;
    if (error.failure === "newer") {
      this.#disabled = true;
      this.#take(this.#queue);
      this.#closeStore();
      return null;
    }
    if (error.failure === "corrupt" && this.#setAside()) return 0;
    // A connection that failed is not trusted to recover.
    this.#closeStore();
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs === 0 ? FIRST_RETRY_MS : this.#retryMs * 2);
    return this.#retryMs;
  }

  /** True when the damaged file is out of the way. */
  #setAside(): boolean {
    const access = this.#options.store;
    this.#closeStore();
    try {
      // Not the file that is there now: another process may have put a sound one in its place.
      access.setCorruptAside(this.#tried);
      if (access.identity() === this.#tried) return false;
    } catch {
      return false;
    }
    this.#storeWasLost = true;
    return true;
  }

  #closeStore(): void {
    this.#letGo((store) => store.close());
  }

  #letGo(how: (store: OpenStore) => void): void {
    try {
      if (this.#store !== null) how(this.#store);
    } catch {
      // A store that cannot even be closed is no longer of use either way.
    }
    this.#store = null;
  }

  #makeRoom(): void {
    const kept: StoreEntry[] = [];
    let excess = this.#pendingBytes - this.#maxPendingBytes * (1 - FREED_SHARE);
    for (const entry of this.#queue) {
      if (excess > 0 && isStepEvent(entry)) {
        excess -= entryBytes(entry);
        this.#pendingBytes -= entryBytes(entry);
        this.#countLost("store-unavailable", entry);
      } else kept.push(entry);
    }
    this.#queue = kept;
  }

  #countLost(reason: LossReason, entry: StoreEntry): void {
    if ("book" in entry || !("stepId" in entry.head)) return;
    const steps = this.#lost.get(reason) ?? new Set<string>();
    this.#lost.set(reason, steps.add(entry.head.stepId));
  }
}

function isStepEvent(entry: StoreEntry): boolean {
  return "head" in entry && "stepId" in entry.head;
}

function isStepOpening(entry: StoreEntry): boolean {
  return "head" in entry && entry.head.type === "step.opened";
}

function entryBytes(entry: StoreEntry): number {
  if ("head" in entry) return ENTRY_OVERHEAD_BYTES + (entry.payload?.length ?? 0);
  return (
    ENTRY_OVERHEAD_BYTES +
    (entry.book === "session" ? entry.state.length : entry.book === "held" ? entry.body.length : 0)
  );
}
