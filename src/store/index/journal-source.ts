import type { Database } from "bun:sqlite";
import type { RunEventType } from "../../core/event.ts";
import { openForReading } from "../open-store.ts";
import { storeIdentity } from "../sqlite-store.ts";
import { asStoreProblem } from "../store-problem.ts";

/**
 * The journal as the index reads it: events by position. Never changes it; a store that is not there is no fault. Whatever is
 * wrong with the store is thrown as a Problem, so that it is never taken for a fault of the index.
 */

export interface JournalRow {
  position: number;
  run_id: string;
  seq: number;
  type: RunEventType;
  at: number;
  body: string;
  payload: string | null;
}

const COLUMNS = "position, run_id, seq, type, at, body, payload";
/** Rows of a slice hold about so much text at most. UTF-16 units. */
const SLICE_LENGTH = 8_000_000;

export class JournalSource {
  readonly path: string;
  #db: Database | null = null;
  #identity: string | null = null;

  constructor(path: string) {
    this.path = path;
  }

  /** Opens the store that is at the path now; false where there is none. Throws Problem. */
  open(): boolean {
    const identity = storeIdentity(this.path);
    if (this.#db !== null && identity === this.#identity) return true;
    this.close();
    this.#db = openForReading(this.path);
    this.#identity = this.#db === null ? null : identity;
    return this.#db !== null;
  }

  /** Which file is read; null for none. */
  get identity(): string | null {
    return this.#identity;
  }

  close(): void {
    this.#db?.close();
    this.#db = null;
    this.#identity = null;
  }

  /** Changes when anybody has written. */
  dataVersion(): number {
    return this.#number("PRAGMA data_version");
  }

  /** The position of the newest event that there ever was. */
  lastPosition(): number {
    return this.#number("SELECT seq FROM sqlite_sequence WHERE name = 'events'");
  }

  runs(): number {
    return this.#number("SELECT count(*) FROM runs");
  }

  /** Of these runs those that are not there any more. */
  missing(ids: readonly string[]): string[] {
    const sql = `SELECT 1 FROM (SELECT 1 FROM runs WHERE id = ?1 UNION ALL SELECT 1 FROM events WHERE run_id = ?1) LIMIT 1`;
    return this.#guarded(() => ids.filter((id) => (this.#db?.query<object, [string]>(sql).get(id) ?? null) === null));
  }

  /** The next events behind a position, at most `limit`. */
  slice(after: number, limit: number): JournalRow[] {
    return this.#guarded(() => this.#slice(after, limit));
  }

  event(position: number | null): JournalRow | null {
    if (position === null) return null;
    const sql = `SELECT ${COLUMNS} FROM events WHERE position = ?`;
    return this.#guarded(() => this.#db?.query<JournalRow, [number]>(sql).get(position) ?? null);
  }

  /** The newest event at a position or before; null where there is none. */
  newestUpTo(position: number): JournalRow | null {
    const sql = `SELECT ${COLUMNS} FROM events WHERE position <= ? ORDER BY position DESC LIMIT 1`;
    return this.#guarded(() => this.#db?.query<JournalRow, [number]>(sql).get(position) ?? null);
  }

  #slice(after: number, limit: number): JournalRow[] {
    const rows: JournalRow[] = [];
    if (this.#db === null) return rows;
    const statement = this.#db.prepare<JournalRow, [number, number]>(
      `SELECT ${COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT ?`,
    );
    try {
      let length = 0;
      for (const row of statement.iterate(after, limit)) {
        rows.push(row);
        length += row.body.length + (row.payload?.length ?? 0);
        if (length > SLICE_LENGTH) break;
      }
    } finally {
      statement.finalize();
    }
    return rows;
  }

  #number(sql: string): number {
    const [value] = this.#guarded(() => this.#db?.query<unknown, []>(sql).values()[0] ?? []);
    return typeof value === "number" ? value : 0;
  }

  #guarded<T>(work: () => T): T {
    return asStoreProblem(this.path, work);
  }
}
