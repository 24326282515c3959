import { z } from "zod";
import type { ComparedRun, ComparedStep, Comparison, ComparisonRow } from "../comparison.ts";
import { noteSchema, runSummarySchema, stepSchema } from "../schema/run.ts";
import type {
  EventPage,
  Facets,
  Hit,
  HitPage,
  HitStep,
  IndexState,
  PendingDeletion,
  QueryIssue,
  RunItem,
  RunPage,
} from "../service-wire.ts";
import { eventSchema } from "./event.ts";

/**
 * Schemas of what the service answers to its readers, pinned to the types of `core/service-wire.ts`. Strict: a field that is
 * added is a change of the documented surface. Used for the OpenAPI document and by tests; no answer is checked while it is given.
 */

const epochMs = z.int().nonnegative();
const count = z.int().nonnegative();
const runId = z.string().min(1).max(512);

export const indexStateSchema = z
  .strictObject({
    isCurrent: z.boolean().describe("Everything that was recorded can be found."),
    done: z.number().min(0).max(1).describe("Part of the journal that is in the index."),
  })
  .meta({ id: "IndexState" }) satisfies z.ZodType<IndexState>;

const queryIssueSchema = z.strictObject({ start: count, end: count, message: z.string() }).meta({
  id: "QueryIssue",
  description: "Something in `q` that could not be understood; offsets are UTF-16 units.",
}) satisfies z.ZodType<QueryIssue>;

const toolUseSchema = z.strictObject({ server: z.string().nullable(), tool: z.string(), calls: count });

export const runItemSchema = runSummarySchema
  .extend({
    stepCount: count,
    errorCount: count.nullable().describe("Calls that ended in an error; null while the index does not know it."),
    lostCount: count.nullable().describe("Calls whose outcome was lost; what the gaps count is beside that."),
    tools: z.array(toolUseSchema).nullable().describe("At most eight, most often first."),
  })
  .meta({ id: "RunItem" }) satisfies z.ZodType<RunItem>;

const next = z.string().nullable().describe("For `after` of the next page; null at the end.");
const issues = z.array(queryIssueSchema);

export const runPageSchema = z
  .strictObject({
    runs: z.array(runItemSchema).describe("Newest first; `input` and `finalAnswer` are cut to 400 characters."),
    total: count.nullable().describe("Of all pages; null on pages after the first."),
    next,
    index: indexStateSchema,
    issues,
  })
  .meta({ id: "RunPage" }) satisfies z.ZodType<RunPage>;

const hitStepSchema = z.strictObject({
  id: z.string(),
  index: count,
  seq: count,
  server: z.string().nullable(),
  tool: z.string(),
  status: stepSchema.shape.status,
}) satisfies z.ZodType<HitStep>;

const hitSchema = z
  .strictObject({
    run: runItemSchema.pick({ id: true, input: true, host: true, status: true, startedAt: true, tools: true }),
    step: hitStepSchema.nullable().describe("Null for a prompt, an answer or a note."),
    noteSeq: count.nullable().describe("The number of the note in its run; null for anything else."),
    field: z.enum(["prompt", "answer", "note", "tool", "arguments", "result", "error"]),
    path: z.string(),
    excerpt: z.strictObject({
      text: z.string(),
      marks: z
        .array(z.strictObject({ start: count, end: count }))
        .describe("UTF-16 offsets into `text`, end excluded."),
    }),
  })
  .meta({ id: "Hit" }) satisfies z.ZodType<Hit>;

export const hitPageSchema = z
  .strictObject({ hits: z.array(hitSchema), next, index: indexStateSchema, issues })
  .meta({ id: "HitPage" }) satisfies z.ZodType<HitPage>;

const facetSchema = z.array(z.strictObject({ value: z.string(), runs: count }));

export const facetsSchema = z
  .strictObject({ hosts: facetSchema, servers: facetSchema, tools: facetSchema })
  .meta({ id: "Facets" }) satisfies z.ZodType<Facets>;

