import { z } from "zod";
import {
  finishBodySchema,
  patchBodySchema,
  RUN_BODY_BYTES,
  runBodySchema,
  STEPS_BODY_BYTES,
  stepsBodySchema,
} from "./recordings.ts";
import type { Access, GoodAnswer, RouteSpec } from "./route-spec.ts";
import {
  comparisonSchema,
  eventPageSchema,
  facetsSchema,
  healthSchema,
  hitPageSchema,
  noteAnswerSchema,
  openCodeSchema,
  pendingDeletionSchema,
  runItemSchema,
  runPageSchema,
  serviceStateSchema,
  sessionBodySchema,
  sessionSchema,
  stepAnswerSchema,
  takenSchema,
} from "./service.ts";

/** The routes of the service: the one table of what can be asked for, and by whom. */

const KIB = 1024;
const NDJSON = "application/x-ndjson";

const none = z.object({});
const id = z.string().min(1).max(512);
const runId = id.describe("The run's whole id.");
const position = z.coerce.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const q = z
  .string()
  .max(2000)
  .default("")
  .describe(
    "What to look for: free words and quoted phrases, `tool:` `server:` `host:` `status:` `is:error` `is:incomplete` `is:running` `after:` `before:`.",
  );
const after = z.string().max(500).optional().describe("`next` of the page before.");
const limit = (most: number, usual: number) => z.coerce.number().int().min(1).max(most).default(usual);

const read = { tag: "Runs", access: "reader" as Access, params: none, query: none, body: null };
const oneRun = { ...read, params: z.object({ runId }) };

const write = {
  tag: "Recordings",
  access: "reader" as Access,
  description:
    "A 2xx means that it is committed. Ids are the sender's: what was told before changes nothing when it comes again.",
  params: z.object({ runId }),
  query: none,
};

function json(schema: z.ZodType, description: string, status: GoodAnswer["status"] = 200): GoodAnswer[] {
  return [{ status, description, content: { "application/json": schema } }];
}

