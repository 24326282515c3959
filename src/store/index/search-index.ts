import { Problem } from "../../core/problem.ts";
import type { IndexState } from "../../core/service-wire.ts";
import { storeIdentity } from "../sqlite-store.ts";
import { storeError } from "../store-error.ts";
import { discardIndex, indexProblem, openIndexFile } from "./index-file.ts";
import { FULL_SHARD, IndexTables } from "./index-tables.ts";
import { runInTransaction } from "./index-transaction.ts";
import { type JournalRow, JournalSource } from "./journal-source.ts";
import { JournalTaker } from "./journal-taker.ts";
import { purge, removeRuns } from "./removal.ts";

/**
 * The index of words and tools, `search.db`: derived from the journal, never on a session's path, and rebuilt whenever it is
 * missing, damaged, of another version or of another journal. Several processes may have it open; who writes is decided by
 * each transaction, and whoever finds it taken reads what the other one writes.
 */

/** Events of a transaction: at least, and at most. */
const SLICE = { least: 32, most: 2048 };
/** Taken at first, until it is known how fast this machine is. Events a millisecond. */
const FIRST_RATE = 4;
/** How long another process that writes is waited for: this one has others to serve. */
const PATIENCE_MS = 10;
const POSITION = "position";
const JOURNAL = "journal";
const LAST_EVENT = "last-event";

export class SearchIndex {
  readonly #path: string;
  readonly #fullShard: number;
  readonly #source: JournalSource;
  #open: Opened | null = null;
  #state: IndexState = { isCurrent: true, done: 1 };
  #rate = FIRST_RATE;
  /** What the last look at the store saw, when there was nothing more to do. */
  #seen: string | null = null;

  private constructor(path: string, storePath: string, fullShard: number) {
    this.#path = path;
    this.#fullShard = fullShard;
    this.#source = new JournalSource(storePath);
  }

  /**
   * Opens the index of a store, or makes it as soon as there is a store. Throws Problem where it cannot be used: whoever asks
   * goes on without it, and may try again later. `fullShard`: documents after which runs go into another shard.
   */
  static open(indexPath: string, storePath: string, fullShard = FULL_SHARD): SearchIndex {
    const index = new SearchIndex(indexPath, storePath, fullShard);
    try {
      index.#prepare();
      index.#look();
      return index;
    } catch (cause) {
      index.close();
      throw indexProblem(cause, indexPath);
    }
  }

