/** The real control server is killed, stopped or switched down under sessions: each call is recorded once, nobody notices. */

import { existsSync, readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import type { Run } from "../../../src/core/run.ts";
import { serverDiscoveryPath, spoolDirectory } from "../../../src/kit/paths.ts";
import { Deadline } from "../../harness/deadline.ts";
import { test } from "../../harness/process-test.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { numberOf, upTo } from "../bound-reports.ts";
import { discoveryOf, endServer, serverLog, startServer } from "../control-process.ts";
import { ComparedSession } from "./compared-session.ts";
import { lockStore } from "./lock-store.ts";
import { closedSteps, storedRuns, storedSteps, untilStored } from "./stored-runs.ts";

const KILLS = 5;

/** Every call of a test, once and ended, whatever run it is in. */
function expectEachOnce(box: Sandbox, count: number): void {
  const steps = storedSteps(box.birHome).toSorted((a, b) => numberOf(a) - numberOf(b));
  expect(steps.map((step) => `${numberOf(step)} ${step.status}`)).toEqual(upTo(count).map((n) => `${n} ok`));
}

const ofTier = (box: Sandbox, tier: Run["tier"]) => storedRuns(box.birHome).filter((run) => run.tier === tier);

/** Traffic every now and then until `look` is content; answers how many calls there were in all. */
async function callUntil(session: ComparedSession, from: number, what: string, look: () => boolean): Promise<number> {
  let n = from;
  for (const deadline = new Deadline(30_000); !look(); n++) {
    await session.call(n, "echo", { n });
    if (!(await deadline.race(Bun.sleep(200)))) throw new Error(`waited in vain for ${what}`);
  }
  return n;
}

/** What was left in the spool is taken up about once a second. */
async function untilSpoolIsEmpty(box: Sandbox, calls: number): Promise<void> {
  await untilStored("every call", () => closedSteps(box.birHome) >= calls);
}

describe("DEG-02 the server is killed", () => {
  test("in the middle of a session: the proxy starts another one, and all is told to that", async ({ box }) => {
    const first = await startServer(box);
    const session = new ComparedSession(box);
    await session.calls(0, 50);
    await untilStored("the first calls", () => closedSteps(box.birHome) === 50);
    const { pid } = discoveryOf(box);
    first.signal("SIGKILL");
    await first.exit();
    await session.calls(50, 100);
    await untilStored("all calls", () => closedSteps(box.birHome) === 100);
    expect(discoveryOf(box).pid).not.toBe(pid);
    await session.calls(100, 150);
    await session.finish();
    expect(await box.bir(["down"])).toMatchObject({ code: 0 });
    expectEachOnce(box, 150);
    expect(ofTier(box, "standalone")).toEqual([]);
    expect(session.ownLines()).toEqual([]);
  });

  test("again and again under two sessions, which start the next one: nothing is lost or told twice", async ({
    box,
  }) => {
    const first = await startServer(box);
    const sessions = [new ComparedSession(box), new ComparedSession(box)];
    await Promise.all(sessions.map((session, lane) => session.call(0, "echo", { n: 10_000 * lane })));
    await untilStored("the first calls", () => closedSteps(box.birHome) === 2);
    let kills = 0;
    const made = [1, 1];
    const lanes = sessions.map(async (session, lane) => {
      for (; kills < KILLS; made[lane] = (made[lane] ?? 0) + 3) {
        const from = made[lane] ?? 0;
        await session.calls(from, from + 3, (n) => ({ n: 10_000 * lane + n }));
        // With many more the reports that wait for the next server would be too many.
        await Bun.sleep(150);
      }
    });
    for (let before = 0; kills < KILLS; kills++) {
      const isNext = () => existsSync(serverDiscoveryPath(box.birHome)) && discoveryOf(box).pid !== before;
      await untilStored("the next server", isNext);
      before = discoveryOf(box).pid;
      await Bun.sleep(40 + 37 * kills);
      process.kill(before, "SIGKILL");
    }
    await first.exit();
    await Promise.all(lanes);
    await Promise.all(sessions.map((session) => session.finish()));
    await box.bir(["up"]);
    const calls = (made[0] ?? 0) + (made[1] ?? 0);
    await untilSpoolIsEmpty(box, calls);
    expect(await box.bir(["down"])).toMatchObject({ code: 0 });
    const told = storedSteps(box.birHome).map((step) => `${numberOf(step)} ${step.status}`);
    const expected = sessions.flatMap((_, lane) => upTo(made[lane] ?? 0).map((n) => `${10_000 * lane + n} ok`));
    expect(told.toSorted()).toEqual(expected.toSorted());
    expect(ofTier(box, "standalone")).toEqual([]);
    expect(sessions.flatMap((session) => session.ownLines())).toEqual([]);
  });

  test("and the session ends at once: the next server takes it from the spool", async ({ box }) => {
    const first = await startServer(box);
    const session = new ComparedSession(box, { upstream: box.fake() });
    await session.calls(0, 10);
    await session.say(
      '{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"hold","arguments":{"key":1,"n":10}}}\n',
    );
    await untilStored("the calls", () => storedSteps(box.birHome).length === 11);
    first.signal("SIGKILL");
    await first.exit();
    await session.call("r", "release", { keys: [1], n: 11 });
    await session.host.stdout.untilAnswer("h");
    await session.finish();
    // The proxy may have begun to start one itself.
    await box.bir(["up"]);
    await untilSpoolIsEmpty(box, 12);
    await box.bir(["down"]);
    expectEachOnce(box, 12);
    expect(ofTier(box, "standalone")).toEqual([]);
  });
});

describe("DEG-02 the server is stopped", () => {
  test("for a while: nothing is lost, nothing told twice", async ({ box }) => {
    const server = await startServer(box);
    const session = new ComparedSession(box);
    await session.calls(0, 20);
    await untilStored("the first calls", () => closedSteps(box.birHome) === 20);
    server.signal("SIGSTOP");
    for (let n = 20; n < 60; n += 5) await session.calls(n, n + 5);
    server.signal("SIGCONT");
    await session.calls(60, 70);
    await session.finish();
    await untilSpoolIsEmpty(box, 70);
    expect(await endServer(server)).toBe(0);
    expectEachOnce(box, 70);
    expect(ofTier(box, "standalone")).toEqual([]);
  });

  test("for longer than ten seconds: what follows is a run of our own, and it moves back", async ({ box }) => {
    const server = await startServer(box);
    const session = new ComparedSession(box);
    await session.calls(0, 20);
    await untilStored("the first calls", () => closedSteps(box.birHome) === 20);
    server.signal("SIGSTOP");
    await session.calls(20, 40);
    await session.host.stderr.untilText("(DEG-02)");
    await session.calls(40, 60);
    server.signal("SIGCONT");
    const said = () => session.host.stderr.text().includes("goes on through");
    const calls = await callUntil(session, 60, "the server", said);
    await session.calls(calls, calls + 10);
    await session.finish();
    await untilSpoolIsEmpty(box, calls + 10);
    expect(await endServer(server)).toBe(0);
    expectEachOnce(box, calls + 10);
    const [own, ...others] = ofTier(box, "standalone");
    expect(others).toEqual([]);
    expect(own).toMatchObject({ status: "completed", lossy: true, gaps: [{ reason: "DEG-02 server-gone", lost: 0 }] });
    expect(session.ownLines()).toHaveLength(2);
  });
});

describe("DEG-02 the server is switched down", () => {
  test("with calls that it had taken in and the store had not: each is told once", async ({ box }) => {
    await startServer(box);
    const sessions = Array.from({ length: 3 }, () => new ComparedSession(box));
    const callAll = (from: number, to: number) =>
      Promise.all(sessions.map((session, lane) => session.calls(from, to, (n) => ({ n: 1_000 * lane + n }))));
    await callAll(0, 5);
    await untilStored("the first calls", () => closedSteps(box.birHome) === 15);
    const unlock = lockStore(box.birHome);
    await callAll(5, 20);
    // By then proxies ask only now and then whether it is kept by now.
    const isRefused = () => serverLog(box).includes("(DEG-13)");
    await untilStored("a refusal", isRefused);
    await callAll(20, 30);
    await Bun.sleep(3_000);
    unlock();
    expect(await box.bir(["down"])).toMatchObject({ code: 0 });
    await callAll(30, 40);
    await Promise.all(sessions.map((session) => session.finish()));
    await box.bir(["up"]);
    await untilSpoolIsEmpty(box, 120);
    expect(await box.bir(["down"])).toMatchObject({ code: 0 });
    const told = storedSteps(box.birHome).map((step) => `${numberOf(step)} ${step.status}`);
    const made = sessions.flatMap((_, lane) => upTo(40).map((n) => `${1_000 * lane + n} ok`));
    expect(told.toSorted()).toEqual(made.toSorted());
  });

  test("in the middle of a session, and up again", async ({ box }) => {
    await startServer(box);
    const session = new ComparedSession(box);
    await session.calls(0, 20);
    await untilStored("the first calls", () => closedSteps(box.birHome) === 20);
    expect(await box.bir(["down"])).toMatchObject({ code: 0 });
    await session.calls(20, 40);
    await session.host.stderr.untilText("(DEG-02)");
    await untilStored("what follows", () => closedSteps(box.birHome) === 40);
    expect(existsSync(serverDiscoveryPath(box.birHome))).toBe(false);
    expect(await box.bir(["up"])).toMatchObject({ code: 0 });
    const said = () => session.host.stderr.text().includes("goes on through");
    const calls = await callUntil(session, 40, "the server", said);
    await session.calls(calls, calls + 10);
    await session.finish();
    await untilSpoolIsEmpty(box, calls + 10);
    expect(await box.bir(["down"])).toMatchObject({ code: 0 });
    expectEachOnce(box, calls + 10);
    expect(ofTier(box, "standalone")).toHaveLength(1);
    expect(readFileSync(`${box.birHome}/log/server.log`, "utf8")).not.toMatch(/fault/i);
    expect(existsSync(spoolDirectory(box.birHome))).toBe(false);
  });
});
