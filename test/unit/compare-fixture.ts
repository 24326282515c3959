import type { Run, Step } from "../../src/core/run.ts";

/** Runs made by hand, for what compares and exports them. */

const T0 = Date.UTC(2026, 10, 30, 9);

/** A step as far as it matters; `gap` ms after the one before it began, for `ms`. */
export interface Made extends Partial<Step> {
  ms?: number;
  gap?: number;
}

/** A run of these calls, one after the other unless they say otherwise. */
export function madeRun(id: string, calls: readonly Made[], fields: Partial<Run> = {}): Run {
  let at = T0;
  const steps = calls.map(({ ms = 5, gap = 10, ...step }, index): Step => {
    at += gap;
    return { ...blankStep(`${id}-${index}`, index, at), durationMs: ms, ...step };
  });
  return {
    id,
    sessionId: null,
    host: { app: "claude-code", version: "2.1.332" },
    tier: "standalone",
    cwd: "/project",
    input: null,
    finalAnswer: null,
    status: "completed",
    startedAt: T0,
    endedAt: at + 100,
    lossy: false,
    gaps: [],
    wrappedServers: ["files"],
    usage: null,
    hostHookCalls: 0,
    notes: [],
    steps,
    ...fields,
  };
}

function blankStep(id: string, index: number, startedAt: number): Step {
  return {
    id,
    index,
    seq: index,
    sources: ["proxy"],
    server: "files",
    tool: "read",
    qualifiedName: "mcp__files__read",
    args: {},
    result: { content: [{ type: "text", text: "ok" }] },
    isError: false,
    error: null,
    rpcError: null,
    status: "ok",
    callId: null,
    join: null,
    agentId: null,
    hostMeta: {},
    startedAt,
    durationMs: 5,
    context: null,
    legs: 1,
    waitingMs: 0,
    progress: 0,
    truncated: false,
  };
}
