import { z } from "zod";
import type { BriefPayload } from "../brief.ts";
import type { RunEvent } from "../event.ts";
import { noteSchema, runSummarySchema, stepSchema } from "../schema/run.ts";

/**
 * Schemas of the journal's events as the service answers them, pinned to `core/event.ts`. Loose: an event of a newer bir may
 * hold more, and readers ignore what they do not know.
 */

const count = z.int().nonnegative();
const step = stepSchema.shape;
const run = runSummarySchema.shape;

const briefPayload = z.strictObject({ brief: z.literal(true), length: count, head: z.string() }).meta({
  id: "BriefPayload",
  description:
    "Stands for a longer payload when `payloads=brief`: the beginning of its JSON text, and how long that is.",
}) satisfies z.ZodType<BriefPayload>;

const payload = z.union([briefPayload, z.unknown().describe("Any JSON, as it was on the wire, but redacted.")]);

const base = { v: count, runId: z.string().min(1), seq: count, at: z.int().nonnegative() };
const owner = z.looseObject({ pid: z.int(), startedAt: z.string() });

function event<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.looseObject({ type: z.literal(type), ...base, ...shape });
}

export const eventSchema = z
  .discriminatedUnion("type", [
    event("run.opened", {
      tier: run.tier,
      cwd: z.string(),
      owner,
      sessionId: z.string().nullable(),
      host: run.host,
      wrappedServers: z.array(z.string()),
    }),
    event("run.updated", {
      sessionId: z.string().exactOptional(),
      host: run.host.unwrap().exactOptional(),
      wrappedServers: z.array(z.string()).exactOptional(),
      input: z.string().exactOptional(),
      finalAnswer: z.string().exactOptional(),
      hostHookCalls: count.exactOptional(),
      usage: run.usage.unwrap().exactOptional(),
      owner: owner.exactOptional(),
      status: z.literal("running").exactOptional(),
    }),
    event("run.closed", { status: run.status }),
    event("step.opened", {
      stepId: z.string(),
      sources: step.sources,
      server: step.server,
      tool: z.string(),
      qualifiedName: z.string(),
      args: payload,
      callId: step.callId,
      join: step.join,
      agentId: step.agentId,
      hostMeta: step.hostMeta,
      startedAt: z.number().nonnegative(),
      context: step.context.exactOptional(),
      truncated: z.boolean(),
    }),
    event("step.updated", {
      stepId: z.string(),
      legs: count.exactOptional(),
      progress: count.exactOptional(),
      status: step.status.exactOptional(),
      sources: step.sources.exactOptional(),
      server: step.server.exactOptional(),
      tool: z.string().exactOptional(),
      callId: step.callId.exactOptional(),
      join: step.join.exactOptional(),
      agentId: step.agentId.exactOptional(),
      hostMeta: step.hostMeta.exactOptional(),
      startedAt: z.number().nonnegative().exactOptional(),
      context: step.context.exactOptional(),
      truncated: z.boolean().exactOptional(),
      args: payload.optional(),
    }),
    event("step.closed", {
      stepId: z.string(),
      status: step.status,
      isError: z.boolean(),
      error: step.error,
      rpcError: z.unknown(),
      result: payload,
      durationMs: step.durationMs,
      waitingMs: step.waitingMs,
      legs: count,
      progress: count,
      truncated: z.boolean(),
      join: step.join,
    }),
    event("note", {
      kind: noteSchema.shape.kind,
      text: z.string(),
      agentId: z.string().nullable(),
      source: z.string().exactOptional(),
    }),
    event("gap", { reason: z.string(), lost: count }),
  ])
  .meta({ id: "RunEvent" }) satisfies z.ZodType<RunEvent>;
