import { briefOf, briefText } from "../core/brief.ts";
import type { RunEvent } from "../core/event.ts";
import { parsePayload, stringifyExact } from "../core/exact-json.ts";
import { abandon, RunFold } from "../core/fold.ts";
import type { NoteEntry, Step } from "../core/run.ts";
import type { EventPage } from "../core/service-wire.ts";
import { type EventRow, eventOfRow, parseBody } from "./row-event.ts";

/**
 * Parts of one run for whoever shows it: its events page by page, one call, one note. Asks through the reader's `rows` and
 * holds nothing. Brief events are cut from the raw JSON text: what is long is never parsed.
 */

/** How the reader is asked. */
export type Rows = <Row>(sql: string, ...values: (string | number)[]) => Iterable<Row>;

/** Longest text of a note, an error or a context in brief. UTF-16 units. */
const BRIEF_TEXT_LENGTH = 4000;
/** Payloads in brief of one page together, about: a page with many is shorter. UTF-16 units. */
const PAGE_LENGTH = 4_000_000;

const COLUMNS = "position, run_id, seq, type, at, body, payload";

type PositionedRow = EventRow & { position: number };

/** Events of a run behind a position, at most `limit`, all but `isAbandoned`. */
export function readEventPage(
  rows: Rows,
  runId: string,
  after: number,
  limit: number,
  payloads: "brief" | "whole",
): Omit<EventPage, "isAbandoned"> {
  const sql = `SELECT ${COLUMNS} FROM events WHERE run_id = ? AND position > ? ORDER BY position`;
  const events: RunEvent[] = [];
  let position = after;
  let length = 0;
  for (const row of rows<PositionedRow>(sql, runId, after)) {
    if (events.length >= limit || length > PAGE_LENGTH) return { events, position, more: true };
    const event = payloads === "whole" ? eventOfRow(row) : briefEventOfRow(row);
    length += payloads === "whole" ? row.body.length + (row.payload?.length ?? 0) : 0;
    events.push(event);
    position = row.position;
  }
  return { events, position, more: false };
}

/** One call whole, folded from its own events; null where the run has no such call. */
export function readStep(rows: Rows, runId: string, stepId: string, isAbandoned: boolean): Step | null {
  const [place] = rows<{ seq: number; earlier: number }>(
    `SELECT this.seq, (SELECT count(*) FROM steps AS other WHERE other.run_id = this.run_id
        AND (other.started_at, other.seq) < (this.started_at, this.seq)) AS earlier
      FROM steps AS this WHERE id = ? AND run_id = ?`,
    stepId,
    runId,
  );
  if (place === undefined) return null;
  const fold = new RunFold();
  const sql = `SELECT ${COLUMNS} FROM events WHERE run_id = ?1
    AND (type = 'run.opened' OR (seq = ?2 AND type IN ('step.opened', 'step.updated', 'step.closed')))
    ORDER BY position`;
  for (const row of rows<EventRow>(sql, runId, place.seq)) fold.add(eventOfRow(row));
  const run = fold.run();
  if (run === null) return null;
  const step = (isAbandoned ? abandon(run) : run).steps.find(({ id }) => id === stepId);
  return step === undefined ? null : { ...step, index: place.earlier };
}

/** One note whole; null where the run has none of this number. */
export function readNote(rows: Rows, runId: string, seq: number): NoteEntry | null {
  const sql = `SELECT ${COLUMNS} FROM events WHERE run_id = ? AND seq = ? AND type = 'note' ORDER BY position LIMIT 1`;
  for (const row of rows<EventRow>(sql, runId, seq)) {
    const event = eventOfRow(row);
    if (event.type !== "note") continue;
    const { kind, text, at, agentId } = event;
    return { kind, text, at, seq, agentId };
  }
  return null;
}

/** The event of a row with what is long in it cut. Numbers of the host's own fields may be rounded. */
function briefEventOfRow(row: EventRow): RunEvent {
  const event = { ...JSON.parse(row.body), runId: row.run_id, seq: row.seq, type: row.type, at: row.at };
  switch (row.type) {
    case "step.opened":
      return { ...event, context: cut(event.context), args: briefPayload(row.payload) };
    case "step.updated": {
      if (event.context !== undefined) event.context = cut(event.context);
      return row.payload === null ? event : { ...event, args: briefPayload(row.payload) };
    }
    case "step.closed": {
      const rpcError = event.rpcError == null ? null : briefError(row.body);
      return { ...event, error: cut(event.error), rpcError, result: briefPayload(row.payload) };
    }
    case "note":
      return { ...event, text: cut(event.text) };
    default:
      return event;
  }
}

/** The JSON-RPC error in the body of a `step.closed`. */
function briefError(body: string): unknown {
  const { rpcError } = parseBody(body);
  return briefOf(stringifyExact(rpcError)) ?? rpcError;
}

function cut(text: unknown): unknown {
  return typeof text === "string" ? briefText(text, BRIEF_TEXT_LENGTH) : text;
}

function briefPayload(json: string | null): unknown {
  if (json === null) return null;
  const brief = briefOf(json);
  if (brief !== null) return brief;
  return NEEDS_CARE.test(json) ? parsePayload(json) : quickly(json);
}

/** What may hold a number that a double would write otherwise. */
const NEEDS_CARE = /\d{16}|\d\.\d|\d[eE]|-0/;

function quickly(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
