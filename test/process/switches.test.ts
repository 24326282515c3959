/**
 * Recording is switched off. A proxy that starts then becomes the server, with nothing of ours left in the session; one
 * that runs stops recording, and goes on when it is switched on again.
 */

import { chmodSync, mkdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { directoryOffSwitchPath, offSwitchPath } from "../../src/kit/paths.ts";
import { BUN } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { ComparedSession } from "./faults/compared-session.ts";
import { closedSteps, onlyStoredRun, storedRuns, untilStored } from "./faults/stored-runs.ts";

const posix = process.platform !== "win32";
const linux = process.platform === "linux";
const OFF = { BIR_OFF: "1" };

/** Flips a switch file as `bir off` and `bir on` do. */
function put(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, "");
}

/** Ways of being switched off when a proxy starts: how, and the environment that it needs. */
const WAYS: readonly [string, (box: Sandbox) => Record<string, string>][] = [
  ["by BIR_OFF=1", () => OFF],
  [
    "everywhere",
    (box) => {
      put(offSwitchPath(box.birHome));
      return {};
    },
  ],
  [
    "for its directory",
    (box) => {
      put(directoryOffSwitchPath(box.cwd, box.birHome));
      return {};
    },
  ],
  [
    "for a parent of its directory",
    (box) => {
      put(directoryOffSwitchPath(dirname(box.cwd), box.birHome));
      return {};
    },
  ],
  [
    "for the root of the file system",
    (box) => {
      put(directoryOffSwitchPath("/", box.birHome));
      return {};
    },
  ],
];

/** The pid of the process that became, or that started, the fake upstream. */
async function serverPid(host: RunningProcess): Promise<number> {
  const [, pid] = await host.stderr.untilMatch(/fake upstream ready pid=(\d+)/);
  return Number(pid);
}

describe("DEG-12 switched off when it starts", () => {
  test.for(WAYS)("%s: the proxy becomes the server", async ([, switchOff], { box }) => {
    const session = new ComparedSession(box, { env: switchOff(box), upstream: box.fake() });
    const pid = await serverPid(session.host);
    if (posix) expect(pid).toBe(session.host.pid);
    if (linux) {
      expect(readlinkSync(`/proc/${pid}/exe`)).toBe(realpathSync(BUN));
      expect(box.survivors().map((one) => one.pid)).toEqual([pid]);
    }
    await session.calls(0, 20);
    await session.finish();
    expect(storedRuns(box.birHome)).toEqual([]);
    expect(session.host.stderr.text()).toMatch(/^fake upstream ready pid=\d+\nEOF\n$/);
  });

  test.for([
    ["BIR_OFF=0", () => ({ BIR_OFF: "0" })],
    ["BIR_OFF=", () => ({ BIR_OFF: "" })],
    [
      "a switch for a directory beside or below",
      (box: Sandbox) => {
        put(directoryOffSwitchPath(`${box.cwd}/below`, box.birHome));
        put(directoryOffSwitchPath(box.home, box.birHome));
        return {};
      },
    ],
  ] as const)("not by %s", async ([, env], { box }) => {
    const session = new ComparedSession(box, { env: env(box) });
    await session.calls(0, 3);
    await session.finish();
    expect(onlyStoredRun(box.birHome).steps).toHaveLength(3);
  });

  test("it ends as the server ends: by its code, by a signal, at EOF", async ({ box }) => {
    for (const script of ["exit 7", "kill -SEGV $$", "kill -TERM $$", "cat"]) {
      const session = new ComparedSession(box, { env: OFF, upstream: ["sh", "-c", script] });
      await session.host.closeStdin();
      await session.expectSameAsDirect(await session.host.exit());
    }
  });

  test("a signal from the host reaches the server alone", async ({ box }) => {
    const host = box.startProxy(
      ["sh", "-c", 'trap "echo got it; exit 5" TERM; echo up; while :; do sleep 0.05; done'],
      {
        env: OFF,
      },
    );
    await host.stdout.untilText("up");
    host.signal("SIGTERM");
    expect(await host.exit()).toEqual({ code: 5, signal: null });
    expect(host.stdout.text()).toBe("up\ngot it\n");
  });

  test("stderr is the server's own, byte for byte", async ({ box }) => {
    const host = box.startProxy(["sh", "-c", String.raw`printf 'a\n\nb\377no end' >&2`], { env: OFF });
    await host.finish();
    expect(host.stderr.bytes().toString("latin1")).toBe("a\n\nb\xffno end");
  });

  test("the server may be a script, or be named by a relative path", async ({ box }) => {
    const script = join(box.cwd, "a server");
    writeFileSync(script, '#!/bin/sh\nprintf "%s|" "$0" "$@"\n');
    chmodSync(script, 0o755);
    for (const path of [script, "./a server", "../project/a server"]) {
      const session = new ComparedSession(box, { env: OFF, upstream: [path, "", "b c", '"', "ü\n"] });
      await session.finish();
    }
  });

  test("a server that cannot be started: said in one line, without a fault", async ({ box }) => {
    const notExecutable = box.file("plain.txt", "no program\n");
    const noProgram = box.file("garbage", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1, 2, 3]));
    chmodSync(noProgram, 0o755);
    for (const path of ["no-such-server-anywhere", "./nowhere", notExecutable, noProgram, box.cwd]) {
      const host = box.startProxy([path], { env: OFF });
      const exit = await host.finish();
      expect(host.stderr.text(), path).toMatch(/^bir: cannot start [^\n]*\n$/);
      expect(exit, path).toEqual({ code: 1, signal: null });
      expect(host.stdout.sizeBytes).toBe(0);
    }
  });
});

