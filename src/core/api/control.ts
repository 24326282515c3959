import { z } from "zod";
import type { ProxyRegistration } from "../control-wire.ts";

/**
 * Schemas of what the control server is told. Loose where hosts may add: a hook's fact is checked for the keys that decide
 * where it belongs, its other fields are taken as their reader made them.
 */

const id = z.string().min(1).max(512);
const epochMs = z.number().nonnegative();
const count = z.int().nonnegative();
const text = z.string().nullable().default(null);

const factKeys = {
  sessionId: id,
  promptId: z.string().nullable(),
  agentId: z.string().nullable(),
  agentType: z.string().nullable(),
  cwd: z.string().nullable(),
  transcriptPath: z.string().nullable(),
  permissionMode: z.string().nullable(),
  isCut: z.boolean(),
};

const tool = { qualifiedName: z.string(), server: z.string().nullable(), tool: z.string() };
const call = { ...tool, toolUseId: z.string().nullable(), input: z.string().nullable() };
const task = z.object({ id: z.string().nullable(), type: z.string().nullable(), status: z.string().nullable() });
const notice = z.object({
  taskId: z.string().nullable(),
  toolUseId: z.string().nullable(),
  status: z.string().nullable(),
});
const started = z.object({ id: z.string(), isAgent: z.boolean(), isBackground: z.boolean() });
const json = z.string().nullable();
const duration = z.number().nonnegative().nullable();
const words = z.string().nullable();

function told<Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) {
  return z.object({ kind: z.literal(kind), ...factKeys, ...shape });
}

/** A hook's fact; payloads in it are JSON texts. */
export const hookFactSchema = z.discriminatedUnion("kind", [
  told("session-started", { source: words, model: words }),
  told("session-ended", { reason: words }),
  told("prompt-submitted", { prompt: words, notice: notice.nullable() }),
  told("tool-starting", call),
  told("tool-ended", { ...call, response: json, durationMs: duration, started: started.nullable().default(null) }),
  told("tool-failed", { ...call, error: words, isInterrupt: z.boolean(), durationMs: duration }),
  told("batch-ended", { calls: z.array(z.object({ ...call, response: json })) }),
  told("subagent-started", {}),
  told("subagent-stopped", {
    finalText: words,
    agentTranscriptPath: words,
    backgroundTasks: z.array(task).nullable(),
  }),
  told("stopped", { finalText: words, backgroundTasks: z.array(task).nullable(), isContinued: z.boolean() }),
  told("stop-failed", { error: words, finalText: words }),
  told("compacting", { trigger: words, instructions: words }),
  told("compacted", { trigger: words, summary: words }),
  told("permission-asked", call),
  told("elicitation-asked", {
    server: words,
    message: words,
    mode: words,
    elicitationId: words,
    schema: json,
    url: words,
  }),
  told("elicitation-answered", { server: words, mode: words, elicitationId: words, action: words, content: json }),
]);

export const hookReportSchema = z
  .object({
    reportId: id,
    at: epochMs,
    app: id,
    appVersion: text,
    hostPid: count.nullable().default(null),
    projectDir: text,
    argsHash: text,
    mayInject: z.boolean().default(false),
    fact: hookFactSchema.nullable().default(null),
    malformed: z
      .object({
        reason: z.enum(["not a JSON object", "cut short", "no event name", "no session id", "no tool name"]),
        sessionId: z.string().nullable(),
      })
      .nullable()
      .default(null),
  })
  .refine((report) => (report.fact === null) !== (report.malformed === null), "one of fact and malformed is needed");

const client = z.object({ name: z.string(), version: z.string().nullable().default(null) });

export const proxyRegistrationSchema = z.object({
  serverName: z.string().min(1),
  pid: count,
  processStartedAt: z.string().default("unknown"),
  hostPid: count.nullable().default(null),
  cwd: z.string(),
  projectDir: text,
  sessionId: text,
  client: client.nullable().default(null),
}) satisfies z.ZodType<ProxyRegistration>;

const reportKeys = { reportId: id, at: epochMs };

/** A call as a proxy or another recorder of calls tells it; what it leaves out has a default. */
export const proxyStepSchema = z.object({
  kind: z.literal("step").default("step"),
  reportId: id,
  callRef: id.optional(),
  serverName: z.string().min(1),
  toolName: z.string(),
  qualifiedName: z.string(),
  args: z.unknown().default(null),
  argsHash: text,
  result: z.unknown().default(null),
  isError: z.boolean(),
  errorMessage: text,
  rpcError: z.unknown().default(null),
  startedAt: epochMs,
  durationMs: duration,
  waitingMs: z.number().nonnegative().default(0),
  progress: count.default(0),
  status: z.enum(["running", "ok", "error", "cancelled", "denied", "lost"]),
  hostCallId: text,
  injectedId: text,
  sessionId: text,
  hostMeta: z.unknown().default(null),
  legs: count.default(1),
  truncated: z.boolean().default(false),
  isAmbiguous: z.boolean().default(false),
});

export const proxyReportSchema = z.union([
  proxyStepSchema,
  z.object({ kind: z.literal("gap"), ...reportKeys, reason: z.string(), lost: count }),
  z.object({ kind: z.literal("warning"), ...reportKeys, text: z.string() }),
  z.object({ kind: z.literal("host-hook-calls"), ...reportKeys, count }),
  z.object({ kind: z.literal("client"), ...reportKeys, name: z.string(), version: z.string().nullable() }),
  z.object({ kind: z.literal("left"), ...reportKeys, how: z.enum(["ended", "failed"]) }),
]);

export const proxyBatchSchema = z.object({ proxyId: id, reports: z.array(proxyReportSchema).max(1000) });

/** A line of a spool file. */
export const spooledReportSchema = z.union([
  z.object({
    route: z.enum(["/session/start", "/session/prompt", "/tool/pre", "/tool/post", "/session/stop", "/session/end"]),
    report: hookReportSchema,
  }),
  z.object({
    route: z.literal("/proxy/step"),
    registration: proxyRegistrationSchema,
    reports: z.array(proxyReportSchema),
  }),
]);
