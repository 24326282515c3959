/**
 * `bir hooks` where no control server takes what it tells: the report is left for the next one, a server is started where
 * none is there, and the host sees nothing of it.
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import type { Discovery } from "../../src/core/control-wire.ts";
import { controlDirectory, downSwitchPath, serverDiscoveryPath, spoolDirectory } from "../../src/kit/paths.ts";
import { FakeControlServer, type Reply } from "../fakes/control-server.ts";
import { Deadline } from "../harness/deadline.ts";
import {
  hookText,
  outcomeOfHook,
  runHook,
  SILENT,
  spooledReports,
  spoolOf,
  startedServers,
  startHook,
} from "../harness/hook-process.ts";
import { BIR, BUN, ROOT } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { mountSmallDisk } from "./faults/small-disk.ts";

const posix = process.platform !== "win32";

/** As `bir down` does it. */
function switchDown(box: Sandbox): void {
  mkdirSync(box.birHome, { recursive: true, mode: 0o700 });
  writeFileSync(downSwitchPath(box.birHome), "");
}

/** Waits until a control server was started in the sandbox, and ends all of it. */
async function expectStarted(box: Sandbox): Promise<void> {
  const end = performance.now() + 20_000;
  while (startedServers(box).length === 0 && performance.now() < end) await Bun.sleep(5);
  expect(startedServers(box).length).toBeGreaterThan(0);
  await box.killSurvivors();
}

