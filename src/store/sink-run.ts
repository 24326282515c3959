import type { RunStatus } from "../core/run.ts";

/** Where a service stands with one run: a row of table `sink_runs`, and what it means. */

/** A run of which something is to be sent. Positions are those of events; `position` −1: not even the run itself is there. */
export interface SinkRun {
  runId: string;
  /** The last event that was taken. */
  position: number;
  /** The last event that is a write of its own. */
  latest: number;
  /** The last event of any kind. */
  tail: number;
  /** An end that no event tells is to be sent: it covers the events up to here. Written down before it is sent. */
  ending: { position: number; status: RunStatus } | null;
  /** The service was told that the run is over, and nothing since. */
  ended: RunStatus | null;
}

/** The columns of the row, in the table's own names. */
export interface SinkRunRow {
  run_id: string;
  position: number;
  latest: number;
  tail: number;
  ending: number | null;
  ending_status: RunStatus | null;
  ended: RunStatus | null;
}

/** What a reader of rows selects. */
export const SINK_RUN_COLUMNS = "run_id, position, latest, tail, ending, ending_status, ended";

/** What a row says. */
export function sinkRun({ run_id, position, latest, tail, ending, ending_status, ended }: SinkRunRow): SinkRun {
  const isEnding = ending !== null && ending_status !== null;
  return {
    runId: run_id,
    position,
    latest,
    tail,
    ending: isEnding ? { position: ending, status: ending_status } : null,
    ended,
  };
}
