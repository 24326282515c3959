import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { RunEvent } from "../core/event.ts";
import { abandon, foldRun } from "../core/fold.ts";
import type { NoteEntry, Owner, Run, Step } from "../core/run.ts";
import type { EventPage } from "../core/service-wire.ts";
import { isProcessAlive } from "../kit/process-identity.ts";
import { type Rows, readEventPage, readNote, readStep } from "./event-page.ts";
import { closeAfterReading, openForReading, storeVersion } from "./open-store.ts";
import { type EventRow, eventOfRow } from "./row-event.ts";
import { type RunFilter, sqlCondition } from "./run-filter.ts";
import { type ListedRun, listedRun, ownerOf, type RunRow } from "./run-row.ts";
import { storeIdentity } from "./sqlite-store.ts";
import { asStoreProblem } from "./store-problem.ts";

/** How long a process is believed to be there still. One that was gone stays so. */
const ALIVE_FOR_MS = 1000;

/** Stores of earlier versions hold no such runs. */
const RECEIVED_SINCE_VERSION = 3;

/**
 * The reading side of the store: one connection beside the processes that write. A store that does not exist reads as
 * an empty one and is never made by reading. Everything it throws for a person is a Problem.
 */
export class StoreReader {
  readonly path: string;
  readonly #db: Database | null;
  readonly #isAlive: (pid: number, startedAt: string) => boolean;
  readonly #identity: string | null;
  /** Owners by when they were last known to be there (ms); -Infinity: gone. */
  readonly #seenAlive = new Map<string, number>();
  readonly #rows: Rows = (sql, ...values) => this.rows(sql, ...values);

  private constructor(path: string, db: Database | null, isAlive: (pid: number, startedAt: string) => boolean) {
    this.path = path;
    this.#identity = storeIdentity(path);
    this.#db = db;
    this.#isAlive = isAlive;
  }

  static open(path: string, isAlive = isProcessAlive): StoreReader {
    return new StoreReader(path, openForReading(path), isAlive);
  }

