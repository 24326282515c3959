import type { Database } from "bun:sqlite";
import type { RunEventType } from "../core/event.ts";
import { type ListedRun, listedRun, type RunRow } from "./run-row.ts";
import { storeError } from "./store-error.ts";

/**
 * The journal as it is read for sending: one run at a time, in pages without payloads, and a payload only when it is on its way.
 * Reads only. Throws `StoreError`.
 */

/** An event without its payload; `body` is JSON text. */
export interface SinkEvent {
  position: number;
  seq: number;
  type: RunEventType;
  at: number;
  body: string;
  hasPayload: boolean;
}

/** What was told of a run so far, as far as it decides what is told next. */
export interface Told {
  steps: { seq: number; type: RunEventType }[];
  lastStepId: string | null;
  /** The final answer, as far as it was known. */
  answer: string | null;
}

const PAGE = 256;

export class SinkEvents {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The next events of a run after `position`, in journal order; none at the end. */
  page(runId: string, position: number): SinkEvent[] {
    const sql = `SELECT position, seq, type, at, body, payload IS NOT NULL AS hasPayload FROM events
      WHERE run_id = ? AND position > ? ORDER BY position LIMIT ${PAGE}`;
    return guarded(() => this.#db.query<SinkEvent, [string, number]>(sql).all(runId, position)).map((event) => ({
      ...event,
      hasPayload: Boolean(event.hasPayload),
    }));
  }

  /** The redacted JSON text of an event's payload; null where it has none. */
  payload(position: number): string | null {
    const sql = "SELECT payload FROM events WHERE position = ?";
    return guarded(() => this.#db.query<{ payload: string | null }, [number]>(sql).get(position))?.payload ?? null;
  }

  /** What the events of a run up to `position` have told. `lastStepId`: of the step that was opened or changed last. */
  before(runId: string, position: number): Told {
    const of = "FROM events WHERE run_id = ? AND position <= ?";
    const sql = `SELECT seq, type, position ${of} AND type GLOB 'step.*' ORDER BY position`;
    const steps = this.#all<{ seq: number; type: RunEventType }>(sql, runId, position);
    const lastly = (what: string, type: string) =>
      this.#all<{ value: string }>(
        `SELECT json_extract(body, '$.${what}') AS value ${of} AND type IN (${type}) AND value IS NOT NULL
         ORDER BY position DESC LIMIT 1`,
        runId,
        position,
      )[0]?.value ?? null;
    return {
      steps,
      lastStepId: steps.length === 0 ? null : lastly("stepId", "'step.opened', 'step.updated'"),
      answer: lastly("finalAnswer", "'run.updated'"),
    };
  }

  /** The last event of a run up to `position` that closes it, or else the last of all; null where there is none. */
  lastBefore(runId: string, position: number): { at: number; closedAt: number | null } | null {
    const sql = `SELECT max(position), at,
        (SELECT c.at FROM events c WHERE c.run_id = ?1 AND c.position <= ?2 AND c.type = 'run.closed' ORDER BY c.position DESC LIMIT 1) AS closedAt
      FROM events WHERE run_id = ?1 AND position <= ?2`;
    const row = guarded(() =>
      this.#db.query<{ at: number | null; closedAt: number | null }, [string, number]>(sql).get(runId, position),
    );
    return row?.at == null ? null : { at: row.at, closedAt: row.closedAt };
  }

  #all<Row>(sql: string, runId: string, position: number): Row[] {
    return guarded(() => this.#db.query<Row, [string, number]>(sql).all(runId, position));
  }

  /** The run as it is listed now; null where it was deleted. */
  run(runId: string): ListedRun | null {
    const row = guarded(() => this.#db.query<RunRow, [string]>("SELECT * FROM runs WHERE id = ?").get(runId));
    return row === null ? null : listedRun(row);
  }

  /** Changes whenever another connection has written something. */
  dataVersion(): number {
    return guarded(() => this.#db.query<{ data_version: number }, []>("PRAGMA data_version").get()?.data_version ?? 0);
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw storeError(cause);
  }
}
