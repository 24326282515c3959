/** What a transcript adds to a session's hooks: thoughts, interim words, usage, the model's own arguments, and calls without hooks. */

import { describe, expect, test, vi } from "vitest";
import { trustedText } from "../../src/redact/redact.ts";
import { HostScript, task, tokens } from "./host-script.ts";
import { NOW, RecorderDesk } from "./recorder-desk.ts";

async function prompted(options = {}) {
  const desk = new RecorderDesk();
  const host = new HostScript(desk, options);
  await host.start();
  desk.now += 90;
  host.promptRow("Do it", "p1");
  desk.now += 10;
  await host.prompt("p1", "Do it");
  desk.now += 100;
  return { desk, host };
}

describe("thoughts and words", () => {
  test("stand before the calls that they led to, in their order; the last words are the answer only", async () => {
    const { desk, host } = await prompted();
    const id = host.thinks("I should look.");
    desk.now += 10;
    host.says("Let me look.", { messageId: id, stop: "tool_use" });
    desk.now += 10;
    host.uses("t1", "Bash", { command: "ls" }, { messageId: id });
    desk.now += 50;
    await host.post("t1", "Bash", { command: "ls" }, "a", { duration_ms: 30 });
    host.resultRow("t1", "a");
    desk.now += 100;
    const next = host.says("Once more.", { stop: null });
    desk.now += 1;
    host.uses("t2", "Bash", { command: "ls -a" }, { messageId: next });
    desk.now += 50;
    await host.post("t2", "Bash", { command: "ls -a" }, "b");
    desk.now += 100;
    host.says("It is there.");
    desk.now += 10;
    await host.stop("It is there.");
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "It is there." });
    expect(desk.told()).toEqual([
      "thought: I should look.",
      "text: Let me look.",
      "Bash ok by hook",
      "text: Once more.",
      "Bash ok by hook",
    ]);
    expect(desk.run().steps.map(({ context }) => context)).toEqual(["I should look.\n\nLet me look.", "Once more."]);
  });

  test("that are the answer are told once, whether the row or the hook comes first", async () => {
    const { desk, host } = await prompted();
    await host.stop("Done.");
    desk.now += 5;
    host.row({ type: "assistant", ...answerAt(NOW + 195, "Done.") });
    await host.prompt("p2", "Next");
    expect(desk.run()).toMatchObject({ finalAnswer: "Done.", notes: [] });
  });

  const answerAt = (at: number, text: string) => ({
    timestamp: new Date(at).toISOString(),
    message: { id: "m", content: [{ type: "text", text }], stop_reason: "end_turn" },
  });

  test("of an answer in several pieces are no notes beside it", async () => {
    const { desk, host } = await prompted();
    const id = host.says("First part.");
    host.says("Second part.", { messageId: id });
    await host.stop("First part.\nSecond part.");
    expect(desk.run()).toMatchObject({ finalAnswer: "First part.\nSecond part.", notes: [] });
  });

  test("are the answer where the hook does not say with which the agent stopped, as up to 2.0.76", async () => {
    const { desk, host } = await prompted();
    host.says("Done.");
    desk.now += 10;
    await host.stop(null, null);
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Done.", notes: [] });
  });

  test("that nothing ended are kept as a note", async () => {
    const { desk, host } = await prompted();
    host.says("Nearly.");
    desk.now += 10;
    await host.end();
    expect(desk.run()).toMatchObject({ status: "interrupted", finalAnswer: null, notes: [] });
    // A stop could still be told of late.
    await desk.wait(12_000);
    expect(desk.told()).toEqual(["text: Nearly."]);
  });

  test("of an answer that turned out not to be the last stand once, where they were said", async () => {
    const { desk, host } = await prompted();
    host.says("First.");
    desk.now += 10;
    await host.stop("First.");
    desk.now += 2000;
    host.uses("t1", "Bash", {});
    desk.now += 20;
    await host.post("t1", "Bash", {}, "x");
    desk.now += 20;
    host.says("Second.");
    desk.now += 10;
    await host.stop("Second.");
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Second." });
    expect(desk.told()).toEqual(["text: First.", "Bash ok by hook"]);
    expect(desk.run().notes).toMatchObject([{ at: NOW + 200 }]);
  });

  test("of an answer whose row was read after its stop stand where they were said, if it was not the last", async () => {
    const { desk, host } = await prompted();
    const saidAt = desk.now;
    desk.now += 50;
    await host.stop("First.");
    host.row({ type: "assistant", ...answerAt(saidAt, "First.") });
    await host.prompt("p1", "Do it");
    desk.now += 2000;
    host.uses("t1", "Bash", {});
    desk.now += 200;
    await host.post("t1", "Bash", {}, "x");
    await host.stop("Second.");
    expect(desk.run().notes).toMatchObject([{ text: "First.", at: saidAt }]);
  });

  test("read ahead of a stop that comes late are as if it had come in time", async () => {
    const { desk, host } = await prompted();
    host.says("First.");
    desk.now += 10;
    const stop = host.reportOf("Stop", { last_assistant_message: "First.", background_tasks: [] });
    desk.now += 1000;
    host.uses("t1", "Bash", {});
    desk.now += 20;
    const post = host.reportOf("PostToolUse", { ...host.call("t1", "Bash", {}), tool_response: "x", duration_ms: 5 });
    desk.now += 20;
    host.says("Second.");
    desk.now += 10;
    for (const report of [stop, post]) await desk.report(report);
    expect(desk.run()).toMatchObject({ status: "running" });
    await host.stop("Second.");
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Second." });
    expect(desk.told()).toEqual(["text: First.", "Bash ok by hook"]);
  });

  test("of a subagent carry its id, and its last are told once", async () => {
    const { desk, host } = await prompted();
    await host.launch("launch", "a1");
    desk.now += 10;
    host.thinks("I count.", { agentId: "a1" });
    desk.now += 10;
    host.uses("b1", "Bash", { command: "wc" }, { agentId: "a1" });
    desk.now += 10;
    host.says("Three.", { agentId: "a1" });
    desk.now += 10;
    await host.agentStopped("a1", "Three.");
    // Another one is told of before its row is read.
    await host.launch("launch2", "a2");
    desk.now += 10;
    await host.agentStopped("a2", "Four.");
    host.says("Four.", { agentId: "a2" });
    desk.now += 10;
    await host.stop("They count.", [task("a1"), task("a2")]);
    expect(desk.told()).toEqual([
      "Agent ok by hook",
      "[a1] thought: I count.",
      "[a1] Bash running by transcript",
      "[a1] text: Three.",
      "Agent ok by hook",
      "[a2] text: Four.",
    ]);
    expect(desk.stepOf(desk.run(), 1)).toMatchObject({ agentId: "a1", args: { command: "wc" }, callId: "b1" });
  });

  test("of a subagent that says the same twice are two", async () => {
    const { desk, host } = await prompted();
    await host.launch("launch", "a1");
    for (const _ of [1, 2]) {
      desk.now += 60_000;
      host.says("Done.", { agentId: "a1" });
      desk.now += 10;
      await host.agentStopped("a1", "Done.");
    }
    expect(desk.run().notes).toHaveLength(2);
    // Once without a row, once without a hook.
    desk.now += 60_000;
    await host.agentStopped("a1", "Done.");
    expect(desk.run().notes).toHaveLength(3);
    for (const _ of [1, 2]) {
      desk.now += 10;
      host.says("Done.", { agentId: "a1" });
    }
    await host.stop("x", [task("a1")]);
    expect(desk.run().notes).toHaveLength(4);
  });

  test("that the person was shown when the model could not be reached are a warning", async () => {
    const { desk, host } = await prompted();
    const message = { id: "m", content: [{ type: "text", text: "API Error: 529" }] };
    host.row({ type: "assistant", isApiErrorMessage: true, error: "overloaded", message });
    await host.hook("StopFailure", { error: "overloaded", last_assistant_message: null });
    expect(desk.run()).toMatchObject({ status: "failed" });
    expect(desk.told()[0]).toBe("warning: API Error: 529");
  });
});