describe("signals that are ignored or blocked", () => {
  const STATUS = ["grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status"];
  test.for([
    ["of a server behind the proxy", {}],
    ["of a server that the proxy became (DEG-12)", OFF],
  ] as const)("%s are those that the host gave", async ([, env], { box, task }) => {
    needs(task.context, linux, "signal masks are read from /proc");
    const session = new ComparedSession(box, { env, upstream: STATUS });
    await session.finish();
    expect(session.host.stdout.text()).toMatch(/^SigBlk:\t0+\nSigIgn:\t0+\n$/);
  });
});

describe("DEG-12 switched off in the middle of a session", () => {
  /** Traffic that is not recorded, until the proxy says that it has seen the switch. */
  async function pingUntil(session: ComparedSession, said: RegExp): Promise<void> {
    for (let n = 0; !said.test(session.host.stderr.text()); n++) {
      await session.request(`${said.source} ${n}`, "ping");
      await Bun.sleep(20);
    }
  }

  test.for([
    ["everywhere", (box: Sandbox) => offSwitchPath(box.birHome)],
    ["for a parent of its directory", (box: Sandbox) => directoryOffSwitchPath(box.directory, box.birHome)],
  ] as const)("%s, and on again: what passed between is not recorded", async ([, path], { box }) => {
    const session = new ComparedSession(box);
    await session.calls(0, 5);
    await untilStored("the first calls", () => closedSteps(box.birHome) === 5);
    put(path(box));
    await pingUntil(session, /switched off \(DEG-12\)/);
    await session.calls(5, 10);
    rmSync(path(box));
    await pingUntil(session, /switched on again \(DEG-12\)/);
    await session.calls(10, 15);
    await session.finish();
    const run = onlyStoredRun(box.birHome);
    expect(run.steps.map((step) => (step.args as { n: number }).n)).toEqual([0, 1, 2, 3, 4, 10, 11, 12, 13, 14]);
    expect(run.gaps).toEqual([expect.objectContaining({ lost: 0 })]);
    expect(session.ownLines()).toHaveLength(2);
  });

  test("with a call under way: it passes, its outcome is not recorded", async ({ box }) => {
    const session = new ComparedSession(box, { upstream: box.fake() });
    await session.call("first", "echo", { n: 1 });
    await session.say(
      `{"jsonrpc":"2.0","id":"held","method":"tools/call","params":{"name":"hold","arguments":{"key":1}}}\n`,
    );
    await session.host.stderr.untilText('holding "held"');
    await untilStored("the held call", () => storedRuns(box.birHome)[0]?.steps.length === 2);
    put(offSwitchPath(box.birHome));
    await pingUntil(session, /switched off/);
    await session.call("release", "release", { keys: [1] });
    await session.host.stdout.untilAnswer("held");
    await session.finish();
    const run = onlyStoredRun(box.birHome);
    expect(run.steps.map((step) => [step.tool, step.status])).toEqual([
      ["echo", "ok"],
      ["hold", "lost"],
    ]);
    expect(run.gaps).toEqual([expect.objectContaining({ lost: 1 })]);
  });

  test("before its first call: nothing is recorded", async ({ box }) => {
    const session = new ComparedSession(box);
    await session.request("hello", "ping");
    put(offSwitchPath(box.birHome));
    await session.calls(0, 5);
    await session.finish();
    expect(storedRuns(box.birHome)).toEqual([]);
  });
});
