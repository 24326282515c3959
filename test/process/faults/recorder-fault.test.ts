/** A bug of ours, put on purpose where messages are looked at and recorded: the session never notices. */

import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { BUN } from "../../harness/locations.ts";
import { test } from "../../harness/process-test.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { ComparedSession } from "./compared-session.ts";
import { onlyStoredRun, storedRuns } from "./stored-runs.ts";

const PROGRAM = fileURLToPath(new URL("./faulty-proxy.ts", import.meta.url));

const LEISURE_MS = 300;

/** Ten calls, of which two show the bug. */
async function sessionWithBug(box: Sandbox, place: string): Promise<ComparedSession> {
  const session = new ComparedSession(box, { bir: [BUN, PROGRAM, place] });
  await session.request("hello", "initialize", { protocolVersion: "2025-11-25", clientInfo: { name: "explode" } });
  for (let n = 0; n < 10; n++) await session.call(n, "echo", { n, text: n === 3 || n === 6 ? "explode" : "fine" });
  // The slices in which messages are looked at come by themselves; this leaves room for some.
  const until = performance.now() + LEISURE_MS;
  for (let n = 10; performance.now() < until; n++) await session.request(n, "ping");
  await session.finish();
  expect(session.host.stderr.text()).not.toContain("hunter2");
  return session;
}

const numbers = (box: Sandbox) =>
  storedRuns(box.birHome).flatMap((run) => run.steps.map((step) => (step.args as { n: number } | null)?.n));

describe("DEG-15 a fault of ours", () => {
  test("none: the ten calls are recorded", async ({ box }) => {
    const session = await sessionWithBug(box, "none");
    expect(numbers(box)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(session.ownLines()).toEqual([]);
  });

  test("in following a call: what could not be looked at is counted, the rest is recorded", async ({ box }) => {
    const session = await sessionWithBug(box, "call-tracker");
    const run = onlyStoredRun(box.birHome);
    expect(numbers(box)).toEqual([0, 1, 2, 4, 5, 7, 8, 9]);
    // The handshake, and two calls with their answers.
    expect(run.gaps.reduce((sum, gap) => sum + gap.lost, 0)).toBe(5);
    expect(run.gaps.every((gap) => gap.reason === "DEG-15 recorder-fault")).toBe(true);
    expect(session.ownLines()).toEqual([expect.stringMatching(/^bir: .*fault of bir \(TypeError\) \(DEG-15\)$/)]);
  });

  test("in opening a step: it is counted, the rest is recorded", async ({ box }) => {
    await sessionWithBug(box, "assembler");
    expect(numbers(box)).toEqual([0, 1, 2, 4, 5, 7, 8, 9]);
    expect(onlyStoredRun(box.birHome).gaps.reduce((sum, gap) => sum + gap.lost, 0)).toBe(2);
  });

  test.for(["in-flight", "handshake", "journal-add", "journal-flush", "store", "closing-run", "switch-check"])(
    "in %s: the session is whole",
    async (place, { box }) => {
      await sessionWithBug(box, place);
    },
  );
});
