import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { RunEvent } from "../core/event.ts";
import { abandon, foldRun } from "../core/fold.ts";
import type { Owner, Run } from "../core/run.ts";
import { isProcessAlive } from "../kit/process-identity.ts";
import { closeAfterReading, openForReading, storeVersion } from "./open-store.ts";
import { type EventRow, eventOfRow } from "./row-event.ts";
import { type RunFilter, sqlCondition } from "./run-filter.ts";
import { type ListedRun, listedRun, ownerOf, type RunRow } from "./run-row.ts";
import { asStoreProblem } from "./store-problem.ts";

/**
 * The reading side of the store: one connection beside the processes that write. A store that does not exist reads as
 * an empty one and is never made by reading. Everything it throws for a person is a Problem.
 */
export class StoreReader {
  readonly path: string;
  readonly #db: Database | null;
  readonly #isAlive: (pid: number, startedAt: string) => boolean;
  readonly #alive = new Map<string, boolean>();

  private constructor(path: string, db: Database | null, isAlive: (pid: number, startedAt: string) => boolean) {
    this.path = path;
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

  /** Asked once for each owner: on some systems the answer costs a process. */
  #lives({ pid, startedAt }: Owner): boolean {
    const key = `${pid} ${startedAt}`;
    let alive = this.#alive.get(key);
    if (alive === undefined) {
      alive = this.#isAlive(pid, startedAt);
      this.#alive.set(key, alive);
    }
    return alive;
  }

  #guard<T, A extends unknown[]>(work: (...args: A) => T, ...args: A): T {
    return asStoreProblem(this.path, () => work(...args));
  }
}
