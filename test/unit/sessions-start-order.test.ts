/** When calls started: a hook tells of that late, and what else is known bounds it. */

import { describe, expect, test } from "vitest";
import { trustedText } from "../../src/redact/redact.ts";
import { HostScript } from "./host-script.ts";
import { NOW, RecorderDesk } from "./recorder-desk.ts";

const TOOL = "mcp__files__read";

async function prompted() {
  const desk = new RecorderDesk();
  const host = new HostScript(desk);
  await host.start();
  await host.prompt("p1", "Do it");
  desk.now += 100;
  return { desk, host };
}

/** When each call started, in ms after the first could. */
const starts = (desk: RecorderDesk) =>
  Object.fromEntries(desk.run().steps.map(({ callId, startedAt }) => [callId, startedAt - NOW - 100]));

/** A hook of a call that was started this late, however long the call took. */
const late = (host: HostScript, callId: string, tool = "Bash", more = {}) => {
  const ended = { tool_response: "x", duration_ms: 2 };
  return host.reportOf("PostToolUse", { ...host.call(callId, tool, {}), ...ended, ...more });
};

describe("a call started", () => {
  test("before its speaker said anything after it", async () => {
    for (const isHookFirst of [true, false]) {
      const { desk, host } = await prompted();
      host.uses("t1", "Bash", {});
      desk.now += 20;
      host.thinks("Next.");
      desk.now += 500;
      const report = late(host, "t1");
      if (isHookFirst) desk.transcript(host.path).bytes = null;
      const { bytes } = desk.transcript(host.path);
      await desk.report(report);
      desk.transcript(host.path).bytes = bytes;
      await host.stop("Done.");
      if (isHookFirst) expect(starts(desk)).toEqual({ t1: 518 });
      else expect(starts(desk)).toEqual({ t1: 20 });
    }
  });

  test("before that, also where the hook was heard first", async () => {
    const { desk, host } = await prompted();
    desk.now += 500;
    await desk.report(late(host, "t1"));
    expect(starts(desk)).toEqual({ t1: 498 });
    desk.now -= 500;
    host.uses("t1", "Bash", {});
    desk.now += 20;
    host.thinks("Next.");
    desk.now += 600;
    await host.stop("Done.");
    expect(starts(desk)).toEqual({ t1: 20 });
  });

  test("while its own message was still being written: that bounds nothing", async () => {
    const { desk, host } = await prompted();
    const messageId = host.uses("t1", "Bash", {});
    desk.now += 10;
    host.uses("t2", "Bash", {}, { messageId });
    desk.now += 300;
    await desk.report(late(host, "t1"));
    desk.now += 10;
    await desk.report(late(host, "t2"));
    await host.stop("Done.");
    expect(starts(desk)).toEqual({ t1: 308, t2: 318 });
  });

  test("before the next one of its speaker, in the order in which they were made", async () => {
    const { desk, host } = await prompted();
    const proxy = desk.proxy();
    const messageId = host.uses("t1", "Bash", {});
    host.uses("t2", TOOL, {}, { messageId });
    desk.now += 40;
    // What the wire saw stands.
    await desk.tell(proxy, desk.step({ hostCallId: trustedText("t2"), startedAt: desk.now - 10, durationMs: 5 }));
    desk.now += 300;
    await desk.report(late(host, "t1"));
    await desk.report(late(host, "t2", TOOL));
    await host.stop("Done.");
    expect(starts(desk)).toEqual({ t1: 30, t2: 30 });
    expect(desk.run().steps.map(({ callId }) => callId)).toEqual(["t1", "t2"]);
  });

  test("before the next one, although that was told of first and has the lower number", async () => {
    const { desk, host } = await prompted();
    const proxy = desk.proxy();
    await desk.tell(proxy, desk.step({ hostCallId: trustedText("t2"), startedAt: desk.now + 30, durationMs: 5 }));
    desk.now += 300;
    await desk.report(late(host, "t2", TOOL));
    await desk.report(late(host, "t1"));
    desk.now -= 300;
    const messageId = host.uses("t1", "Bash", {});
    host.uses("t2", TOOL, {}, { messageId });
    desk.now += 400;
    await host.stop("Done.");
    expect(desk.run().steps.map(({ callId }) => callId)).toEqual(["t1", "t2"]);
    expect(starts(desk)).toEqual({ t1: 29, t2: 30 });
  });

  test("when its turn came, of several in one message that ran one after the other", async () => {
    const { desk, host } = await prompted();
    const messageId = host.uses("t1", "Bash", {});
    for (const id of ["t2", "t3", "denied", "t4"]) host.uses(id, "Bash", {}, { messageId });
    for (const id of ["t1", "t2", "t3"]) {
      desk.now += 600;
      await host.post(id, "Bash", {}, "x", { duration_ms: 590 });
      host.resultRow(id, "x");
    }
    host.resultRow("denied", "Permission to use Bash has been denied", { is_error: true });
    desk.now += 600;
    await host.post("t4", "Bash", {}, "x", { duration_ms: 590 });
    await host.stop("Done.");
    expect(starts(desk)).toEqual({ t1: 10, t2: 610, t3: 1210, denied: 1210, t4: 1810 });
    expect(desk.run().steps.map(({ callId }) => callId)).toEqual(["t1", "t2", "t3", "denied", "t4"]);
  });

  test("when the wire saw it, whatever else is known", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", TOOL, {});
    desk.now += 20;
    host.thinks("Next.");
    await desk.tell(desk.proxy(), desk.step({ hostCallId: trustedText("t1"), startedAt: desk.now + 5, durationMs: 5 }));
    desk.now += 300;
    await desk.report(late(host, "t1", TOOL));
    host.thinks("And so on.");
    await host.stop("Done.");
    expect(starts(desk)).toEqual({ t1: 25 });
  });

  test("not before the model had made it", async () => {
    const { desk, host } = await prompted();
    desk.now += 50;
    const messageId = host.uses("t1", "Bash", {});
    desk.now += 5;
    host.uses("t2", TOOL, {}, { messageId });
    desk.now += 300;
    await desk.report(late(host, "t1"));
    // A clock that is not quite the same.
    await desk.tell(desk.proxy(), desk.step({ hostCallId: trustedText("t2"), startedAt: NOW + 120, durationMs: 5 }));
    await host.stop("Done.");
    expect(starts(desk)).toEqual({ t1: 50, t2: 20 });
  });

  test("before the subagent began that it started, whichever is known first", async () => {
    for (const isAgentFirst of [true, false]) {
      const { desk, host } = await prompted();
      host.uses("launch", "Agent", {});
      desk.now += 30;
      host.thinks("I count.", { agentId: "a1" });
      desk.now += 300;
      const response = { status: "async_launched", agentId: "a1" };
      const launch = late(host, "launch", "Agent", { tool_response: response });
      if (isAgentFirst) {
        await host.post("b1", "Bash", {}, "x", { agent_id: "a1" });
        desk.now += 200;
        await host.hook("PreCompact", {});
      }
      await desk.report(launch);
      desk.now += 10;
      await host.agentStopped("a1", "Three.");
      expect(starts(desk)).toMatchObject({ launch: 30 });
    }
  });

  test("by another speaker bounds nothing", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", {});
    await host.post("b1", "Bash", {}, "x", { agent_id: "a1" });
    desk.now += 20;
    host.thinks("I count.", { agentId: "a1" });
    desk.now += 300;
    await desk.report(late(host, "t1"));
    await host.stop("Done.");
    expect(starts(desk)).toMatchObject({ t1: 318 });
  });
});