describe("arguments", () => {
  test("are what the model wrote, before another hook rewrote them", async () => {
    const { desk, host } = await prompted();
    await host.pre("t1", "Bash", { command: "rewritten" });
    host.uses("t1", "Bash", { command: "original" });
    desk.now += 200;
    await host.post("t1", "Bash", { command: "rewritten" }, "x");
    expect(desk.run().steps).toMatchObject([{ args: { command: "original" }, sources: ["hook"] }]);
  });
});

describe("usage", () => {
  const total = (inputTokens: number, outputTokens: number, answers: number) => ({
    inputTokens,
    outputTokens,
    cacheReadTokens: answers,
    cacheCreationTokens: 2 * answers,
  });

  test("counts each answer once, with the numbers told last, subagents' too", async () => {
    const { desk, host } = await prompted();
    const id = host.thinks("Hm.", { usage: tokens(100, 1) });
    host.uses("t1", "Bash", {}, { messageId: id, usage: tokens(100, 1) });
    await host.launch("launch", "a1");
    host.says("x", { agentId: "a1", usage: tokens(7, 3) });
    host.uses("t2", "Bash", {}, { messageId: id, usage: tokens(100, 40) });
    await host.agentStopped("a1", "x");
    expect(desk.run().usage).toEqual(total(107, 43, 2));
    desk.now += 100;
    host.says("Done.", { usage: tokens(10, 2) });
    await host.stop("Done.");
    expect(desk.run().usage).toEqual(total(117, 45, 3));
    expect(desk.run(0).usage).toEqual(desk.runs()[0]?.usage);
  });

  test("is each run's own", async () => {
    const { desk, host } = await prompted();
    host.says("One.", { usage: tokens(10, 1) });
    desk.now += 10;
    await host.stop("One.");
    desk.now += 100;
    host.promptRow("Next", "p2");
    await host.prompt("p2", "Next");
    desk.now += 10;
    host.says("Two.", { usage: tokens(20, 2) });
    desk.now += 10;
    await host.stop("Two.");
    expect(desk.runs().map(({ usage }) => usage)).toEqual([total(10, 1, 1), total(20, 2, 1)]);
  });

  test("is the same when all of it is read again: another server, a file that was cut", async () => {
    const { desk, host } = await prompted();
    for (let n = 1; n <= 9; n++) {
      desk.now += 10;
      host.uses(`t${n}`, "Bash", { n }, { usage: tokens(10, n) });
      await host.post(`t${n}`, "Bash", { n }, "x");
    }
    await host.prompt("p1", "Do it");
    const told = total(90, 45, 9);
    expect(desk.run().usage).toEqual(told);
    const file = desk.transcript(host.path);
    file.identity = "2";
    desk.restart();
    await host.stop("Done.");
    expect(desk.run().usage).toEqual(told);
    desk.restart();
    file.write(file.bytes === null ? "" : Buffer.from(file.bytes).toString().split("\n").slice(0, 4).join("\n"));
    file.append("\n");
    host.row({ type: "user", message: { role: "user", content: "<bash-input>x</bash-input>" } });
    await host.prompt("p2", "Next");
    expect(desk.run().usage).toEqual(told);
    expect(desk.runs().map(({ steps }) => steps.length)).toEqual([9, 0]);
  });
});

