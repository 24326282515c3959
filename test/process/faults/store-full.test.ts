/**
 * No space is left for the record: the session is whole, what had to be dropped is counted, and recording goes on by
 * itself once there is space.
 */

import { readdirSync } from "node:fs";
import { describe, expect, type TestContext } from "vitest";
import type { Run } from "../../../src/core/run.ts";
import { test } from "../../harness/process-test.ts";
import { needs } from "../../harness/requirement.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { ComparedSession } from "./compared-session.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";
import { closedSteps, integrityOf, onlyStoredRun, storeIn, untilStored } from "./stored-runs.ts";

const FULL_LINE = /no space is left.*\(DEG-13\)$/;
const RESUMED_LINE = /^bir: recording goes on: .* takes writes again$/m;
const LOST_LINE = /^bir: (\d+) call\(s\) could not be recorded: .*\(DEG-13\)$/;
/** As large as a call may be to be captured whole; a hundred of them and their answers are more than may wait. */
const LARGE = "y".repeat(100_000);
const LARGE_CALLS = 150;

/** Runs a test whose home is a disk of its own. */
async function onSmallDisk(box: Sandbox, context: TestContext, use: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = mountSmallDisk(box.birHome, 64);
  needs(context, disk !== null, "mounting a small file system needs root on Linux");
  try {
    if (disk !== null) await use(disk);
  } finally {
    // What still runs on it would keep it busy; the sandbox removes the directory.
    await box.killSurvivors();
    disk?.unmount();
  }
}

/** Calls with nothing missing: what was asked, and the whole of the answer. */
function wholeCalls(run: Run): number[] {
  return run.steps
    .filter(({ args, result, status }) => status === "ok" && args !== null && result !== null)
    .map((step) => (step.args as { n: number }).n);
}

const lost = (run: Run) => run.gaps.reduce((sum, gap) => sum + gap.lost, 0);

/** Many large calls, a few at a time, as hosts make them. */
async function largeCalls(session: ComparedSession, from: number): Promise<number> {
  const to = from + LARGE_CALLS;
  for (let id = from; id < to; id += 10) await session.calls(id, id + 10, (n) => ({ n, text: LARGE }));
  return to;
}

describe("DEG-13 the disk is full", () => {
  test("for a while, with more traffic than may wait: the loss is counted, recording resumes", async ({ box, task }) =>
    onSmallDisk(box, task.context, async (disk) => {
      const session = new ComparedSession(box);
      await session.calls(0, 5);
      await untilStored("the first calls", () => closedSteps(box.birHome) === 5);
      disk.fill();
      const full = await largeCalls(session, 5);
      await session.host.stderr.untilMatch(/no space is left/);
      disk.free();
      await session.host.stderr.untilMatch(RESUMED_LINE);
      await session.calls(full, full + 5);
      await session.finish();

      const run = onlyStoredRun(box.birHome);
      const whole = wholeCalls(run);
      expect(run.lossy).toBe(true);
      expect(run.gaps.map((gap) => gap.reason)).toEqual(run.gaps.map(() => expect.stringContaining("DEG-13")));
      expect(lost(run)).toBeGreaterThan(0);
      expect(whole.length + lost(run)).toBe(full + 5);
      expect(new Set(whole).size).toBe(whole.length);
      expect(whole.slice(0, 5)).toEqual([0, 1, 2, 3, 4]);
      expect(whole.slice(-5)).toEqual([0, 1, 2, 3, 4].map((n) => full + n));
      expect(run.status).toBe("completed");
      expect(session.ownLines()).toEqual([expect.stringMatching(FULL_LINE), expect.stringContaining("goes on")]);
      expect(integrityOf(storeIn(box.birHome))).toBe("ok");
    }));

  test("before the first call, then not any more: nothing is lost", async ({ box, task }) =>
    onSmallDisk(box, task.context, async (disk) => {
      disk.fill();
      const session = new ComparedSession(box);
      await session.calls(0, 20);
      await session.host.stderr.untilMatch(/no space is left/);
      disk.free();
      await session.host.stderr.untilMatch(RESUMED_LINE);
      await session.calls(20, 25);
      await session.finish();
      const run = onlyStoredRun(box.birHome);
      expect(wholeCalls(run)).toHaveLength(25);
      expect(run).toMatchObject({ lossy: false, gaps: [], status: "completed" });
    }));

  test("from the start to the end: unrecorded, and said", async ({ box, task }) =>
    onSmallDisk(box, task.context, async (disk) => {
      disk.fill();
      const session = new ComparedSession(box);
      await session.calls(0, 20);
      await session.finish();
      expect(session.ownLines()).toEqual([expect.stringMatching(FULL_LINE), expect.stringMatching(LOST_LINE)]);
      expect(LOST_LINE.exec(session.ownLines()[1] ?? "")?.[1]).toBe("20");
    }));

  test("to just before the end, with more traffic than may wait: one run, and it tells the loss", async ({
    box,
    task,
  }) =>
    onSmallDisk(box, task.context, async (disk) => {
      const session = new ComparedSession(box);
      await session.calls(0, 5);
      await untilStored("the first calls", () => closedSteps(box.birHome) === 5);
      disk.fill();
      const calls = await largeCalls(session, 5);
      await session.host.stderr.untilMatch(/no space is left/);
      disk.free();
      await session.finish();
      const run = onlyStoredRun(box.birHome);
      expect(wholeCalls(run).length + lost(run)).toBe(calls);
      expect(run.status).toBe("completed");
    }));

  test("by a limit on file sizes that is lifted later", async ({ box, task }) => {
    const lifts = process.platform === "linux" && Bun.which("prlimit") !== null;
    needs(task.context, lifts, "lifting a limit needs prlimit(1) of util-linux on Linux");
    const limited = ["sh", "-c", 'ulimit -S -f 200; exec "$@"', "sh"];
    const session = new ComparedSession(box, { wrap: limited });
    const held = await largeCalls(session, 0);
    await session.host.stderr.untilMatch(/^bir: .*\(DEG-13\)$/m);
    expect(Bun.spawnSync(["prlimit", "--pid", String(session.host.pid), "--fsize=unlimited"]).success).toBe(true);
    await session.host.stderr.untilMatch(RESUMED_LINE);
    await session.calls(held, held + 5);
    await session.finish();
    const run = onlyStoredRun(box.birHome);
    const whole = wholeCalls(run);
    expect(whole.length + lost(run)).toBe(held + 5);
    expect(whole.slice(-5)).toEqual([0, 1, 2, 3, 4].map((n) => held + n));
    expect(session.ownLines()).toHaveLength(2);
    expect(readdirSync(box.birHome).filter((name) => name.includes("corrupt"))).toEqual([]);
  });
});
