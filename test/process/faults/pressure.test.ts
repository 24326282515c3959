/** More than can be recorded at once: nothing is lost while the store is healthy, and what must be dropped is counted. */

import { Database } from "bun:sqlite";
import { describe, expect } from "vitest";
import { test } from "../../harness/process-test.ts";
import { ComparedSession } from "./compared-session.ts";
import { peakMemoryMib } from "./peak-memory.ts";
import { closedSteps, onlyStoredRun, storeIn, untilStored } from "./stored-runs.ts";

const TEN_KB = "f".repeat(10_000);
/**
 * A proxy under this load takes up to 250 MiB on a busy machine. Kept without a bound, the 115 MiB that pass while the
 * store is held (6,000 calls and answers) would not fit.
 */
const MOST_MEMORY_MIB = 300;

describe("DEG-10 more waits than memory is meant for", () => {
  test("5,000 calls of 10 KB at once, the store healthy: not one is lost", async ({ box }) => {
    const session = new ComparedSession(box);
    await session.calls(0, 5000, (n) => ({ n, text: TEN_KB }));
    await session.finish();
    const run = onlyStoredRun(box.birHome);
    expect(run).toMatchObject({ status: "completed", lossy: false, gaps: [] });
    expect(run.steps.map((step) => (step.args as { n: number }).n)).toEqual(Array.from({ length: 5000 }, (_, n) => n));
    const answer = JSON.stringify({ content: [{ type: "text", text: TEN_KB }] });
    expect(run.steps.filter((step) => JSON.stringify(step.result) === answer)).toHaveLength(5000);
    expect(session.ownLines()).toEqual([]);
  });

  test("6,000 of them while the store is held: the oldest are dropped and counted, memory is bounded", async ({
    box,
  }) => {
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await untilStored("the first calls", () => closedSteps(box.birHome) === 10);
    const holder = new Database(storeIn(box.birHome));
    holder.run("BEGIN IMMEDIATE");
    await session.calls(10, 6010, (n) => ({ n, text: TEN_KB }));
    expect(peakMemoryMib(session.host.pid) ?? 0).toBeLessThan(MOST_MEMORY_MIB);
    holder.run("ROLLBACK");
    holder.close();
    await session.calls(6010, 6020);
    await session.finish();

    const run = onlyStoredRun(box.birHome);
    const whole = run.steps.filter((step) => step.args !== null && step.result !== null);
    const lost = run.gaps.reduce((sum, gap) => sum + gap.lost, 0);
    expect(lost).toBeGreaterThan(0);
    expect(whole.length + lost).toBe(6020);
    expect(whole.map((step) => (step.args as { n: number }).n).slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect((whole.at(-1)?.args as { n: number } | undefined)?.n).toBe(6019);
    expect(run.lossy).toBe(true);
  });
});
