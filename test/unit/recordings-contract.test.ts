import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PatchBody, StepsBody } from "../../src/core/recordings-wire.ts";
import { deleteRuns } from "../../src/store/delete-runs.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import { ReceivingDesk } from "./recordings-fixture.ts";

/** What any recorder may send, and what becomes of it. */

let desk: ReceivingDesk;
beforeEach(() => {
  desk = new ReceivingDesk();
});
afterEach(async () => {
  await desk.dispose();
  expect(desk.faults).toEqual([]);
});

const selected = (id: string, toolName: string, toolInput: unknown = {}) => ({
  id,
  stepIndex: 0,
  type: "tool_selected",
  toolName,
  toolInput,
});
const response = (id: string, more: object) => ({ id, stepIndex: 1, type: "tool_response", ...more });
const statusOf = (answer: Promise<{ status: number }>) => answer.then(({ status }) => status);

describe("a run of another recorder", () => {
  test("reads as it was told, from the first row to its end", async () => {
    const metadata = { recorder: "their-tool", sessionId: "s-1", cwd: "/srv/app", wrappedServers: ["files"] };
    expect(await desk.create({ id: "run-1", input: "do it", metadata })).toEqual({
      status: 201,
      body: { id: "run-1" },
    });
    const call = { ...selected("r1", "mcp__files__read", { path: "a.txt" }), context: "I should read it" };
    expect(await desk.steps("run-1", call)).toEqual({ status: 201, body: { id: "r1" } });
    desk.now += 40;
    await desk.steps("run-1", response("r2", { toolOutput: { content: [{ type: "text", text: "hello" }] } }));
    await desk.steps("run-1", { id: "r3", type: "final_answer", finalOutput: "done" });
    desk.now += 10;
    const metrics = { usage: { input_tokens: 10, output_tokens: 4 } };
    expect(await desk.finish("run-1", { finalOutput: "all done", metrics })).toEqual({
      status: 200,
      body: { id: "run-1" },
    });
    expect(desk.run("run-1")).toMatchObject({
      id: "run-1",
      sessionId: "s-1",
      host: { app: "their-tool", version: null },
      tier: "standalone",
      cwd: "/srv/app",
      input: "do it",
      finalAnswer: "all done",
      status: "completed",
      endedAt: desk.now,
      wrappedServers: ["files"],
      lossy: false,
      usage: { inputTokens: 10, outputTokens: 4, cacheReadTokens: 0, cacheCreationTokens: 0 },
      steps: [
        {
          seq: 0,
          server: "files",
          tool: "read",
          qualifiedName: "mcp__files__read",
          args: { path: "a.txt" },
          result: { content: [{ type: "text", text: "hello" }] },
          status: "ok",
          isError: false,
          context: "I should read it",
          durationMs: 40,
          sources: [],
        },
      ],
    });
  });

  test("may say next to nothing", async () => {
    expect(await statusOf(desk.create({ id: "r" }))).toBe(201);
    expect(await statusOf(desk.steps("r", { id: "a", type: "tool_selected" }))).toBe(201);
    expect(await statusOf(desk.steps("r", { id: "b", type: "tool_response" }))).toBe(201);
    expect(await statusOf(desk.finish("r"))).toBe(200);
    expect(desk.run("r")).toMatchObject({ input: null, host: null, cwd: "", status: "completed", finalAnswer: null });
    expect(desk.run("r").steps).toMatchObject([{ tool: "", args: null, result: null, status: "ok" }]);
  });

  test("may say anything where the contract says nothing of it", async () => {
    const metadata = { host: "an editor", tier: 5, gaps: "none", wrappedServers: [1, "x"], lossy: true, cwd: null };
    await desk.create({ id: "r", input: { messages: ["hi"] }, metadata, mood: "good" });
    await desk.steps("r", { ...selected("a", "t"), stepIndex: "first", extra: { deep: [] } });
    expect(desk.run("r")).toMatchObject({
      host: { app: "an editor", version: null },
      tier: "standalone",
      wrappedServers: ["x"],
      input: '{"messages":["hi"]}',
      lossy: true,
      gaps: [{ reason: "told by the sender", lost: 0 }],
    });
    expect(await statusOf(desk.create({ id: "q", metadata: "none" }))).toBe(201);
    expect(await statusOf(desk.create({ id: "p", metadata: null, input: null }))).toBe(201);
  });

  test.each([
    [{ status: "failed" }, "failed"],
    [{ metrics: { status: "cancelled" } }, "interrupted"],
    [{ status: "constructor" }, "completed"],
    [{ status: 7, metrics: [] }, "completed"],
  ])("ends as it says: %j", async (body, status) => {
    await desk.create({ id: "r" });
    await desk.finish("r", body);
    expect(desk.run("r").status).toBe(status);
  });

  test("that ends leaves no call running, and takes the answer that comes too late", async () => {
    await desk.create({ id: "r" });
    await desk.steps("r", selected("a", "slow"));
    await desk.finish("r");
    expect(desk.run("r").steps).toMatchObject([{ status: "lost" }]);
    await desk.steps("r", response("b", { toolName: "slow", toolOutput: 1 }));
    expect(desk.run("r")).toMatchObject({ status: "completed", steps: [{ status: "ok", result: 1 }] });
  });

  test("a row of a type that nobody knows is kept in words", async () => {
    await desk.create({ id: "r" });
    await desk.steps("r", { id: "a", type: "reflection", text: "hm" });
    await desk.steps("r", { id: "b", type: "vector", data: [1.0, 2] });
    expect(desk.run("r").notes.map(({ kind, text, seq }) => ({ kind, text, seq }))).toEqual([
      { kind: "text", text: "reflection: hm", seq: 0 },
      { kind: "text", text: 'vector: {"id":"b","type":"vector","data":[1,2]}', seq: 1 },
    ]);
  });
});

