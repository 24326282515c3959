import { Database, type SQLQueryBindings } from "bun:sqlite";
import type { RunStatus } from "../core/run.ts";
import { storeVersion } from "./open-store.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { SINK_RUN_COLUMNS, type SinkRun, type SinkRunRow, sinkRun } from "./sink-run.ts";
import { SqliteStore, storeIdentity } from "./sqlite-store.ts";
import { StoreError, storeError } from "./store-error.ts";

/**
 * How far a service has got of each run: kept in the store itself, so that a run and its cursor are gone together. Only what is
 * committed here counts as sent; whatever was sent and not written down is sent again. Waits for other writers for moments only,
 * since whoever sends also serves others. Throws `StoreError`.
 */

/** What is kept of a service. */
export interface SinkFacts {
  /** Goes into ids of writes: a store that was begun anew must not use the same ones. */
  salt: string;
  /** Writes that were refused for good. */
  refused: number;
  /** As the sink last left it; its own. */
  state: string;
}

const BUSY_TIMEOUT_MS = 50;
/** Events looked at in one transaction. */
const LOOK_AT = 2000;
const KEPT_REFUSALS = 1000;
/** Events that are writes of their own; the others ride on the next one. */
const WRITES = "'run.opened', 'step.opened', 'step.updated', 'step.closed', 'run.closed'";

export class SinkCursor {
  readonly #db: Database;
  readonly #sink: string;
  readonly #path: string;
  readonly #identity: string | null;

  private constructor(db: Database, path: string, sink: string) {
    this.#db = db;
    this.#path = path;
    this.#identity = storeIdentity(path);
    this.#sink = sink;
  }

  /**
   * The cursor of a service, made where there is none; runs that began before `since` (epoch ms) are left out. Null where there
   * is no store yet.
   */
  static open(path: string, sink: string, since: number): SinkCursor | null {
    if (storeIdentity(path) === null) return null;
    return guarded(() => {
      const db = new Database(path, { readwrite: true, create: false });
      try {
        db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
        const version = storeVersion(db);
        if (version > SCHEMA_VERSION) throw new StoreError("newer", `version ${version}`);
        if (version < SCHEMA_VERSION) SqliteStore.open(path).close();
        db.run("PRAGMA synchronous = NORMAL");
        db.run("PRAGMA wal_autocheckpoint = 0");
        db.run("PRAGMA secure_delete = FAST");
        const cursor = new SinkCursor(db, path, sink);
        cursor.#begin(since);
        return cursor;
      } catch (cause) {
        db.close();
        throw cause;
      }
    });
  }

  /** The connection, for reading what is to be sent. */
  get db(): Database {
    return this.#db;
  }

