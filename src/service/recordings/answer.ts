import type { BodyIssue } from "../../core/api/check-body.ts";

/**
 * What the recordings service answers to a write, before it is HTTP. Never quotes what was sent, but for the ids of what was taken.
 */

/** A body as it came: its JSON text, of which payloads are cut so that they stay as written, and what that reads as. */
export interface ReceivedBody {
  text: string;
  value: unknown;
}

/** A 2xx was committed. Any other is a problem: `title` and `code` are ours, `issues` say where a body is wrong. */
export type RecordingsAnswer =
  | { status: 200; body: Taken }
  | { status: 201; body: Taken }
  | {
      status: 400 | 404 | 409 | 422 | 500 | 503;
      body: { title: string; code: string; issues?: BodyIssue[] };
      /** With a 503: when to try again. */
      retryAfterSeconds?: number;
    };

/** The id of the one thing that was sent, or how many rows were. */
export type Taken = { id: string } | { accepted: number };

export function taken(id: string, isNew: boolean): RecordingsAnswer {
  return { status: isNew ? 201 : 200, body: { id } };
}

export function invalid(issues: BodyIssue[]): RecordingsAnswer {
  return { status: 400, body: { title: "the body is not what this route takes", code: "invalid-body", issues } };
}

export function unknownRun(): RecordingsAnswer {
  return { status: 404, body: { title: "there is no such run: create it first", code: "unknown-run" } };
}

export function unknownStep(): RecordingsAnswer {
  return { status: 404, body: { title: "the run has no such step", code: "unknown-step" } };
}

export function recordedHere(): RecordingsAnswer {
  return { status: 409, body: { title: "this run was recorded here, and nobody else writes to it", code: "own-run" } };
}

export function notAcceptable(): RecordingsAnswer {
  return { status: 422, body: { title: "the store does not take this content", code: "not-storable" } };
}

export function fault(): RecordingsAnswer {
  return { status: 500, body: { title: "a fault of ours", code: "fault" } };
}

export function notNow(retryAfterSeconds: number): RecordingsAnswer {
  return { status: 503, body: { title: "it cannot be kept just now", code: "not-now" }, retryAfterSeconds };
}
