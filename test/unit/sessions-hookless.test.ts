/** Sessions of hosts that run no hooks of ours: proxies alone tell of them. */

import { describe, expect, test } from "vitest";
import { trustedText } from "../../src/redact/redact.ts";
import { HostScript } from "./host-script.ts";
import { NOW, RecorderDesk } from "./recorder-desk.ts";

const codex = { hostPid: 500, sessionId: null, client: { name: "codex", version: "0.171.0" } };
const running = { status: "running" as const, durationMs: null, result: null };
const left = (desk: RecorderDesk, how: "ended" | "failed" = "ended") => ({
  kind: "left" as const,
  reportId: desk.id(),
  at: desk.now,
  how,
});

describe("a session that calls name", () => {
  const thread = (desk: RecorderDesk, more = {}) => desk.step({ sessionId: trustedText("thread-1"), ...more });

  test("is one run of all its proxies, until the last has left", async () => {
    const desk = new RecorderDesk();
    const files = desk.proxy({ ...codex, pid: 901 });
    const notes = desk.proxy({ ...codex, pid: 902, serverName: "notes" });
    await desk.tell(files, thread(desk, { hostCallId: trustedText("c1") }));
    desk.now += 100;
    await desk.tell(notes, thread(desk, { hostCallId: trustedText("c2"), serverName: trustedText("notes") }));
    expect(desk.runs()).toMatchObject([
      {
        sessionId: "thread-1",
        host: { app: "codex", version: "0.171.0" },
        tier: "bound",
        status: "running",
        input: null,
        wrappedServers: ["files", "notes"],
        steps: [
          { callId: "c1", sources: ["proxy"], join: null },
          { callId: "c2", sources: ["proxy"], join: null },
        ],
      },
    ]);
    desk.now += 100;
    await desk.tell(files, left(desk));
    expect(desk.run()).toMatchObject({ status: "running" });
    desk.now += 100;
    await desk.tell(notes, left(desk));
    expect(desk.run()).toMatchObject({ status: "completed", endedAt: NOW + 300 });
    expect(desk.recorder.occupation()).toEqual({ sessions: 0, proxies: 0, openRuns: 0 });
  });

  test("is one run across servers, which ends although another one was told of it", async () => {
    const desk = new RecorderDesk();
    await desk.tell(desk.proxy({ ...codex, pid: 901 }), thread(desk));
    desk.restart();
    const again = desk.proxy({ ...codex, pid: 901 });
    await desk.tell(again, thread(desk));
    desk.restart();
    await desk.tell(desk.proxy({ ...codex, pid: 901 }), left(desk));
    expect(desk.runs()).toMatchObject([{ status: "completed", steps: [{}, {}] }]);
  });

  test("goes on in its run when it is resumed", async () => {
    const desk = new RecorderDesk();
    const first = desk.proxy({ ...codex, pid: 901 });
    await desk.tell(first, thread(desk));
    await desk.tell(first, left(desk));
    await desk.wait(100_000);
    desk.restart();
    const next = desk.proxy({ ...codex, pid: 902 });
    await desk.tell(next, thread(desk));
    expect(desk.runs()).toMatchObject([{ status: "running", steps: [{}, {}] }]);
    expect(owners(desk)).toEqual([4242, 4243]);
  });

  const owners = (desk: RecorderDesk) =>
    desk.committed.flatMap((entry) => ("head" in entry && "owner" in entry.head ? [entry.head.owner?.pid] : []));
});

describe("a proxy that no session is known of", () => {
  test("has a run of its own, however many stand in one directory", async () => {
    const desk = new RecorderDesk();
    const gemini = { hostPid: 500, sessionId: null, client: { name: "gemini-cli", version: "0.61.0" } };
    for (const pid of [901, 902]) {
      const proxy = desk.proxy({ ...gemini, pid });
      await desk.tell(proxy, desk.step(), desk.step());
    }
    expect(desk.runs()).toMatchObject([
      { sessionId: null, host: { app: "gemini-cli" }, steps: [{}, {}] },
      { sessionId: null, steps: [{}, {}] },
    ]);
  });

  test("and that goes on under another server has one step for a call that ran meanwhile", async () => {
    const desk = new RecorderDesk();
    const gemini = { pid: 901, hostPid: 500, sessionId: null, client: null };
    const start = desk.step(running);
    await desk.tell(desk.proxy(gemini), start);
    expect(desk.stepOf()).toMatchObject({ status: "running" });
    desk.restart();
    const end = desk.step({ callRef: start.callRef, startedAt: start.startedAt, durationMs: 99, result: { ok: 1 } });
    await desk.tell(desk.proxy(gemini), end);
    expect(desk.run().steps).toMatchObject([{ status: "ok", result: { ok: 1 }, durationMs: 99 }]);
    // A report of its start that comes after its end changes nothing.
    await desk.tell(desk.proxy(gemini), { ...start, reportId: desk.id() });
    expect(desk.run().steps).toMatchObject([{ status: "ok" }]);
  });

  test("tells what its host is called when it learns of it", async () => {
    const desk = new RecorderDesk();
    const proxy = desk.proxy({ sessionId: null, client: null });
    await desk.tell(proxy, desk.step());
    expect(desk.run()).toMatchObject({ host: null });
    await desk.tell(proxy, {
      kind: "client",
      reportId: desk.id(),
      at: desk.now,
      name: trustedText("cline"),
      version: trustedText("3"),
    });
    await desk.tell(proxy, desk.step());
    expect(desk.run()).toMatchObject({ host: { app: "cline", version: "3" } });
  });

  test.each([
    ["ended", false, "completed", "ok"],
    ["ended", true, "interrupted", "lost"],
    ["failed", false, "failed", "ok"],
  ] as const)("and that %s, a call running: %s, ends its run as %s", async (how, runs, status, stepStatus) => {
    const desk = new RecorderDesk();
    const proxy = desk.proxy({ sessionId: null });
    await desk.tell(proxy, desk.step(runs ? running : {}));
    await desk.tell(proxy, left(desk, how));
    expect(desk.run()).toMatchObject({ status, steps: [{ status: stepStatus }] });
  });

  test("and whose process is gone leaves an abandoned run, known to this server or not", async () => {
    for (const isRestarted of [false, true]) {
      const desk = new RecorderDesk();
      const proxy = desk.proxy({ sessionId: null, pid: 901 });
      await desk.tell(proxy, desk.step(running));
      if (isRestarted) desk.restart();
      await desk.wait(10_000);
      expect(desk.run()).toMatchObject({ status: "running" });
      (isRestarted ? desk.recycled : desk.dead).add(901);
      await desk.wait(10_000);
      expect(desk.run()).toMatchObject({ status: "abandoned", steps: [{ status: "lost" }] });
      expect(desk.recorder.occupation()).toEqual({ sessions: 0, proxies: 0, openRuns: 0 });
    }
  });
});

