import type { RunEvent, RunEventType } from "../core/event.ts";
import { parseExact, parsePayload } from "../core/exact-json.ts";

/**
 * A row of table `events` as the event it holds. The only place that knows how the two correspond on the reading side;
 * trusts that the row was written by this program, but not that its payload can be read.
 */

/** The columns a reader selects, in the journal's own names. */
export interface EventRow {
  run_id: string;
  seq: number;
  type: RunEventType;
  at: number;
  body: string;
  payload: string | null;
}

/** The event of a row; payloads keep every number as it was written. Throws SyntaxError where the body is damaged. */
export function eventOfRow(row: EventRow): RunEvent {
  const body = parseExact(row.body) as Record<string, unknown>;
  const event = { ...body, runId: row.run_id, seq: row.seq, type: row.type, at: row.at };
  switch (row.type) {
    case "step.opened":
      return { ...event, args: parsePayload(row.payload) } as unknown as RunEvent;
    case "step.updated":
      return { ...event, ...(row.payload === null ? {} : { args: parsePayload(row.payload) }) } as unknown as RunEvent;
    case "step.closed":
      return { ...event, result: parsePayload(row.payload) } as unknown as RunEvent;
    default:
      return event as unknown as RunEvent;
  }
}
