/** What hooks alone make of a session: its runs, their calls and how they end. */

import { describe, expect, test } from "vitest";
import { linesOf, sessionsWith } from "./hook-fixture.ts";
import { HostScript } from "./host-script.ts";
import { NOW, RecorderDesk } from "./recorder-desk.ts";

function begin(options = {}) {
  const desk = new RecorderDesk();
  return { desk, host: new HostScript(desk, options) };
}

/** A session under way, one prompt told. */
async function prompted(options = {}) {
  const { desk, host } = begin(options);
  await host.start();
  desk.now += 100;
  await host.prompt("p1", "Do it");
  desk.now += 100;
  return { desk, host };
}

describe("a prompt", () => {
  test("opens a run with what was asked, whose session it is and where", async () => {
    const { desk } = await prompted();
    expect(desk.run()).toMatchObject({
      sessionId: "s1",
      host: { app: "claude-code", version: "2.1.332" },
      tier: "bound",
      cwd: "/project",
      input: "Do it",
      finalAnswer: null,
      status: "running",
      startedAt: NOW + 100,
      endedAt: null,
      steps: [],
      notes: [],
    });
  });

  test("ends at the stop, with the answer and the time of it", async () => {
    const { desk, host } = await prompted();
    desk.now += 900;
    expect(await host.stop("It is done.")).toEqual({ stragglers: 0, injectedId: null });
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "It is done.", endedAt: NOW + 1100 });
    expect(desk.run().notes).toEqual([]);
  });

  test("after another one is a run of its own", async () => {
    const { desk, host } = await prompted();
    await host.stop("One.");
    desk.now += 500;
    await host.prompt("p2", "And now?");
    await host.post("t1", "Bash", {}, "x");
    await host.stop("Two.");
    expect(desk.runs()).toMatchObject([
      { input: "Do it", finalAnswer: "One.", status: "completed", steps: [] },
      { input: "And now?", finalAnswer: "Two.", status: "completed", steps: [{ callId: "t1" }] },
    ]);
  });

  test("before which nothing has stopped ends the run as interrupted, its call lost", async () => {
    const { desk, host } = await prompted();
    await host.pre("t1", "Bash", {});
    desk.now += 500;
    await host.prompt("p2", "No, this");
    expect(desk.runs()).toMatchObject([
      { status: "interrupted", endedAt: NOW + 700, steps: [{ status: "lost" }] },
      { status: "running" },
    ]);
  });

  test("whose session ends without a stop is interrupted", async () => {
    const { desk, host } = await prompted();
    desk.now += 300;
    await host.end();
    expect(desk.run()).toMatchObject({ status: "interrupted", endedAt: NOW + 500, finalAnswer: null });
  });

  test("that the model could not be reached for has failed", async () => {
    const { desk, host } = await prompted();
    await host.hook("StopFailure", { error: "server_error", last_assistant_message: "API Error: 529" });
    expect(desk.run()).toMatchObject({ status: "failed", finalAnswer: "API Error: 529" });
    expect(desk.told()).toEqual(["warning: the agent stopped with a failure: server_error"]);
  });

  test("without an id, as up to 2.1.165, is told apart by its turn", async () => {
    const { desk, host } = begin({ hasPromptIds: false });
    await host.start();
    for (const number of [1, 2]) {
      desk.now += 1000;
      await host.prompt("none", "Go on");
      desk.now += 200;
      await host.post(`t${number}`, "Bash", { number }, "x");
      desk.now += 100;
      await host.stop(`Answer ${number}`);
    }
    expect(desk.runs()).toMatchObject([
      { input: "Go on", finalAnswer: "Answer 1", status: "completed", steps: [{ callId: "t1" }] },
      { input: "Go on", finalAnswer: "Answer 2", status: "completed", steps: [{ callId: "t2" }] },
    ]);
  });
});