describe("a call that no hook tells of", () => {
  const REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
  const OUTCOMES: [string, Record<string, unknown>, Record<string, unknown>][] = [
    ["<tool_use_error>InputValidationError: x", { is_error: true }, { status: "error", isError: true }],
    [REJECTED, { is_error: true }, { status: "denied", error: REJECTED }],
    [REJECTED, { is_error: true, toolDenialKind: "user-rejected" }, { status: "cancelled", error: null }],
    ["denied by a rule", { is_error: true, toolDenialKind: "rule" }, { status: "denied", error: "denied by a rule" }],
    ["[Request interrupted by user for tool use]", { is_error: true }, { status: "cancelled" }],
  ];
  test.each(OUTCOMES)("and that ended with %j %j is a step", async (content, fields, expected) => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", { command: "rm" });
    desk.now += 100;
    host.resultRow("t1", content, fields);
    desk.now += 200;
    // Some hook brings the server to look.
    await host.hook("PreCompact", { trigger: "auto" });
    expect(desk.run().steps).toMatchObject([
      {
        ...expected,
        result: null,
        args: { command: "rm" },
        sources: ["transcript"],
        callId: "t1",
        startedAt: NOW + 200,
      },
    ]);
  });

  test("because its hook was lost has what the transcript says, once the agent has stopped", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", {});
    desk.now += 100;
    host.resultRow("t1", "text", { toolUseResult: { stdout: "x" } });
    host.uses("t2", "Bash", {});
    desk.now += 50;
    host.resultRow("t2", "Exit code 1", { is_error: true });
    desk.now += 50;
    host.says("Done.");
    desk.now += 10;
    // They may still come: the one who asks is told that it is worth waiting.
    expect(await host.stop("Done.")).toEqual({ stragglers: 2, injectedId: null });
    expect(desk.run()).toMatchObject({ status: "running" });
    desk.now += 300;
    await desk.recorder.settle(followed(desk, "s1"));
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Done.", endedAt: NOW + 410 });
    expect(desk.run().steps).toMatchObject([
      { status: "ok", result: { stdout: "x" }, sources: ["transcript"], durationMs: 100 },
      { status: "error", error: "Exit code 1", sources: ["transcript"], durationMs: 50 },
    ]);
  });

  test("yet is told of by it in time: the one who asked again is told so, and the run is over", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", {});
    desk.now += 100;
    host.resultRow("t1", "text");
    desk.now += 50;
    const stop = host.reportOf("Stop", { last_assistant_message: "Done.", background_tasks: [] });
    expect(await desk.report(stop)).toMatchObject({ stragglers: 1 });
    await host.post("t1", "Bash", {}, { stdout: "x" });
    expect(await desk.report(stop)).toMatchObject({ stragglers: 0 });
    expect(desk.run()).toMatchObject({ status: "completed" });
    expect(desk.run().steps).toMatchObject([{ status: "ok", result: { stdout: "x" }, sources: ["hook"] }]);
  });

  test("and that another server has to end, which knows of no one who waits", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", {});
    desk.now += 100;
    host.resultRow("t1", "text");
    desk.now += 50;
    await host.stop("Done.");
    desk.restart();
    await desk.wait(5000);
    expect(desk.run()).toMatchObject({ status: "completed", endedAt: NOW + 350 });
    expect(desk.run().steps).toMatchObject([{ status: "ok", result: "text", sources: ["transcript"] }]);
  });

  test("while its run goes on is settled after a while", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", {});
    desk.now += 100;
    host.resultRow("t1", "text");
    await desk.wait(2000);
    expect(desk.stepOf()).toMatchObject({ status: "running" });
    await desk.wait(12_000);
    expect(desk.stepOf()).toMatchObject({ status: "ok", result: "text" });
  });

  test("and that was given up for lost before its row was there", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", {});
    desk.now += 100;
    await host.end();
    expect(desk.stepOf()).toMatchObject({ status: "lost" });
    host.resultRow("t1", "text");
    await host.hook("SessionEnd", { reason: "other" });
    await desk.wait(20_000);
    expect(desk.stepOf()).toMatchObject({ status: "ok", result: "text" });
  });
});

