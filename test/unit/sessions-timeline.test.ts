/** On which run the main agent of a session worked when. */

import { expect, test } from "vitest";
import { Timeline } from "../../src/control/sessions/timeline.ts";
import { trustedText } from "../../src/redact/redact.ts";

const [one, two, three] = ["run_1", "run_2", "run_3"].map(trustedText) as [
  ReturnType<typeof trustedText>,
  ReturnType<typeof trustedText>,
  ReturnType<typeof trustedText>,
];

test("nothing is known of a session in which nothing has begun", () => {
  expect(new Timeline([]).at(5)).toBeNull();
});

test("a time is of the turn that began last before it; of one before all turns, the first", () => {
  const timeline = new Timeline([{ at: 10, runId: one }]);
  timeline.began(20, two);
  timeline.began(30, one);
  expect([5, 10, 19, 20, 29, 30, 99].map((at) => timeline.at(at))).toEqual([one, one, one, two, two, one, one]);
});

test("a turn that is told of late has its place in time", () => {
  const timeline = new Timeline([]);
  timeline.began(30, three);
  timeline.began(10, one);
  timeline.began(20, two);
  expect(timeline.turns.map(({ runId }) => runId)).toEqual([one, two, three]);
  timeline.began(25, two);
  expect(timeline.turns).toHaveLength(3);
});

test("what is remembered is bounded, and only of runs that are known", () => {
  const timeline = new Timeline([]);
  for (let n = 0; n < 100; n++) timeline.began(n, n % 2 === 0 ? one : two);
  expect(timeline.turns).toHaveLength(24);
  expect(timeline.turns.at(-1)).toEqual({ at: 99, runId: two });
  timeline.keepOnly(new Set([two]));
  expect(new Set(timeline.turns.map(({ runId }) => runId))).toEqual(new Set([two]));
});
