/** One run on its way into the journal: numbers, what a store that lost everything is told, whose it is. */

import { describe, expect, test } from "vitest";
import { foldRun } from "../../src/core/fold.ts";
import { RunWriter, type StepOpening } from "../../src/record/run-writer.ts";
import { redactJson, redactText, trustedText } from "../../src/redact/redact.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { eventOf } from "./wire-fixture.ts";

const OWNER = { pid: 1, startedAt: "a" };
const OTHER = { pid: 2, startedAt: "b" };

function opened() {
  const entries: JournalEntry[] = [];
  const write = (entry: JournalEntry) => entries.push(entry);
  const facts = {
    id: trustedText("run_1"),
    tier: "bound" as const,
    cwd: redactText("/project"),
    owner: OWNER,
    sessionId: trustedText("s1"),
    host: null,
    wrappedServers: [],
  };
  return { entries, write, run: RunWriter.open(facts, 100.9, write) };
}

const step = (id: string, startedAt: number): StepOpening => ({
  stepId: trustedText(id),
  sources: ["hook"],
  server: null,
  tool: redactText("Bash"),
  qualifiedName: redactText("Bash"),
  callId: null,
  join: null,
  agentId: null,
  hostMeta: null,
  startedAt,
  truncated: false,
});

const closing = {
  status: "ok" as const,
  isError: false,
  error: null,
  rpcError: null,
  durationMs: 1.5,
  waitingMs: 0,
  legs: 1,
  progress: 0,
  truncated: false,
  join: null,
};

const heads = (entries: readonly JournalEntry[]) => entries.map(({ head }) => [head.type, head.seq, head.at]);

describe("a run", () => {
  test("numbers its steps and notes as they come; all else says where it happened", () => {
    const { entries, run } = opened();
    run.update(101, { input: redactText("Do it") });
    const first = run.openStep(step("step_a", 102.7), redactJson("{}"));
    run.note(103, { kind: "thought", text: redactText("Hm."), agentId: null });
    const second = run.openStep(step("step_b", 104), null);
    run.updateStep(first, 105, { agentId: trustedText("a1") });
    run.closeStep(first, 106, closing, redactJson('{"a":1}'));
    run.gap(107, trustedText("x"), 2);
    run.close("completed", 108.2);
    expect([first.seq, second.seq]).toEqual([0, 2]);
    expect(heads(entries)).toEqual([
      ["run.opened", 0, 100],
      ["run.updated", 0, 101],
      ["step.opened", 0, 102],
      ["note", 1, 103],
      ["step.opened", 2, 104],
      ["step.updated", 0, 105],
      ["step.closed", 0, 106],
      ["gap", 3, 107],
      ["run.closed", 3, 108],
    ]);
    expect(foldRun(entries.map(eventOf))).toMatchObject({
      id: "run_1",
      status: "completed",
      startedAt: 100,
      endedAt: 108,
      steps: [{ id: "step_a", agentId: "a1", result: { a: 1 } }, { id: "step_b" }],
      notes: [{ text: "Hm.", seq: 1 }],
      gaps: [{ lost: 2 }],
    });
  });

  test("is open until it is closed, and again when it goes on", () => {
    const { entries, run } = opened();
    expect([run.isOpen, run.status]).toEqual([true, "running"]);
    run.reopen(101);
    expect(entries).toHaveLength(1);
    run.close("interrupted", 102);
    expect([run.isOpen, run.status]).toEqual([false, "interrupted"]);
    run.reopen(103);
    expect([run.isOpen, run.status]).toEqual([true, "running"]);
    expect(entries.at(-1)?.head).toMatchObject({ type: "run.updated", status: "running" });
    expect(foldRun(entries.map(eventOf))).toMatchObject({ status: "running", endedAt: null });
  });

  test("that was closed may be closed otherwise, when it is known better", () => {
    const { entries, run } = opened();
    run.close("interrupted", 102);
    run.close("completed", 101);
    expect(foldRun(entries.map(eventOf))).toMatchObject({ status: "completed", endedAt: 101 });
  });

  test("writes arguments again only where they changed", () => {
    const { entries, run } = opened();
    const place = run.openStep(step("step_a", 101), redactJson('{"n":1}'));
    run.updateStep(place, 102, { sources: ["proxy", "hook"] });
    expect(foldRun(entries.map(eventOf))?.steps).toMatchObject([{ args: { n: 1 }, sources: ["proxy", "hook"] }]);
    run.updateStep(place, 103, {}, redactJson('{"n":2}'));
    expect(foldRun(entries.map(eventOf))?.steps).toMatchObject([{ args: { n: 2 } }]);
  });
});