function followed(desk: RecorderDesk, key: string) {
  const found = desk.recorder.sessions.find(key);
  if (found === undefined) throw new Error(`session ${key} is not followed`);
  return found;
}

describe("an interrupt", () => {
  test("ends the run, and cancels what ran", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", {});
    host.uses("t2", "Bash", {});
    desk.now += 100;
    host.resultRow("t1", "The user doesn't want to proceed", { is_error: true, toolDenialKind: "user-rejected" });
    host.interruptRow();
    desk.now += 5000;
    host.promptRow("Better this", "p2");
    await host.prompt("p2", "Better this");
    expect(desk.runs()).toMatchObject([
      { status: "interrupted", endedAt: NOW + 300, finalAnswer: null },
      { status: "running", steps: [] },
    ]);
    expect(desk.run().steps.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    expect(desk.told().at(-1)).toBe("interrupt: interrupted by the person");
  });

  test("is noticed without another hook", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", {});
    await desk.wait(2000);
    host.interruptRow();
    await desk.wait(2000);
    expect(desk.run()).toMatchObject({ status: "interrupted", steps: [{ status: "cancelled" }] });
  });

  test("leaves what goes on in the background", async () => {
    const { desk, host } = await prompted();
    await host.launch("launch", "a1");
    await host.pre("b1", "Bash", {}, { agent_id: "a1" });
    await host.pre("t1", "Bash", {});
    desk.now += 100;
    host.interruptRow();
    await desk.wait(2000);
    expect(desk.run()).toMatchObject({ status: "running" });
    expect(desk.run().steps.map(({ callId, status }) => [callId, status])).toEqual([
      ["launch", "ok"],
      ["b1", "running"],
      ["t1", "cancelled"],
    ]);
    await host.post("b1", "Bash", {}, "x", { agent_id: "a1" });
    await host.notice("p2", "a1");
    desk.now += 100;
    await host.stop("Three.", []);
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Three." });
  });

  test("that is read twice is one", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", {});
    host.interruptRow();
    await desk.wait(2000);
    desk.restart();
    desk.transcript(host.path).identity = "2";
    await host.prompt("p2", "Next");
    expect(desk.run().notes).toHaveLength(1);
    expect(desk.runs()).toHaveLength(2);
  });
});

describe("an interrupt that is written down when the next prompt was sent", () => {
  const ROWS: [string, (host: HostScript, messageId: string) => void][] = [
    ["with the answer that it cut short", (host, messageId) => host.interruptRow(messageId)],
    ["without that", (host) => host.interruptRow()],
  ];
  test.each(ROWS)("is of the prompt before, %s; the next one goes on", async (_what, interrupt) => {
    const { desk, host } = await prompted();
    const messageId = host.uses("t1", "Bash", {}, { usage: tokens(10, 1) });
    desk.now += 100;
    await host.prompt("p2", "Better this");
    const sentAt = desk.now;
    desk.now += 20;
    host.resultRow("t1", "The user doesn't want to proceed", { is_error: true, toolDenialKind: "user-rejected" });
    interrupt(host, messageId);
    host.promptRow("Better this", "p2", sentAt);
    desk.now += 20;
    host.uses("t2", "Bash", {}, { usage: tokens(10, 1) });
    await desk.wait(2000);
    expect(desk.runs()).toMatchObject([
      { input: "Do it", status: "interrupted", endedAt: sentAt, steps: [{ callId: "t1", status: "cancelled" }] },
      { input: "Better this", status: "running", notes: [], steps: [{ callId: "t2", status: "running" }] },
    ]);
    expect(desk.run().notes).toMatchObject([{ kind: "interrupt" }]);
  });

  test("is of that one where the prompt before had been answered", async () => {
    const { desk, host } = await prompted();
    host.says("Done.", { usage: tokens(10, 1) });
    await host.stop("Done.");
    desk.now += 100;
    // A command of the host's own, of which no row tells.
    await host.prompt("p2", "/init");
    desk.now += 20;
    host.interruptRow();
    await desk.wait(2000);
    expect(desk.runs()).toMatchObject([
      { status: "completed", notes: [] },
      { status: "interrupted", notes: [{ kind: "interrupt" }] },
    ]);
  });
});

