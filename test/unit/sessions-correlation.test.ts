/** One step of what a proxy saw on the wire and what the host told of the same call, whoever is first. */

import { describe, expect, test } from "vitest";
import { trustedText } from "../../src/redact/redact.ts";
import { HostScript, promptedHost as prompted, task } from "./host-script.ts";
import { NOW, RecorderDesk } from "./recorder-desk.ts";

const TOOL = "mcp__files__read";
const HOST_FORM = [{ type: "text", text: "as the model was shown it" }];
const REAL = { content: [{ type: "text", text: "as the server said it" }] };

type Desk = RecorderDesk;

/** A call on the wire with the host's id, or without. */
const onWire = (desk: Desk, callId: string | null, more = {}) =>
  desk.step({
    hostCallId: callId === null ? null : trustedText(callId),
    args: { path: "a" },
    result: REAL,
    startedAt: desk.now - 10,
    durationMs: 5.5,
    ...more,
  });

const running = { status: "running" as const, durationMs: null, result: null };

describe("a call that carries the host's id", () => {
  const ORDERS = [
    ["proxy", "hook", "transcript"],
    ["proxy", "transcript", "hook"],
    ["hook", "proxy", "transcript"],
    ["hook", "transcript", "proxy"],
    ["transcript", "proxy", "hook"],
    ["transcript", "hook", "proxy"],
  ];
  test.each(ORDERS)("is one step with the real result, told by %s, %s and %s", async (...order) => {
    const { desk, host, proxy } = await prompted();
    const start = desk.now - 10;
    const tellers: Record<string, () => Promise<unknown>> = {
      proxy: () => desk.tell(proxy, onWire(desk, "t1", { startedAt: start, args: { path: "b" } })),
      hook: () => host.post("t1", TOOL, { path: "c" }, HOST_FORM, { mcp_server: { name: "files" } }),
      transcript: async () => {
        host.row({
          type: "assistant",
          timestamp: new Date(start - 3).toISOString(),
          message: { id: "m", content: [{ type: "tool_use", id: "t1", name: TOOL, input: { path: "a" } }] },
        });
        host.resultRow("t1", HOST_FORM);
        desk.now += 200;
        await host.hook("PreCompact", {});
      },
    };
    for (const teller of order) {
      await tellers[teller]?.();
      desk.now += 40;
    }
    await host.stop("Done.");
    await desk.wait(20_000);
    expect(desk.runs()).toMatchObject([{ status: "completed", wrappedServers: ["files"] }]);
    expect(desk.run().steps).toMatchObject([
      {
        server: "files",
        tool: "read",
        qualifiedName: TOOL,
        args: { path: "a" },
        result: REAL,
        status: "ok",
        callId: "t1",
        join: "host-id",
        sources: ["proxy", "hook"],
        startedAt: start,
        durationMs: 5.5,
      },
    ]);
  });

  test("and runs is seen to run, in its run and with its agent", async () => {
    const { desk, host, proxy } = await prompted();
    await host.launch("launch", "a1");
    await host.stop("It reads.", [task("a1")]);
    await host.prompt("p2", "Else");
    const start = onWire(desk, "t1", running);
    await desk.tell(proxy, start);
    expect(desk.runs().flatMap(({ steps }) => steps)).toHaveLength(1);
    host.uses("t1", TOOL, { path: "a" }, { agentId: "a1" });
    await desk.wait(2000);
    expect(desk.run().steps[1]).toMatchObject({ status: "running", agentId: "a1", sources: ["proxy", "transcript"] });
    desk.now += 100;
    await desk.tell(
      proxy,
      onWire(desk, "t1", { callRef: start.callRef, startedAt: start.startedAt, durationMs: 2120 }),
    );
    await host.post("t1", TOOL, { path: "a" }, HOST_FORM, { agent_id: "a1", mcp_server: { name: "files" } });
    expect(desk.run().steps).toMatchObject([
      { callId: "launch" },
      { callId: "t1", status: "ok", result: REAL, durationMs: 2120, sources: ["proxy", "hook"], agentId: "a1" },
    ]);
    expect(desk.runs()[1]?.steps).toEqual([]);
  });

  test("of which the end is told to another server is the same step", async () => {
    const { desk, host, proxy } = await prompted();
    const start = onWire(desk, "t1", running);
    await desk.tell(proxy, start);
    desk.restart();
    await host.post("t1", TOOL, { path: "a" }, HOST_FORM);
    desk.restart();
    const again = desk.proxy();
    await desk.tell(again, onWire(desk, "t1", { callRef: start.callRef, startedAt: start.startedAt }));
    expect(desk.run().steps).toMatchObject([{ status: "ok", result: REAL, join: "host-id" }]);
  });

  test("that failed has the server's own words", async () => {
    const { desk, host, proxy } = await prompted();
    await host.fail("t1", TOOL, { path: "a" }, "as the model was shown it");
    const rpcError = { code: -32603, message: "boom", data: { a: 1 } };
    await desk.tell(
      proxy,
      onWire(desk, "t1", {
        status: "error",
        isError: true,
        errorMessage: trustedText("boom"),
        rpcError: JSON.stringify(rpcError),
        result: null,
      }),
    );
    expect(desk.stepOf()).toMatchObject({ status: "error", error: "boom", rpcError, join: "host-id" });
  });

  test("that the proxy lost sight of ends as the host says", async () => {
    const { desk, host, proxy } = await prompted();
    await desk.tell(proxy, onWire(desk, "t1", { status: "lost", result: null }));
    await host.fail("t1", TOOL, { path: "a" }, "Connection closed");
    expect(desk.stepOf()).toMatchObject({ status: "error", error: "Connection closed", sources: ["proxy", "hook"] });
  });

  test("and that the person stopped is cancelled, not denied", async () => {
    const { desk, host, proxy } = await prompted();
    await desk.tell(proxy, onWire(desk, "t1", running));
    host.uses("t1", TOOL, { path: "a" });
    host.resultRow("t1", "The user doesn't want to proceed with this tool use.", { is_error: true });
    await desk.wait(2000);
    expect(desk.stepOf()).toMatchObject({ status: "cancelled", sources: ["proxy", "transcript"] });
  });

  test("and runs on when its run is over ends in it", async () => {
    const { desk, host, proxy } = await prompted();
    const start = onWire(desk, "t1", running);
    await desk.tell(proxy, start);
    await host.pre("t1", TOOL, { path: "a" });
    await host.stop("Done.");
    // It was given up with its run, and its proxy still tells of it.
    expect(desk.stepOf()).toMatchObject({ status: "lost" });
    await desk.wait(70_000);
    expect(desk.recorder.sessions.find("s1")?.session.runs).toHaveLength(1);
    await desk.tell(proxy, onWire(desk, "t1", { callRef: start.callRef, startedAt: start.startedAt }));
    expect(desk.stepOf()).toMatchObject({ status: "ok", result: REAL });
  });

  test("of an agent that goes on when its run is over ends with the session", async () => {
    const { desk, host, proxy } = await prompted();
    await host.launch("launch", "a1");
    await host.stop("It reads.", null);
    await desk.tell(proxy, onWire(desk, "t1", running));
    await host.pre("t1", TOOL, { path: "a" }, { agent_id: "a1" });
    expect(desk.run()).toMatchObject({ status: "completed", steps: [{}, { callId: "t1", status: "running" }] });
    await host.end();
    expect(desk.run()).toMatchObject({ status: "completed", steps: [{}, { callId: "t1", status: "lost" }] });
  });

  test("told long after its run was put away joins it", async () => {
    const { desk, host, proxy } = await prompted();
    const late = onWire(desk, "t1", {});
    await host.post("t1", TOOL, { path: "a" }, HOST_FORM);
    await host.stop("Done.");
    await desk.wait(100_000);
    expect(desk.recorder.sessions.find("s1")?.session.runs).toEqual([]);
    await desk.tell(proxy, late);
    expect(desk.runs()).toHaveLength(1);
    expect(desk.run().steps).toMatchObject([{ result: REAL, join: "host-id", sources: ["proxy", "hook"] }]);
  });
});

