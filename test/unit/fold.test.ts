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

  test("takes what became known of a call later, and keeps the rest", () => {
    const run = foldRun([
      opened,
      stepOpened(0, 130),
      {
        ...base,
        type: "step.updated",
        seq: 0,
        at: 140,
        stepId: "step_0",
        sources: ["proxy", "hook"],
        callId: "toolu_1",
        join: "host-id",
        agentId: "a1",
        startedAt: 120,
        context: "I should look.",
        args: { original: true },
      },
      { ...base, type: "step.updated", seq: 0, at: 141, stepId: "step_0", hostMeta: { id: 1 }, truncated: true },
      { ...base, type: "step.updated", seq: 0, at: 142, stepId: "step_0", truncated: false },
    ]);
    expect(run?.steps).toMatchObject([
      {
        sources: ["proxy", "hook"],
        callId: "toolu_1",
        join: "host-id",
        agentId: "a1",
        startedAt: 120,
        context: "I should look.",
        args: { original: true },
        hostMeta: { id: 1 },
        truncated: true,
        tool: "tool-0",
        server: "s",
      },
    ]);
  });

  test("believes the end of a call that was told last, but for a doubt", () => {
    const late = { ...stepClosed(0, 300), result: "better", durationMs: 7 };
    const doubted = { ...stepClosed(0, 250), join: "ambiguous" as const };
    const run = foldRun([opened, stepOpened(0, 130), stepClosed(0, 200), doubted, late]);
    expect(run?.steps).toMatchObject([{ result: "better", durationMs: 7, join: "ambiguous" }]);
  });

  test("a run that goes on after it was closed is running, until it is closed again", () => {
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 };
    const closed: RunEvent = { ...base, type: "run.closed", seq: 1, at: 300, status: "interrupted" };
    const goesOn: RunEvent = { ...base, type: "run.updated", seq: 1, at: 310, status: "running", usage };
    expect(foldRun([opened, closed])).toMatchObject({ status: "interrupted", endedAt: 300, usage: null });
    expect(foldRun([opened, closed, goesOn])).toMatchObject({ status: "running", endedAt: null, usage });
    const again: RunEvent = { ...closed, at: 320, status: "completed" };
    expect(foldRun([opened, closed, goesOn, again])).toMatchObject({ status: "completed", endedAt: 320 });
  });

  test("a note tells nothing of the row it was read from, and the owner is nobody's to read", () => {
    const note: RunEvent = {
      ...base,
      type: "note",
      seq: 0,
      at: 5,
      kind: "thought",
      text: "Hm.",
      agentId: "a1",
      source: "row",
    };
    const owner: RunEvent = { ...base, type: "run.updated", seq: 1, at: 6, owner: { pid: 2, startedAt: "b" } };
    const run = foldRun([opened, note, owner]);
    expect(run?.notes).toEqual([{ kind: "thought", text: "Hm.", at: 5, seq: 0, agentId: "a1" }]);
    expect(run).not.toHaveProperty("owner");
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
