import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LinkPace } from "../../src/proxy/tiers/link-pace.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that notes when it is called, and answers what the test says. */
function counted(answers: (number | null)[] = []) {
  const calls: number[] = [];
  const start = performance.now();
  const pace = new LinkPace(async () => {
    calls.push(performance.now() - start);
    return answers.shift() ?? null;
  });
  return { calls, pace };
}

describe("the pace of the link", () => {
  test("is the earliest moment that was asked for", async () => {
    const { calls, pace } = counted();
    for (const inMs of [40, 10, 30]) pace.poke(inMs);
    await vi.advanceTimersByTimeAsync(100);
    expect(calls).toEqual([10]);
  });

  test("follows what the work asks for", async () => {
    const { calls, pace } = counted([25, 50, null]);
    pace.poke(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calls).toEqual([0, 25, 75]);
  });

  test("is one call at a time; what is asked for meanwhile comes after it", async () => {
    const { promise, resolve } = Promise.withResolvers<number | null>();
    let calls = 0;
    const pace = new LinkPace(() => (++calls === 1 ? promise : Promise.resolve(null)));
    pace.poke(0);
    await vi.advanceTimersByTimeAsync(1);
    pace.poke(0);
    pace.poke(5);
    await vi.advanceTimersByTimeAsync(100);
    expect(calls).toBe(1);
    resolve(1_000);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toBe(2);
  });

  test("ends with the call under way", async () => {
    const { promise, resolve } = Promise.withResolvers<number | null>();
    let calls = 0;
    const pace = new LinkPace(() => {
      calls++;
      return promise;
    });
    pace.poke(0);
    await vi.advanceTimersByTimeAsync(1);
    let isStopped = false;
    const stopped = pace.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(10);
    expect(isStopped).toBe(false);
    resolve(0);
    await stopped;
    pace.poke(0);
    await vi.advanceTimersByTimeAsync(10);
    expect(calls).toBe(1);
  });
});