describe("a call", () => {
  test("is a step with what the model wrote, what the host gave back and when it ran", async () => {
    const { desk, host } = await prompted();
    desk.now += 50;
    await host.post("t1", "Bash", { command: "ls" }, { stdout: "a\nb" }, { duration_ms: 28 });
    expect(desk.stepOf()).toMatchObject({
      tool: "Bash",
      qualifiedName: "Bash",
      server: null,
      args: { command: "ls" },
      result: { stdout: "a\nb" },
      status: "ok",
      isError: false,
      callId: "t1",
      sources: ["hook"],
      join: null,
      agentId: null,
      durationMs: 28,
      startedAt: NOW + 222,
    });
  });

  test("that failed has the host's words for it", async () => {
    const { desk, host } = await prompted();
    await host.fail("t1", "Bash", { command: "false" }, "Exit code 1");
    expect(desk.stepOf()).toMatchObject({ status: "error", isError: true, error: "Exit code 1", result: null });
  });

  test("that the person stopped is cancelled", async () => {
    const { desk, host } = await prompted();
    await host.fail("t1", "Bash", {}, "interrupted", { is_interrupt: true });
    expect(desk.stepOf()).toMatchObject({ status: "cancelled", isError: false });
  });

  test("of which two hooks tell is one", async () => {
    const { desk, host } = await prompted();
    await host.pre("t1", "Bash", { command: "ls" });
    expect(desk.stepOf()).toMatchObject({ status: "running", startedAt: NOW + 200 });
    desk.now += 500;
    await host.post("t1", "Bash", { command: "ls" }, "x", { duration_ms: 450 });
    expect(desk.run().steps).toMatchObject([{ status: "ok", durationMs: 450, startedAt: NOW + 200 }]);
  });

  test("has the duration from its first hook to its last where the host does not tell it", async () => {
    const { desk, host } = await prompted();
    await host.pre("t1", "Bash", {});
    desk.now += 70;
    await host.post("t1", "Bash", {}, "x", { duration_ms: undefined });
    await host.post("t2", "Bash", {}, "x", { duration_ms: undefined });
    expect(desk.run().steps.map(({ durationMs }) => durationMs)).toEqual([70, null]);
  });

  test("without an id, as in 2.0.10, is one call from its start to its end", async () => {
    const { desk, host } = await prompted({ hasPromptIds: false, hasCallIds: false });
    for (const command of ["ls", "ls", "pwd"]) {
      await host.pre("", "Bash", { command });
      desk.now += 20;
      await host.post("", "Bash", { command }, `of ${command}`, { duration_ms: undefined });
      desk.now += 20;
    }
    await host.stop(null, null);
    expect(desk.run()).toMatchObject({ status: "completed" });
    expect(desk.run().steps).toMatchObject([
      { args: { command: "ls" }, status: "ok", durationMs: 20, join: null },
      { args: { command: "ls" }, status: "ok", durationMs: 20, join: null },
      { args: { command: "pwd" }, status: "ok", result: "of pwd", join: null },
    ]);
  });

  test("without an id that never ended takes nothing from the next one like it", async () => {
    const { desk, host } = await prompted({ hasCallIds: false });
    await host.pre("", "Bash", { command: "ls" });
    desk.now += 1000;
    await host.pre("", "Bash", { command: "ls" });
    expect(desk.run().steps).toMatchObject([{ status: "running" }, { status: "running" }]);
  });

  test("without an id that runs beside one just like it is marked", async () => {
    const { desk, host } = await prompted({ hasCallIds: false });
    await host.pre("", "Bash", { command: "ls" });
    await host.pre("", "Bash", { command: "ls" });
    await host.post("", "Bash", { command: "ls" }, "1");
    await host.post("", "Bash", { command: "ls" }, "2");
    expect(desk.run().steps).toMatchObject([
      { status: "ok", join: "ambiguous" },
      { status: "ok", join: "ambiguous" },
    ]);
  });

  test("of a batch that no other hook told of is there, and says nothing better than the one that did", async () => {
    const { desk, host } = await prompted();
    await host.fail("t1", "Bash", {}, "Exit code 1", { duration_ms: 40 });
    desk.now += 30;
    const calls = ["t1", "t2"].map((id) => ({ ...host.call(id, "Bash", {}), tool_response: "text" }));
    await host.hook("PostToolBatch", { tool_calls: calls });
    await host.stop("Done.");
    await desk.wait(20_000);
    expect(desk.run().steps).toMatchObject([
      { callId: "t1", status: "error", error: "Exit code 1", startedAt: NOW + 160, durationMs: 40 },
      { callId: "t2", status: "ok", result: "text", durationMs: null },
    ]);
  });

  test("whose batch is told before its own hook keeps its own start and outcome", async () => {
    const { desk, host } = await prompted();
    const late = host.reportOf("PostToolUse", {
      ...host.call("t1", "Bash", {}),
      tool_response: { stdout: "own" },
      duration_ms: 50,
    });
    desk.now += 30;
    await host.hook("PostToolBatch", { tool_calls: [{ ...host.call("t1", "Bash", {}), tool_response: "text" }] });
    await desk.report(late);
    expect(desk.stepOf()).toMatchObject({
      status: "ok",
      result: { stdout: "own" },
      startedAt: NOW + 150,
      durationMs: 50,
    });
  });
});