describe("a store that lost everything", () => {
  test("is told how the run began, what is known of it by now, and which calls run", () => {
    const { run } = opened();
    const done = run.openStep(step("step_a", 101), null);
    run.openStep(step("step_b", 102), redactJson("{}"));
    run.closeStep(done, 103, closing, null);
    run.update(104, { input: redactText("Do it") });
    run.update(105, { usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 } });
    const entries = run.reopeningEntries();
    expect(heads(entries)).toEqual([
      ["run.opened", 0, 100],
      ["run.updated", 2, 100],
      ["step.opened", 1, 102],
    ]);
    expect(foldRun(entries.map(eventOf))).toMatchObject({
      input: "Do it",
      usage: { inputTokens: 1, cacheCreationTokens: 4 },
      status: "running",
      steps: [{ id: "step_b", args: {} }],
    });
  });

  test("is told that a run is over, and of none of its calls", () => {
    const { run } = opened();
    run.openStep(step("step_a", 101), null);
    run.close("failed", 102);
    expect(heads(run.reopeningEntries())).toEqual([
      ["run.opened", 0, 100],
      ["run.closed", 1, 102],
    ]);
  });
});

describe("a run that another process began", () => {
  function adopted({ changed = {}, isClosed = false, owner = OTHER, told = {} } = {}) {
    const { entries, run } = opened();
    if (isClosed) run.close("completed", 150);
    const [opening] = entries;
    const closed = isClosed ? (entries.at(-1) ?? null) : null;
    if (opening === undefined) throw new Error("nothing was opened");
    const taken: JournalEntry[] = [];
    const known = { opened: opening, changed: { ...changed, ...told }, nextSeq: 7, closed, owner };
    return { taken, run: RunWriter.adopt(known, 200, (entry) => taken.push(entry)) };
  }

  test("is its new owner's, told once, and goes on with its numbers", () => {
    const { taken, run } = adopted();
    run.note(201, { kind: "text", text: redactText("x"), agentId: null });
    expect(taken.map(({ head }) => head)).toMatchObject([
      { type: "run.updated", runId: "run_1", seq: 7, at: 200, owner: OTHER },
      { type: "note", seq: 7 },
    ]);
    run.reopen(202);
    expect(taken).toHaveLength(2);
  });

  test("by the same process stays what it was", () => {
    expect(adopted({ owner: OWNER }).taken).toEqual([]);
    expect(adopted({ owner: OTHER, told: { owner: OTHER } }).taken).toEqual([]);
  });

  test("and closed has its new owner once it goes on", () => {
    const { taken, run } = adopted({ isClosed: true });
    expect(taken).toEqual([]);
    expect([run.isOpen, run.status]).toEqual([false, "completed"]);
    run.reopen(201);
    expect(taken.map(({ head }) => head)).toMatchObject([
      { type: "run.updated", status: "running" },
      { type: "run.updated", owner: OTHER },
    ]);
    run.close("completed", 202);
    run.reopen(203);
    expect(taken.filter(({ head }) => "owner" in head)).toHaveLength(1);
  });

  test("remembers what was known of it, for a store that loses everything", () => {
    const { run } = adopted({ changed: { input: redactText("Do it") } });
    expect(foldRun(run.reopeningEntries().map(eventOf))).toMatchObject({ input: "Do it", sessionId: "s1" });
  });

  test("begins with its opening, and nothing else", () => {
    const { entries, run } = opened();
    run.close("completed", 150);
    const known = { opened: entries[1] as JournalEntry, changed: {}, nextSeq: 0, closed: null, owner: OTHER };
    expect(() => RunWriter.adopt(known, 200, () => {})).toThrow(TypeError);
  });
});
