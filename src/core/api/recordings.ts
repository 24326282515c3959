import { z } from "zod";
import { MAX_ID_LENGTH, MAX_ROWS } from "../recordings-wire.ts";

/**
 * Schemas of what the recordings service is told. Any program may send runs, so what the contract names is all optional but for
 * the ids and a row's type, and members that it does not name are let be. What is in `bir` comes from another bir, and is checked.
 */

const MIB = 1024 * 1024;

/** Longest bodies: of a run, a change or an end; of one row or many. */
export const RUN_BODY_BYTES = 16 * MIB;
export const STEPS_BODY_BYTES = 64 * MIB;

/** It stands in paths: in those `.` and `..` mean something else, and half a character cannot be spelled. */
const id = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  .regex(/^(?!\.\.?$)\P{Cs}*$/u);
const epochMs = z.int().nonnegative().max(8_640_000_000_000_000);
/** Of a step or a note in its run. */
const seq = z.int().nonnegative().max(1_000_000_000_000);
const count = z.int().nonnegative();
const words = z.string().nullable();
const anything = z.unknown().optional();
const duration = z.number().nonnegative();

const host = z.object({ app: z.string(), version: words });
const usage = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheCreationTokens: count,
});
const join = z.enum(["host-id", "injected-id", "fingerprint", "ambiguous"]).nullable();
const stepStatus = z.enum(["running", "ok", "error", "cancelled", "denied", "lost"]);
const runStatus = z.enum(["running", "completed", "failed", "interrupted", "abandoned"]);

const note = z.object({
  kind: z.enum(["text", "thought", "permission", "plan", "interrupt", "compact", "warning"]),
  text: z.string(),
  at: epochMs,
  seq,
  agentId: words,
  source: z.string().optional(),
});

const gap = z.object({ reason: z.string(), lost: count, at: epochMs, seq: seq.optional() });

const runChange = z.object({
  sessionId: z.string().optional(),
  host: host.optional(),
  wrappedServers: z.array(z.string()).optional(),
  input: z.string().optional(),
  finalAnswer: z.string().optional(),
  hostHookCalls: count.optional(),
  usage: usage.optional(),
  status: z.literal("running").optional(),
});

/** What any write of a bir may carry along: what happened in the run since the write before, and has no row of its own. */
const riders = { notes: z.array(note).optional(), gaps: z.array(gap).optional(), run: runChange.optional() };

const writeId = id.optional();

/** The ids of its rows may be made of it. */
const stepId = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH - 40);
const place = { stepId: stepId.optional(), seq: seq.optional(), at: epochMs.optional() };

const ofStep = {
  server: words.optional(),
  qualifiedName: z.string().optional(),
  callId: words.optional(),
  join: join.optional(),
  agentId: words.optional(),
  hostMeta: anything,
  startedAt: epochMs.optional(),
  sources: z.array(z.enum(["proxy", "hook", "transcript"])).optional(),
  truncated: z.boolean().optional(),
  status: stepStatus.optional(),
  isError: z.boolean().optional(),
  durationMs: duration.nullable().optional(),
  waitingMs: duration.optional(),
  legs: count.optional(),
  progress: count.optional(),
  rpcError: anything,
  result: anything,
};

/** What a step is told with, in a row or a change of it. */
const contents = {
  toolName: z.string().max(4096).nullish(),
  toolInput: anything.describe("The call's arguments, any JSON; kept as written."),
  context: anything.describe("What the model thought or said before the call."),
  toolOutput: anything.describe("The call's result, any JSON; kept as written."),
  toolError: anything.describe("Why the call failed, in words."),
  finalOutput: anything.describe("The answer that ends the run."),
};

export const runBodySchema = z.object({
  id: id.describe("The client's own id; a repeated one answers success and changes nothing."),
  input: anything.describe("What the run was asked for."),
  metadata: anything.describe(
    "Of a bir: recorder, tier, host, wrappedServers, lossy, gaps, sessionId, cwd. Of others: anything; those names are read.",
  ),
  bir: z.object({ startedAt: epochMs.optional(), ...riders }).optional(),
});

export const rowSchema = z.object({
  id: id.describe("The client's own id, unique in the run; a repeated one answers success and changes nothing."),
  stepIndex: anything.describe("Rows are kept in the order in which they come; this number is not read."),
  type: z
    .string()
    .min(1)
    .max(MAX_ID_LENGTH)
    .describe("tool_selected, tool_response or final_answer; a row of any other type is kept as a note."),
  ...contents,
  text: anything.describe("Of a row of another type."),
  content: anything.describe("Of a row of another type."),
  bir: z.object({ ...place, ...ofStep, ...riders }).optional(),
});

export const rowsSchema = z.array(rowSchema).min(1).max(MAX_ROWS);

/** One row, or many that are taken all or none. */
export const stepsBodySchema = z.union([rowSchema, rowsSchema]);

export const patchBodySchema = z.object({
  ...contents,
  text: anything,
  content: anything,
  bir: z.object({ writeId, ...place, ...ofStep, ...riders }).optional(),
});

export const finishBodySchema = z.object({
  finalOutput: anything.describe("The answer that ends the run."),
  status: anything.describe("How it ended: completed, failed or interrupted."),
  metrics: anything.describe("Counts of any kind; those of tokens are read, and a status."),
  bir: z.object({ writeId, status: runStatus.optional(), at: epochMs.optional(), ...riders }).optional(),
});

export type CheckedRun = z.output<typeof runBodySchema>;
export type CheckedRow = z.output<typeof rowSchema>;
export type CheckedPatch = z.output<typeof patchBodySchema>;
export type CheckedFinish = z.output<typeof finishBodySchema>;
export type CheckedRiders = Pick<NonNullable<CheckedRow["bir"]>, "notes" | "gaps" | "run">;
export type CheckedOpening = NonNullable<CheckedPatch["bir"]>;