describe("a session that only the environment names", () => {
  test("may have hooks that are late: its first call is waited with, what follows is not", async () => {
    const desk = new RecorderDesk();
    const proxy = desk.proxy();
    const start = desk.step(running);
    await desk.tell(proxy, start);
    expect(desk.runs()).toEqual([]);
    await desk.wait(12_000);
    expect(desk.runs()).toMatchObject([{ sessionId: "s1", status: "running", steps: [{ status: "running" }] }]);
    await desk.tell(proxy, desk.step());
    await desk.tell(proxy, desk.step({ callRef: start.callRef, startedAt: start.startedAt }));
    expect(desk.runs()).toMatchObject([{ steps: [{ status: "ok" }, { status: "ok" }] }]);
  });

  test("and of which a proxy leaves before has no hooks", async () => {
    for (const how of ["left", "gone"]) {
      const desk = new RecorderDesk();
      const proxy = desk.proxy({ pid: 901 });
      await desk.tell(proxy, desk.step());
      if (how === "left") await desk.tell(proxy, left(desk));
      else {
        desk.dead.add(901);
        await desk.wait(6000);
      }
      expect(desk.runs()).toMatchObject([{ status: how === "left" ? "completed" : "abandoned", steps: [{}] }]);
    }
  });

  test("is the one that its hooks tell of", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    host.promptId = "p1";
    const prompt = host.reportOf("UserPromptSubmit", { prompt: "Do it" });
    desk.now += 100;
    await desk.tell(desk.proxy(), desk.step({ hostCallId: trustedText("t1") }));
    await desk.report(prompt);
    await host.post("t1", "mcp__files__read", {}, "x");
    await host.stop("Done.");
    expect(desk.runs()).toMatchObject([{ input: "Do it", status: "completed", steps: [{ join: "host-id" }] }]);
  });
});

describe("hooks that appear in the middle of a session", () => {
  async function unhooked(more = {}) {
    const desk = new RecorderDesk();
    const proxy = desk.proxy();
    const step = desk.step({ hostCallId: trustedText("t0"), ...more });
    await desk.tell(proxy, step);
    await desk.wait(12_000);
    return { desk, proxy, step };
  }

  test("end the run that was kept without them", async () => {
    const { desk, proxy } = await unhooked();
    const host = new HostScript(desk);
    await host.prompt("p1", "Do it");
    desk.now += 100;
    await desk.tell(proxy, desk.step({ hostCallId: trustedText("t1"), result: { real: 1 } }));
    await host.post("t1", "mcp__files__read", {}, "x");
    await host.stop("Done.");
    expect(desk.runs()).toMatchObject([
      { sessionId: "s1", input: null, status: "completed", steps: [{ callId: "t0" }] },
      {
        sessionId: "s1",
        input: "Do it",
        status: "completed",
        steps: [{ callId: "t1", join: "host-id", result: { real: 1 } }],
      },
    ]);
  });

  test("leave a call that ran to the end in its run", async () => {
    const { desk, proxy, step } = await unhooked(running);
    const host = new HostScript(desk);
    host.promptId = "p1";
    await host.hook("PreCompact", {});
    expect(desk.run()).toMatchObject({ status: "interrupted", steps: [{ status: "lost" }] });
    const { callRef, startedAt } = step;
    await desk.tell(proxy, desk.step({ callRef, hostCallId: trustedText("t0"), startedAt, durationMs: 1000 }));
    await host.post("t0", "mcp__files__read", {}, "x");
    await host.stop("Done.");
    expect(desk.runs().map(({ steps }) => steps.map(({ callId, status, join }) => [callId, status, join]))).toEqual([
      [["t0", "ok", "host-id"]],
      [],
    ]);
  });
});