describe("a call whose proxy never tells of its end", () => {
  test("has the host's form of it after a while", async () => {
    const { desk, host, proxy } = await prompted();
    await host.post("t1", TOOL, { path: "a" }, HOST_FORM);
    expect(desk.stepOf()).toMatchObject({ status: "running", result: null });
    await desk.wait(2000);
    expect(desk.stepOf()).toMatchObject({ status: "running" });
    await desk.wait(10_000);
    expect(desk.run()).toMatchObject({ status: "running" });
    expect(desk.stepOf()).toMatchObject({ status: "ok", result: HOST_FORM, sources: ["hook"] });
    // It may be late, and still knows better.
    await desk.tell(proxy, onWire(desk, "t1", { startedAt: NOW + 195 }));
    expect(desk.stepOf()).toMatchObject({ result: REAL });
  });

  test("has it at the end of the run", async () => {
    const { desk, host } = await prompted();
    await host.post("t1", TOOL, { path: "a" }, HOST_FORM);
    expect(await host.stop("Done.")).toMatchObject({ stragglers: 1 });
    await desk.wait(5000);
    expect(desk.run()).toMatchObject({ status: "completed", steps: [{ status: "ok", result: HOST_FORM }] });
  });

  test("has it at once where no proxy stands before the server", async () => {
    const { desk, host } = await prompted();
    await host.post("t1", "mcp__other__read", {}, HOST_FORM);
    expect(desk.stepOf()).toMatchObject({ status: "ok", result: HOST_FORM, server: "other" });
  });

  test("has it although its run was over, and with another server", async () => {
    for (const isRestarted of [false, true]) {
      const { desk, host } = await prompted();
      await host.pre("t1", TOOL, { path: "a" });
      await host.end();
      expect(desk.stepOf()).toMatchObject({ status: "lost" });
      await host.post("t1", TOOL, { path: "a" }, HOST_FORM);
      if (isRestarted) desk.restart();
      await desk.wait(20_000);
      expect(desk.stepOf()).toMatchObject({ status: "ok", result: HOST_FORM });
    }
  });

  test("keeps its own hook's word, not that of its batch", async () => {
    const { desk, host } = await prompted();
    await host.fail("t1", TOOL, { path: "a" }, "no such file");
    await host.hook("PostToolBatch", { tool_calls: [{ ...host.call("t1", TOOL, {}), tool_response: "no such file" }] });
    await desk.wait(20_000);
    expect(desk.stepOf()).toMatchObject({ status: "error", error: "no such file" });
  });

  test("keeps what its hook told, whatever becomes of the server", async () => {
    const { desk, host } = await prompted();
    await host.post("t1", TOOL, { path: "a" }, HOST_FORM);
    desk.restart();
    desk.restart();
    await desk.wait(20_000);
    expect(desk.stepOf()).toMatchObject({ status: "ok", result: HOST_FORM, durationMs: 10 });
    const books = desk.committed.filter((entry) => "book" in entry && entry.book === "released");
    expect(books).toHaveLength(1);
    desk.restart();
    await desk.wait(20_000);
    expect(desk.run().steps).toHaveLength(1);
  });
});