  /** False once the store was removed or replaced. */
  isInPlace(): boolean {
    return storeIdentity(this.#path) === this.#identity;
  }

  close(): void {
    this.#db.close();
  }

  facts(): SinkFacts {
    const row = this.#rows<SinkFacts>("SELECT salt, refused, state FROM sinks WHERE name = ?", this.#sink)[0];
    return row ?? { salt: "", refused: 0, state: "{}" };
  }

  /** Looks at events that are new, for a moment. True where there are more. */
  discover(): boolean {
    return this.#write(() => {
      const from = this.#rows<{ position: number }>("SELECT position FROM sinks WHERE name = ?", this.#sink)[0];
      const sql = `SELECT run_id, max(position) AS tail, max(CASE WHEN type IN (${WRITES}) THEN position ELSE 0 END) AS latest,
          max(type = 'run.opened') AS isOpened
        FROM (SELECT position, run_id, type FROM events WHERE position > ? ORDER BY position LIMIT ${LOOK_AT})
        GROUP BY run_id`;
      const found = this.#rows<{ run_id: string; tail: number; latest: number; isOpened: number }>(
        sql,
        from?.position ?? 0,
      );
      let end = 0;
      for (const { run_id, tail, latest, isOpened } of found) {
        end = Math.max(end, tail);
        if (isOpened) this.#adopt(run_id);
        this.#run(
          "UPDATE sink_runs SET tail = max(tail, ?), latest = max(latest, ?) WHERE sink = ? AND run_id = ?",
          tail,
          latest,
          this.#sink,
          run_id,
        );
      }
      if (end === 0) return false;
      this.#run("UPDATE sinks SET position = ? WHERE name = ?", end, this.#sink);
      return this.#rows("SELECT 1 FROM events WHERE position > ? LIMIT 1", end).length > 0;
    });
  }

  /** Runs of which something waits, at most so many, the one that has waited longest first. */
  waiting(limit: number): SinkRun[] {
    const sql = `SELECT ${SINK_RUN_COLUMNS} FROM sink_runs
      WHERE sink = ? AND (latest > position OR ending IS NOT NULL) ORDER BY latest LIMIT ?`;
    return this.#rows<SinkRunRow>(sql, this.#sink, limit).map(sinkRun);
  }

  /** Where a run stands; null where it is not to be sent (any more). */
  run(runId: string): SinkRun | null {
    const sql = `SELECT ${SINK_RUN_COLUMNS} FROM sink_runs WHERE sink = ? AND run_id = ?`;
    const row = this.#rows<SinkRunRow>(sql, this.#sink, runId)[0];
    return row === undefined ? null : sinkRun(row);
  }

  /** Runs whose events were all taken and that are not known to be over there: one of them may have lost its owner. */
  unended(): { runId: string; tail: number; pid: number; startedAt: string }[] {
    return this.#rows(
      `SELECT s.run_id AS runId, s.tail AS tail, r.owner_pid AS pid, r.owner_started_at AS startedAt
       FROM runs r JOIN sink_runs s ON s.sink = ? AND s.run_id = r.id
       WHERE r.status = 'running' AND s.latest <= s.position AND s.ending IS NULL AND s.ended IS NULL`,
      this.#sink,
    );
  }

  /** Runs that are over, and of which something became known since the service was told so. */
  toldAfterEnd(): { runId: string; tail: number; status: RunStatus }[] {
    return this.#rows(
      `SELECT s.run_id AS runId, s.tail AS tail, s.ended AS status
       FROM sink_runs s JOIN runs r ON r.id = s.run_id
       WHERE s.sink = ? AND s.tail > s.position AND s.latest <= s.position AND s.ending IS NULL AND s.ended IS NOT NULL
         AND r.status <> 'running'`,
      this.#sink,
    );
  }

  /** An end that no event tells is to be sent. */
  setEnding(runId: string, position: number, status: RunStatus): void {
    this.#change("ending = ?, ending_status = ?", runId, position, status);
  }

  /** Events up to `position` were taken. `ended`: the last of them told that the run is over. */
  advance(runId: string, position: number, ended: RunStatus | null): void {
    this.#change(
      "position = max(position, ?), ended = ?, ending = CASE WHEN ending <= ?1 THEN NULL ELSE ending END",
      runId,
      position,
      ended,
    );
  }

  /** The service does not know the run (any more): all of it is to be sent. */
  beginAnew(runId: string): void {
    this.#change("position = -1, ended = NULL", runId);
  }

  /** A write was refused for good; `status` null: it was given up. Counted once, however often it is met. */
  refuse(runId: string, rowId: string, status: number | null, at: number): void {
    this.#write(() => {
      const sql =
        "INSERT INTO sink_refusals (sink, run_id, row_id, status, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
      if (this.#run(sql, this.#sink, runId, rowId, status, at) === 0) return;
      this.#run("UPDATE sinks SET refused = refused + 1 WHERE name = ?", this.#sink);
      this.#run(
        `DELETE FROM sink_refusals WHERE sink = ?1 AND at < (
           SELECT at FROM sink_refusals WHERE sink = ?1 ORDER BY at DESC LIMIT 1 OFFSET ${KEPT_REFUSALS})`,
        this.#sink,
      );
    });
  }

  /** Whether a write of a run was refused before. */
  isRefused(runId: string, rowId: string): boolean {
    const sql = "SELECT 1 FROM sink_refusals WHERE sink = ? AND run_id = ? AND row_id = ?";
    return this.#rows(sql, this.#sink, runId, rowId).length > 0;
  }

  keepState(state: string): void {
    this.#write(() => this.#run("UPDATE sinks SET state = ? WHERE name = ?", state, this.#sink));
  }

  /** A first meeting, or one with an earlier `since`: then what was passed over is looked at again. */
  #begin(since: number): void {
    const known = this.#rows<{ since: number; salt: string }>(
      "SELECT since, salt FROM sinks WHERE name = ?",
      this.#sink,
    )[0];
    if (known?.since === since && known.salt !== "") return;
    this.#write(() => {
      const salt = known?.salt || crypto.randomUUID().slice(0, 8);
      const isEarlier = known === undefined || since < known.since;
      const first = isEarlier ? this.#firstPosition(since) : null;
      this.#run(
        `INSERT INTO sinks (name, position, since, salt) VALUES (?1, coalesce(?2, 0), ?3, ?4)
         ON CONFLICT (name) DO UPDATE SET position = min(position, coalesce(?2, position)), since = ?3, salt = ?4`,
        this.#sink,
        first,
        since,
        salt,
      );
    });
  }

  /** Behind everything, or just before the first event of a run that began then. */
  #firstPosition(since: number): number {
    const sql = `SELECT coalesce((SELECT min(e.position) - 1 FROM runs r JOIN events e ON e.run_id = r.id WHERE r.started_at >= ?),
      (SELECT max(position) FROM events), 0) AS position`;
    return this.#rows<{ position: number }>(sql, since)[0]?.position ?? 0;
  }

  /** A run is there: it is sent if it began late enough and was not itself received from another recorder. */
  #adopt(runId: string): void {
    this.#run(
      `INSERT INTO sink_runs (sink, run_id, position, latest, tail)
       SELECT s.name, r.id, -1, 0, 0 FROM runs r JOIN sinks s ON s.name = ?
       WHERE r.id = ? AND r.started_at >= s.since
         AND NOT EXISTS (SELECT 1 FROM received WHERE received.run_id = r.id)
       ON CONFLICT DO NOTHING`,
      this.#sink,
      runId,
    );
  }

  #change(what: string, runId: string, ...values: SQLQueryBindings[]): void {
    const count = values.length;
    const sql = `UPDATE sink_runs SET ${what} WHERE sink = ?${count + 1} AND run_id = ?${count + 2}`;
    this.#write(() => this.#run(sql, ...values, this.#sink, runId));
  }

  #write<T>(work: () => T): T {
    return guarded(() => this.#db.transaction(work).immediate());
  }

  #run(sql: string, ...values: SQLQueryBindings[]): number {
    return this.#db.query(sql).run(...values).changes;
  }

  #rows<Row>(sql: string, ...values: SQLQueryBindings[]): Row[] {
    return guarded(() => this.#db.query<Row, SQLQueryBindings[]>(sql).all(...values));
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw storeError(cause);
  }
}
