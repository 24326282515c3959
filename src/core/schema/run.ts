import { z } from "zod";
import type { GapEntry, Host, NoteEntry, Run, RunSummary, Step, TruncatedPayload, Usage } from "../run.ts";

/**
 * The `--json` shape of runs, pinned: what `bir run show`, `run list` and `run export --format ndjson` print. Strict on
 * purpose: a field that is added or renamed is a change of the stable surface and must be made here too. Never used on
 * a hot path.
 */

const epochMs = z.int().nonnegative();
const count = z.int().nonnegative();

const hostSchema = z.strictObject({ app: z.string(), version: z.string().nullable() }) satisfies z.ZodType<Host>;

const gapSchema = z.strictObject({ reason: z.string(), lost: count, at: epochMs }) satisfies z.ZodType<GapEntry>;

const usageSchema = z.strictObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheCreationTokens: count,
}) satisfies z.ZodType<Usage>;

const summaryShape = {
  id: z.string().min(1),
  sessionId: z.string().nullable(),
  host: hostSchema.nullable(),
  tier: z.enum(["bound", "standalone"]),
  cwd: z.string(),
  input: z.string().nullable(),
  finalAnswer: z.string().nullable(),
  status: z.enum(["running", "completed", "failed", "interrupted", "abandoned"]),
  startedAt: epochMs,
  endedAt: epochMs.nullable(),
  lossy: z.boolean(),
  gaps: z.array(gapSchema),
  wrappedServers: z.array(z.string()),
  usage: usageSchema.nullable(),
  hostHookCalls: count,
};

/** A note of a run. */
export const noteSchema = z.strictObject({
  kind: z.enum(["text", "thought", "permission", "plan", "interrupt", "compact", "warning"]),
  text: z.string(),
  at: epochMs,
  seq: count,
  agentId: z.string().nullable(),
}) satisfies z.ZodType<NoteEntry>;

/** One tool call. `args`, `result` and `rpcError` are whatever was on the wire. */
export const stepSchema = z.strictObject({
  id: z.string().min(1),
  index: count,
  seq: count,
  sources: z.array(z.enum(["proxy", "hook", "transcript"])),
  server: z.string().nullable(),
  tool: z.string(),
  qualifiedName: z.string(),
  args: z.unknown(),
  result: z.unknown(),
  isError: z.boolean(),
  error: z.string().nullable(),
  rpcError: z.unknown(),
  status: z.enum(["running", "ok", "error", "cancelled", "denied", "lost"]),
  callId: z.string().nullable(),
  join: z.enum(["host-id", "injected-id", "fingerprint", "ambiguous"]).nullable(),
  agentId: z.string().nullable(),
  hostMeta: z.record(z.string(), z.unknown()),
  startedAt: epochMs,
  durationMs: z.number().nonnegative().nullable(),
  context: z.string().nullable(),
  legs: count,
  waitingMs: z.number().nonnegative(),
  progress: count,
  truncated: z.boolean(),
}) satisfies z.ZodType<Step>;

/** First line of an NDJSON export. */
export const runSummarySchema = z.strictObject(summaryShape) satisfies z.ZodType<RunSummary>;

/** `bir run show --json`. */
export const runSchema = z.strictObject({
  ...summaryShape,
  notes: z.array(noteSchema),
  steps: z.array(stepSchema),
}) satisfies z.ZodType<Run>;

/** `bir run list --json`. */
export const runListSchema = z.array(z.strictObject({ ...summaryShape, stepCount: count }));

/** What stands in `args` or `result` for a payload over the capture bound. */
export const truncatedPayloadSchema = z.strictObject({
  truncated: z.literal(true),
  originalBytes: count,
  head: z.string(),
  tail: z.string(),
}) satisfies z.ZodType<TruncatedPayload>;