describe("a call that the host never tells of", () => {
  test("stands in the run of its time after a while", async () => {
    const { desk, host, proxy } = await prompted();
    await desk.tell(proxy, onWire(desk, "t1"));
    expect(desk.run().steps).toEqual([]);
    await host.stop("Done.");
    desk.now += 1000;
    await host.prompt("p2", "Next");
    await desk.wait(15_000);
    expect(desk.runs()).toMatchObject([
      { steps: [{ callId: "t1", result: REAL, sources: ["proxy"], join: null }] },
      { steps: [] },
    ]);
  });

  test("can only be of the run that was open, where the main agent had stopped working on another", async () => {
    const { desk, host, proxy } = await prompted();
    await host.launch("launch", "a1");
    await host.stop("It counts.", [task("a1")]);
    desk.now += 100;
    await host.prompt("p2", "Else");
    desk.now += 100;
    await host.stop("Else.", [task("a1")]);
    desk.now += 100;
    await desk.tell(proxy, onWire(desk, "t1"));
    await desk.wait(15_000);
    expect(desk.runs().map(({ steps }) => steps.map(({ callId }) => callId))).toEqual([["launch", "t1"], []]);
  });

  test("is waited for from its end on, however long it ran", async () => {
    const { desk, host, proxy } = await prompted();
    const start = onWire(desk, "t1", running);
    await desk.tell(proxy, start);
    for (let n = 0; n < 10; n++) await desk.wait(10_000);
    expect(desk.run().steps).toEqual([]);
    await desk.tell(
      proxy,
      onWire(desk, "t1", { callRef: start.callRef, startedAt: start.startedAt, durationMs: 100_000 }),
    );
    await desk.wait(3000);
    expect(desk.run().steps).toEqual([]);
    await host.post("t1", TOOL, { path: "a" }, HOST_FORM, { agent_id: "a1" });
    expect(desk.stepOf()).toMatchObject({ agentId: "a1", join: "host-id" });
  });

  test("stands there at once when its session ends, unless another run was under way", async () => {
    const { desk, host, proxy } = await prompted();
    await desk.tell(proxy, onWire(desk, "t1"));
    await host.end();
    expect(desk.run()).toMatchObject({ status: "interrupted", steps: [{ callId: "t1", status: "ok" }] });

    const other = await prompted();
    await other.host.launch("launch", "a1");
    await other.host.stop("x", [task("a1")]);
    await other.host.prompt("p2", "Next");
    other.desk.now += 100;
    await other.desk.tell(other.proxy, onWire(other.desk, "t1"));
    await other.host.end();
    expect(other.desk.runs().map(({ steps }) => steps.length)).toEqual([1, 0]);
    await other.host.post("t1", TOOL, {}, HOST_FORM, { agent_id: "a1" });
    expect(other.desk.runs().map(({ steps }) => steps.length)).toEqual([2, 0]);
  });

  test("is waited for at the stop, since its hook may be under way", async () => {
    const { desk, host, proxy } = await prompted();
    await desk.tell(proxy, onWire(desk, "t1"));
    const stop = host.reportOf("Stop", { last_assistant_message: "Done.", background_tasks: [] });
    expect(await desk.report(stop)).toMatchObject({ stragglers: 1 });
    await host.post("t1", TOOL, { path: "a" }, HOST_FORM);
    expect(await desk.report(stop)).toMatchObject({ stragglers: 0 });
    expect(desk.run()).toMatchObject({ status: "completed", steps: [{ join: "host-id" }] });
  });

  test("waits on with another server, and its proxy may be gone", async () => {
    const { desk, proxy } = await prompted();
    await desk.tell(proxy, onWire(desk, "t1", running));
    desk.restart();
    await desk.wait(5000);
    expect(desk.run().steps).toEqual([]);
    desk.dead.add(900);
    await desk.wait(5000);
    await desk.wait(10_000);
    expect(desk.run().steps).toMatchObject([{ callId: "t1", status: "running", sources: ["proxy"] }]);
    desk.dead.add(77);
    await desk.wait(5000);
    expect(desk.run()).toMatchObject({ status: "abandoned", steps: [{ status: "lost" }] });
  });
});