describe("an agent that goes on after it has stopped", () => {
  test("goes on in the same run, and its answer was not the last word", async () => {
    const { desk, host } = await prompted();
    await host.post("t1", "Bash", {}, "x");
    desk.now += 100;
    await host.stop("First.");
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "First." });
    desk.now += 5000;
    await host.post("t2", "Bash", {}, "y");
    expect(desk.run()).toMatchObject({ status: "running", endedAt: null });
    desk.now += 100;
    await host.stop("Second.", [], { stop_hook_active: true });
    expect(desk.runs()).toHaveLength(1);
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Second.", endedAt: desk.now });
    expect(desk.told()).toEqual(["Bash ok by hook", "text: First.", "Bash ok by hook"]);
  });

  test("without another call: both its words are there, the later as the answer", async () => {
    const { desk, host } = await prompted();
    await host.stop("First.");
    desk.now += 500;
    await host.stop("Second.", [], { stop_hook_active: true });
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Second.", endedAt: NOW + 700 });
    expect(desk.told()).toEqual(["text: First."]);
  });

  test("is not seen to in a call that only its hook told late", async () => {
    const { desk, host } = await prompted();
    desk.now += 100;
    await host.stop("Done.");
    // The host starts hooks of calls without waiting for them, and a busy system takes its time.
    desk.now += 400;
    await host.post("t1", "Bash", {}, "x", { duration_ms: 1 });
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Done.", steps: [{ status: "ok" }] });
    expect(desk.run().notes).toEqual([]);
  });
});

