/** The control server is killed while it is told of a session, and its disk fills: what it has acknowledged is kept. */

import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { HookRoute } from "../../src/core/control-wire.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { hookLine, hookReport, registration, stepText } from "../unit/control-fixture.ts";
import { ask, discoveryOf, endServer, startServer } from "./control-process.ts";
import { mountSmallDisk } from "./faults/small-disk.ts";
import { integrityOf, storedRuns, storedSteps, storeIn } from "./faults/stored-runs.ts";

const ROUNDS = 8;
const LANES = 3;

/** What a hook tells, sent again until the server that is there just then has acknowledged it. */
async function tell(box: Sandbox, route: HookRoute, fact: object): Promise<void> {
  const report = hookReport(Bun.randomUUIDv7(), Date.now(), { cwd: box.cwd, ...fact });
  for (;;) {
    try {
      const { status, text } = await ask(discoveryOf(box), route, report);
      if (status === 200) return;
      if (status !== 503 && status !== 504) throw new RangeError(`${status} ${text}`);
    } catch (cause) {
      if (cause instanceof RangeError) throw cause;
      // Nobody is there just now.
    }
    await Bun.sleep(5);
  }
}

describe("DEG-14 a server that is killed at any moment", () => {
  test("has kept every call that it acknowledged, once, in the run of its prompt", async ({ box }) => {
    let server = await startServer(box);
    await tell(box, "/session/start", { kind: "session-started", source: "startup", model: null });
    await tell(box, "/session/prompt", { kind: "prompt-submitted", prompt: "Please work.", notice: null });
    const acknowledged: string[] = [];
    let isOver = false;
    const lane = async (name: number) => {
      for (let n = 0; !isOver; n++) {
        const toolUseId = `toolu_${name}_${n}`;
        await tell(box, "/tool/pre", { toolUseId });
        await tell(box, "/tool/post", {
          kind: "tool-ended",
          toolUseId,
          response: '{"stdout":"x"}',
          durationMs: 1,
          started: null,
        });
        acknowledged.push(toolUseId);
      }
    };
    const lanes = Promise.all(Array.from({ length: LANES }, (_, name) => lane(name)));
    for (let round = 0; round < ROUNDS; round++) {
      const before = acknowledged.length;
      while (acknowledged.length < before + 20) await Bun.sleep(2);
      await Bun.sleep(round * 3);
      server.signal("SIGKILL");
      await server.exit();
      const kept = new Set(storedSteps(box.birHome).map((step) => step.callId));
      expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
      server = await startServer(box);
    }
    isOver = true;
    await lanes;
    await tell(box, "/session/stop", { kind: "stopped", finalText: "Done.", backgroundTasks: [], isContinued: false });
    expect(await endServer(server)).toBe(0);
    expect(integrityOf(storeIn(box.birHome))).toBe("ok");
    const [run, ...others] = storedRuns(box.birHome);
    expect(others).toEqual([]);
    const ended = run?.steps.filter((step) => step.status === "ok").map((step) => step.callId) ?? [];
    expect(ended.toSorted()).toEqual(acknowledged.toSorted());
    expect(new Set(run?.steps.map((step) => step.callId)).size).toBe(run?.steps.length);
  });
});

describe("DEG-13 a disk that fills while the server serves", () => {
  test("has it refuse what it cannot keep, answer all the same, and go on when there is room", async ({
    box,
    task,
  }) => {
    const disk = mountSmallDisk(box.birHome, 4);
    needs(task.context, disk !== null, "only root may mount a small disk");
    try {
      const server = await startServer(box);
      const discovery = discoveryOf(box);
      await tell(box, "/session/start", { kind: "session-started", source: "startup", model: null });
      await tell(box, "/session/prompt", { kind: "prompt-submitted", prompt: "Please work.", notice: null });
      disk?.fill();
      const big = { toolUseId: "toolu_1", input: JSON.stringify({ text: "x".repeat(100_000) }) };
      const report = hookReport(Bun.randomUUIDv7(), Date.now(), { cwd: box.cwd, ...big });
      expect((await ask(discovery, "/tool/pre", report)).status).toBe(504);
      expect((await ask(discovery, "/health")).status).toBe(200);
      disk?.free();
      while ((await ask(discovery, "/tool/pre", report)).status !== 200) await Bun.sleep(20);
      expect(await endServer(server)).toBe(0);
      expect(storedSteps(box.birHome).map((step) => step.callId)).toEqual(["toolu_1"]);
      expect(readdirSync(join(box.birHome, "control")).filter((name) => /json|tmp/.test(name))).toEqual([]);
    } finally {
      disk?.unmount();
    }
  });
});

describe("DEG-16 what is in the spool and cannot be read", () => {
  test("is kept for a person, who is told of it; everything else is taken up", async ({ box }) => {
    const spool = join(box.birHome, "spool");
    mkdirSync(spool, { recursive: true, mode: 0o700 });
    const call = { toolUseId: "toolu_spooled", cwd: box.cwd };
    writeFileSync(
      join(spool, "00000000-1.ndjson"),
      `{"route":"/tool/pre","report":{"secret":"hunter2"}}\n${hookLine("r1", Date.now(), call)}`,
    );
    const aMinuteAgo = Date.now() / 1000 - 60;
    utimesSync(join(spool, "00000000-1.ndjson"), aMinuteAgo, aMinuteAgo);
    const server = await startServer(box);
    await ask(discoveryOf(box), "/tool/pre", hookReport("r2"));
    expect(readdirSync(spool)).toEqual(["unreadable"]);
    expect((await box.bir(["status"])).stdout).toContain("! 1 file in spool/unreadable");
    const doctor = await box.bir(["doctor"]);
    expect(doctor.stdout).toMatch(/! warning {2}control-server: 1 file in spool\/unreadable/);
    expect(doctor.stdout).not.toContain("hunter2");
    expect(await endServer(server)).toBe(0);
    expect(storedSteps(box.birHome).map((step) => step.callId)).toContain("toolu_spooled");
  });
});

test("payloads that a proxy tells of are stored as they were written", async ({ box }) => {
  const server = await startServer(box);
  const discovery = discoveryOf(box);
  const told = registration({ pid: process.pid, cwd: box.cwd });
  const { proxyId } = JSON.parse((await ask(discovery, "/proxy/register", told)).text);
  const args = '{"n":12345678901234567890,"e":1e400,"z":-0,"one":1.0}';
  const members = `"args":${args},"result":{"content":[],"structuredContent":${args}}`;
  const step = stepText(Bun.randomUUIDv7(), members, Date.now());
  expect((await ask(discovery, "/proxy/step", `{"proxyId":"${proxyId}","reports":[${step}]}`)).status).toBe(200);
  expect(await endServer(server)).toBe(0);
  const stored = ["", "-wal"].map((suffix) => storeIn(box.birHome) + suffix).filter((path) => existsSync(path));
  expect(stored.some((path) => readFileSync(path).includes(args))).toBe(true);
});
