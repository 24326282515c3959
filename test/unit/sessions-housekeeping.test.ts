/** What the recorder does when nothing asks: hosts that died, sessions that are over, memory, the store's age. */

import { describe, expect, test } from "vitest";
import { SystemProcesses } from "../../src/control/sessions/system-processes.ts";
import { processStartedAt } from "../../src/kit/process-identity.ts";
import { trustedText } from "../../src/redact/redact.ts";
import { HostScript, task } from "./host-script.ts";
import { NOW, RecorderDesk } from "./recorder-desk.ts";

const HALF_A_DAY = 12 * 60 * 60_000;
const TOOL = "mcp__files__read";

async function prompted(options = {}) {
  const desk = new RecorderDesk();
  const host = new HostScript(desk, options);
  await host.start();
  desk.now += 100;
  await host.prompt("p1", "Do it");
  desk.now += 100;
  return { desk, host };
}

describe("a call on the wire", () => {
  test("gets its step from a row that is written later, also when no run is open by then", async () => {
    const { desk, host } = await prompted();
    await host.stop("Done.");
    await desk.wait(1000);
    const proxy = desk.proxy();
    await desk.tell(
      proxy,
      desk.step({ hostCallId: trustedText("t1"), status: "running", durationMs: null, result: null }),
    );
    desk.now += 10;
    host.uses("t1", TOOL, {});
    await desk.wait(2000);
    expect(desk.run()).toMatchObject({ status: "running", steps: [{ callId: "t1", status: "running" }] });
  });
});

describe("a run whose host died", () => {
  const DEATHS: [string, (desk: RecorderDesk) => void][] = [
    ["is gone", (desk) => desk.dead.add(77)],
    ["has another process's number by now", (desk) => desk.recycled.add(77)],
  ];
  test.each(DEATHS)("is abandoned once the process %s, with what was written until then", async (_what, die) => {
    const { desk, host } = await prompted();
    await host.pre("t1", "Bash", {});
    await desk.wait(10_000);
    expect(desk.run()).toMatchObject({ status: "running" });
    host.thinks("My last thought.");
    die(desk);
    await desk.wait(10_000);
    expect(desk.run()).toMatchObject({ status: "abandoned", steps: [{ status: "lost" }] });
    expect(desk.told()).toContain("thought: My last thought.");
    expect(desk.recorder.occupation()).toEqual({ sessions: 0, proxies: 0, openRuns: 0 });
    // When that was nobody knows: not before what was heard last.
    expect(desk.run()).toMatchObject({ endedAt: NOW + 10_200 });
    expect(desk.about("s1")).toMatchObject({ endedAt: NOW + 200 });
  });

  test("with another server: it was not there any more when that began", async () => {
    const { desk } = await prompted();
    desk.restart();
    desk.dead.add(77);
    await desk.wait(10_000);
    expect(desk.run()).toMatchObject({ status: "abandoned" });
  });

  test("before any server heard of it", async () => {
    const desk = new RecorderDesk();
    desk.startedAt.set(77, null);
    desk.dead.add(77);
    const host = new HostScript(desk);
    await host.prompt("p1", "Do it");
    await host.post("t1", "Bash", {}, "x");
    expect(desk.run()).toMatchObject({ status: "running" });
    await desk.wait(10_000);
    expect(desk.run()).toMatchObject({ status: "abandoned", steps: [{ status: "ok" }] });
  });

  test("and of which the agent was done is complete; one with an agent in the background is not", async () => {
    for (const [type, status] of [
      ["shell", "completed"],
      ["subagent", "abandoned"],
    ]) {
      const { desk, host } = await prompted();
      await host.stop("Done.", [task("x", type)]);
      desk.dead.add(77);
      await desk.wait(10_000);
      expect(desk.run()).toMatchObject({ status, finalAnswer: "Done." });
    }
  });

  test.each([[null], [77]])(
    "of which the process cannot be told (pid %s) is abandoned after half a day's silence",
    async (pid) => {
      const { desk, host } = await prompted({ pid });
      desk.startedAt.set(77, null);
      await host.prompt("p1", "Do it");
      if (pid !== null) await host.start("resume");
      await host.prompt("p2", "Next");
      await desk.wait(HALF_A_DAY - 1000);
      expect(desk.runs().at(-1)).toMatchObject({ status: "running" });
      await desk.wait(HALF_A_DAY);
      expect(desk.runs().at(-1)).toMatchObject({ status: "abandoned" });
    },
  );

  test("goes on when its session is resumed in another process, of the same number or not", async () => {
    for (const pid of [77, 78]) {
      const { desk, host } = await prompted();
      desk.dead.add(77);
      await desk.wait(10_000);
      desk.dead.clear();
      desk.now += 1000;
      desk.startedAt.set(pid, "boot/later");
      const resumed = new HostScript(desk, { pid });
      await resumed.start("resume");
      await resumed.prompt("p2", "Next");
      expect(desk.about("s1")).toMatchObject({ hostPid: pid, hostStartedAt: "boot/later", endedAt: null });
      await desk.wait(10_000);
      expect(desk.runs()).toMatchObject([{ status: "abandoned" }, { status: "running" }]);
      expect(host.sessionId).toBe("s1");
    }
  });
});

