import { type StoreError, storeError } from "../../store/store-error.ts";
import { fault, notAcceptable, notNow, type RecordingsAnswer } from "./answer.ts";

/**
 * Group commit: writes that come within a moment share one transaction, and each is answered once that is committed. What waits
 * is bounded; what the store does not take is refused, never kept: its sender has it. Knows nothing of what the writes mean.
 */

/** Waiting to be committed. */
export interface PendingWrite<Context> {
  /** Of its body, in UTF-16 units. */
  size: number;
  /** Puts it into the transaction. Must not have side effects that outlive one that fails. */
  apply(context: Context): RecordingsAnswer;
}

/** Commits all of the writes or none, and gives what each answers. Throws what the store threw. */
export type Commit<Context> = (writes: readonly PendingWrite<Context>[]) => RecordingsAnswer[];

export interface CommitQueueOptions<Context> {
  commit: Commit<Context>;
  /** After a commit of so many UTF-16 units in all, and nothing to wait for it. */
  tidy: () => Promise<void>;
  /** A store that fails, and null once it works again: each told once. */
  onTrouble: (trouble: StoreError | null) => void;
  /** Of ours: answered with 500. */
  onFault: (cause: unknown) => void;
  now: () => number;
}

/** Thrown by a commit that went wrong not in the store but in what is ours. */
export class Fault extends Error {}

interface Waiting<Context> extends PendingWrite<Context> {
  /** Epoch ms: until then a store that is busy is tried again. */
  until: number;
  resolve: (answer: RecordingsAnswer) => void;
}

/** What may wait: more is refused. A single body may be longer. */
const MAX_WAITING = 4096;
const MAX_WAITING_SIZE = 8 * 1024 * 1024;
/** What one transaction takes, so that readers are not held up for long. */
const BATCH_WRITES = 256;
const BATCH_SIZE = 1024 * 1024;
/** Another process writes for milliseconds, or rewrites the file for seconds. */
const BUSY_RETRY_MS = 3;
const BUSY_PATIENCE_MS = 4000;
/**
 * The write-ahead log is folded into the file after so much. A write of any size changes pages in several tables, some 30 KiB of
 * log; what a body is long comes on top.
 */
const TIDY_SIZE = 16 * 1024 * 1024;
const LOG_PER_WRITE = 30 * 1024;

export class CommitQueue<Context> {
  readonly #options: CommitQueueOptions<Context>;
  #waiting: Waiting<Context>[] = [];
  #size = 0;
  #written = 0;
  /** The first so many are tried one at a time: one of them is not acceptable. */
  #alone = 0;
  #isScheduled = false;
  #isClosed = false;
  #isInTrouble = false;
  #isTidying = false;
  #drained: (() => void)[] = [];

  constructor(options: CommitQueueOptions<Context>) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING || this.#size >= MAX_WAITING_SIZE;
  }

  add(write: PendingWrite<Context>): Promise<RecordingsAnswer> {
    const isTooMuch = this.#waiting.length > 0 && this.#size + write.size > MAX_WAITING_SIZE;
    if (this.#isClosed || this.isFull || isTooMuch) return Promise.resolve(notNow(1));
    const { promise, resolve } = Promise.withResolvers<RecordingsAnswer>();
    const { size } = write;
    this.#waiting.push({
      size,
      apply: (context) => write.apply(context),
      until: this.#options.now() + BUSY_PATIENCE_MS,
      resolve,
    });
    this.#size += size;
    this.#schedule(0);
    return promise;
  }

  /** Takes nothing more; answers once all that waits was answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#waiting.length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained.push(resolve);
    await promise;
  }

  #schedule(delayMs: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const next = (): void => {
      this.#isScheduled = false;
      this.#flush();
    };
    if (delayMs === 0) setImmediate(next);
    else setTimeout(next, delayMs);
  }

  #flush(): void {
    const batch = this.#nextBatch();
    if (batch.length === 0) return;
    const retryMs = this.#try(batch);
    if (this.#waiting.length > 0) this.#schedule(retryMs);
    else for (const done of this.#drained.splice(0)) done();
    if (this.#written >= TIDY_SIZE && !this.#isTidying) void this.#tidy();
  }

  async #tidy(): Promise<void> {
    this.#isTidying = true;
    this.#written = 0;
    await this.#options.tidy();
    this.#isTidying = false;
  }

  #nextBatch(): Waiting<Context>[] {
    let size = 0;
    let count = 0;
    const most = this.#alone > 0 ? 1 : BATCH_WRITES;
    while (count < this.#waiting.length && count < most && size < BATCH_SIZE) {
      size += this.#waiting[count++]?.size ?? 0;
    }
    return this.#waiting.slice(0, count);
  }

  /** Answers after how many ms to go on. */
  #try(batch: Waiting<Context>[]): number {
    try {
      const answers = this.#options.commit(batch);
      this.#tellTrouble(null);
      for (const { size } of batch) this.#written += LOG_PER_WRITE + size;
      this.#answer(batch, (index) => answers[index] ?? fault());
      return 0;
    } catch (cause) {
      return this.#failed(batch, cause);
    }
  }

  #failed(batch: Waiting<Context>[], cause: unknown): number {
    const error = storeError(cause);
    switch (cause instanceof Fault ? "rejected" : error.failure) {
      case "busy":
        this.#refuseLate();
        return BUSY_RETRY_MS;
      case "rejected":
        // One of them is not acceptable, or shows a fault of ours: they are tried one at a time.
        if (batch.length > 1) this.#alone = batch.length;
        else this.#refuse(batch, cause);
        return 0;
      default:
        this.#tellTrouble(error);
        this.#answer(this.#waiting, () => notNow(error.failure === "newer" ? 60 : 5));
        return 0;
    }
  }

  #refuse(batch: Waiting<Context>[], cause: unknown): void {
    if (cause instanceof Fault) this.#options.onFault(cause.cause);
    this.#answer(batch, cause instanceof Fault ? fault : notAcceptable);
  }

  /** Those who waited long enough for a store that is busy may ask again. */
  #refuseLate(): void {
    const now = this.#options.now();
    const inTime = this.#waiting.findIndex(({ until }) => until > now);
    const late = inTime < 0 ? this.#waiting : this.#waiting.slice(0, inTime);
    if (late.length > 0) this.#answer(late, () => notNow(1));
  }

  /** These, the first ones, wait no longer. */
  #answer(done: readonly Waiting<Context>[], answerOf: (index: number) => RecordingsAnswer): void {
    this.#waiting = this.#waiting.slice(done.length);
    this.#alone = Math.max(0, this.#alone - done.length);
    for (const [index, { size, resolve }] of done.entries()) {
      this.#size -= size;
      resolve(answerOf(index));
    }
  }

  #tellTrouble(trouble: StoreError | null): void {
    if ((trouble !== null) === this.#isInTrouble) return;
    this.#isInTrouble = trouble !== null;
    this.#options.onTrouble(trouble);
  }
}