describe("prompts of the transcript", () => {
  test("make a run where the hook was lost", async () => {
    const { desk, host } = await prompted();
    await host.stop("One.");
    desk.now += 100;
    host.promptRow("Second", "p2");
    desk.now += 10;
    host.promptId = "p2";
    host.says("Two.");
    desk.now += 10;
    await host.stop("Two.");
    expect(desk.runs()).toMatchObject([
      { input: "Do it", finalAnswer: "One.", status: "completed" },
      { input: "Second", finalAnswer: "Two.", status: "completed" },
    ]);
  });

  test("read ahead of the hooks do not cut off what has ended by itself", async () => {
    const { desk, host } = await prompted();
    host.says("One.");
    desk.now += 10;
    const stop = host.reportOf("Stop", { last_assistant_message: "One.", background_tasks: [] });
    desk.now += 10;
    host.promptRow("Second", "p2");
    desk.now += 10;
    await desk.wait(2000);
    expect(desk.runs()).toMatchObject([{ status: "running" }, { status: "running" }]);
    await desk.report(stop);
    await host.prompt("p2", "Second");
    expect(desk.runs()).toMatchObject([
      { status: "completed", finalAnswer: "One.", notes: [] },
      { status: "running", input: "Second" },
    ]);
  });

  test("without ids are one with their hooks, and two where they were given twice", async () => {
    const { desk, host } = await prompted({ hasPromptIds: false });
    for (const answer of ["One.", "Two."]) {
      host.says(answer);
      desk.now += 10;
      await host.stop(answer, null);
      if (answer === "Two.") break;
      desk.now += 500;
      host.promptRow("Do it");
      desk.now += 10;
      await host.prompt("", "Do it");
      desk.now += 100;
    }
    expect(desk.runs().map(({ input, finalAnswer }) => [input, finalAnswer])).toEqual([
      ["Do it", "One."],
      ["Do it", "Two."],
    ]);
    desk.restart();
    desk.transcript(host.path).identity = "2";
    await host.prompt("", "Other");
    expect(desk.runs()).toHaveLength(3);
  });

  test("of a notice continue the run once, with ids or without", async () => {
    for (const hasPromptIds of [true, false]) {
      const { desk, host } = await prompted({ hasPromptIds });
      await host.launch("launch", "a1");
      desk.now += 10;
      host.says("It counts.");
      desk.now += 10;
      await host.stop("It counts.", [task("a1")]);
      desk.now += 100;
      host.promptRow(host.noticeText("a1"), "p2");
      desk.now += 20;
      await host.notice("p2", "a1");
      desk.now += 100;
      host.says("Three.");
      desk.now += 10;
      await host.stop("Three.", []);
      desk.restart();
      desk.transcript(host.path).identity = "2";
      await host.end();
      expect(desk.runs()).toMatchObject([{ status: "completed", finalAnswer: "Three." }]);
      expect(desk.told()).toEqual(["Agent ok by hook", "text: It counts."]);
    }
  });

  test("are the main agent's: what a subagent was told to do is none", async () => {
    const { desk, host } = await prompted();
    await host.launch("launch", "a1");
    host.row({ type: "user", promptId: "p1", message: { role: "user", content: "Count" } }, "a1");
    host.row({ type: "user", isSidechain: true, message: { role: "user", content: "Count" } });
    await host.stop("x", [task("a1")]);
    expect(desk.runs()).toMatchObject([{ input: "Do it" }]);
  });
});

describe("an answer that the host does not tell with its stop", () => {
  test.each([["Stop"], ["SessionEnd"]])("is found when it is written down after the %s", async (last) => {
    const { desk, host } = await prompted();
    const saidAt = desk.now;
    desk.now += 10;
    await host.stop(null);
    if (last === "SessionEnd") await host.end();
    desk.now += 100;
    const now = desk.now;
    desk.now = saidAt;
    host.says("At last.");
    desk.now = now;
    await vi.waitFor(() => expect(desk.run().finalAnswer).toBe("At last."));
    expect(desk.runs()).toMatchObject([{ status: "completed", notes: [] }]);
  });
});

