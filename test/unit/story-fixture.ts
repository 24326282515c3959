import type { NoteEntry, Run, Step } from "../../src/core/run.ts";

/** Runs, calls and notes with nothing of interest in them but what a test says. */

export function storyStep(id: string, startedAt: number, more: Partial<Step> = {}): Step {
  return {
    id,
    index: 0,
    seq: startedAt,
    sources: ["proxy"],
    server: "s",
    tool: "t",
    qualifiedName: "mcp__s__t",
    args: {},
    result: {},
    isError: false,
    error: null,
    rpcError: null,
    status: "ok",
    callId: null,
    join: null,
    agentId: null,
    hostMeta: {},
    startedAt,
    durationMs: 1,
    context: null,
    legs: 1,
    waitingMs: 0,
    progress: 0,
    truncated: false,
    ...more,
  };
}

export function storyNote(seq: number, at: number, more: Partial<NoteEntry> = {}): NoteEntry {
  return { kind: "text", text: `note ${seq}`, at, seq, agentId: null, ...more };
}

export function storyRun(more: Partial<Run> = {}): Run {
  return {
    id: "run_1",
    sessionId: null,
    host: null,
    tier: "bound",
    cwd: "/work",
    input: null,
    finalAnswer: null,
    status: "completed",
    startedAt: 0,
    endedAt: 1000,
    lossy: false,
    gaps: [],
    wrappedServers: [],
    usage: null,
    hostHookCalls: 0,
    notes: [],
    steps: [],
    ...more,
  };
}