describe("sessions in one directory", () => {
  async function sessions(count: number, options: (n: number) => object = () => ({})) {
    const desk = new RecorderDesk();
    const hosts: HostScript[] = [];
    for (let n = 1; n <= count; n++) {
      const host = new HostScript(desk, { sessionId: `s${n}`, pid: 70 + n, ...options(n) });
      await host.start();
      await host.prompt(`p${n}`, `Prompt ${n}`);
      hosts.push(host);
    }
    desk.now += 100;
    return { desk, hosts };
  }

  const TELLING_APART: [string, object, object][] = [
    ["the session's id in the environment", {}, { hostPid: 999 }],
    ["the process that started them", {}, { sessionId: null }],
  ];
  test.each(TELLING_APART)("with equal ids of calls are told apart by %s", async (_what, options, registration) => {
    for (const isHookFirst of [true, false]) {
      const { desk, hosts } = await sessions(3, () => options);
      for (const [n, host] of hosts.entries()) {
        const path = `of ${host.sessionId}`;
        const proxy = desk.proxy({ sessionId: host.sessionId, hostPid: host.pid, pid: 900 + n, ...registration });
        const real = { content: [path] };
        if (isHookFirst) await host.post("t1", TOOL, { path }, HOST_FORM);
        await desk.tell(proxy, onWire(desk, "t1", { args: { path }, result: real }));
        if (!isHookFirst) await host.post("t1", TOOL, { path }, HOST_FORM);
      }
      for (const host of hosts) await host.stop("Done.");
      expect(desk.runs()).toMatchObject(
        hosts.map(({ sessionId }) => ({
          sessionId,
          status: "completed",
          steps: [{ args: { path: `of ${sessionId}` }, result: { content: [`of ${sessionId}`] }, join: "host-id" }],
        })),
      );
    }
  });

  test("of which nothing but the directory is known share no call that carries an id", async () => {
    const { desk, hosts } = await sessions(2, () => ({ pid: null }));
    for (const [n, host] of hosts.entries()) {
      const proxy = desk.proxy({ sessionId: null, hostPid: null, pid: 900 + n, cwd: "/project" });
      await desk.tell(proxy, onWire(desk, `t${n}`));
      await host.post(`t${n}`, TOOL, { path: "a" }, HOST_FORM);
    }
    expect(desk.runs().map(({ steps }) => steps.map(({ callId, join }) => [callId, join]))).toEqual([
      [["t0", "host-id"]],
      [["t1", "host-id"]],
    ]);
  });

  test("take nothing from a host without hooks beside them: another application, or another process", async () => {
    const { desk, hosts } = await sessions(1);
    const codex = desk.proxy({
      pid: 901,
      hostPid: 500,
      sessionId: null,
      client: { name: "codex", version: "0.171.0" },
    });
    await desk.tell(codex, onWire(desk, "call_1", { sessionId: trustedText("thread-1") }));
    const unknown = desk.proxy({ pid: 903, hostPid: null, sessionId: null, client: { name: "cline", version: "3" } });
    await desk.tell(unknown, onWire(desk, null));
    const bare = desk.proxy({ pid: 902, hostPid: 501, sessionId: null });
    await desk.tell(bare, onWire(desk, "t9"));
    await hosts[0]?.stop("Done.");
    await desk.wait(20_000);
    expect(desk.runs().map(({ sessionId, host, steps }) => [sessionId, host?.app, steps.length])).toEqual([
      ["s1", "claude-code", 0],
      ["thread-1", "codex", 1],
      [null, "cline", 1],
      [null, "claude-code", 1],
    ]);
  });

  test("of another application inside of a session, which inherits its environment, are its own", async () => {
    const { desk, hosts } = await sessions(1);
    const inner = desk.proxy({
      pid: 901,
      hostPid: 500,
      sessionId: "s1",
      client: { name: "gemini-cli", version: null },
    });
    await desk.tell(inner, onWire(desk, null));
    expect(desk.runs()).toMatchObject([
      { sessionId: "s1", steps: [] },
      { sessionId: null, host: { app: "gemini-cli" }, steps: [{}] },
    ]);
    await hosts[0]?.stop("Done.");
  });

  test("of which nothing but the directory is known keep what is told of them when they are over", async () => {
    const { desk, hosts } = await sessions(1, () => ({ pid: null }));
    const proxy = desk.proxy({ sessionId: null, hostPid: null, cwd: "/project" });
    const late = onWire(desk, "t1");
    desk.now += 10;
    await hosts[0]?.post("t1", TOOL, { path: "a" }, HOST_FORM);
    await hosts[0]?.end();
    await desk.tell(proxy, late);
    desk.now += 1000;
    await desk.tell(proxy, onWire(desk, "t2"));
    await desk.wait(20_000);
    expect(desk.runs()).toMatchObject([
      { sessionId: "s1", steps: [{ callId: "t1", join: "host-id" }] },
      { sessionId: null, steps: [{ callId: "t2" }] },
    ]);
  });

  test("whose host is of an unknown process may be anywhere below: the project's directory counts, too", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk, { pid: null });
    await host.hook("UserPromptSubmit", { prompt: "x", prompt_id: "p1", cwd: "/repo/deep" }, { projectDir: "/repo" });
    host.promptId = "p1";
    const proxy = desk.proxy({ sessionId: null, hostPid: null, cwd: "/elsewhere", projectDir: "/repo" });
    await desk.tell(proxy, onWire(desk, "t1"));
    await host.post("t1", TOOL, {}, HOST_FORM);
    expect(desk.stepOf()).toMatchObject({ join: "host-id" });
  });
});

