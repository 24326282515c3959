/** Runs that go on when their agent has stopped: subagents and shells in the background, and what the host makes of them. */

import { describe, expect, test } from "vitest";
import { HostScript, task } from "./host-script.ts";
import { NOW, RecorderDesk } from "./recorder-desk.ts";

async function prompted() {
  const desk = new RecorderDesk();
  const host = new HostScript(desk);
  await host.start();
  desk.now += 100;
  await host.prompt("p1", "Have it counted");
  desk.now += 100;
  return { desk, host };
}

const of = (agent_id: string) => ({ agent_id, agent_type: "general" });

/** An agent was launched, and the main agent has stopped with it running. */
async function launched() {
  const { desk, host } = await prompted();
  await host.launch("launch", "a1");
  desk.now += 100;
  await host.stop("It counts.", [task("a1")]);
  desk.now += 100;
  return { desk, host };
}

describe("a subagent in the background", () => {
  test("keeps its run open until the stop whose list has it no more", async () => {
    const { desk, host } = await launched();
    expect(desk.run()).toMatchObject({ status: "running", finalAnswer: "It counts.", endedAt: null });
    await host.post("b1", "Bash", {}, "x", of("a1"));
    await host.agentStopped("a1", "Three.");
    desk.now += 100;
    await host.notice("p2", "a1", "launch");
    expect(desk.run()).toMatchObject({ status: "running" });
    desk.now += 100;
    await host.stop("Three, it says.", []);
    expect(desk.runs()).toHaveLength(1);
    expect(desk.run()).toMatchObject({
      status: "completed",
      input: "Have it counted",
      finalAnswer: "Three, it says.",
      endedAt: NOW + 600,
    });
    expect(desk.told()).toEqual(["Agent ok by hook", "text: It counts.", "[a1] Bash ok by hook", "[a1] text: Three."]);
  });

  test("acts in its own run, whatever prompt is under way", async () => {
    const { desk, host } = await launched();
    await host.prompt("p2", "Something else");
    desk.now += 100;
    await host.post("b1", "Bash", {}, "x", of("a1"));
    await host.post("m1", "Bash", {}, "y");
    desk.now += 100;
    await host.stop("Else.", [task("a1")]);
    desk.now += 100;
    expect(desk.runs()).toMatchObject([
      { status: "running", steps: [{ callId: "launch" }, { callId: "b1", agentId: "a1" }] },
      { status: "completed", finalAnswer: "Else.", steps: [{ callId: "m1", agentId: null }] },
    ]);
    await host.notice("p3", "a1");
    await host.post("m2", "Bash", {}, "z");
    await host.stop("Three.", []);
    expect(desk.runs()).toMatchObject([
      { status: "completed", finalAnswer: "Three.", steps: [{}, {}, { callId: "m2" }] },
      { status: "completed", finalAnswer: "Else." },
    ]);
  });

  test("of two that end one after the other: both continue the run", async () => {
    const { desk, host } = await prompted();
    await host.launch("l1", "a1");
    await host.launch("l2", "a2");
    await host.stop("They count.", [task("a1"), task("a2")]);
    for (const [promptId, agentId, left] of [
      ["p2", "a1", [task("a2")]],
      ["p3", "a2", []],
    ] as const) {
      desk.now += 100;
      await host.notice(promptId, agentId);
      desk.now += 100;
      await host.stop(`${agentId} is done.`, [...left]);
    }
    expect(desk.runs()).toMatchObject([{ status: "completed", finalAnswer: "a2 is done." }]);
    expect(desk.told().slice(2)).toEqual(["text: They count.", "text: a1 is done."]);
  });

  test("whose run has ended already takes it up again", async () => {
    const { desk, host } = await launched();
    await host.prompt("p2", "Something else");
    desk.now += 100;
    // It has ended meanwhile; the host tells the agent of it later.
    await host.stop("Else.", []);
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "It counts." });
    desk.now += 100;
    await host.notice("p3", "a1");
    expect(desk.run()).toMatchObject({ status: "running", endedAt: null });
    desk.now += 100;
    await host.stop("Three.", []);
    expect(desk.runs()).toMatchObject([
      { status: "completed", finalAnswer: "Three." },
      { status: "completed", finalAnswer: "Else." },
    ]);
  });

  test("keeps no run open that its hook told of after it had ended", async () => {
    const { desk, host } = await prompted();
    const late = host.reportOf("PostToolUse", {
      ...host.call("launch", "Agent", {}),
      tool_response: { status: "async_launched", agentId: "a1" },
    });
    desk.now += 100;
    await host.stop("It counts.", [task("a1")]);
    desk.now += 100;
    await host.notice("p2", "a1");
    desk.now += 100;
    await desk.report(late);
    await host.stop("Three.", []);
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Three." });
    expect(desk.runs()).toHaveLength(1);
  });

  test("is no more waited for that its hook told of after the stop whose list had it no more", async () => {
    const { desk, host } = await prompted();
    host.uses("launch", "Agent", {});
    host.resultRow("launch", "launched");
    const late = host.reportOf("PostToolUse", {
      ...host.call("launch", "Agent", {}),
      tool_response: { status: "async_launched", agentId: "a1" },
    });
    desk.now += 100;
    const stop = host.reportOf("Stop", { last_assistant_message: "Three.", background_tasks: [] });
    expect(await desk.report(stop)).toMatchObject({ stragglers: 1 });
    await desk.report(late);
    await desk.report(stop);
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Three." });
  });

  test("is gone by the newest list, whichever comes last", async () => {
    const { desk, host } = await prompted();
    await host.launch("launch", "a1");
    desk.now += 100;
    const first = host.reportOf("Stop", { last_assistant_message: "It counts.", background_tasks: [task("a1")] });
    desk.now += 100;
    await host.notice("p2", "a1");
    desk.now += 100;
    await host.stop("Three.", []);
    await desk.report(first);
    expect(desk.runs()).toMatchObject([{ status: "completed", finalAnswer: "Three." }]);
    expect(desk.kept("s1").tasks).toEqual({});
  });

  test("that only the list of a stop tells of belongs to the run that stopped", async () => {
    const { desk, host } = await prompted();
    await host.stop("It counts.", [task("a1")]);
    expect(desk.run()).toMatchObject({ status: "running" });
    desk.now += 100;
    await host.notice("p2", "a1");
    await host.stop("Three.", []);
    expect(desk.runs()).toMatchObject([{ status: "completed" }]);
  });

  test.each([["completed"], ["killed"], ["failed"]])("that is listed as %s is not waited for", async (status) => {
    const { desk, host } = await prompted();
    await host.launch("launch", "a1");
    await host.stop("It counts.", [task("a1", "subagent", status)]);
    expect(desk.run()).toMatchObject({ status: "completed" });
  });

  test("is cut off with its session: what it did not finish is lost", async () => {
    const { desk, host } = await launched();
    await host.pre("b1", "Bash", {}, of("a1"));
    desk.now += 100;
    await host.end();
    expect(desk.run()).toMatchObject({ status: "interrupted", endedAt: NOW + 500, finalAnswer: "It counts." });
    expect(desk.run().steps).toMatchObject([{ status: "ok" }, { status: "lost", agentId: "a1" }]);
  });

  test("of a host that lists nothing, as before 2.1.90: the run ends, and goes on when the agent reports", async () => {
    const { desk, host } = await prompted();
    await host.launch("launch", "a1");
    await host.stop("It counts.", null);
    expect(desk.run()).toMatchObject({ status: "completed" });
    desk.now += 100;
    await host.post("b1", "Bash", {}, "x", of("a1"));
    desk.now += 100;
    await host.notice("p2", "a1");
    expect(desk.run()).toMatchObject({ status: "running" });
    desk.now += 100;
    await host.stop("Three.", null);
    expect(desk.runs()).toMatchObject([
      { status: "completed", finalAnswer: "Three.", steps: [{}, { callId: "b1", agentId: "a1" }] },
    ]);
  });

  test("of a host without ids of prompts: what follows its report is of its run", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk, { hasPromptIds: false });
    await host.prompt("", "Have it counted");
    desk.now += 100;
    await host.launch("launch", "a1");
    await host.stop("It counts.", [task("a1")]);
    desk.now += 10_000;
    await host.prompt("", "Something else");
    desk.now += 100;
    await host.stop("Else.", [task("a1")]);
    desk.now += 10_000;
    await host.notice("", "a1");
    desk.now += 100;
    await host.post("m1", "Bash", {}, "x");
    await host.stop("Three.", []);
    expect(desk.runs()).toMatchObject([
      { input: "Have it counted", status: "completed", finalAnswer: "Three.", steps: [{}, { callId: "m1" }] },
      { input: "Something else", status: "completed", finalAnswer: "Else.", steps: [] },
    ]);
  });

  test("is known to another server: its run, its calls, its words", async () => {
    const { desk, host } = await launched();
    await host.prompt("p2", "Something else");
    await host.stop("Else.", [task("a1")]);
    desk.now += 100;
    await host.agentStopped("a1", "Half.");
    desk.restart();
    await host.post("b1", "Bash", {}, "x", of("a1"));
    desk.now += 100;
    await host.agentStopped("a1", "Three.");
    await host.notice("p3", "a1");
    desk.restart();
    desk.now += 100;
    await host.stop("Three, it says.", []);
    expect(desk.runs()).toMatchObject([
      { status: "completed", finalAnswer: "Three, it says.", steps: [{}, { callId: "b1" }] },
      { status: "completed", finalAnswer: "Else." },
    ]);
    expect(desk.told(desk.run())).toEqual([
      "Agent ok by hook",
      "text: It counts.",
      "[a1] Bash ok by hook",
      "[a1] text: Half.",
      "[a1] text: Three.",
    ]);
  });
});

