import type { StoreReader } from "./reader.ts";
import { SCHEMA_VERSION } from "./schema.ts";

/** How far a service has got, for a reader: what waits for it and what it refused. Reads only; makes no cursor. Throws Problem. */

/** Something that was refused for good; `status` null: given up. */
export interface Refusal {
  runId: string;
  /** The row, or the write. */
  row: string;
  /** HTTP status. */
  status: number | null;
  /** Epoch ms. */
  at: number;
}

export interface Waiting {
  /** Runs of which something waits. */
  runs: number;
  /** Writes that wait, about. */
  events: number;
  /** Writes refused for good, ever. */
  refused: number;
  /** The last of them, newest first. */
  refusals: Refusal[];
  /** As the sink left it; `{}` where it never worked. */
  state: string;
}

const SHOWN_REFUSALS = 20;
const IS_WRITE = "e.type IN ('run.opened', 'step.opened', 'step.updated', 'step.closed', 'run.closed')";

/** `sink`: the name of the service's cursor. `since`: what began before (epoch ms) is not sent. */
export function lookAtWaiting(reader: StoreReader, sink: string, since: number): Waiting {
  const nothing: Waiting = { runs: 0, events: 0, refused: 0, refusals: [], state: "{}" };
  const version = reader.version();
  // Of an older bir: whoever sends first brings it up to date.
  if (version === null || version < SCHEMA_VERSION) return nothing;
  const [facts] = reader.rows<{ position: number; refused: number; state: string }>(
    "SELECT position, refused, state FROM sinks WHERE name = ?",
    sink,
  );
  const [known] = reader.rows<{ runs: number; events: number }>(
    `SELECT count(DISTINCT s.run_id) AS runs, count(e.position) AS events FROM sink_runs s
     LEFT JOIN events e ON e.run_id = s.run_id AND e.position > s.position AND ${IS_WRITE}
     WHERE s.sink = ? AND (s.latest > s.position OR s.ending IS NOT NULL)`,
    sink,
  );
  const [unseen] = reader.rows<{ runs: number; events: number }>(
    `SELECT count(DISTINCT e.run_id) AS runs, count(*) AS events FROM events e JOIN runs r ON r.id = e.run_id
     WHERE e.position > ?1 AND ${IS_WRITE} AND r.started_at >= ?2
       AND NOT EXISTS (SELECT 1 FROM received WHERE received.run_id = r.id)
       AND NOT EXISTS (SELECT 1 FROM sink_runs s WHERE s.sink = ?3 AND s.run_id = e.run_id AND s.latest > s.position)`,
    facts?.position ?? 0,
    since,
    sink,
  );
  const refusals = reader.rows<Refusal>(
    `SELECT run_id AS runId, row_id AS row, status, at FROM sink_refusals WHERE sink = ? ORDER BY at DESC LIMIT ${SHOWN_REFUSALS}`,
    sink,
  );
  return {
    runs: (known?.runs ?? 0) + (unseen?.runs ?? 0),
    events: (known?.events ?? 0) + (unseen?.events ?? 0),
    refused: facts?.refused ?? 0,
    refusals: [...refusals],
    state: facts?.state ?? "{}",
  };
}