describe("an answer belongs to", () => {
  beforeEach(() => desk.create({ id: "r" }));

  test("the last call without one of the same tool, else the last without one, else a call of its own", async () => {
    await desk.steps("r", [selected("a1", "a"), selected("a2", "a"), selected("b1", "b")]);
    await desk.steps("r", response("1", { toolName: "a", toolOutput: "second a" }));
    await desk.steps("r", response("2", { toolOutput: "b" }));
    await desk.steps("r", response("3", { toolName: "none", toolOutput: "first a" }));
    await desk.steps("r", response("4", { toolName: "mcp__s__c", toolOutput: "alone" }));
    expect(desk.run("r").steps.map(({ tool, result, status }) => [tool, result, status])).toEqual([
      ["a", "first a", "ok"],
      ["a", "second a", "ok"],
      ["b", "b", "ok"],
      ["c", "alone", "ok"],
    ]);
  });

  test("the same after the service was started again", async () => {
    await desk.steps("r", [selected("a1", "a"), selected("b1", "b")]);
    await desk.restart();
    await desk.steps("r", response("1", { toolName: "a", toolOutput: "of a" }));
    await desk.steps("r", selected("c1", "c"));
    expect(desk.run("r").steps.map(({ tool, seq, result }) => [tool, seq, result])).toEqual([
      ["a", 0, "of a"],
      ["b", 1, null],
      ["c", 2, null],
    ]);
  });

  test.each([
    [{ toolError: "no such file" }, { status: "error", isError: true, error: "no such file", result: null }],
    [{ toolError: { code: 5 } }, { status: "error", error: '{"code":5}' }],
    [
      { toolError: "bad", toolOutput: [1] },
      { status: "error", error: "bad", result: [1] },
    ],
    [{ toolOutput: { isError: true, content: [] } }, { status: "error", isError: true, error: null }],
    [{ toolOutput: null }, { status: "ok", isError: false, result: null }],
  ])("a call that ended so: %j", async (told, step) => {
    await desk.steps("r", selected("a", "t"));
    await desk.steps("r", response("b", told));
    expect(desk.run("r").steps).toMatchObject([step]);
  });
});