export const SERVICE_ROUTES = {
  listRuns: {
    ...read,
    method: "GET",
    path: "/api/runs",
    summary: "Lists runs, newest first",
    query: z.object({ q, after, limit: limit(200, 50) }),
    good: json(runPageSchema, "A page of runs"),
    refusals: [503],
  },
  search: {
    ...read,
    method: "GET",
    path: "/api/search",
    summary: "Finds words in prompts, answers, notes, tools, arguments, results and errors",
    query: z.object({ q, after, limit: limit(200, 50) }),
    good: json(hitPageSchema, "A page of places where all the words are, newest first"),
    refusals: [503],
  },
  facets: {
    ...read,
    method: "GET",
    path: "/api/facets",
    summary: "What can be asked for: hosts, servers and tools, and in how many runs each is",
    good: json(facetsSchema, "Most frequent first"),
    refusals: [503],
  },
  run: {
    ...oneRun,
    method: "GET",
    path: "/api/runs/{runId}",
    summary: "One run, with its whole prompt and answer, and without its steps",
    good: json(runItemSchema, "The run"),
    refusals: [404, 503],
  },
  events: {
    ...oneRun,
    method: "GET",
    path: "/api/runs/{runId}/events",
    summary: "Events of a run in journal order, behind a position",
    query: z.object({
      after: position.default(0).describe("`position` of the page before; 0 is the beginning."),
      limit: limit(5000, 1000),
      payloads: z.enum(["brief", "whole"]).default("whole").describe("`brief`: long arguments and results are cut."),
    }),
    good: json(eventPageSchema, "A page of events"),
    refusals: [404, 503],
  },
  step: {
    ...oneRun,
    method: "GET",
    path: "/api/runs/{runId}/steps/{stepId}",
    summary: "One call with its whole arguments and result",
    params: z.object({ runId, stepId: id }),
    good: json(stepAnswerSchema, "The step"),
    refusals: [404, 503],
  },
  note: {
    ...oneRun,
    method: "GET",
    path: "/api/runs/{runId}/notes/{seq}",
    summary: "One note with its whole text",
    params: z.object({ runId, seq: position }),
    good: json(noteAnswerSchema, "The note"),
    refusals: [404, 503],
  },
  exportRun: {
    ...oneRun,
    method: "GET",
    path: "/api/runs/{runId}/export",
    summary: "A run as a file: one page that needs nothing else, NDJSON, or Markdown",
    query: z.object({ format: z.enum(["html", "ndjson", "md"]).default("ndjson") }),
    good: [
      {
        status: 200,
        description: "The file",
        content: { "text/html": null, [NDJSON]: null, "text/markdown": null },
      },
    ],
    refusals: [404, 503],
  },
  deleteRun: {
    ...oneRun,
    method: "DELETE",
    path: "/api/runs/{runId}",
    summary: "Deletes a run; for a few seconds it can be taken back",
    description:
      "The run is gone from every answer at once. It is removed from the disk when the time to take it back is over, or when the service stops.",
    good: json(pendingDeletionSchema, "It will be deleted", 202),
    refusals: [404, 409, 503],
  },
  restoreRun: {
    ...oneRun,
    method: "POST",
    path: "/api/runs/{runId}/restore",
    summary: "Takes a deletion back",
    good: [{ status: 204, description: "The run is there again", content: {} }],
    refusals: [404, 409],
  },
  compare: {
    ...read,
    method: "GET",
    path: "/api/compare",
    summary: "Two runs side by side, aligned by tool and arguments",
    query: z.object({ left: runId, right: runId }),
    good: json(comparisonSchema, "The comparison"),
    refusals: [404, 503],
  },
  live: {
    ...read,
    method: "GET",
    path: "/api/live",
    tag: "Live",
    summary: "What changes from now on, as server-sent events",
    description: [
      "Event `runs`: `{changed: RunItem[], removed: string[]}`. Event `index`: an `IndexState`, and the first of all. Event `events`: an",
      "`EventPage` of the run that `run` names, with brief payloads. An `id` is a place in the journal; sent as `Last-Event-ID` it has what",
      "changed since told again. A listener that does not read is dropped. A comment comes every 15 seconds.",
    ].join("\n"),
    query: z.object({
      run: id.optional().describe("Events of this run, too."),
      after: position.default(0).describe("Behind this position of the run's events."),
    }),
    good: [{ status: 200, description: "The stream", content: { "text/event-stream": null } }],
    refusals: [503],
  },
  service: {
    ...read,
    method: "GET",
    path: "/api/service",
    tag: "Service",
    summary: "Which process serves, since when, and how far its index is",
    good: json(serviceStateSchema, "The state"),
    refusals: [],
  },
  createRecording: {
    ...write,
    method: "POST",
    path: "/recordings/runs",
    summary: "Begins a run that another recorder tells of",
    params: none,
    body: { schema: runBodySchema, limitBytes: RUN_BODY_BYTES, isHandlersCheck: true },
    good: [...json(takenSchema, "It is kept", 201), ...json(takenSchema, "It was kept before: nothing has changed")],
    refusals: [409, 422, 503],
  },
  addRows: {
    ...write,
    method: "POST",
    path: "/recordings/runs/{runId}/steps",
    summary: "Adds a row to a run, or up to 1,000 of them, which are taken all or none",
    body: { schema: stepsBodySchema, limitBytes: STEPS_BODY_BYTES, isHandlersCheck: true },
    good: [
      ...json(takenSchema, "The row is kept", 201),
      ...json(takenSchema, "It was kept before, or many were taken: with how many"),
    ],
    refusals: [404, 409, 422, 503],
  },
  changeRow: {
    ...write,
    method: "PATCH",
    path: "/recordings/runs/{runId}/steps/{stepId}",
    summary: "Changes a row: only what is told changes",
    params: z.object({ runId, stepId: id.describe("The row's id.") }),
    body: { schema: patchBodySchema, limitBytes: RUN_BODY_BYTES, isHandlersCheck: true },
    good: [...json(takenSchema, "It is kept"), ...json(takenSchema, "It is kept, and new", 201)],
    refusals: [404, 409, 422, 503],
  },
  finishRecording: {
    ...write,
    method: "POST",
    path: "/recordings/runs/{runId}/finish",
    summary: "Ends a run; rows that come later are taken all the same",
    body: { schema: finishBodySchema, limitBytes: RUN_BODY_BYTES, isHandlersCheck: true },
    good: [...json(takenSchema, "It is kept"), ...json(takenSchema, "It is kept, and new", 201)],
    refusals: [404, 409, 422, 503],
  },
  openSession: {
    method: "POST",
    path: "/session",
    tag: "Service",
    summary: "Lets a browser in that was opened with a code",
    description: "Sets a cookie, too; both are needed. A code works once.",
    access: "anyone",
    params: none,
    query: none,
    body: { schema: sessionBodySchema, limitBytes: 4 * KIB },
    good: json(sessionSchema, "What to send as `X-Bir-Key` from now on"),
    refusals: [],
  },
  openCode: {
    method: "POST",
    path: "/session/codes",
    tag: "Service",
    summary: "Makes a code that lets a browser in, once and within two minutes",
    access: "program",
    params: none,
    query: none,
    body: null,
    good: json(openCodeSchema, "The code", 201),
    refusals: [],
  },
  document: {
    ...read,
    method: "GET",
    path: "/openapi.json",
    tag: "Service",
    summary: "This document",
    good: [{ status: 200, description: "OpenAPI 3.1", content: { "application/json": null } }],
    refusals: [],
  },
  health: {
    method: "GET",
    path: "/health",
    tag: "Service",
    summary: "Whether the service is there",
    access: "anyone",
    params: none,
    query: none,
    body: null,
    good: json(healthSchema, "It is"),
    refusals: [],
  },
} as const satisfies Record<string, RouteSpec>;