  /**
   * Takes what was recorded since, for about `budgetMs`; costs next to nothing where there is nothing new. What it has taken
   * is committed when it returns. Throws Problem where the index cannot be written or the store cannot be read.
   */
  catchUp(budgetMs: number): IndexState {
    const until = performance.now() + budgetMs;
    try {
      this.#work(until);
    } catch (cause) {
      const { failure } = storeError(cause);
      this.#forget();
      if (cause instanceof Problem) throw cause;
      if (failure === "corrupt") this.#discard();
      else if (failure !== "busy") throw indexProblem(cause, this.#path);
      // Another process writes: what it writes is read here, too.
      else this.ask(() => this.#look());
    }
    return this.#state;
  }

  /** How far it was when `catchUp` looked last. */
  state(): IndexState {
    return this.#state;
  }

  /** Asks the index; null where it cannot answer. A damaged one is made anew by the next `catchUp`. */
  ask<T>(question: (tables: IndexTables, source: JournalSource) => T): T | null {
    const { tables } = this.#open ?? {};
    if (tables === undefined) return null;
    try {
      if (tables.refresh()) this.#open?.taker.forget();
      return question(tables, this.#source);
    } catch (cause) {
      if (cause instanceof Problem || !isDatabaseFault(cause)) throw cause;
      if (storeError(cause).failure === "corrupt") this.#discard();
      return null;
    }
  }

  close(): void {
    this.#source.close();
    try {
      this.#open?.tables.close();
    } catch {
      // It is derived, and what was committed stays.
    }
    this.#open = null;
  }

  #work(until: number): void {
    if (!this.#prepare()) {
      this.#state = { isCurrent: true, done: 1 };
      return;
    }
    const { tables } = this.#open as Opened;
    const seen = `${this.#source.identity} ${this.#source.dataVersion()}`;
    if (seen === this.#seen) return;
    for (;;) {
      const from = performance.now();
      const taken = this.#takeSlice(until);
      this.#look();
      // What a transaction costs by itself is not worth while for the rest of a short time.
      const now = performance.now();
      if (this.#state.isCurrent || taken === 0 || until - now < (now - from) / 2) break;
    }
    if (!this.#state.isCurrent) return;
    this.#removeMissing(tables);
    // Another process may be reading from the log just now: what is left is done at another time.
    if (purge(tables, until, false)) this.#seen = seen;
  }

  /** Takes the next events in one transaction; answers how many. */
  #takeSlice(until: number): number {
    const { tables, taker } = this.#open as Opened;
    const from = performance.now();
    const wanted = Math.round((until - from) * this.#rate);
    const limit = Math.max(SLICE.least, Math.min(SLICE.most, wanted));
    if (this.#positionOf(tables) >= this.#source.lastPosition()) return 0;
    const taken = runInTransaction(tables, () => {
      // Asked here: nobody else can write any more.
      if (tables.refresh()) taker.forget();
      const position = this.#positionOf(tables);
      const rows = this.#source.slice(position, limit);
      const last = rows.at(-1);
      taker.take(rows);
      tables.forgetShards();
      // Events that were deleted leave nothing between the last one and the end.
      const reached = rows.length < limit && last === undefined ? this.#source.lastPosition() : (last?.position ?? 0);
      tables.setMeta(POSITION, String(Math.max(position, reached)));
      if (last !== undefined) tables.setMeta(LAST_EVENT, markOf(last));
      return rows.length;
    });
    const ms = performance.now() - from;
    if (taken >= SLICE.least) this.#rate = Math.max(0.2, this.#rate * 0.7 + (taken / ms) * 0.3);
    return taken;
  }

  #look(): void {
    if (this.#open === null) return;
    const last = this.#source.lastPosition();
    const position = this.#positionOf(this.#open.tables);
    this.#state =
      position >= last ? { isCurrent: true, done: 1 } : { isCurrent: false, done: last === 0 ? 1 : position / last };
  }

  #positionOf(tables: IndexTables): number {
    return Number(tables.meta(POSITION) ?? 0);
  }

  /** Runs that are not in the store any more go: whoever deleted them could not reach the index. */
  #removeMissing(tables: IndexTables): void {
    if (tables.runs() <= this.#source.runs()) return;
    const missing = this.#source.missing(tables.runIds());
    if (missing.length > 0) removeRuns(tables, missing);
  }

  /** Opens what is not open, or not in its place any more; false where there is no store. */
  #prepare(): boolean {
    if (!this.#source.open()) {
      this.#closeIndex();
      return false;
    }
    if (this.#open !== null && storeIdentity(this.#path) !== this.#open.identity) this.#closeIndex();
    if (this.#open?.journal === this.#source.identity) return true;
    this.#closeIndex();
    if (!this.#openSound()) {
      this.#discard();
      this.#openSound();
    }
    return true;
  }

  /** Opens the index; false where it is damaged, or that of another journal. */
  #openSound(): boolean {
    try {
      const tables = new IndexTables(openIndexFile(this.#path), this.#fullShard);
      const taker = new JournalTaker(tables, this.#source);
      this.#open = { tables, taker, identity: storeIdentity(this.#path), journal: this.#source.identity };
      tables.db.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
      return this.#isOfThisJournal(tables);
    } catch (cause) {
      if (cause instanceof Problem || storeError(cause).failure !== "corrupt") throw cause;
      return false;
    }
  }

  /**
   * True where the index is what this journal's events make: everything up to its position was taken, so the newest of those
   * events belongs to a run that it knows. Another file must also have the very event that was taken last. A number that
   * the system gives to files is no proof of itself: it is given again.
   */
  #isOfThisJournal(tables: IndexTables): boolean {
    const position = this.#positionOf(tables);
    if (position > this.#source.lastPosition()) return false;
    const newest = this.#source.newestUpTo(position);
    if (newest !== null && tables.numberOf(newest.run_id) === null) return false;
    const identity = this.#source.identity ?? "";
    const known = tables.meta(JOURNAL);
    if (known === identity) return true;
    if (known !== null && position > 0 && (newest === null || markOf(newest) !== tables.meta(LAST_EVENT))) return false;
    runInTransaction(tables, () => tables.setMeta(JOURNAL, identity));
    return true;
  }

  #discard(): void {
    this.#closeIndex();
    discardIndex(this.#path);
    this.#state = { isCurrent: false, done: 0 };
  }

  #closeIndex(): void {
    try {
      this.#open?.tables.close();
    } catch {
      // A damaged one may not close well; its file is left to whoever opens it next.
    }
    this.#open = null;
    this.#seen = null;
  }

  /** After a failure nothing that is kept in memory is believed. */
  #forget(): void {
    this.#open?.tables.forgetCache();
    this.#open?.taker.forget();
    this.#seen = null;
  }
}

interface Opened {
  tables: IndexTables;
  taker: JournalTaker;
  /** Which file the index is, and of which journal. */
  identity: string | null;
  journal: string | null;
}

function markOf({ position, run_id, at }: JournalRow): string {
  return `${position} ${run_id} ${at}`;
}

function isDatabaseFault(cause: unknown): boolean {
  return (cause as { name?: string }).name === "SQLiteError";
}
