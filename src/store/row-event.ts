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
  const body = parseBody(row.body);
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

/**
 * The members of an event's body. What came off a wire and stands in it nested too deeply to be followed, as an earlier bir wrote
 * it there, is left out. Throws SyntaxError where it is damaged.
 */
export function parseBody(text: string): Record<string, unknown> {
  try {
    return parseExact(text) as Record<string, unknown>;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const body = JSON.parse(text) as Record<string, unknown>;
    for (const key of FOREIGN_KEYS) if (typeof body[key] === "object" && body[key] !== null) body[key] = TOO_DEEP;
    return body;
  }
}

const FOREIGN_KEYS = ["hostMeta", "rpcError"];
const TOO_DEEP = { unreadable: "nested too deeply" };
