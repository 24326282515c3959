import type { Database, Statement } from "bun:sqlite";
import type { StepClosed } from "../core/event.ts";
import type { RunStatus } from "../core/run.ts";
import type { ReceivedKind } from "./entry.ts";
import { type EventRow, eventOfRow } from "./row-event.ts";

/**
 * What the store knows of runs that other recorders send, asked within the transaction that adds to them. Reads only, and
 * sees nothing of the entries that the transaction is still to write.
 */

export interface KnownRun {
  /** The next number that was not given by its sender; null for a run that this machine's own recorder made. */
  nextSeq: number | null;
  status: RunStatus;
  ownerPid: number;
  ownerStartedAt: string;
}

/** What a write was taken as. */
export interface KnownWrite {
  kind: ReceivedKind;
  /** Of a row that is part of a step: which, and its number. */
  stepId: string | null;
  seq: number | null;
}

/** A step whose end is not known. */
export interface OpenStep {
  stepId: string;
  seq: number;
  qualifiedName: string;
  startedAt: number;
}

/** The end of a step that was told last, and its result's text. */
export interface KnownClosing {
  event: StepClosed;
  payload: string | null;
}

export class Received {
  readonly #statements: Statements;

  constructor(db: Database) {
    this.#statements = prepare(db);
  }

  run(id: string): KnownRun | null {
    return this.#statements.run.get(id) as KnownRun | null;
  }

  /** Null where nothing of this id was taken. */
  write(runId: string, id: string): KnownWrite | null {
    return this.#statements.write.get(runId, id) as KnownWrite | null;
  }

  /** The run that a step belongs to; null where there is no such step. */
  runOfStep(stepId: string): string | null {
    return (this.#statements.runOfStep.get(stepId) as { runId: string } | null)?.runId ?? null;
  }

  /** The next number as far as its steps tell. */
  afterSteps(runId: string): number {
    return (this.#statements.afterSteps.get(runId) as { next: number }).next;
  }

  /** The last `limit` of the run's steps that have no answer, in order. */
  openSteps(runId: string, limit: number): OpenStep[] {
    return (this.#statements.openSteps.all(runId, limit) as OpenStep[]).toReversed();
  }

  closing(runId: string, stepId: string, seq: number): KnownClosing | null {
    for (const row of this.#statements.closings.all(runId, seq) as EventRow[]) {
      const event = eventOfRow(row);
      if (event.type === "step.closed" && event.stepId === stepId) return { event, payload: row.payload };
    }
    return null;
  }
}

type Statements = Record<"run" | "write" | "runOfStep" | "afterSteps" | "openSteps" | "closings", Statement>;

function prepare(db: Database): Statements {
  return {
    run: db.query(
      `SELECT status, owner_pid AS ownerPid, owner_started_at AS ownerStartedAt,
         (SELECT seq FROM received WHERE run_id = runs.id AND id = '') AS nextSeq FROM runs WHERE id = ?`,
    ),
    write: db.query("SELECT kind, step_id AS stepId, seq FROM received WHERE run_id = ? AND id = ?"),
    runOfStep: db.query("SELECT run_id AS runId FROM steps WHERE id = ?"),
    afterSteps: db.query("SELECT coalesce(max(seq) + 1, 0) AS next FROM steps WHERE run_id = ?"),
    openSteps: db.query(
      `SELECT id AS stepId, seq, qualified_name AS qualifiedName, started_at AS startedAt FROM steps
       WHERE run_id = ? AND status IN ('running', 'lost') ORDER BY seq DESC LIMIT ?`,
    ),
    closings: db.query(
      `SELECT run_id, seq, type, at, body, payload FROM events
       WHERE run_id = ? AND seq = ? AND type = 'step.closed' ORDER BY position DESC LIMIT 4`,
    ),
  };
}