describe("what comes late", () => {
  const CALLS: [string, (host: HostScript) => Promise<unknown>][] = [
    ["the stop", (host) => host.stop("Done.")],
    ["the next prompt", (host) => host.prompt("p2", "Next")],
    ["the session's end", (host) => host.end()],
  ];
  test.each(CALLS)("after %s lands in its own run", async (_what, ending) => {
    const { desk, host } = await prompted();
    const late = host.reportOf("PostToolUse", { ...host.call("t1", "Bash", {}), tool_response: "x", duration_ms: 10 });
    desk.now += 100;
    await ending(host);
    const before = desk.runs().map(({ id, status, endedAt }) => ({ id, status, endedAt }));
    desk.now += 50;
    await desk.report(late);
    expect(desk.run().steps).toMatchObject([{ callId: "t1", status: "ok", startedAt: NOW + 190 }]);
    expect(desk.runs().map(({ id, status, endedAt }) => ({ id, status, endedAt }))).toEqual(before);
    expect(desk.runs()[1]?.steps ?? []).toEqual([]);
  });

  test("takes the place of what was given up for lost", async () => {
    const { desk, host } = await prompted();
    await host.pre("t1", "Bash", {});
    desk.now += 50;
    const late = host.reportOf("PostToolUse", { ...host.call("t1", "Bash", {}), tool_response: "x", duration_ms: 45 });
    await host.end();
    expect(desk.stepOf()).toMatchObject({ status: "lost", result: null });
    await desk.report(late);
    expect(desk.run().steps).toMatchObject([{ status: "ok", result: "x" }]);
  });

  test("before its prompt waits in the run of that prompt", async () => {
    const { desk, host } = begin();
    await host.start();
    host.promptId = "p1";
    const prompt = host.reportOf("UserPromptSubmit", { prompt: "Do it" });
    desk.now += 100;
    await host.post("t1", "Bash", {}, "x");
    await desk.report(prompt);
    expect(desk.runs()).toMatchObject([{ input: "Do it", status: "running", steps: [{ callId: "t1" }] }]);
  });

  test("before its prompt does not keep the run open that the prompt ends", async () => {
    const { desk, host } = await prompted();
    desk.now += 100;
    host.promptId = "p2";
    const prompt = host.reportOf("UserPromptSubmit", { prompt: "Next" });
    desk.now += 100;
    await host.post("t2", "Bash", {}, "x");
    await desk.report(prompt);
    expect(desk.runs()).toMatchObject([
      { input: "Do it", status: "interrupted" },
      { input: "Next", status: "running" },
    ]);
  });

  test("of a prompt that was lost makes its run", async () => {
    const { desk, host } = begin();
    host.promptId = "p1";
    await host.post("t1", "Bash", {}, "x");
    await host.stop("Done.");
    expect(desk.runs()).toMatchObject([{ input: null, finalAnswer: "Done.", status: "completed" }]);
  });

  test("of a prompt that was lost, after the end of its session, leaves nothing open", async () => {
    const { desk, host } = begin();
    await host.start();
    host.promptId = "p1";
    const late = host.reportOf("PostToolUse", { ...host.call("t1", "Bash", {}), tool_response: "x", duration_ms: 1 });
    const stop = host.reportOf("Stop", { last_assistant_message: "Done." });
    desk.now += 100;
    await host.end();
    await desk.report(late);
    expect(desk.runs()).toMatchObject([{ status: "interrupted", steps: [{ status: "ok" }] }]);
    await desk.report(stop);
    expect(desk.runs()).toMatchObject([{ status: "completed", finalAnswer: "Done." }]);
  });

  test("a stop after the next prompt says how its run has ended", async () => {
    const { desk, host } = await prompted();
    desk.now += 100;
    const stop = host.reportOf("Stop", { last_assistant_message: "Done." });
    desk.now += 100;
    await host.prompt("p2", "Next");
    expect(desk.run()).toMatchObject({ status: "interrupted" });
    await desk.report(stop);
    expect(desk.runs()).toMatchObject([
      { status: "completed", finalAnswer: "Done." },
      { status: "running", input: "Next" },
    ]);
  });

  test("a stop after which the agent was seen to go on does not end the run", async () => {
    const { desk, host } = await prompted();
    const stop = host.reportOf("Stop", { last_assistant_message: "First." });
    desk.now += 100;
    await host.pre("t1", "Bash", {});
    await desk.report(stop);
    expect(desk.run()).toMatchObject({ status: "running", finalAnswer: null });
    desk.now += 100;
    await host.post("t1", "Bash", {}, "x");
    await host.stop("Second.");
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Second." });
    expect(desk.told()).toEqual(["text: First.", "Bash ok by hook"]);
  });

  test("without an id of its prompt is found by the call's", async () => {
    const { desk, host } = await prompted({ hasPromptIds: false });
    await host.pre("t1", "Bash", {});
    desk.now += 10_000;
    await host.prompt("", "Next");
    desk.now += 100;
    await host.post("t1", "Bash", {}, "x", { duration_ms: undefined });
    expect(desk.runs().map(({ steps }) => steps.map(({ status }) => status))).toEqual([["ok"], []]);
  });

  test("when the session is over begins nothing", async () => {
    const { desk, host } = await prompted();
    await host.stop("Done.");
    await host.end();
    desk.now += 5000;
    await host.post("t1", "Bash", {}, "x");
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Done.", endedAt: NOW + 200, notes: [] });
    expect(desk.run().steps).toHaveLength(1);
  });

  test("a start of the session after its first prompt ends nothing", async () => {
    const { desk, host } = begin();
    const start = host.reportOf("SessionStart", { source: "startup" });
    desk.now += 100;
    await host.prompt("p1", "Do it");
    await desk.report(start);
    await host.stop("Done.");
    expect(desk.runs()).toMatchObject([{ status: "completed", finalAnswer: "Done." }]);
  });
});

