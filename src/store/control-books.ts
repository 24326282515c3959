import type { Database } from "bun:sqlite";
import type { RunEvent } from "../core/event.ts";
import { openForReading, storeVersion } from "./open-store.ts";
import { type EventRow, eventOfRow } from "./row-event.ts";
import { storeIdentity } from "./sqlite-store.ts";

/** The first version of the store that has the tables of the control server. */
const FIRST_WITH_BOOKS = 2;

/**
 * What the control server reads back of its own books: what was taken already, where sessions stood, which calls still wait
 * for their run. Sees only what was committed. A store that is not there, or was replaced, reads as an empty or a new one;
 * throws Problem where it cannot be read.
 */
export class ControlBooks {
  readonly #path: string;
  #db: Database | null = null;
  #identity: string | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  hasReport(id: string): boolean {
    return this.#rows<{ found: number }>("SELECT 1 AS found FROM reports WHERE id = ?", id).length > 0;
  }

  /** The state of a session as it was kept last; null where there is none. */
  session(key: string): string | null {
    return this.#rows<{ state: string }>("SELECT state FROM sessions WHERE key = ?", key)[0]?.state ?? null;
  }

  /** The states of the sessions that were not over. */
  openSessions(): string[] {
    return this.#rows<{ state: string }>("SELECT state FROM sessions WHERE is_open = 1 ORDER BY at").map(
      ({ state }) => state,
    );
  }

  held(): { id: string; at: number; body: string }[] {
    return this.#rows("SELECT id, at, body FROM held ORDER BY at");
  }

  /** The events of a run, in journal order; of payloads only the arguments of calls for which the host has told no id. */
  eventsOf(runId: string): RunEvent[] {
    const isNeeded = "type IN ('step.opened', 'step.updated') AND json_extract(body, '$.callId') IS NULL";
    const payload = `CASE WHEN ${isNeeded} THEN payload END AS payload`;
    const sql = `SELECT run_id, seq, type, at, body, ${payload} FROM events WHERE run_id = ? ORDER BY position`;
    return this.#rows<EventRow>(sql, runId).map(eventOfRow);
  }

  close(): void {
    this.#db?.close();
    this.#db = null;
  }

  #rows<Row>(sql: string, ...values: string[]): Row[] {
    return (
      this.#open()
        ?.query<Row, string[]>(sql)
        .all(...values) ?? []
    );
  }

  #open(): Database | null {
    const identity = storeIdentity(this.#path);
    if (this.#db !== null && identity === this.#identity) return this.#db;
    this.close();
    this.#identity = identity;
    const db = openForReading(this.#path);
    // One that no server has written yet has no books.
    if (db !== null && storeVersion(db) < FIRST_WITH_BOOKS) db.close();
    else this.#db = db;
    return this.#db;
  }
}
