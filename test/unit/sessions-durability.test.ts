/** What is acknowledged is committed, and what is committed is there for the next server. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NotTaken } from "../../src/control/recorder.ts";
import { type OpenedRecorder, openRecorder } from "../../src/control/sessions/open-recorder.ts";
import { routeOf } from "../../src/core/control-wire.ts";
import { summaryOf } from "../../src/core/fold.ts";
import { openTranscript } from "../../src/hooks/open-transcript.ts";
import { storePath } from "../../src/kit/paths.ts";
import { trustedText } from "../../src/redact/redact.ts";
import { StoreReader } from "../../src/store/reader.ts";
import { HostScript } from "./host-script.ts";
import { RecorderDesk } from "./recorder-desk.ts";

const TOOL = "mcp__files__read";

describe("a report", () => {
  test("is acknowledged only once it is committed, and then once for all", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    desk.refuses = true;
    const report = host.reportOf("UserPromptSubmit", { prompt: "Do it", prompt_id: "p1" });
    await expect(desk.report(report)).rejects.toThrow(NotTaken);
    await expect(desk.report(report)).rejects.toThrow(NotTaken);
    expect(desk.committed).toEqual([]);
    desk.refuses = false;
    expect(await desk.report(report)).toEqual({ stragglers: 0, injectedId: null });
    expect(desk.runs()).toHaveLength(1);
    const count = desk.committed.length;
    await desk.report(report);
    expect(desk.committed).toHaveLength(count);
  });

  test("of a proxy likewise, and of those in a batch each by itself", async () => {
    const desk = new RecorderDesk();
    const proxy = desk.proxy({ sessionId: null });
    const [one, two] = [desk.step(), desk.step()];
    desk.refuses = true;
    await expect(desk.tell(proxy, one)).rejects.toThrow(NotTaken);
    desk.refuses = false;
    expect(await desk.tell(proxy, one, two)).toBe(true);
    expect(desk.run().steps).toHaveLength(2);
  });

  test("that a server took in and that the store had not taken when that was killed is taken by the next", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    await host.prompt("p1", "Do it");
    const report = host.reportOf("PostToolUse", { ...host.call("t1", "Bash", {}), tool_response: "x" });
    desk.refuses = true;
    await expect(desk.report(report)).rejects.toThrow(NotTaken);
    desk.refuses = false;
    desk.restart();
    await desk.report(report);
    expect(desk.run().steps).toMatchObject([{ callId: "t1" }]);
  });

  test("waits a moment for another writer, and no longer", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    desk.busyFor = 3;
    await host.prompt("p1", "Do it");
    expect(desk.runs()).toHaveLength(1);
    desk.busyFor = 1_000;
    await expect(host.stop("Done.")).rejects.toThrow(NotTaken);
    desk.busyFor = 0;
    await desk.wait(2000);
    expect(desk.run()).toMatchObject({ status: "completed" });
  });

  test("is not taken in where it could not be kept either", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    desk.isFull = true;
    await expect(host.prompt("p1", "Do it")).rejects.toThrow(NotTaken);
    await expect(desk.tell(desk.proxy(), desk.step())).rejects.toThrow(NotTaken);
    expect(desk.recorder.sessions.all).toEqual([]);
    desk.isFull = false;
    await host.prompt("p1", "Do it");
    // Nor is what a host writes down read, which will be there later, too.
    desk.isFull = true;
    host.thinks("I should look.");
    await desk.wait(5000);
    expect(desk.run().notes).toEqual([]);
    desk.isFull = false;
    await desk.wait(5000);
    expect(desk.run().notes).toHaveLength(1);
    await host.prompt("p1", "Do it");
    expect(desk.runs()).toHaveLength(1);
  });

  test("is left to a newer program that has taken over the store: nothing is acknowledged any more", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    await host.prompt("p1", "Do it");
    const proxy = desk.proxy();
    const stop = host.reportOf("Stop", { last_assistant_message: "Done." });
    desk.isDisabled = true;
    await expect(desk.report(stop)).rejects.toThrow(NotTaken);
    await expect(desk.report(stop)).rejects.toThrow(NotTaken);
    await expect(desk.tell(proxy, desk.step())).rejects.toThrow(NotTaken);
    await desk.wait(20_000);
    desk.isDisabled = false;
    desk.restart();
    await desk.report(stop);
    expect(desk.run()).toMatchObject({ status: "completed", finalAnswer: "Done." });
  });

  test("that a newer program's store dropped while it was being taken in is not acknowledged", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    await host.prompt("p1", "Do it");
    host.uses("t1", "Bash", {});
    const stop = host.reportOf("Stop", { last_assistant_message: "Done." });
    desk.busyFor = 1;
    const taking = desk.report(stop);
    await Promise.resolve();
    desk.isDisabled = true;
    await expect(taking).rejects.toThrow(NotTaken);
  });

  test("that is given twice at once, while the store is slow, changes nothing twice", async () => {
    const desk = new RecorderDesk();
    const host = new HostScript(desk);
    desk.busyFor = 2;
    const report = host.reportOf("PreCompact", { trigger: "auto" });
    const prompt = host.reportOf("UserPromptSubmit", { prompt: "Do it", prompt_id: "p1" });
    await Promise.all([desk.report(prompt), desk.report(prompt), desk.report(report), desk.report(report)]);
    expect(desk.runs()).toHaveLength(1);
    expect(desk.run().notes).toHaveLength(1);
  });
});

describe("the recorder of a home", () => {
  let home: string;
  let recorder: OpenedRecorder;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "bir-recorder-"));
    recorder = openRecorder(home, openTranscript);
  });
  afterEach(async () => {
    await recorder.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** The desk only writes the reports. */
  const desk = new RecorderDesk();
  const host = new HostScript(desk, { sessionId: "s1", pid: process.pid });
  const tell = (event: string, fields: Record<string, unknown>) => {
    const report = host.reportOf(event, fields, { at: Date.now() });
    return recorder.takeHook(routeOf(report.fact?.kind ?? "stopped"), report);
  };
  const register = () =>
    recorder.register({
      serverName: "files",
      pid: process.pid,
      processStartedAt: "boot/9",
      hostPid: process.pid,
      cwd: "/project",
      projectDir: null,
      sessionId: "s1",
      client: null,
    });

  function read() {
    const reader = StoreReader.open(storePath(home), () => true);
    try {
      const listed = [...reader.runs()];
      const runs = listed.map(({ id }) => reader.run(id)).filter((run) => run !== null);
      expect(listed).toEqual(runs.map((run) => ({ ...summaryOf(run), stepCount: run.steps.length })));
      return runs;
    } finally {
      reader.close();
    }
  }

  test("writes what a reader reads, and goes on where another one stood", async () => {
    await tell("UserPromptSubmit", { prompt: "Do it", prompt_id: "p1" });
    const step = (more: object) =>
      desk.step({ hostCallId: trustedText("t1"), args: { n: 1 }, startedAt: Date.now(), ...more });
    const start = step({ status: "running", durationMs: null, result: null });
    await recorder.takeProxy(register(), [start]);
    // Killed: nothing of it is closed.
    const first = recorder;
    recorder = openRecorder(home, openTranscript);
    expect(recorder.occupation()).toEqual({ sessions: 1, proxies: 1, openRuns: 1 });
    await tell("PostToolUse", {
      prompt_id: "p1",
      ...host.call("t1", TOOL, { n: 1 }),
      tool_response: "shown",
      duration_ms: 5,
    });
    const end = step({
      callRef: start.callRef,
      startedAt: start.startedAt,
      result: { real: 12345678901234567890n.toString() },
    });
    await recorder.takeProxy(register(), [end]);
    await tell("Stop", { prompt_id: "p1", last_assistant_message: "Done.", background_tasks: [] });
    expect(read()).toMatchObject([
      {
        input: "Do it",
        status: "completed",
        finalAnswer: "Done.",
        steps: [{ callId: "t1", status: "ok", join: "host-id", result: { real: "12345678901234567890" } }],
      },
    ]);
    recorder.tick();
    await first.close();
  });

  test("keeps a hook's word that waits for a proxy's, and gives it up to the next one", async () => {
    await tell("UserPromptSubmit", { prompt: "Do it", prompt_id: "p1" });
    register();
    await tell("PostToolUse", { prompt_id: "p1", ...host.call("t1", TOOL, {}), tool_response: { shown: 1 } });
    expect(read()).toMatchObject([{ steps: [{ status: "running" }] }]);
    const first = recorder;
    recorder = openRecorder(home, openTranscript);
    await tell("SessionEnd", { reason: "other" });
    expect(read()).toMatchObject([{ status: "interrupted", steps: [{ status: "ok", result: { shown: 1 } }] }]);
    await first.close();
  });

  test("has nothing to go on with in an empty home, and takes part in no other", async () => {
    expect(recorder.occupation()).toEqual({ sessions: 0, proxies: 0, openRuns: 0 });
    recorder.tick();
    await recorder.close();
    expect(Array.from(new Bun.Glob("**/*").scanSync(home))).toEqual([]);
  });
});
