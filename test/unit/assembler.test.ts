import { describe, expect, test } from "vitest";
import { foldRun } from "../../src/core/fold.ts";
import type { RedactedJson } from "../../src/core/redacted.ts";
import { Assembler, type CallFact, type CallOutcome } from "../../src/record/assembler.ts";
import { trustedJson, trustedText } from "../../src/redact/redact.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { eventOf } from "./wire-fixture.ts";

const T = 1_795_528_800_000;

function fact(tool: string, startedAt = T, args: string | null = "{}"): CallFact {
  return {
    server: trustedText("s"),
    tool: trustedText(tool),
    qualifiedName: trustedText(`mcp__s__${tool}`),
    args: args as RedactedJson | null,
    truncated: false,
    callId: null,
    hostMeta: null,
    startedAt,
  };
}

function outcome(endedAt: number, fields: Partial<CallOutcome> = {}): CallOutcome {
  return {
    status: "ok",
    isError: false,
    error: null,
    rpcError: null,
    result: trustedJson('{"content":[]}'),
    truncated: false,
    join: null,
    endedAt,
    legs: 1,
    waitingMs: 0,
    progress: 0,
    ...fields,
  };
}

function setUp(sessionId: string | null = null) {
  const entries: JournalEntry[] = [];
  let ids = 0;
  const assembler = new Assembler({
    tier: "standalone",
    cwd: trustedText("/w"),
    owner: { pid: 1, startedAt: "b/1" },
    serverName: trustedText("s"),
    sessionId: sessionId === null ? null : trustedText(sessionId),
    newId: (prefix) => trustedText(`${prefix}_${++ids}`),
    write: (entry) => entries.push(entry),
  });
  const fold = (told: JournalEntry[] = entries) => {
    const run = foldRun(told.map(eventOf));
    if (run === null) throw new Error("no run");
    return run;
  };
  const numbers = () => entries.map(({ head }) => [head.type, head.seq]);
  return { assembler, entries, fold, numbers };
}

const HOST = { app: trustedText("codex"), version: trustedText("0.171.0") };

describe("a run", () => {
  test("opens with its first call and numbers steps and notes as they come", () => {
    const { assembler, numbers } = setUp();
    expect(assembler.runId).toBeNull();
    const a = assembler.openCall(fact("a"));
    const b = assembler.openCall(fact("b"));
    assembler.warn(trustedText("careful"), T);
    assembler.closeCall(a, outcome(T + 1));
    assembler.learnHost(HOST, T);
    assembler.updateCall(b, T, { legs: 2 });
    assembler.gap(trustedText("why"), 2, T);
    assembler.openCall(fact("c"));
    assembler.closeRun("completed", T + 2);
    expect(numbers()).toEqual([
      ["run.opened", 0],
      ["step.opened", 0],
      ["step.opened", 1],
      ["note", 2],
      ["step.closed", 0],
      ["run.updated", 3],
      ["step.updated", 1],
      ["gap", 3],
      ["step.opened", 3],
      ["run.closed", 4],
    ]);
    expect(a.stepId).not.toBe(b.stepId);
  });

  test("knows what was learned before it opened", () => {
    const { assembler, fold, numbers } = setUp("from-env");
    assembler.learnHost(HOST, T);
    assembler.learnSession(trustedText("from-meta"), T);
    assembler.countHostHookCall(T);
    assembler.countHostHookCall(T);
    assembler.openCall(fact("a"));
    expect(numbers().map(([type]) => type)).toEqual(["run.opened", "run.updated", "step.opened"]);
    expect(fold()).toMatchObject({ host: HOST, sessionId: "from-meta", hostHookCalls: 2 });
  });

  test("says what it learns once", () => {
    const { assembler, entries } = setUp("s-1");
    assembler.openCall(fact("a"));
    const before = entries.length;
    assembler.learnSession(trustedText("s-1"), T);
    assembler.learnHost(HOST, T);
    assembler.learnHost({ ...HOST }, T);
    assembler.learnSession(trustedText("s-2"), T);
    expect(entries.slice(before)).toHaveLength(2);
  });

  test("is opened by a loss: that must be told even where nothing else was kept", () => {
    const { assembler, fold } = setUp();
    assembler.gap(trustedText("store-unavailable"), 3, T);
    expect(fold()).toMatchObject({ lossy: true, gaps: [{ reason: "store-unavailable", lost: 3, at: T }], steps: [] });
  });

  test("that is closed still has the losses that show later", () => {
    const { assembler, fold, entries } = setUp();
    assembler.closeCall(assembler.openCall(fact("a")), outcome(T + 1));
    assembler.closeRun("completed", T + 2);
    assembler.gap(trustedText("rejected"), 1, T + 3);
    assembler.warn(trustedText("late"), T + 3);
    assembler.closeRun("failed", T + 4);
    expect(new Set(entries.map(({ head }) => head.runId)).size).toBe(1);
    expect(fold()).toMatchObject({ status: "completed", endedAt: T + 2, lossy: true, notes: [{ text: "late" }] });
    expect(assembler.runId).toBeNull();
  });

  test("that is closed takes no call: that opens another", () => {
    const { assembler, entries } = setUp();
    assembler.countHostHookCall(T);
    const left = assembler.openCall(fact("a"));
    assembler.closeRun("completed", T);
    assembler.closeCall(left, outcome(T));
    const next = assembler.openCall(fact("b"));
    assembler.closeCall(next, outcome(T));
    expect(entries.map(({ head }) => `${head.type} ${head.runId}`)).toEqual([
      "run.opened run_1",
      "run.updated run_1",
      "step.opened run_1",
      "run.closed run_1",
      "run.opened run_3",
      "step.opened run_3",
      "step.closed run_3",
    ]);
  });
});