describe("a change of a row", () => {
  beforeEach(async () => {
    await desk.create({ id: "r" });
    await desk.steps("r", selected("a", "t", { n: 1 }));
  });

  test("tells what it names, and lets the rest be", async () => {
    await desk.patch("r", "a", { toolName: "mcp__s__u", context: "why" });
    expect(desk.run("r").steps).toMatchObject([
      { server: "s", tool: "u", qualifiedName: "mcp__s__u", args: { n: 1 }, context: "why", status: "running" },
    ]);
    await desk.patch("r", "a", { toolInput: null });
    expect(desk.run("r").steps).toMatchObject([{ tool: "u", args: null, context: "why" }]);
    expect(desk.value("SELECT qualified_name FROM steps")).toBe("mcp__s__u");
  });

  test("may end the call, on the row that began it", async () => {
    await desk.patch("r", "a", { toolOutput: "x" });
    expect(desk.run("r").steps).toMatchObject([{ status: "ok", result: "x" }]);
    await desk.patch("r", "a", { toolError: "after all" });
    expect(desk.run("r").steps).toMatchObject([{ status: "error", error: "after all", result: null }]);
  });

  test.each(["in one go", "after a while"])("corrects an answer and keeps what else it said, %s", async (when) => {
    desk.now += 12;
    const first = desk.steps("r", response("b", { toolOutput: { n: 1 } }));
    if (when === "after a while") await first;
    desk.now += 100;
    await desk.patch("r", "b", { toolOutput: { n: 2 } });
    expect(desk.run("r").steps).toMatchObject([
      { status: "ok", result: { n: 2 }, durationMs: when === "in one go" ? 112 : 12 },
    ]);
    await desk.patch("r", "b", { toolError: "wrong" });
    expect(desk.run("r").steps).toMatchObject([{ isError: true, error: "wrong", result: null }]);
  });

  test("that another bir sends twice is taken once, and not later over a newer one", async () => {
    const change = (writeId: string, legs: number): PatchBody => ({ bir: { writeId, legs } });
    await desk.patch("r", "a", change("w1", 2));
    await desk.patch("r", "a", change("w2", 3));
    await desk.restart();
    expect(await desk.patch("r", "a", change("w1", 2))).toEqual({ status: 200, body: { id: "a" } });
    expect(desk.run("r").steps).toMatchObject([{ legs: 3 }]);
  });

  test("of the answer changes it, of a note adds one", async () => {
    await desk.steps("r", { id: "f", type: "final_answer", finalOutput: "one" });
    await desk.patch("r", "f", { finalOutput: "two" });
    await desk.steps("r", { id: "n", type: "musing", text: "a" });
    await desk.patch("r", "n", { text: "b" });
    expect(desk.run("r")).toMatchObject({ finalAnswer: "two", notes: [{ text: "musing: a" }, { text: "changed: b" }] });
  });

  test("of a row that is not there is refused", async () => {
    expect(await desk.patch("r", "zz", { toolOutput: 1 })).toMatchObject({
      status: 404,
      body: { code: "unknown-step" },
    });
    await desk.patch("r", "a", { bir: { writeId: "w" } });
    expect(await statusOf(desk.patch("r", "w", { toolOutput: 1 }))).toBe(404);
    expect(await statusOf(desk.patch("r", "", { toolOutput: 1 }))).toBe(404);
  });
});

describe("a repeated write", () => {
  test("answers success and changes nothing, also after a restart and when all come at once", async () => {
    const send = async () => {
      await desk.create({ id: "r", input: "once" });
      const row = { ...selected("a", "t"), bir: { notes: [], gaps: [{ reason: "x", lost: 1, at: 5 }] } };
      const answers = await Promise.all([
        desk.steps("r", row),
        desk.steps("r", row),
        desk.steps("r", [response("b", { toolOutput: 1 }), response("b", { toolOutput: 2 })]),
      ]);
      await desk.finish("r", { finalOutput: "end" });
      return answers.map(({ status }) => status);
    };
    expect(await send()).toEqual([201, 200, 201]);
    const before = desk.run("r");
    desk.now += 1000;
    expect(await send()).toEqual([200, 200, 200]);
    await desk.restart();
    expect(await send()).toEqual([200, 200, 200]);
    expect(desk.run("r")).toEqual(before);
    expect(before.gaps).toHaveLength(1);
  });

  test("of a run that was removed here begins it again", async () => {
    await desk.create({ id: "r" });
    await desk.steps("r", selected("a", "t"));
    expect(deleteRuns(desk.path, ["r"]).deleted).toBe(1);
    expect(desk.value("SELECT count(*) FROM received")).toBe(0);
    expect(await desk.steps("r", selected("a", "t"))).toMatchObject({ status: 404, body: { code: "unknown-run" } });
    expect(await statusOf(desk.create({ id: "r" }))).toBe(201);
    expect(await statusOf(desk.steps("r", selected("a", "t")))).toBe(201);
    expect(desk.run("r").steps).toHaveLength(1);
  });
});

