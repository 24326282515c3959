/** Several proxies write one store at the same time, and others read it: every call is there once, and nobody waits. */

import { Database } from "bun:sqlite";
import { describe, expect } from "vitest";
import { StoreReader } from "../../src/store/reader.ts";
import { test } from "../harness/process-test.ts";
import { ComparedSession } from "./faults/compared-session.ts";
import { closedSteps, integrityOf, storedRuns, storeIn, untilStored } from "./faults/stored-runs.ts";

const PROXIES = 6;
const CALLS = 300;
const AT_A_TIME = 10;
const TEXT = "c".repeat(1_500);

const ids = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Reads the whole store again and again until `done`; answers how many times it did. */
async function keepReading(path: string, done: () => boolean): Promise<number> {
  let reads = 0;
  for (let most = 0; !done(); reads++) {
    const reader = StoreReader.open(path);
    let steps = 0;
    for (const { id, stepCount } of reader.runs()) {
      steps += stepCount;
      const run = reader.run(id);
      // What a run was seen to have is there when it is read in full a moment later.
      if (run !== null) expect(run.steps.length).toBeGreaterThanOrEqual(stepCount);
    }
    expect(steps).toBeGreaterThanOrEqual(most);
    most = steps;
    reader.close();
    await Bun.sleep(5);
  }
  return reads;
}

describe("several proxies share a store", () => {
  test(`${PROXIES} of them with ${CALLS} calls each, beside a reader: every call is recorded once`, async ({ box }) => {
    const sessions = ids(PROXIES).map(() => new ComparedSession(box));
    let finished = false;
    const reading = keepReading(storeIn(box.birHome), () => finished);
    await Promise.all(
      sessions.map(async (session, proxy) => {
        for (let from = 0; from < CALLS; from += AT_A_TIME) {
          await session.calls(from, from + AT_A_TIME, (n) => ({ proxy, n, text: TEXT }));
        }
        await session.finish();
      }),
    );
    finished = true;
    expect(await reading).toBeGreaterThan(5);

    const runs = storedRuns(box.birHome);
    expect(runs).toHaveLength(PROXIES);
    expect(runs.filter((run) => run.lossy || run.gaps.length > 0 || run.status !== "completed")).toEqual([]);
    const seen = runs.map((run) => run.steps.map((step) => step.args as { proxy: number; n: number }));
    for (const steps of seen) expect(steps.map((args) => args.n)).toEqual(ids(CALLS));
    expect(seen.map((steps) => steps[0]?.proxy).sort()).toEqual(ids(PROXIES));
    expect(seen.every((steps) => steps.every((args) => args.proxy === steps[0]?.proxy))).toBe(true);
    expect(sessions.flatMap((session) => session.ownLines())).toEqual([]);
    const db = new Database(storeIn(box.birHome), { readonly: true });
    expect(db.query("SELECT count(*) AS steps FROM steps").get()).toEqual({ steps: PROXIES * CALLS });
    expect(db.query("SELECT sum(step_count) AS steps FROM runs").get()).toEqual({ steps: PROXIES * CALLS });
    db.close();
    expect(integrityOf(storeIn(box.birHome))).toBe("ok");
  });

  test("they make it together, none of them first", async ({ box }) => {
    for (let round = 0; round < 3; round++) {
      const home = `${box.birHome}-${round}`;
      const sessions = ids(4).map(() => new ComparedSession(box, { env: { BIR_HOME: home } }));
      await Promise.all(sessions.map((session) => session.request("hello", "ping")));
      await Promise.all(sessions.map((session) => session.calls(0, 5)));
      await untilStored("all calls", () => closedSteps(home) === 20);
      await Promise.all(sessions.map((session) => session.finish()));
      expect(storedRuns(home).map((run) => [run.steps.length, run.lossy])).toEqual(ids(4).map(() => [5, false]));
      expect(sessions.flatMap((session) => session.ownLines())).toEqual([]);
    }
  });
});

describe("a host starts two instances and kills the first at once", () => {
  test.for(["SIGKILL", "SIGTERM"] as const)(
    "by %s: the second is recorded, one run, no call lost",
    async (signal, { box }) => {
      const first = box.startProxy(box.fake("--quiet"));
      await first.request("a", "initialize", {
        protocolVersion: "2025-11-25",
        clientInfo: { name: "host", version: "1" },
      });
      const second = new ComparedSession(box);
      first.signal(signal);
      await second.request("b", "initialize", {
        protocolVersion: "2025-11-25",
        clientInfo: { name: "host", version: "1" },
      });
      await second.calls(0, 20);
      await first.exit();
      await second.finish();
      expect(storedRuns(box.birHome)).toMatchObject([{ status: "completed", lossy: false, host: { app: "host" } }]);
      expect(storedRuns(box.birHome)[0]?.steps.map((step) => (step.args as { n: number }).n)).toEqual(ids(20));
    },
  );

  test("in the middle of its first calls: what it had committed stays, the second loses nothing", async ({ box }) => {
    const first = new ComparedSession(box);
    await first.calls(0, 5);
    const second = new ComparedSession(box);
    await second.calls(0, 5);
    first.host.signal("SIGKILL");
    await second.calls(5, 20);
    await first.host.exit();
    await second.finish();
    const whole = storedRuns(box.birHome).filter((run) => run.status === "completed");
    expect(whole.map((run) => [run.steps.length, run.lossy])).toEqual([[20, false]]);
    expect(integrityOf(storeIn(box.birHome))).toBe("ok");
  });
});
