/**
 * The proxy is killed at any moment, as an impatient host or the system may do: what was committed is there and sound,
 * the run reads as abandoned, and no process is left.
 */

import { describe, expect } from "vitest";
import { StoreReader } from "../../../src/store/reader.ts";
import { test } from "../../harness/process-test.ts";
import type { RunningProcess } from "../../harness/running-process.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { callLine } from "./compared-session.ts";
import { closedSteps, integrityOf, storedRuns, storeIn, untilStored } from "./stored-runs.ts";

const SEEDS = 20;
/** So many at a time: enough to have two processors busy, too few to starve one of them. */
const LANES = 4;

/** Park and Miller's generator: the same moments in every run of the tests, as far as a machine's pace allows. */
function randomFrom(seed: number): () => number {
  let state = (seed * 7_919 + 1) % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Calls without end, until the proxy is gone. */
async function keepCalling(host: RunningProcess, random: () => number): Promise<void> {
  for (let id = 0; ; id++) {
    const text = "x".repeat(Math.floor(random() ** 4 * 100_000));
    await host.write(callLine(id, "echo", { n: id, text }));
    if (random() < 0.3) await host.stdout.until("every answer", (log) => log.lineCount > id);
  }
}

async function killOnce(box: Sandbox, seed: number): Promise<void> {
  const random = randomFrom(seed);
  const home = `${box.birHome}-${seed}`;
  const host = box.startProxy(box.fake("--quiet"), { env: { BIR_HOME: home } });
  const calling = keepCalling(host, random).catch(() => {});
  const calls = Math.floor(random() * 3);
  if (calls > 0) await host.stdout.until("some answers", (log) => log.lineCount >= calls);
  await Bun.sleep(random() * 600);
  const committed = closedSteps(home);
  host.signal("SIGKILL");
  expect(await host.exit()).toEqual({ code: null, signal: "SIGKILL" });
  await calling;
  if (storedRuns(home).length === 0) return expect(committed, `seed ${seed}`).toBe(0);

  expect(integrityOf(storeIn(home)), `seed ${seed}`).toBe("ok");
  const reader = StoreReader.open(storeIn(home));
  const [listed] = [...reader.runs()];
  const run = reader.run(listed?.id ?? "");
  reader.close();
  expect(listed?.status, `seed ${seed}`).toBe("abandoned");
  expect(run?.status, `seed ${seed}`).toBe("abandoned");
  const ended = run?.steps.filter((step) => step.status !== "lost") ?? [];
  expect(ended.length, `seed ${seed}`).toBeGreaterThanOrEqual(committed);
  ended.forEach((step, index) => {
    const { n, text } = step.args as { n: number; text: string };
    expect({ n, status: step.status }, `seed ${seed}`).toEqual({ n: index, status: "ok" });
    expect(step.result, `seed ${seed}`).toEqual({ content: [{ type: "text", text }] });
  });
}

describe("DEG-13 the proxy is killed", () => {
  test(`at ${SEEDS} random moments`, async ({ box }) => {
    let seed = 0;
    const lane = async () => {
      while (seed < SEEDS) await killOnce(box, seed++);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(await box.untilNoneLeft()).toEqual([]);
  });

  test("between two calls: everything is in the store already", async ({ box }) => {
    const host = box.startProxy(box.fake());
    for (let id = 0; id < 5; id++) await host.call(id, "echo", { n: id });
    const reader = () => StoreReader.open(storeIn(box.birHome));
    const seen = () => storedRuns(box.birHome).flatMap((run) => run.steps.filter((step) => step.status === "ok"));
    await untilStored("the calls", () => seen().length === 5);
    const running = reader();
    expect([...running.runs()].map((run) => run.status)).toEqual(["running"]);
    running.close();
    host.signal("SIGKILL");
    await host.exit();
    const after = reader();
    expect([...after.runs()].map((run) => [run.status, run.stepCount])).toEqual([["abandoned", 5]]);
    after.close();
  });
});