describe("a session", () => {
  test("that changes its directory keeps its servers and its runs", async () => {
    const { desk, host } = await prompted({ pid: null });
    const proxy = desk.proxy({ sessionId: null, hostPid: null, cwd: "/project" });
    host.cwd = "/project/deep";
    await host.hook("PreCompact", {});
    await desk.tell(proxy, onWire(desk, "t1"));
    await host.post("t1", TOOL, {}, HOST_FORM);
    await host.stop("Done.");
    host.cwd = "/other";
    await host.prompt("p2", "Next");
    expect(desk.runs()).toMatchObject([
      { cwd: "/project", steps: [{ join: "host-id" }] },
      { cwd: "/other", sessionId: "s1" },
    ]);
  });

  test.each([[true], [false]])(
    "that was cleared is another one, with the same servers; end heard: %s",
    async (isHeard) => {
      const { desk, host, proxy } = await prompted();
      await desk.tell(proxy, onWire(desk, "t1"));
      await host.post("t1", TOOL, {}, HOST_FORM);
      await host.stop("One.");
      desk.now += 1000;
      if (isHeard) await host.end("clear");
      const cleared = new HostScript(desk, { sessionId: "s2" });
      await cleared.start("clear");
      desk.now += 100;
      await cleared.prompt("q1", "Afresh");
      desk.now += 100;
      await desk.tell(proxy, onWire(desk, "t2"));
      await cleared.post("t2", TOOL, {}, HOST_FORM);
      await desk.tell(proxy, onWire(desk, "t3"));
      await cleared.stop("Two.");
      await desk.wait(20_000);
      expect(desk.runs()).toMatchObject([
        { sessionId: "s1", status: "completed", steps: [{ callId: "t1" }] },
        { sessionId: "s2", status: "completed", steps: [{ callId: "t2", join: "host-id" }, { callId: "t3" }] },
      ]);
      expect(desk.recorder.occupation().sessions).toBe(1);
    },
  );

  test("that waits for its person is known to another server by its process", async () => {
    const { desk, host } = await prompted();
    await host.stop("One.");
    desk.restart();
    const proxy = desk.proxy({ sessionId: null });
    await desk.tell(proxy, onWire(desk, "t1"));
    await host.prompt("p2", "Next");
    await host.post("t1", TOOL, {}, HOST_FORM);
    expect(desk.runs()).toMatchObject([{ steps: [] }, { steps: [{ join: "host-id" }] }]);
  });

  test("that was cleared, with another server in between, and a parent that is not the host's", async () => {
    const { desk, host } = await prompted();
    await host.stop("One.");
    await host.end("clear");
    const cleared = new HostScript(desk, { sessionId: "s2" });
    await cleared.start("clear");
    desk.restart();
    const proxy = desk.proxy({ hostPid: 12345 });
    await cleared.prompt("q1", "Afresh");
    desk.now += 100;
    await desk.tell(proxy, onWire(desk, "t2"));
    await cleared.post("t2", TOOL, {}, HOST_FORM);
    expect(desk.runs()[1]).toMatchObject({ sessionId: "s2", steps: [{ callId: "t2", join: "host-id" }] });
  });

  test("knows which servers are wrapped, and by what the host calls itself", async () => {
    const { desk, host, proxy } = await prompted();
    const notes = desk.proxy({ serverName: "my notes", pid: 901 });
    await desk.tell(proxy, onWire(desk, "t1"));
    await desk.tell(
      notes,
      onWire(desk, "t2", {
        serverName: trustedText("my notes"),
        toolName: trustedText("add"),
        qualifiedName: trustedText("mcp__my_notes__add"),
      }),
    );
    await host.post("t1", TOOL, {}, HOST_FORM);
    // An older host spells the server's name only in the tool's.
    await host.post("t2", "mcp__my_notes__add", {}, HOST_FORM);
    expect(desk.run().wrappedServers).toEqual(["files", "my notes"]);
    expect(desk.stepOf(desk.run(), 1)).toMatchObject({ server: "my notes", tool: "add", result: REAL });
  });
});