describe("what was written before the first hook", () => {
  test("tells nothing: hooks that appear in the middle of a session", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    host.promptRow("Before", "p0");
    host.thinks("Before", { usage: tokens(99, 99) });
    host.uses("t0", "Bash", {});
    desk.now += 5000;
    host.promptId = "p1";
    await host.post("t1", "Bash", {}, "x");
    host.says("Done.", { usage: tokens(1, 1) });
    desk.now += 10;
    await host.stop("Done.");
    expect(desk.runs()).toMatchObject([{ input: null, finalAnswer: "Done.", steps: [{ callId: "t1" }], notes: [] }]);
    expect(desk.run().usage).toMatchObject({ inputTokens: 1 });
  });

  test.each([[10], [3000]])("tells what belongs to the prompt that is under way, in %i other rows", async (rows) => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    host.promptRow("Before", "p0");
    for (let i = 0; i < rows; i++) host.thinks("Before", { usage: tokens(99, 99) });
    desk.now += 5000;
    host.promptRow("Now", "p1");
    host.thinks("Now I look.", { usage: tokens(1, 1) });
    host.uses("t0", "Bash", { first: true });
    desk.now += 10;
    host.promptId = "p1";
    await host.post("t1", "Bash", {}, "x");
    await host.stop("Done.");
    expect(desk.runs()).toMatchObject([{ input: "Now", finalAnswer: "Done.", usage: { inputTokens: 1 } }]);
    expect(
      desk
        .run()
        .steps.map(({ callId }) => callId)
        .toSorted(),
    ).toEqual(["t0", "t1"]);
    expect(desk.run().notes).toMatchObject([{ text: "Now I look." }]);
  });

  test("tells what belongs to the prompt that is under way, however much else there is to read", async () => {
    const desk = new RecorderDesk();
    desk.maxPollBytes = 1;
    desk.restart();
    const host = new HostScript(desk);
    host.promptRow("Before", "p0");
    // One look reads a block and a little.
    for (let i = 0; i < 20; i++) host.thinks(`Before ${"x".repeat(20_000)}`);
    host.promptRow("Now", "p1");
    host.thinks("Now I look.");
    for (let i = 0; i < 20; i++) host.thinks(`Then ${"x".repeat(20_000)}`);
    desk.now += 5000;
    host.promptId = "p1";
    await host.post("t1", "Bash", {}, "x");
    await host.stop("Done.");
    expect(desk.runs()).toMatchObject([{ input: "Now", finalAnswer: "Done." }]);
    expect(desk.run().notes).toHaveLength(21);
  });

  test("tells nothing: a hook that can come between two prompts", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    host.promptRow("Asked", "p1");
    host.thinks("Before.");
    desk.now += 5000;
    host.promptId = "p1";
    await host.hook("PreCompact", {});
    await host.prompt("p2", "Next");
    expect(desk.runs()).toMatchObject([{ input: "Next", notes: [] }]);
  });

  test("tells nothing: a prompt that the host made by itself, for work that nobody has recorded", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    host.promptRow("Asked", "p0");
    host.thinks("Before.");
    host.promptRow(host.noticeText("a1"), "p1");
    host.thinks("Of the notice.");
    desk.now += 5000;
    host.promptId = "p1";
    await host.post("t1", "Bash", {}, "x");
    await host.stop("Done.");
    expect(desk.runs()).toMatchObject([{ input: null, finalAnswer: "Done.", notes: [] }]);
  });

  test.each([["resume"], ["fork"]])("tells nothing: a %s of what was not recorded", async (source) => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk, { sessionId: "s2" });
    // In a copy the older rows carry the session's id, and its first prompt's.
    host.promptRow("Before", "p1");
    host.uses("t0", "Bash", {});
    host.says("Before.");
    desk.now += 5000;
    await host.start(source);
    desk.now += 100;
    host.promptRow("Now", "p1");
    desk.now += 10;
    await host.prompt("p1", "Now");
    desk.now += 10;
    host.says("Now.");
    desk.now += 10;
    await host.stop("Now.");
    expect(desk.runs()).toMatchObject([{ input: "Now", finalAnswer: "Now.", steps: [], notes: [] }]);
  });

  test("tells nothing: a session that went on unrecorded, and is resumed", async () => {
    const { desk, host } = await prompted();
    await host.stop("One.");
    await host.end();
    desk.now += 1000;
    host.promptRow("Unrecorded", "p2");
    host.uses("t9", "Bash", {});
    desk.now += 1000;
    await host.start("resume");
    desk.now += 1000;
    host.promptRow("Recorded", "p3");
    desk.now += 10;
    await host.prompt("p3", "Recorded");
    await host.stop("Three.");
    expect(desk.runs()).toMatchObject([{ input: "Do it" }, { input: "Recorded", steps: [] }]);
  });

  test("tells all that an earlier hook covers, when that one is heard of late", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    const start = host.reportOf("SessionStart", { source: "startup" });
    desk.now += 100;
    host.promptRow("Do it", "p1");
    host.promptId = "p1";
    const prompt = host.reportOf("UserPromptSubmit", { prompt: "Do it" });
    desk.now += 100;
    host.thinks("I should look.", { usage: tokens(10, 1) });
    host.uses("t1", "Bash", { command: "original" });
    desk.now += 100;
    await host.post("t1", "Bash", { command: "rewritten" }, "x");
    expect(desk.run()).toMatchObject({ input: "Do it", notes: [{}] });
    for (const report of [start, prompt]) await desk.report(report);
    await host.stop("Done.");
    expect(desk.runs()).toMatchObject([{ input: "Do it", usage: { inputTokens: 10 }, notes: [{}] }]);
    expect(desk.run().steps).toMatchObject([{ args: { command: "original" } }]);
  });

  test("tells of an earlier prompt, whose hook is heard of late", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    host.promptId = "p1";
    const reports = [host.reportOf("UserPromptSubmit", { prompt: "First" })];
    desk.now += 100;
    host.promptRow("First", "p1");
    host.thinks("I should look.");
    reports.push(host.reportOf("Stop", { last_assistant_message: "One.", background_tasks: [] }));
    desk.now += 100;
    host.promptRow("Second", "p2");
    desk.now += 10;
    await host.prompt("p2", "Second");
    for (const report of reports) await desk.report(report);
    await host.stop("Two.");
    const runs = desk.runs().toSorted((a, b) => a.startedAt - b.startedAt);
    expect(runs).toMatchObject([
      { input: "First", finalAnswer: "One.", status: "completed", notes: [{ text: "I should look." }] },
      { input: "Second", finalAnswer: "Two.", status: "completed", notes: [] },
    ]);
  });

  test("tells nothing: rows that the host copied from the session it was forked from", async () => {
    const { desk, host } = await prompted();
    host.row({
      type: "assistant",
      requestSessionId: "s0",
      message: { id: "m0", content: [{ type: "tool_use", id: "t0", name: "Bash", input: {} }] },
    });
    await host.stop("Done.");
    expect(desk.run()).toMatchObject({ steps: [] });
  });
});