describe("a shell in the background", () => {
  async function withShell() {
    const { desk, host } = await prompted();
    await host.post("s1", "Bash", { run_in_background: true }, { stdout: "", backgroundTaskId: "shell1" });
    desk.now += 100;
    await host.stop("It serves.", [task("shell1", "shell")]);
    return { desk, host };
  }

  test("keeps its run open, and its end continues it", async () => {
    const { desk, host } = await withShell();
    expect(desk.run()).toMatchObject({ status: "running" });
    desk.now += 100;
    await host.notice("p2", "shell1", "s1");
    desk.now += 100;
    await host.stop("It has ended.", []);
    expect(desk.runs()).toMatchObject([{ status: "completed", finalAnswer: "It has ended.", endedAt: NOW + 500 }]);
  });

  test("that ends with its session cuts nothing off: the agent was done", async () => {
    const { desk, host } = await withShell();
    desk.now += 1000;
    await host.end();
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "It serves.", endedAt: NOW + 300 });
  });

  test("does not hold up other prompts", async () => {
    const { desk, host } = await withShell();
    await host.prompt("p2", "And now?");
    desk.now += 100;
    await host.stop("Now.", [task("shell1", "shell")]);
    expect(desk.runs()).toMatchObject([{ status: "running" }, { status: "completed", finalAnswer: "Now." }]);
  });
});