test("what another bir sends says whose answer it is, when all was, and what came between", async () => {
  const place = { stepId: "step_1", seq: 3, at: 1000 };
  const opening = { server: "s", qualifiedName: "mcp__s__t", startedAt: 990, sources: ["proxy" as const], callId: "c" };
  const note = { kind: "thought" as const, text: "hm", at: 995, seq: 2, agentId: null };
  const rows: StepsBody = [
    { id: "1", stepIndex: 6, type: "tool_selected", toolName: "t", toolInput: [], bir: { ...place, ...opening } },
    {
      id: "2",
      stepIndex: 8,
      type: "tool_selected",
      toolName: "t",
      toolInput: [],
      bir: { ...place, seq: 4, stepId: "o" },
    },
    {
      id: "3",
      stepIndex: 7,
      type: "tool_response",
      toolError: "no",
      bir: {
        ...place,
        status: "denied",
        isError: true,
        durationMs: 7.5,
        result: { a: 1 },
        rpcError: null,
        notes: [note],
      },
    },
  ];
  await desk.create({ id: "r", bir: { startedAt: 900 } });
  await desk.steps("r", rows);
  await desk.finish("r", { bir: { writeId: "w", status: "interrupted", at: 2000, run: { hostHookCalls: 4 } } });
  const { steps, ...run } = desk.run("r");
  expect(run).toMatchObject({ startedAt: 900, endedAt: 2000, status: "interrupted", hostHookCalls: 4, notes: [note] });
  expect(steps).toMatchObject([
    { ...opening, id: "step_1", seq: 3, tool: "t", status: "denied", error: "no", result: { a: 1 }, durationMs: 7.5 },
    { id: "o", seq: 4, status: "running" },
  ]);
});

describe("an array of rows", () => {
  beforeEach(() => desk.create({ id: "r" }));

  test("is taken all or none", async () => {
    expect(await desk.steps("r", [selected("a", "t"), response("b", {})])).toEqual({
      status: 201,
      body: { accepted: 2 },
    });
    const bad = await desk.steps("r", [selected("c", "t"), { id: "d" }, { id: 5, type: "x" }]);
    expect(bad).toMatchObject({ status: 400, body: { issues: [{ path: "[1].type" }, { path: "[2].id" }] } });
    expect(desk.run("r").steps).toHaveLength(1);
  });

  test("holds one row at least and a thousand at most", async () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => selected(`row ${i}`, "t"));
    expect(await statusOf(desk.steps("r", []))).toBe(400);
    expect(await statusOf(desk.steps("r", many(1001)))).toBe(400);
    expect(await statusOf(desk.steps("r", many(1000)))).toBe(201);
    expect(desk.run("r").steps).toHaveLength(1000);
  });
});