describe("a subagent", () => {
  test("of which no hook has told before is looked for in the transcript: whose it is stands there", async () => {
    const { desk, host } = await prompted();
    await host.hook("PreCompact", {});
    // Two looks are never this near to one another, but where one is needed.
    host.uses("launch", "Agent", {});
    host.resultRow("launch", "launched", { toolUseResult: { status: "async_launched", agentId: "a1" } });
    desk.now += 10;
    const late = host.reportOf("PostToolUse", { ...host.call("b1", "Bash", {}), tool_response: "x", agent_id: "a1" });
    host.promptId = "p2";
    await desk.report({ ...late, fact: late.fact === null ? null : { ...late.fact, promptId: trustedText("p2") } });
    expect(desk.runs()).toMatchObject([{ steps: [{ callId: "launch" }, { callId: "b1", agentId: "a1" }] }]);
  });
});

describe("a session that is resumed", () => {
  test("whose host died: what it had begun is over, and what it wrote is told", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", {});
    host.resultRow("t1", "text");
    desk.now += 60_000;
    await host.start("resume");
    expect(desk.run()).toMatchObject({ status: "interrupted", steps: [{ status: "ok" }] });
    await host.prompt("p2", "Next");
    await host.stop("Two.");
    expect(desk.runs()).toMatchObject([{ status: "interrupted" }, { status: "completed" }]);
  });

  test("without its start being heard goes on all the same", async () => {
    const { desk, host } = await prompted();
    await host.stop("One.");
    await host.end();
    expect(desk.recorder.occupation().sessions).toBe(0);
    desk.now += 60_000;
    await host.prompt("p2", "Next");
    expect(desk.recorder.occupation()).toMatchObject({ sessions: 1, openRuns: 1 });
    desk.now += 10;
    await host.stop("Two.");
    expect(desk.runs()).toMatchObject([{ status: "completed" }, { status: "completed", finalAnswer: "Two." }]);
  });
});