export const eventPageSchema = z
  .strictObject({
    events: z.array(eventSchema),
    position: count.describe("For `after` of the next page."),
    more: z.boolean().describe("There are more already."),
    isAbandoned: z.boolean().describe("The run's owner is gone, whatever its events say."),
  })
  .meta({ id: "EventPage" }) satisfies z.ZodType<EventPage>;

export const pendingDeletionSchema = z
  .strictObject({ undoUntil: epochMs.describe("Until then (epoch ms) it can be taken back.") })
  .meta({ id: "PendingDeletion" }) satisfies z.ZodType<PendingDeletion>;

const comparedStepSchema = z.strictObject({
  id: z.string(),
  index: count,
  server: z.string().nullable(),
  tool: z.string(),
  qualifiedName: z.string(),
  status: stepSchema.shape.status,
  durationMs: z.number().nonnegative().nullable(),
  agentId: z.string().nullable(),
  argumentLine: z.string(),
}) satisfies z.ZodType<ComparedStep>;

const comparisonRowSchema = z.strictObject({
  left: comparedStepSchema.nullable(),
  right: comparedStepSchema.nullable(),
  differs: z.array(z.enum(["arguments", "result", "status"])),
}) satisfies z.ZodType<ComparisonRow>;

const comparedRunSchema = z.strictObject({
  id: z.string(),
  input: z.string().nullable(),
  finalAnswer: z.string().nullable(),
  status: z.string(),
  startedAt: epochMs,
  endedAt: epochMs.nullable(),
  stepCount: count,
}) satisfies z.ZodType<ComparedRun>;

export const comparisonSchema = z
  .strictObject({
    left: comparedRunSchema,
    right: comparedRunSchema,
    rows: z.array(comparisonRowSchema),
    firstDifference: count.nullable(),
    sameInput: z.boolean(),
    sameAnswer: z.boolean(),
    counts: z.strictObject({ same: count, changed: count, leftOnly: count, rightOnly: count }),
  })
  .meta({ id: "Comparison" }) satisfies z.ZodType<Comparison>;

export const stepAnswerSchema = stepSchema.meta({ id: "Step" });
export const noteAnswerSchema = noteSchema.meta({ id: "Note" });

/** What the recordings routes answer: which one was taken, or how many. */
export const takenSchema = z
  .union([z.strictObject({ id: z.string() }), z.strictObject({ accepted: count })])
  .meta({ id: "Taken" });

/** `POST /session`: the code out of the link that `bir view` opens. */
export const sessionBodySchema = z.strictObject({ code: z.string().min(1).max(200) }).meta({ id: "SessionCode" });

/** What a browser that was let in sends as `X-Bir-Key` from then on. */
export const sessionSchema = z.strictObject({ key: z.string() }).meta({ id: "Session" });

/** `POST /session/codes`. */
export const openCodeSchema = z.strictObject({ code: z.string(), expiresAt: epochMs }).meta({ id: "OpenCode" });

export const healthSchema = z
  .strictObject({ ok: z.literal(true), service: z.literal("bir"), version: z.string() })
  .meta({ id: "Health" });

/** `GET /api/service`. */
export const serviceStateSchema = z
  .strictObject({
    version: z.string(),
    pid: count,
    processStartedAt: z.string(),
    startedAt: epochMs,
    listeners: count.describe("Who follows live just now."),
    index: indexStateSchema,
  })
  .meta({ id: "ServiceState" });

/** Every refusal: `application/problem+json` in words of ours, which never quote what was sent. */
export const problemAnswerSchema = z
  .strictObject({
    title: z.string(),
    status: z.int(),
    code: z.string().describe("Stable, for programs."),
    detail: z.string().optional(),
    issues: z
      .array(z.strictObject({ path: z.string(), code: z.string() }))
      .optional()
      .describe("Where in what was sent something is wrong, and which rule it breaks."),
  })
  .meta({ id: "Problem" });

/** The data of an SSE event `runs`. */
export const liveRunsSchema = z
  .strictObject({ changed: z.array(runItemSchema), removed: z.array(runId) })
  .meta({ id: "LiveRuns" });