describe("the processes of this machine", () => {
  test("are told apart by when they began", async () => {
    const processes = new SystemProcesses();
    const own = processStartedAt(process.pid) ?? "";
    expect(processes.isThere(process.pid)).toBe(true);
    expect(processes.isSame(process.pid, own)).toBe(true);
    expect(processes.isSame(process.pid, own)).toBe(true);
    expect(processes.isSame(process.pid, "another time")).toBe(false);
    const child = Bun.spawn(["true"]);
    await child.exited;
    expect(processes.isThere(child.pid)).toBe(false);
    expect(processes.isSame(child.pid, own)).toBe(false);
  });
});

describe("memory", () => {
  test("lets go of runs that are closed, and of sessions that are over; named again they are there", async () => {
    const { desk, host } = await prompted();
    const proxy = desk.proxy();
    await host.post("t1", "Bash", {}, "x");
    await desk.tell(proxy, desk.step({ hostCallId: trustedText("t2") }));
    await host.post("t2", TOOL, {}, "x");
    const late = host.reportOf("PostToolUse", { ...host.call("t3", "Bash", {}), tool_response: "y", duration_ms: 1 });
    desk.now += 10;
    await host.stop("One.");
    const { session } = find(desk, "s1");
    await desk.wait(5000);
    expect(session.runs).toHaveLength(1);
    await desk.wait(6000);
    expect(session.runs).toEqual([]);
    expect(desk.recorder.sessions.all).toHaveLength(1);
    await host.end();
    await desk.wait(70_000);
    expect(desk.recorder.sessions.all).toEqual([]);
    const before = desk.run();
    await desk.report(late);
    const { steps: _steps, ...same } = before;
    expect(desk.runs()).toMatchObject([same]);
    expect(desk.run().steps.map(({ callId, status }) => [callId, status])).toContainEqual(["t3", "ok"]);
    await host.start("resume");
    await host.prompt("p2", "Next");
    expect(desk.runs()).toMatchObject([{ status: "completed" }, { status: "running" }]);
  });

  test("lets go of closed runs beside one that goes on for hours", async () => {
    const { desk, host } = await prompted();
    await host.stop("It serves.", [task("shell1", "shell")]);
    for (let n = 2; n <= 30; n++) {
      desk.now += 1000;
      await host.prompt(`p${n}`, `Prompt ${n}`);
      await host.post(`t${n}`, "Bash", {}, "x", { agent_id: `agent-${n}` });
      await host.stop(`Answer ${n}`, [task("shell1", "shell")]);
    }
    const { session } = find(desk, "s1");
    expect(session.runs).toHaveLength(30);
    await desk.wait(70_000);
    expect(session.runs).toHaveLength(1);
    expect(desk.run()).toMatchObject({ status: "running" });
    // What is kept of it does not grow with what it has done.
    const { runs, agents, turns } = desk.kept("s1");
    expect(runs).toHaveLength(7);
    expect(Object.keys(agents)).toHaveLength(6);
    expect(turns).toHaveLength(7);
    expect(JSON.stringify(desk.kept("s1")).length).toBeLessThan(6000);
    await host.notice("p31", "shell1");
    await host.stop("It is over.", []);
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "It is over." });
  });

  test("keeps what the store has not taken yet, and a session with which something is being done", async () => {
    const { desk, host } = await prompted();
    await host.stop("One.");
    desk.refuses = true;
    await expect(host.hook("PreCompact", {})).rejects.toThrow();
    await desk.wait(70_000);
    expect(find(desk, "s1").session.runs).toHaveLength(1);
    desk.refuses = false;
    await desk.wait(2000);
    expect(desk.run().notes).toHaveLength(1);
    const followed = find(desk, "s1");
    const { promise, resolve } = Promise.withResolvers<void>();
    const busy = desk.recorder.sessions.inTurn(followed, () => promise);
    await desk.wait(2000);
    expect(followed.session.runs).toHaveLength(1);
    resolve();
    await busy;
    await desk.wait(2000);
    expect(followed.session.runs).toEqual([]);
  });

  test("lets go of what was said of a call on the wire once it has ended", async () => {
    const { desk, host } = await prompted();
    const proxy = desk.proxy();
    const start = desk.step({ hostCallId: trustedText("t1"), status: "running", durationMs: null, result: null });
    await host.pre("t1", TOOL, {});
    await desk.tell(proxy, start);
    expect(Object.keys(desk.kept("s1").onWire)).toEqual([start.callRef]);
    await desk.tell(proxy, desk.step({ hostCallId: trustedText("t1"), callRef: start.callRef }));
    expect(desk.kept("s1").onWire).toEqual({});
    expect(find(desk, "s1").session.onWire.size).toBe(0);
    expect(desk.recorder.wire.held.all).toEqual([]);
  });

  test("lets go of a session that only a hook that could not be read has named", async () => {
    const desk = new RecorderDesk();
    const malformed = { reason: "cut short" as const, sessionId: "s9" };
    await new HostScript(desk).hook("Stop", {}, { fact: null, malformed });
    expect(desk.recorder.sessions.all).toHaveLength(1);
    await desk.wait(70_000);
    await desk.wait(70_000);
    expect(desk.recorder.sessions.all).toEqual([]);
    expect(desk.recorder.occupation()).toEqual({ sessions: 0, proxies: 0, openRuns: 0 });
  });
});