describe("the file", () => {
  test("may never be there", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    await host.prompt("p1", "Do it");
    await host.post("t1", "Bash", {}, "x");
    await host.stop("Done.");
    expect(desk.run()).toMatchObject({ status: "completed", gaps: [], steps: [{ sources: ["hook"] }] });
  });

  test("may be named by no hook", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    await host.hook("UserPromptSubmit", { prompt: "Do it", transcript_path: undefined, prompt_id: "p1" });
    await host.hook("Stop", { last_assistant_message: "x", transcript_path: undefined, prompt_id: "p1" });
    expect(desk.run()).toMatchObject({ status: "completed" });
  });

  test("may be longer than one look reads: others get their turn, and nothing is missing", async () => {
    const { desk, host } = await prompted();
    desk.maxPollBytes = 1;
    desk.restart();
    const other = new HostScript(desk, { sessionId: "s2", pid: 78 });
    // One look reads a block and a little.
    for (let n = 0; n < 40; n++) {
      desk.now += 1;
      host.thinks(`${n} ${"x".repeat(20_000)}`);
    }
    desk.now += 10;
    const order: string[] = [];
    const stop = host.stop("Done.").then(() => order.push("stop"));
    const beside = other.prompt("q1", "Beside").then(() => order.push("beside"));
    await Promise.all([stop, beside]);
    expect(order).toEqual(["beside", "stop"]);
    expect(desk.run().notes.map(({ text }) => text.split(" ")[0])).toEqual([...Array(40).keys()].map(String));
    expect(desk.run()).toMatchObject({ status: "completed" });
  });

  test("with rows that cannot be read leaves a gap, once", async () => {
    const { desk, host } = await prompted();
    desk.transcript(host.path).append("no row\n{\n");
    host.thinks("Hm.");
    await host.prompt("p1", "Do it");
    expect(desk.run().gaps).toEqual([]);
    host.uses("t1", "Bash", {});
    await host.post("t1", "Bash", {}, "x");
    await host.stop("Done.");
    desk.restart();
    await host.end();
    expect(desk.run()).toMatchObject({
      lossy: true,
      gaps: [{ reason: "DEG-16 transcript-row-unreadable", lost: 2 }],
    });
  });

  test("with rows that cannot be read before any run leaves the gap in the first", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    await host.start();
    desk.transcript(host.path).append("no row\n");
    desk.now += 200;
    await host.hook("PreCompact", { trigger: "auto" });
    desk.restart();
    await host.prompt("p1", "Do it");
    expect(desk.run().gaps).toMatchObject([{ reason: "DEG-16 transcript-row-unreadable", lost: 1 }]);
  });

  test("moves with the session: nothing is told twice, nothing is missing", async () => {
    const { desk, host } = await prompted();
    host.thinks("Before.");
    host.uses("t1", "Bash", {}, { usage: tokens(10, 1) });
    desk.now += 200;
    await host.post("t1", "Bash", {}, "x");
    host.resultRow("t1", "x");
    desk.now += 10;
    host.thinks("Between.", { usage: tokens(20, 2) });
    const bytes = desk.transcript(host.path).bytes;
    desk.transcript("/worktree/s1.jsonl").append(bytes ?? "");
    desk.transcript(host.path).bytes = null;
    Object.assign(host, { path: "/worktree/s1.jsonl", cwd: "/worktree" });
    desk.now += 10;
    host.says("Done.", { usage: tokens(30, 3) });
    desk.now += 10;
    await host.stop("Done.");
    expect(desk.runs()).toHaveLength(1);
    expect(desk.told()).toEqual(["thought: Before.", "Bash ok by hook", "thought: Between."]);
    expect(desk.run().usage).toMatchObject({ inputTokens: 60, outputTokens: 6 });
    expect(desk.run()).toMatchObject({ status: "completed", cwd: "/project", finalAnswer: "Done." });
  });

  test("that begins with a copy under other ids tells of nothing twice", async () => {
    const { desk, host } = await prompted();
    host.thinks("Before.");
    desk.now += 5000;
    host.says("Let me look.", { stop: "tool_use" });
    await host.prompt("p1", "Do it");
    const copy = Buffer.from(desk.transcript(host.path).bytes ?? "")
      .toString()
      .replaceAll('"uuid":"', '"uuid":"copy-');
    desk.transcript("/worktree/s1.jsonl").append(copy.split("\n").slice(0, -2).join("\n").concat("\n"));
    Object.assign(host, { path: "/worktree/s1.jsonl" });
    desk.now += 10;
    host.says("Done.");
    desk.now += 10;
    await host.stop("Done.");
    expect(desk.told()).toEqual(["thought: Before.", "text: Let me look."]);
    expect(desk.runs()).toMatchObject([{ input: "Do it", finalAnswer: "Done." }]);
  });

  test("read from a middle by another server has the words before a call with it", async () => {
    const { desk, host } = await prompted();
    const id = host.thinks("I should look.");
    await host.prompt("p1", "Do it");
    desk.restart();
    desk.now += 10;
    host.uses("t1", "Bash", {}, { messageId: id });
    await host.post("t1", "Bash", {}, "x");
    await host.stop("Done.");
    expect(desk.stepOf()).toMatchObject({ context: "I should look." });
    expect(desk.run().notes).toHaveLength(1);
  });

  test("read from a middle by another server goes on with the run it was at", async () => {
    const { desk, host } = await prompted();
    await host.launch("launch", "a1");
    await host.stop("It counts.", [task("a1")]);
    desk.now += 100;
    host.promptRow("Second", "p2");
    await host.prompt("p2", "Second");
    desk.now += 100;
    await host.stop("Two.", [task("a1")]);
    desk.now += 100;
    host.promptRow(host.noticeText("a1"), "p3");
    await host.notice("p3", "a1");
    desk.now += 10;
    host.uses("t1", "Bash", {});
    desk.now += 110;
    await host.post("t1", "Bash", {}, "x");
    desk.restart();
    desk.now += 10;
    host.thinks("Three.");
    desk.now += 10;
    await host.stop("Three.", []);
    expect(desk.told(desk.run())).toContain("thought: Three.");
    expect(desk.runs()[1]?.notes).toEqual([]);
  });
});
