/** The service is killed while recorders write to it, and its disk fills: what it has acknowledged is kept, once. */

import { describe, expect } from "vitest";
import type { Run } from "../../src/core/run.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { mountSmallDisk } from "./faults/small-disk.ts";
import { integrityOf, storeIn } from "./faults/stored-runs.ts";
import { endService, type Serving, send, startService } from "./service-process.ts";

const ROUNDS = 8;
const LANES = 6;
const TAKEN = new Set([200, 201]);

/** Each lane is a recorder that sends one row after the other, and again until it is acknowledged. */
async function tell(serving: () => Serving, method: string, path: string, body: unknown): Promise<void> {
  for (;;) {
    try {
      const answer = await send(serving(), method, path, body);
      if (TAKEN.has(answer.status)) return;
      if (answer.status !== 503) throw new RangeError(`${answer.status} ${await answer.text()}`);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    } catch (cause) {
      if (cause instanceof RangeError) throw cause;
      // Nobody is there just now.
    }
    await Bun.sleep(5);
  }
}

async function runOf(box: Sandbox, id: string): Promise<Run> {
  const { stdout } = await box.bir(["run", "show", id, "--json"]);
  return JSON.parse(stdout) as Run;
}

describe("a service that is killed at any moment", () => {
  test("has kept every row that it acknowledged, once and in order", async ({ box }) => {
    let serving = await startService(box);
    const now = () => serving;
    const sent = Array.from({ length: LANES }, () => 0);
    const acknowledged = Array.from({ length: LANES }, () => 0);
    let isOver = false;
    const lane = async (name: number) => {
      const path = `/recordings/runs/lane-${name}`;
      await tell(now, "POST", "/recordings/runs", { id: `lane-${name}`, input: "work" });
      for (let n = 0; !isOver; n++) {
        sent[name] = n + 1;
        const call = { id: `call ${n}`, type: "tool_selected", toolName: "t", toolInput: { n, text: "x".repeat(500) } };
        await tell(now, "POST", `${path}/steps`, call);
        await tell(now, "POST", `${path}/steps`, { id: `answer ${n}`, type: "tool_response", toolOutput: n });
        acknowledged[name] = n + 1;
      }
    };
    const lanes = Promise.all(sent.map((_, name) => lane(name)));
    for (let round = 0; round < ROUNDS; round++) {
      const before = Math.max(...acknowledged);
      while (Math.max(...acknowledged) < before + 20 + round * 7) await Bun.sleep(1);
      serving.process.signal("SIGKILL");
      await serving.process.exit();
      serving = await startService(box);
    }
    isOver = true;
    await lanes;
    expect(await endService(serving)).toBe(0);
    expect(integrityOf(storeIn(box.birHome))).toBe("ok");
    for (const [name, count] of acknowledged.entries()) {
      const { steps, status } = await runOf(box, `lane-${name}`);
      expect(status).toBe("abandoned");
      const order = steps.map(({ args, result, status }) => [(args as { n: number }).n, result, status]);
      expect(order).toEqual(Array.from({ length: count }, (_, n) => [n, n, "ok"]));
      expect(new Set(steps.map(({ seq }) => seq)).size).toBe(count);
    }
  });
});

describe("a service whose disk is full", () => {
  test("refuses for now, and takes everything once there is room", async ({ box, task }) => {
    const disk = mountSmallDisk(box.birHome, 16);
    needs(task.context, disk !== null, "only root may mount a small disk");
    try {
      const serving = await startService(box);
      expect((await send(serving, "POST", "/recordings/runs", { id: "r" })).status).toBe(201);
      disk?.fill();
      const filler = "x".repeat(60_000);
      let taken = 0;
      let refusal: Response | null = null;
      for (let n = 0; refusal === null && n < 500; n++) {
        const row = { id: `row ${n}`, type: "tool_selected", toolName: "t", toolInput: filler };
        const answer = await send(serving, "POST", "/recordings/runs/r/steps", row);
        if (answer.status === 201) taken++;
        else refusal = answer;
      }
      expect(refusal?.status).toBe(503);
      expect(refusal?.headers.get("retry-after")).toBe("5");
      disk?.free();
      for (let n = 0; n < 20; n++) {
        const row = { id: `row ${taken + n}`, type: "tool_selected", toolName: "t", toolInput: filler };
        expect((await send(serving, "POST", "/recordings/runs/r/steps", row)).status).toBe(201);
      }
      expect((await runOf(box, "r")).steps).toHaveLength(taken + 20);
      expect(await endService(serving)).toBe(0);
    } finally {
      disk?.unmount();
    }
  });
});
