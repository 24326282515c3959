import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunEvent, StepClosed, StepOpened } from "../../src/core/event.ts";
import { abandon, foldRun, summaryOf } from "../../src/core/fold.ts";

const base = { v: 1, runId: "run_1" };

const opened: RunEvent = {
  ...base,
  type: "run.opened",
  seq: 0,
  at: 100,
  tier: "standalone",
  cwd: "/code",
  owner: { pid: 1, startedAt: "a" },
  sessionId: null,
  host: null,
  wrappedServers: ["s"],
};

function stepOpened(seq: number, startedAt: number): StepOpened {
  return {
    ...base,
    type: "step.opened",
    seq,
    at: startedAt,
    stepId: `step_${seq}`,
    sources: ["proxy"],
    server: "s",
    tool: `tool-${seq}`,
    qualifiedName: `mcp__s__tool-${seq}`,
    args: { seq },
    callId: null,
    join: null,
    agentId: null,
    hostMeta: {},
    startedAt,
    truncated: false,
  };
}

function stepClosed(seq: number, at: number): StepClosed {
  return {
    ...base,
    type: "step.closed",
    seq,
    at,
    stepId: `step_${seq}`,
    status: "ok",
    isError: false,
    error: null,
    join: null,
    rpcError: null,
    result: { done: seq },
    durationMs: 5,
    waitingMs: 0,
    legs: 1,
    progress: 0,
    truncated: false,
  };
}

describe("fold", () => {
  test("has no run without its opening", () => {
    expect(foldRun([])).toBeNull();
    expect(foldRun([stepOpened(0, 100), stepClosed(0, 105)])).toBeNull();
  });

  test("numbers steps by when they began, whatever order they were told in", () => {
    const run = foldRun([opened, stepOpened(0, 300), stepOpened(1, 200), stepOpened(2, 200), stepClosed(1, 400)]);
    expect(run?.steps.map(({ index, seq, status }) => [index, seq, status])).toEqual([
      [0, 1, "ok"],
      [1, 2, "running"],
      [2, 0, "running"],
    ]);
  });

  test("tells a step whose opening was lost", () => {
    const run = foldRun([opened, stepClosed(3, 400)]);
    expect(run?.steps).toMatchObject([
      { id: "step_3", tool: "", server: null, args: null, result: { done: 3 }, status: "ok" },
    ]);
  });

  test("takes an opening that comes after its step's end, and events before the run's own", () => {
    const run = foldRun([stepClosed(0, 400), opened, stepOpened(0, 395)]);
    expect(run?.steps).toMatchObject([{ tool: "tool-0", status: "ok", startedAt: 395, result: { done: 0 } }]);
  });

  test("changes only what an update names", () => {
    const host = { app: "h", version: null };
    const run = foldRun([
      opened,
      { ...base, type: "run.updated", seq: 0, at: 110, host },
      { ...base, type: "run.updated", seq: 0, at: 120, sessionId: "x", hostHookCalls: 2 },
      stepOpened(0, 130),
      { ...base, type: "step.updated", seq: 0, at: 140, stepId: "step_0", progress: 4 },
    ]);
    expect(run).toMatchObject({ host, sessionId: "x", hostHookCalls: 2, wrappedServers: ["s"], input: null });
    expect(run?.steps).toMatchObject([{ progress: 4, legs: 1, status: "running" }]);
  });

  test("is lossy with its gaps", () => {
    const run = foldRun([opened, { ...base, type: "gap", seq: 0, at: 150, reason: "rejected", lost: 2 }]);
    expect(run).toMatchObject({ lossy: true, gaps: [{ reason: "rejected", lost: 2, at: 150 }] });
  });

  test("an abandoned run has no running step", () => {
    const run = foldRun([opened, stepOpened(0, 100), stepClosed(0, 101), stepOpened(1, 102)]);
    expect(run?.status).toBe("running");
    const left = run && abandon(run);
    expect(left?.status).toBe("abandoned");
    expect(left?.steps.map(({ status }) => status)).toEqual(["ok", "lost"]);
  });

  test("a summary is the run without steps and notes", () => {
    const run = foldRun([opened, { ...base, type: "note", seq: 0, at: 1, kind: "text", text: "t", agentId: null }]);
    expect(run?.notes).toHaveLength(1);
    const summary = run && summaryOf(run);
    expect(Object.keys(summary ?? {})).not.toContain("notes");
    expect(Object.keys(summary ?? {})).not.toContain("steps");
    expect(summary?.id).toBe("run_1");
  });

  test("telling everything twice tells the same steps and notes", () => {
    const story = fc.array(
      fc
        .tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom("opened", "closed", "note"))
        .map(([seq, what]): RunEvent => {
          if (what === "opened") return stepOpened(seq, 100 + seq);
          if (what === "closed") return stepClosed(seq, 200 + seq);
          return { ...base, type: "note", seq: 100 + seq, at: 5, kind: "text", text: String(seq), agentId: null };
        }),
    );
    fc.assert(
      fc.property(story, (events) => {
        const once = foldRun([opened, ...events]);
        expect(foldRun([opened, ...events, opened, ...events])).toEqual(once);
      }),
    );
  });
});