  close(): void {
    if (this.#db !== null) closeAfterReading(this.#db);
  }

  /** The version of the store's tables; null where there is no store. */
  version(): number | null {
    return this.#db === null ? null : this.#guard(storeVersion, this.#db);
  }

  /**
   * False once this reader sees another store than the one at its path: it was removed or replaced, or the first one was made.
   * Whoever reads on opens a new reader then.
   */
  isInPlace(): boolean {
    if (this.#db !== null) return storeIdentity(this.path) === this.#identity;
    if (storeIdentity(this.path) === null) return true;
    const db = openForReading(this.path);
    db?.close();
    return db === null;
  }

  /** A number that changes when another connection has written; costs next to nothing. */
  dataVersion(): number {
    const [row] = this.rows<{ data_version: number }>("PRAGMA data_version");
    return row?.data_version ?? 0;
  }

  /** The position of the newest event that there ever was; 0 where there is none. */
  lastPosition(): number {
    const [row] = this.rows<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'events'");
    return row?.seq ?? 0;
  }

  /** Which runs the next `limit` events behind a position tell of, and the position of the last one that was looked at. */
  changedRuns(after: number, limit: number): { runIds: string[]; position: number } {
    const sql = "SELECT position, run_id FROM events WHERE position > ? ORDER BY position LIMIT ?";
    const runIds = new Set<string>();
    let position = after;
    for (const row of this.rows<{ position: number; run_id: string }>(sql, after, limit)) {
      runIds.add(row.run_id);
      position = row.position;
    }
    return { runIds: [...runIds], position };
  }

  /** Runs, newest first, each read as the caller takes it. */
  *runs(filter: RunFilter = {}): Generator<ListedRun> {
    const { where, values } = sqlCondition(filter);
    for (const row of this.rows<RunRow>(`SELECT * FROM runs ${where} ORDER BY started_at DESC, id DESC`, ...values)) {
      const run = this.#listed(row);
      if (filter.status === undefined || filter.status === run.status) yield run;
    }
  }

  /** Runs that a living process writes just now, newest first. */
  *recordings(): Generator<{ run: ListedRun; owner: Owner }> {
    const sql = "SELECT * FROM runs WHERE status = 'running' ORDER BY started_at DESC, id DESC";
    for (const row of this.rows<RunRow>(sql)) {
      const run = this.#listed(row);
      if (run.status === "running") yield { run, owner: ownerOf(row) };
    }
  }

  /** True for a run that another recorder sends. It may be deleted at any time: its sender begins it anew, if it still lives. */
  isReceived(id: string): boolean {
    if ((this.version() ?? 0) < RECEIVED_SINCE_VERSION) return false;
    const [row] = this.rows("SELECT 1 FROM received WHERE run_id = ? AND id = ''", id);
    return row !== undefined;
  }

  /** The run with this whole id, folded from its events; null where there is none. */
  run(id: string): Run | null {
    const run = foldRun(this.events(id));
    if (run?.status !== "running") return run;
    const [row] = this.rows<RunRow>("SELECT * FROM runs WHERE id = ?", id);
    return row === undefined || this.#lives(ownerOf(row)) ? run : abandon(run);
  }

  /** The events of a run, in journal order, each read as the caller takes it. */
  *events(runId: string): Generator<RunEvent> {
    const sql = "SELECT run_id, seq, type, at, body, payload FROM events WHERE run_id = ? ORDER BY position";
    for (const row of this.rows<EventRow>(sql, runId)) yield eventOfRow(row);
  }

  /** Events of a run behind a position, at most `limit`; null where there is no such run. */
  eventPage(runId: string, after: number, limit: number, payloads: "brief" | "whole"): EventPage | null {
    const run = this.listed(runId);
    if (run === null) return null;
    const page = readEventPage(this.#rows, runId, after, limit, payloads);
    return { ...page, isAbandoned: run.status === "abandoned" };
  }

  /** One call of a run, whole; null where there is none. */
  step(runId: string, stepId: string): Step | null {
    const run = this.listed(runId);
    return run === null ? null : readStep(this.#rows, runId, stepId, run.status === "abandoned");
  }

  /** One note of a run, whole; null where there is none. */
  note(runId: string, seq: number): NoteEntry | null {
    return readNote(this.#rows, runId, seq);
  }

  /** The run with this whole id as it is listed; null where there is none. */
  listed(id: string): ListedRun | null {
    const [row] = this.rows<RunRow>("SELECT * FROM runs WHERE id = ?", id);
    return row === undefined ? null : this.#listed(row);
  }

  /** True while the process that writes a run is there. */
  lives(owner: Owner): boolean {
    return this.#lives(owner);
  }

  /** Calls of a run that read `lost`: seen, and how they ended was not. */
  lostSteps({ id, status }: Pick<ListedRun, "id" | "status">): number {
    const sql = "SELECT count(*) AS lost FROM steps WHERE run_id = ? AND status IN ('lost', ?)";
    const [row] = this.rows<{ lost: number }>(sql, id, status === "abandoned" ? "running" : "lost");
    return row?.lost ?? 0;
  }

  /** Every server that a run wrapped, by name, and in how many runs. */
  servers(): { name: string; runs: number }[] {
    const sql = `SELECT value AS name, count(DISTINCT runs.id) AS runs FROM runs, json_each(wrapped_servers)
      GROUP BY value ORDER BY value`;
    return [...this.rows<{ name: string; runs: number }>(sql)];
  }

  /** How much there is. */
  counts(): { runs: number; steps: number } {
    const sql = "SELECT (SELECT count(*) FROM runs) AS runs, (SELECT count(*) FROM steps) AS steps";
    const [row] = this.rows<{ runs: number; steps: number }>(sql);
    return row ?? { runs: 0, steps: 0 };
  }

  /** What SQLite finds wrong with the file, at most a few lines; none when it is sound. Reads all of it. */
  flaws(): string[] {
    const found = Array.from(this.rows<{ quick_check: string }>("PRAGMA quick_check(3)"), (row) => row.quick_check);
    return found.filter((line) => line !== "ok");
  }

  /** The rows that answer a question, each read as the caller takes it; none where there is no store. */
  *rows<Row>(sql: string, ...values: SQLQueryBindings[]): Generator<Row, void, void> {
    const db = this.#db;
    if (db === null) return;
    // Not a cached statement: those have one cursor for all who ask the same.
    const statement = this.#guard(() => db.prepare<Row, SQLQueryBindings[]>(sql));
    try {
      const rows = this.#guard(() => statement.iterate(...values)[Symbol.iterator]());
      for (;;) {
        const next = this.#guard(() => rows.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      statement.finalize();
    }
  }

  #listed(row: RunRow): ListedRun {
    const run = listedRun(row);
    return run.status === "running" && !this.#lives(ownerOf(row)) ? { ...run, status: "abandoned" } : run;
  }

  /** Asked rarely for each owner: on some systems the answer costs a process. */
  #lives({ pid, startedAt }: Owner): boolean {
    const key = `${pid} ${startedAt}`;
    const now = performance.now();
    const seen = this.#seenAlive.get(key);
    if (seen !== undefined && (seen === Number.NEGATIVE_INFINITY || now - seen < ALIVE_FOR_MS)) return seen >= 0;
    const alive = this.#isAlive(pid, startedAt);
    this.#seenAlive.set(key, alive ? now : Number.NEGATIVE_INFINITY);
    return alive;
  }

  #guard<T, A extends unknown[]>(work: (...args: A) => T, ...args: A): T {
    return asStoreProblem(this.path, () => work(...args));
  }
}