describe("the same report again", () => {
  test("changes nothing, one after the other or at once, or with another server", async () => {
    const { desk, host } = await prompted();
    const reports = [
      host.reportOf("PostToolUse", { ...host.call("t1", "Bash", {}), tool_response: "x", duration_ms: 3 }),
      host.reportOf("PreCompact", { trigger: "manual" }),
      host.reportOf("UserPromptSubmit", { prompt: "Do it" }),
      host.reportOf("Stop", { last_assistant_message: "Done." }),
    ];
    for (const report of reports) await Promise.all([desk.report(report), desk.report(report)]);
    const once = desk.runs();
    expect(once).toMatchObject([{ status: "completed", steps: [{}], notes: [{}] }]);
    const count = desk.committed.length;
    for (const report of reports) await desk.report(report);
    desk.restart();
    const adopted = desk.committed.length;
    for (const report of reports) expect(await desk.report(report)).toEqual({ stragglers: 0, injectedId: null });
    expect(desk.runs()).toEqual(once);
    expect([count, desk.committed.length]).toEqual([count, adopted]);
  });
});

describe("a hook that could not be read (DEG-16)", () => {
  const malformed = (sessionId: string | null) => ({
    fact: null,
    malformed: { reason: "cut short" as const, sessionId },
  });

  test("is counted in the run of its session", async () => {
    const { desk, host } = await prompted();
    await host.hook("Stop", {}, malformed("s1"));
    await host.hook("Stop", {}, malformed("s1"));
    expect(desk.run()).toMatchObject({
      lossy: true,
      gaps: [
        { reason: "DEG-16 hook-unreadable", lost: 1 },
        { reason: "DEG-16 hook-unreadable", lost: 1 },
      ],
    });
  });

  test("waits for the first run of its session, also with another server", async () => {
    const { desk, host } = begin();
    await host.hook("Stop", {}, malformed("s1"));
    await host.hook("Stop", {}, malformed("s1"));
    await host.hook("Stop", {}, malformed("s2"));
    expect(desk.runs()).toEqual([]);
    desk.restart();
    await host.prompt("p1", "Do it");
    expect(desk.run().gaps).toMatchObject([{ reason: "DEG-16 hook-unreadable", lost: 2 }]);
  });

  test("that names no session is its host's", async () => {
    const { desk, host } = await prompted();
    await new HostScript(desk, { sessionId: "s2", pid: 78 }).prompt("q1", "Other");
    await host.hook("Stop", {}, malformed(null));
    await host.hook("Stop", {}, { ...malformed(null), hostPid: null });
    expect(desk.runs().map(({ gaps }) => gaps.length)).toEqual([1, 0]);
  });

  test("is taken once", async () => {
    const { desk, host } = await prompted();
    const report = host.reportOf("Stop", {}, malformed("s1"));
    await Promise.all([desk.report(report), desk.report(report)]);
    desk.restart();
    await desk.report(report);
    expect(desk.run().gaps).toHaveLength(1);
  });
});