describe("what a proxy tells beside calls", () => {
  test("reaches the run that it served last", async () => {
    const { desk, host, proxy } = await prompted();
    await desk.tell(proxy, onWire(desk, "t1"));
    await host.post("t1", TOOL, {}, HOST_FORM);
    const told = { at: desk.now };
    await desk.tell(
      proxy,
      { kind: "warning", reportId: desk.id(), text: trustedText("the server ended with status 1"), ...told },
      { kind: "gap", reportId: desk.id(), reason: trustedText("DEG-10 reports-dropped"), lost: 3, ...told },
      { kind: "host-hook-calls", reportId: desk.id(), count: 2, ...told },
    );
    desk.restart();
    const again = desk.proxy();
    await desk.tell(again, { kind: "host-hook-calls", reportId: desk.id(), count: 1, ...told });
    await desk.tell(again, { kind: "warning", reportId: desk.id(), text: trustedText("again"), ...told });
    expect(desk.runs()).toHaveLength(1);
    expect(desk.run()).toMatchObject({ hostHookCalls: 3, gaps: [{ reason: "DEG-10 reports-dropped", lost: 3 }] });
    expect(desk.told().filter((line) => line.startsWith("warning"))).toEqual([
      "warning: the server ended with status 1",
      "warning: again",
    ]);
  });

  test("before any run waits for it, also with another server; a loss does not", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    await host.start();
    const proxy = desk.proxy();
    await desk.tell(proxy, { kind: "host-hook-calls", reportId: desk.id(), at: desk.now, count: 2 });
    expect(desk.runs()).toEqual([]);
    desk.restart();
    await host.prompt("p1", "Do it");
    expect(desk.run()).toMatchObject({ hostHookCalls: 2 });

    const lone = new RecorderDesk();
    const gap = { kind: "gap" as const, reason: trustedText("DEG-08 unreadable"), lost: 1 };
    await lone.tell(lone.proxy(), { ...gap, reportId: lone.id(), at: lone.now });
    expect(lone.run()).toMatchObject({ gaps: [{ lost: 1 }], steps: [] });
  });

  test("twice in one batch, or again, is told once", async () => {
    const { desk, proxy } = await prompted();
    const gap = { kind: "gap" as const, reportId: desk.id(), at: desk.now, reason: trustedText("x"), lost: 1 };
    await desk.tell(proxy, gap, gap);
    await desk.tell(proxy, gap);
    desk.restart();
    await desk.tell(desk.proxy(), gap);
    expect(desk.run().gaps).toHaveLength(1);
  });

  test("under an id that this server did not give is refused", async () => {
    const { desk, proxy } = await prompted();
    desk.restart();
    expect(await desk.tell(proxy, onWire(desk, "t1"))).toBe(false);
    expect(await desk.tell(desk.proxy(), onWire(desk, "t1"))).toBe(true);
  });
});