function find(desk: RecorderDesk, key: string) {
  const found = desk.recorder.sessions.all.find(({ session }) => session.key === key);
  if (found === undefined) throw new Error(`session ${key} is not followed`);
  return found;
}

describe("a timer of ours", () => {
  test("keeps no process alive", async () => {
    const { desk, host } = await prompted();
    const timers: { hasRef?: () => boolean }[] = [];
    const { setTimeout: real } = globalThis;
    const spy = ((...args: Parameters<typeof setTimeout>) => {
      const timer = real(...args);
      timers.push(timer as never);
      return timer;
    }) as typeof setTimeout;
    globalThis.setTimeout = spy;
    try {
      host.uses("t1", "Bash", {});
      host.resultRow("t1", "x");
      expect(await host.stop("Done.")).toMatchObject({ stragglers: 1 });
    } finally {
      globalThis.setTimeout = real;
    }
    expect(timers.map((timer) => timer.hasRef?.())).toEqual([false]);
    expect(desk.run()).toMatchObject({ status: "running" });
  });

  test("ends a run whose stragglers never come", async () => {
    const { desk, host } = await prompted();
    host.uses("t1", "Bash", {});
    host.resultRow("t1", "x");
    await host.stop("Done.");
    await expect.poll(() => desk.run().status, { timeout: 5000 }).toBe("completed");
    expect(desk.run().steps).toMatchObject([{ status: "ok", sources: ["transcript"] }]);
  });
});

describe("the owner of a run", () => {
  const owners = (desk: RecorderDesk) =>
    desk.committed.flatMap((entry) =>
      "head" in entry && "owner" in entry.head && entry.head.owner !== undefined ? [entry.head.owner.pid] : [],
    );

  test("is the server that goes on with it, told once", async () => {
    const { desk, host } = await prompted();
    desk.restart();
    await host.post("t1", "Bash", {}, "x");
    await host.post("t2", "Bash", {}, "x");
    expect(owners(desk)).toEqual([4242, 4243]);
    await host.stop("Done.");
    desk.restart();
    await desk.wait(10_000);
    expect(owners(desk)).toEqual([4242, 4243]);
  });

  test("is the server that takes up again what another one had closed", async () => {
    const { desk, host } = await prompted();
    await host.stop("It counts.", []);
    desk.restart();
    desk.now += 5000;
    await host.notice("p2", "a1");
    expect(desk.run()).toMatchObject({ status: "running" });
    expect(owners(desk)).toEqual([4242, 4243]);
  });
});

describe("the store's age", () => {
  test("is looked after soon after the start, then each hour, and on and on while there is more to do", async () => {
    const desk = new RecorderDesk();
    await desk.wait(10_000);
    expect(desk.pruned).toBe(0);
    desk.passesLeft = 2;
    await desk.wait(25_000);
    for (let n = 0; n < 5; n++) await desk.wait(1000);
    expect(desk.pruned).toBe(3);
    await desk.wait(60 * 60_000);
    expect(desk.pruned).toBe(4);
  });
});