describe("no run is opened", () => {
  test("by a session that only starts and ends, nor by hooks of a compaction with a prompt's id of their own", async () => {
    const { desk, host } = begin();
    await host.start();
    host.promptId = "compaction";
    await host.hook("PreCompact", { trigger: "manual" });
    await host.hook("SubagentStart", { agent_id: "a0", agent_type: "" });
    await host.agentStopped("a0", "A summary");
    await host.start("compact");
    await host.hook("PostCompact", { compact_summary: "A summary" });
    await host.hook("PermissionRequest", { tool_name: "Bash", tool_input: {} });
    await host.end();
    expect(desk.runs()).toEqual([]);
  });

  test("by a proxy that is registered and leaves, as for a list of servers", async () => {
    const { desk } = begin();
    const id = desk.proxy({ sessionId: "throw-away" });
    await desk.tell(id, { kind: "left", reportId: desk.id(), at: desk.now, how: "ended" });
    await desk.wait(60_000);
    expect(desk.runs()).toEqual([]);
    expect(desk.recorder.occupation()).toEqual({ sessions: 0, proxies: 0, openRuns: 0 });
  });
});

describe("notes of hooks", () => {
  test("of a compaction stand in the run before it", async () => {
    const { desk, host } = await prompted();
    await host.stop("Done.");
    desk.now += 100;
    host.promptId = "compaction";
    await host.hook("PreCompact", { trigger: "auto" });
    await host.hook("SubagentStop", { agent_id: "a0", agent_type: "", last_assistant_message: "A summary" });
    await host.start("compact");
    await host.hook("PostCompact", { compact_summary: "A summary" });
    expect(desk.runs()).toHaveLength(1);
    expect(desk.run()).toMatchObject({ status: "completed" });
    expect(desk.told()).toEqual(["compact: the conversation is compacted (auto)", "compact: A summary"]);
  });

  test("of what the person was asked stand where it was asked", async () => {
    const { desk, host } = await prompted();
    await host.hook("PermissionRequest", { tool_name: "Bash", tool_input: {} });
    await host.hook("Elicitation", { mcp_server_name: "forms", message: "Your name?", mode: "form" });
    await host.hook("ElicitationResult", { mcp_server_name: "forms", action: "accept" });
    expect(desk.told()).toEqual([
      "permission: asked whether Bash may run",
      'permission: server "forms" asked the person: Your name?',
      'permission: server "forms" was answered: accept',
    ]);
  });
});

describe("a real session's hooks", () => {
  test.each(sessionsWith("hooks"))("%s: every call is one step with an outcome, every run is over", async (session) => {
    const desk = new RecorderDesk();
    const payloads = linesOf(session, "hooks").map((line) => JSON.parse(line));
    for (const payload of payloads) {
      desk.now += 50;
      await desk.hook(payload);
    }
    await desk.hook({ ...payloads.at(-1), hook_event_name: "SessionEnd", reason: "other" });
    await desk.wait(20_000);
    const runs = desk.runs();
    expect(runs.every(({ status }) => status !== "running")).toBe(true);
    const prompts = payloads.filter((each) => each.hook_event_name === "UserPromptSubmit" && !/^</.test(each.prompt));
    if (prompts.length > 0) expect(runs.map(({ input }) => input)).toEqual(prompts.map(({ prompt }) => prompt));
    const told = new Set<string>();
    for (const { session_id, tool_use_id, tool_calls = [] } of payloads) {
      for (const id of [tool_use_id, ...tool_calls.map((each: { tool_use_id: string }) => each.tool_use_id)]) {
        if (id !== undefined) told.add(`${session_id} ${id}`);
      }
    }
    const steps = runs.flatMap((run) => run.steps.map((step) => `${run.sessionId} ${step.callId}`));
    if (told.size > 0) expect(new Set(steps)).toEqual(told);
    else expect(steps).toHaveLength(session === "old-2.0.10" ? 1 : 0);
    expect(steps).toHaveLength(new Set(steps).size);
    expect(runs.flatMap((run) => run.steps).filter(({ status }) => status === "running")).toEqual([]);
  });
});