describe("a subagent in the foreground", () => {
  test("acts inside the call that started it", async () => {
    const { desk, host } = await prompted();
    await host.hook("SubagentStart", of("a1"));
    await host.post("b1", "Bash", {}, "x", of("a1"));
    await host.agentStopped("a1", "Three.");
    desk.now += 500;
    await host.post("launch", "Agent", {}, { status: "completed", agentId: "a1" }, { duration_ms: 450 });
    await host.stop("Three.", []);
    expect(desk.run()).toMatchObject({ status: "completed" });
    expect(desk.run().steps).toMatchObject([
      { callId: "b1", agentId: "a1" },
      { callId: "launch", agentId: null, startedAt: NOW + 250 },
    ]);
    expect(desk.told()).toContain("[a1] text: Three.");
  });

  test("is known from its first call, where no hook tells of its start", async () => {
    const { desk, host } = await prompted();
    await host.post("b1", "Bash", {}, "x", of("a1"));
    await host.agentStopped("a1", "Three.");
    expect(desk.told()).toEqual(["[a1] Bash ok by hook", "[a1] text: Three."]);
  });

  test("that runs a subagent of its own: both are told apart", async () => {
    const { desk, host } = await prompted();
    await host.post("b1", "Bash", {}, "x", of("a2"));
    await host.post("l2", "Agent", {}, { status: "completed", agentId: "a2" }, of("a1"));
    await host.post("l1", "Agent", {}, { status: "completed", agentId: "a1" });
    expect(desk.run().steps.map(({ callId, agentId }) => [callId, agentId])).toEqual([
      ["b1", "a2"],
      ["l2", "a1"],
      ["l1", null],
    ]);
  });

  test("its stop hook, told as a stop of its own, does not end the run", async () => {
    const { desk, host } = await prompted();
    await host.post("b1", "Bash", {}, "x", of("a1"));
    await host.stop("Three.", [], of("a1"));
    expect(desk.run()).toMatchObject({ status: "running", finalAnswer: null });
    expect(desk.told()).toContain("[a1] text: Three.");
  });
});