describe("a call", () => {
  test("has whole milliseconds where it starts and its duration to the microsecond", () => {
    const { assembler, fold } = setUp();
    const call = assembler.openCall(fact("a", T + 0.9));
    assembler.closeCall(call, outcome(T + 3.403));
    expect(fold().steps[0]).toMatchObject({ startedAt: T, durationMs: 2.503 });
  });

  test("never took less than nothing", () => {
    const { assembler, fold } = setUp();
    assembler.closeCall(assembler.openCall(fact("a", T + 5)), outcome(T));
    expect(fold().steps[0]?.durationMs).toBe(0);
  });

  test("closes once, and tells nothing after that", () => {
    const { assembler, entries } = setUp();
    const call = assembler.openCall(fact("a"));
    assembler.closeCall(call, outcome(T));
    const before = entries.length;
    assembler.closeCall(call, outcome(T));
    assembler.updateCall(call, T, { progress: 1 });
    expect(entries).toHaveLength(before);
  });

  test("has an outcome once one was told, closed or not", () => {
    const { assembler, fold } = setUp();
    const [a, b] = [assembler.openCall(fact("a")), assembler.openCall(fact("b"))];
    expect(assembler.openCalls).toBe(2);
    assembler.updateCall(a, T, { status: "ok" });
    assembler.updateCall(b, T, { legs: 2 });
    expect(assembler.openCalls).toBe(1);
    assembler.closeCall(b, outcome(T, { status: "lost" }));
    expect(assembler.openCalls).toBe(0);
    expect(fold().steps.map((step) => step.status)).toEqual(["ok", "lost"]);
  });

  test("says where it is not certain that an answer was its own", () => {
    const { assembler, fold } = setUp();
    assembler.closeCall(assembler.openCall(fact("a")), outcome(T, { join: "ambiguous" }));
    expect(fold().steps[0]?.join).toBe("ambiguous");
  });
});

describe("a store that lost everything", () => {
  test("is told the run as it stands, and the calls under way", () => {
    const { assembler, fold } = setUp("s-1");
    expect(assembler.reopeningEntries()).toEqual([]);
    assembler.closeCall(assembler.openCall(fact("done")), outcome(T + 1));
    assembler.openCall(fact("open", T + 2, '{"n":1.0}'));
    assembler.learnHost(HOST, T + 3);
    assembler.learnSession(trustedText("s-2"), T + 3);
    assembler.countHostHookCall(T + 4);
    const run = fold(assembler.reopeningEntries());
    expect(run).toMatchObject({ startedAt: T, host: HOST, sessionId: "s-2", hostHookCalls: 1, status: "running" });
    expect(run.steps.map((step) => [step.tool, step.seq])).toEqual([["open", 1]]);
    assembler.closeRun("completed", T + 5);
    expect(fold(assembler.reopeningEntries())).toMatchObject({ status: "completed", endedAt: T + 5, steps: [] });
  });

  test("is told with the very entries that may wait to be written", () => {
    const { assembler, entries } = setUp();
    assembler.openCall(fact("a"));
    expect(assembler.reopeningEntries()).toEqual(entries);
    for (const entry of assembler.reopeningEntries()) expect(entries).toContain(entry);
  });
});
