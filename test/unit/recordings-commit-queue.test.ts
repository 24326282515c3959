import { describe, expect, test } from "vitest";
import type { RecordingsAnswer } from "../../src/service/recordings/answer.ts";
import { CommitQueue, Fault, type PendingWrite } from "../../src/service/recordings/commit-queue.ts";
import { StoreError } from "../../src/store/store-error.ts";

/** When what waits is committed, and what becomes of it where that fails; without a store. */

const DONE: RecordingsAnswer = { status: 201, body: { id: "x" } };

function write(size = 1): PendingWrite<null> {
  return { size, apply: () => DONE };
}

/** A queue over a store that does what each entry of `script` says, and takes everything after that. */
function queueOver(script: readonly ("ok" | Error)[] = []) {
  const sizes: number[] = [];
  const faults: unknown[] = [];
  const tidying: (() => void)[] = [];
  let now = 0;
  const queue = new CommitQueue<null>({
    commit: (writes) => {
      sizes.push(writes.length);
      now += 1000;
      const next = script[sizes.length - 1] ?? "ok";
      if (next !== "ok") throw next;
      return writes.map((each) => each.apply(null));
    },
    tidy: () => new Promise((resolve) => tidying.push(resolve)),
    onTrouble: () => {},
    onFault: (cause) => faults.push(cause),
    now: () => now,
  });
  return { queue, sizes, faults, tidying };
}

const busy = new StoreError("busy", "SQLITE_BUSY");
const rejected = new StoreError("rejected", "SQLITE_CONSTRAINT: no");

describe("a commit queue", () => {
  test("takes at most so much at a time, in order", async () => {
    const { queue, sizes } = queueOver();
    const order: number[] = [];
    const add = (n: number, size = 1) => queue.add(write(size)).then(() => order.push(n));
    await Promise.all(Array.from({ length: 600 }, (_, n) => add(n)));
    expect(sizes).toEqual([256, 256, 88]);
    expect(order).toEqual(Array.from({ length: 600 }, (_, n) => n));
    await Promise.all([add(0, 1 << 20), add(1, 1), add(2, 1 << 20)]);
    expect(sizes.slice(3)).toEqual([1, 2]);
  });

  test("asks a busy store again for four seconds", async () => {
    const patient = queueOver([busy, busy, busy]);
    expect((await patient.queue.add(write())).status).toBe(201);
    const late = queueOver(Array.from({ length: 10 }, () => busy));
    expect(await late.queue.add(write())).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    expect(late.sizes).toHaveLength(4);
  });

  test("finds the one write that is not acceptable, and takes the others", async () => {
    const { queue, sizes, faults } = queueOver([rejected, "ok", rejected, "ok"]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => queue.add(write())));
    expect(answers.map(({ status }) => status)).toEqual([201, 422, 201, 201, 201]);
    expect(sizes).toEqual([5, 1, 1, 1, 1, 1]);
    await Promise.all(Array.from({ length: 5 }, () => queue.add(write())));
    expect(sizes.slice(6)).toEqual([5]);
    expect(faults).toEqual([]);
  });

  test("tells a fault of ours, and of nobody's content", async () => {
    const cause = new TypeError("ours");
    const { queue, faults } = queueOver([new Fault("a write could not be made", { cause })]);
    expect(await queue.add(write())).toMatchObject({ status: 500, body: { code: "fault" } });
    expect(faults).toEqual([cause]);
    expect((await queue.add(write())).status).toBe(201);
  });

  test("has the log folded after so much, one time after the other", async () => {
    const { queue, tidying } = queueOver();
    for (let n = 0; n < 20; n++) await queue.add(write(1 << 20));
    expect(tidying).toHaveLength(1);
    for (let n = 0; n < 20; n++) await queue.add(write(1 << 20));
    expect(tidying).toHaveLength(1);
    tidying[0]?.();
    await Promise.resolve();
    await Promise.resolve();
    await queue.add(write());
    expect(tidying).toHaveLength(2);
  });
});