describe("ids", () => {
  const odd = [
    "...",
    "a/b",
    "__proto__",
    "' OR 1=1 --",
    "x\u0000y",
    "\u202e",
    "日本",
    "x".repeat(200),
    " ",
    "\n",
    "😀",
  ];

  test("may be any text of up to 200 characters, and are told apart", async () => {
    for (const id of odd) expect(await statusOf(desk.create({ id })), id).toBe(201);
    for (const id of odd) expect(await statusOf(desk.create({ id })), id).toBe(200);
    for (const runId of odd) {
      for (const id of odd) expect(await statusOf(desk.steps(runId, selected(id, "t")))).toBe(201);
      expect(await statusOf(desk.patch(runId, "...", { toolInput: "changed" }))).toBe(200);
    }
    expect(desk.value("SELECT count(*) FROM runs")).toBe(odd.length);
    expect(desk.value("SELECT count(DISTINCT id) FROM steps")).toBe(odd.length ** 2);
    expect(desk.run("__proto__").steps).toHaveLength(odd.length);
    expect(desk.value("SELECT count(*) FROM events WHERE type = 'step.updated'")).toBe(odd.length);
  });

  // Of the last ones no path could be made.
  test.each(["", "x".repeat(201), 7, null, ".", "..", "\ud800"])("but nothing else: %j", async (id) => {
    expect(await desk.create({ id })).toMatchObject({ status: 400, body: { issues: [{ path: "id" }] } });
  });

  test("of steps that two runs have in common belong to each", async () => {
    const bir = { stepId: "step_1", seq: 0, at: 1, qualifiedName: "q" };
    for (const id of ["r", "q"]) {
      await desk.create({ id });
      await desk.steps(id, { ...selected("a", id), bir });
    }
    await desk.steps("q", { ...response("b", { toolOutput: "of q" }), bir });
    expect(desk.run("r").steps).toMatchObject([{ id: "step_1", tool: "r", status: "running" }]);
    expect(desk.run("q").steps).toMatchObject([{ tool: "q", result: "of q" }]);
    expect(desk.value("SELECT status FROM steps WHERE run_id = 'r'")).toBe("running");
    expect(desk.value("SELECT status FROM steps WHERE run_id = 'q'")).toBe("ok");
  });

  test("of steps that come in one moment, too", async () => {
    await desk.create({ id: "r" });
    await desk.create({ id: "q" });
    const bir = { stepId: "step_1", seq: 0, at: 1, qualifiedName: "q" };
    await Promise.all(["r", "q"].map((id) => desk.steps(id, { ...selected("a", id), bir })));
    expect(desk.run("r").steps).toMatchObject([{ tool: "r" }]);
    expect(desk.run("q").steps).toMatchObject([{ tool: "q" }]);
  });
});

test("rows of a run that nobody began are refused, and so is its end", async () => {
  const unknown = { status: 404, body: { code: "unknown-run" } };
  expect(await desk.steps("r", selected("a", "t"))).toMatchObject(unknown);
  expect(await desk.patch("r", "a", {})).toMatchObject(unknown);
  expect(await desk.finish("r")).toMatchObject(unknown);
});

test("a run that was recorded here is nobody else's to write", async () => {
  const store = SqliteStore.open(desk.path);
  const opened = { tier: "standalone", cwd: "/", owner: desk.owner, sessionId: null, host: null, wrappedServers: [] };
  const head = { type: "run.opened", runId: "mine", seq: 0, at: 1, ...opened };
  store.append([{ head, payload: null } as unknown as JournalEntry]);
  const refused = { status: 409, body: { code: "own-run" } };
  expect(await desk.create({ id: "mine", input: "theirs" })).toMatchObject(refused);
  expect(await desk.steps("mine", selected("a", "t"))).toMatchObject(refused);
  expect(await desk.patch("mine", "a", {})).toMatchObject(refused);
  expect(await desk.finish("mine")).toMatchObject(refused);
  expect(desk.run("mine")).toMatchObject({ input: null, status: "running", steps: [] });
  store.close();
});

test("a refusal tells where a body is wrong, and never what stood there", async () => {
  await desk.create({ id: "r" });
  const answers = [
    await desk.create({ id: "hunter2-run", bir: { startedAt: "hunter2", notes: [{ kind: "hunter2" }] } }),
    await desk.steps("r", { id: "a", type: "hunter2", bir: { seq: -1, status: "hunter2" } }),
    await desk.patch("r", "a", { bir: { hunter2: 1, legs: "hunter2" } }),
    await desk.finish("r", { bir: { status: "hunter2" } }),
    await desk.steps("r", '"hunter2"'),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer)).not.toContain("hunter2");
  }
});

describe("the owner of a received run", () => {
  test("is the serving process: when that is gone it reads as abandoned, until somebody writes", async () => {
    await desk.create({ id: "r" });
    await desk.steps("r", selected("a", "t"));
    const first = desk.owner.pid;
    expect(desk.run("r", (pid) => pid !== first)).toMatchObject({ status: "abandoned", steps: [{ status: "lost" }] });
    await desk.restart();
    const isSecond = (pid: number) => pid === desk.owner.pid;
    expect(desk.run("r", isSecond).status).toBe("abandoned");
    await desk.steps("r", selected("b", "t"));
    expect(desk.run("r", isSecond)).toMatchObject({ status: "running", steps: [{}, { seq: 1 }] });
    const owners = "SELECT count(*) FROM events WHERE type = 'run.updated'";
    await desk.steps("r", selected("c", "t"));
    expect(desk.value(owners)).toBe(1);
  });
});