describe("DEG-14 nobody answers", () => {
  test("one whole line is left, for its owner alone", async ({ box }) => {
    switchDown(box);
    expect(await runHook(box, hookText(box, { tool_response: { stdout: "x".repeat(100_000) } }))).toEqual(SILENT);
    const [file, ...others] = spoolOf(box);
    expect(others).toEqual([]);
    expect(file?.name).toMatch(/^[0-9a-f]+-\d+\.ndjson$/);
    expect(file?.text.split("\n")).toHaveLength(2);
    expect(spooledReports(box)).toMatchObject([
      { route: "/tool/post", report: { app: "claude-code", argsHash: null, fact: { kind: "tool-ended" } } },
    ]);
    if (posix) {
      expect(file?.mode).toBe(0o600);
      expect(statSync(spoolDirectory(box.birHome)).mode & 0o777).toBe(0o700);
    }
  });

  test("a server is started, in a session of its own, and takes up what was left", async ({ box }) => {
    expect(await runHook(box, hookText(box))).toEqual(SILENT);
    await expectStarted(box);
  });

  test("also by a copy of the executable that is called after its role", async ({ box }) => {
    const copy = join(dirname(box.file("x")), `bir-hooks${posix ? "" : ".exe"}`);
    copyFileSync(BIR, copy);
    const hook = box.start([copy]);
    await hook.write(hookText(box)).catch(() => {});
    expect(await outcomeOfHook(hook)).toEqual(SILENT);
    await expectStarted(box);
  });

  test("a server that a person has switched down is not", async ({ box }) => {
    switchDown(box);
    expect(await runHook(box, hookText(box))).toEqual(SILENT);
    expect(spooledReports(box)).toHaveLength(1);
    expect(startedServers(box)).toEqual([]);
  });

  test("a server that is started has none of the session's keys", async ({ box }) => {
    const env = { ANTHROPIC_API_KEY: "sk-of-the-session", DATABASE_URL: "postgres://u:p@h/d", CLAUDE_PID: "1" };
    await runHook(box, hookText(box), { env: { ...env, BIR_CONTROL_TOKEN: "t", KEPT: "1" } });
    const end = performance.now() + 20_000;
    while (startedServers(box).length === 0 && performance.now() < end) await Bun.sleep(5);
    const [pid] = startedServers(box);
    if (process.platform === "linux") {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      const names = environment.map((each) => each.split("=")[0]);
      expect(names).toEqual(expect.arrayContaining(["PATH", "HOME", "BIR_HOME", "KEPT"]));
      for (const name of [...Object.keys(env), "BIR_CONTROL_TOKEN"]) expect(names).not.toContain(name);
      // A process group of its own: a host that ends the hook's does not end it.
      expect(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[2]).toBe(String(pid));
    }
    await box.killSurvivors();
  });

  test("a server is not started again right after another one, until that has said where it is", async ({ box }) => {
    const starting = join(controlDirectory(box.birHome), "starting");
    mkdirSync(dirname(starting), { recursive: true, mode: 0o700 });
    writeFileSync(starting, "");
    const soon = Date.now() / 1000 + 0.8;
    utimesSync(starting, soon, soon);
    expect(await runHook(box, hookText(box))).toEqual(SILENT);
    expect(startedServers(box)).toEqual([]);
    writeFileSync(serverDiscoveryPath(box.birHome), JSON.stringify({ url: "http://127.0.0.1:1", token: "t" }));
    utimesSync(serverDiscoveryPath(box.birHome), soon + 1, soon + 1);
    expect(await runHook(box, hookText(box))).toEqual(SILENT);
    await expectStarted(box);
  });

  /** What a server may do, and whether another one is started. */
  const REPLIES: [string, Reply, boolean][] = [
    ["is asked and says nothing", "hang", false],
    ["breaks the connection", "reset", true],
    ["closes the connection", "close", true],
    ["stops in its answer", "half", false],
    ["speaks another language", "garbage", true],
    ["cannot keep it just now", { status: 503 }, false],
    ["has a fault", { status: 500 }, false],
    ["does not know the token", { status: 401 }, true],
    ["has no such route", { status: 404 }, true],
    ["answers something else", { body: { hello: "world" } }, true],
  ];

  test.for(REPLIES)("a server that %s", async ([, reply, isStarted], { box }) => {
    const server = await FakeControlServer.start(() => reply);
    server.announce(box.birHome);
    expect(await runHook(box, hookText(box))).toEqual(SILENT);
    expect(server.requests).toHaveLength(1);
    const [spooled, ...others] = spooledReports(box);
    expect(others).toEqual([]);
    expect(spooled.report.reportId).toBe(server.requests[0]?.body.reportId);
    if (isStarted) await expectStarted(box);
    else expect(startedServers(box)).toEqual([]);
    await server.close();
  });

  test.for([400, 413, 422])("a server that refuses it with %d is not told again", async (status, { box }) => {
    const server = await FakeControlServer.start(() => ({ status, body: { title: "no" } }));
    server.announce(box.birHome);
    expect(await runHook(box, hookText(box))).toEqual(SILENT);
    expect(spoolOf(box)).toEqual([]);
    expect(startedServers(box)).toEqual([]);
    await server.close();
  });

  test("a server that was stopped", async ({ box, task }) => {
    needs(task.context, posix, "Windows has no SIGSTOP");
    const stopped = await realServer(box);
    stopped.process.kill("SIGSTOP");
    expect(await runHook(box, hookText(box))).toEqual(SILENT);
    expect(spooledReports(box)).toHaveLength(1);
    expect(startedServers(box)).toEqual([]);
    stopped.process.kill("SIGCONT");
    await stopped.end();
  });

  test("a server that was killed, and its file is still there", async ({ box }) => {
    const killed = await realServer(box);
    killed.process.kill("SIGKILL");
    await killed.ended;
    expect(await runHook(box, hookText(box))).toEqual(SILENT);
    expect(spooledReports(box)).toHaveLength(1);
    await expectStarted(box);
  });

  test("a file that says nothing, or is none", async ({ box }) => {
    switchDown(box);
    const path = serverDiscoveryPath(box.birHome);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    for (const content of ["", "null", "[]", "{", '{"url":"http://127.0.0.1:1"}', '{"url":1,"token":2}']) {
      writeFileSync(path, content);
      expect(await runHook(box, hookText(box))).toEqual(SILENT);
    }
    rmSync(path);
    mkdirSync(path);
    expect(await runHook(box, hookText(box))).toEqual(SILENT);
    if (posix) {
      rmSync(path, { recursive: true });
      expect(Bun.spawnSync(["mkfifo", path]).success).toBe(true);
      expect(await runHook(box, hookText(box))).toEqual(SILENT);
    }
    expect(spooledReports(box)).toHaveLength(posix ? 8 : 7);
  });
});

