/** Another process holds the store: what passes meanwhile is recorded afterwards, and nobody waits. */

import { mkdirSync } from "node:fs";
import { describe, expect } from "vitest";
import { test } from "../../harness/process-test.ts";
import { ComparedSession } from "./compared-session.ts";
import { lockStore } from "./lock-store.ts";
import { closedSteps, onlyStoredRun, storedRuns, storedSteps, untilStored } from "./stored-runs.ts";

/** Longer than any busy timeout that a store connection could sensibly have. */
const HELD_MS = 5_000;

const ids = (count: number) => Array.from({ length: count }, (_, n) => n);

describe("DEG-13 the store is locked", () => {
  test("for 5 s in the middle of a session: every call is recorded, none is lost", async ({ box }) => {
    const session = new ComparedSession(box);
    await session.calls(0, 5);
    await untilStored("the first calls", () => closedSteps(box.birHome) === 5);
    const unlock = lockStore(box.birHome, "EXCLUSIVE");
    const until = performance.now() + HELD_MS;
    let id = 5;
    while (performance.now() < until) {
      await session.calls(id, id + 20, (n) => ({ n, text: "x".repeat(2_000) }));
      id += 20;
      await Bun.sleep(50);
    }
    expect(storedSteps(box.birHome)).toHaveLength(5);
    unlock();
    await session.calls(id, id + 1);
    await untilStored("the rest", () => storedSteps(box.birHome).length === id + 1);
    await session.finish();

    const run = onlyStoredRun(box.birHome);
    expect(run.steps.map((step) => (step.args as { n: number }).n)).toEqual(ids(id + 1));
    expect(run.steps.every((step) => step.status === "ok" && step.result !== null)).toBe(true);
    expect(run).toMatchObject({ status: "completed", lossy: false, gaps: [] });
    expect(session.ownLines()).toEqual([]);
  });

  test.for(["IMMEDIATE", "EXCLUSIVE"] as const)(
    "before it has any tables (%s), while the first call passes",
    async (how, { box }) => {
      const session = new ComparedSession(box);
      await session.request("before", "ping");
      mkdirSync(box.birHome, { mode: 0o700 });
      const unlock = lockStore(box.birHome, how);
      await session.calls(0, 30);
      unlock();
      await untilStored("all calls", () => storedSteps(box.birHome).length === 30);
      await session.calls(30, 31);
      await session.finish();
      expect(onlyStoredRun(box.birHome)).toMatchObject({ lossy: false, gaps: [] });
      expect(session.ownLines()).toEqual([]);
    },
  );

  test("to the end of the session: the session ends in time, and says what was lost", async ({ box }) => {
    const session = new ComparedSession(box);
    await session.calls(0, 3);
    await untilStored("the first calls", () => closedSteps(box.birHome) === 3);
    const unlock = lockStore(box.birHome, "IMMEDIATE");
    await session.calls(3, 10);
    await session.finish();
    unlock();
    expect(session.ownLines()).toEqual([expect.stringMatching(/\b7 call\(s\).*\(DEG-13\)$/)]);
    expect(storedRuns(box.birHome)[0]?.steps).toHaveLength(3);
  });
});