describe("the disk does not take it either", () => {
  test("a home that can be none", async ({ box }) => {
    const file = box.file("a-file", "not a directory");
    for (const BIR_HOME of [file, join(file, "below"), "/proc/nowhere", `/${"x".repeat(5000)}`]) {
      expect(await runHook(box, hookText(box), { env: { BIR_HOME } })).toEqual(SILENT);
    }
    expect(startedServers(box)).toEqual([]);
    expect(readFileSync(file, "utf8")).toBe("not a directory");
  });

  test("a spool that is a file, or leads elsewhere", async ({ box }) => {
    switchDown(box);
    const directory = spoolDirectory(box.birHome);
    writeFileSync(directory, "mine");
    expect(await runHook(box, hookText(box))).toEqual(SILENT);
    expect(readFileSync(directory, "utf8")).toBe("mine");
    rmSync(directory);
    symlinkSync(box.file("nowhere"), directory);
    expect(await runHook(box, hookText(box))).toEqual(SILENT);
  });

  test("a full disk, which keeps no half of a line", async ({ box, task }) => {
    const disk = mountSmallDisk(box.birHome, 4);
    needs(task.context, disk !== null, "only root may mount a small disk");
    if (disk === null) return;
    try {
      switchDown(box);
      mkdirSync(spoolDirectory(box.birHome), { mode: 0o700 });
      disk.fill();
      const text = hookText(box, { tool_response: { stdout: "y".repeat(60_000) } });
      expect(await runHook(box, text)).toEqual(SILENT);
      expect(spoolOf(box).every(({ text: left }) => left === "" || left.endsWith("\n"))).toBe(true);
      disk.free();
      expect(await runHook(box, text)).toEqual(SILENT);
      expect(spooledReports(box)).toHaveLength(1);
    } finally {
      disk.unmount();
    }
  });
});

describe("many, and cut off", () => {
  test("fifty at once tell fifty things", async ({ box }) => {
    const server = await FakeControlServer.start();
    server.announce(box.birHome);
    const hooks = Array.from({ length: 50 }, (_, i) => runHook(box, hookText(box, { tool_use_id: `toolu_${i}` })));
    expect(await Promise.all(hooks)).toEqual(Array.from({ length: 50 }, () => SILENT));
    const told = [...server.requests.map(({ body }) => body), ...spooledReports(box).map(({ report }) => report)];
    // One that a busy machine kept waiting is told and left: the same report twice.
    const byId = new Map(told.map((report) => [report.reportId, report.fact.toolUseId]));
    expect(new Set(byId.values()).size).toBe(50);
    expect(byId.size).toBe(50);
    await box.killSurvivors();
    await server.close();
  });

  test("fifty at once leave fifty whole lines", async ({ box }) => {
    switchDown(box);
    const hooks = Array.from({ length: 50 }, (_, i) => runHook(box, hookText(box, { tool_use_id: `toolu_${i}` })));
    expect(await Promise.all(hooks)).toEqual(Array.from({ length: 50 }, () => SILENT));
    expect(new Set(spooledReports(box).map(({ report }) => report.fact.toolUseId)).size).toBe(50);
  });

  test("DEG-14 one that is killed half-way leaves a whole line or none", async ({ box }) => {
    switchDown(box);
    const server = await FakeControlServer.start(() => "hang");
    server.announce(box.birHome);
    for (let i = 0; i < 5; i++) {
      const hook = await startHook(box, hookText(box));
      await server.untilRequests(i + 1);
      await Bun.sleep(i * 45);
      hook.signal("SIGKILL");
      const { signal, code } = await hook.exit();
      expect(signal === "SIGKILL" || code === 0).toBe(true);
    }
    for (const { route, report } of spooledReports(box))
      expect([route, report.fact.kind]).toEqual(["/tool/post", "tool-ended"]);
    await server.close();
  });

  test("one that is told to go goes", async ({ box }) => {
    const server = await FakeControlServer.start(() => "hang");
    server.announce(box.birHome);
    const hook = await startHook(box, hookText(box));
    await server.untilRequests(1);
    hook.signal("SIGTERM");
    const { stdout, stderr } = await outcomeOfHook(hook);
    expect([stdout, stderr]).toEqual(["", ""]);
    await server.close();
  });
});

interface RealServer {
  process: ChildProcessWithoutNullStreams;
  ended: Promise<unknown>;
  end(): Promise<void>;
}

/** A healthy server in a process of its own, announced in the sandbox. */
async function realServer(box: Sandbox): Promise<RealServer> {
  const child = spawn(BUN, [join(ROOT, "test", "fakes", "control-server.ts")], { env: { PATH: process.env.PATH } });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const line = new Promise<string>((resolve) => child.stdout.once("data", (bytes: Buffer) => resolve(String(bytes))));
  if (!(await new Deadline().race(line))) throw new Error("the server did not start");
  const discovery = JSON.parse(await line) as Discovery;
  const path = serverDiscoveryPath(box.birHome);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify(discovery));
  expect(readdirSync(dirname(path))).toEqual(["server.json"]);
  return {
    process: child,
    ended,
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
