import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tellStory } from "../../src/core/story.ts";
import { axisLegend } from "../../src/viewer/run/axis/axis-legend.ts";
import { axisModel, spanOf } from "../../src/viewer/run/axis/axis-model.ts";
import { axisMarks, axisScale, sinceStart } from "../../src/viewer/run/axis/axis-scale.ts";
import { axisWords } from "../../src/viewer/run/axis/axis-words.ts";
import { storyNote, storyRun, storyStep } from "./story-fixture.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe("the scale of the time axis", () => {
  test("leaves out long idle time, and tells it", () => {
    const scale = axisScale([
      { from: 0, to: 10_000 },
      { from: 3 * DAY, to: 3 * DAY + 10_000 },
    ]);
    expect(scale.idles).toEqual([{ from: 10_000, to: 3 * DAY }]);
    expect(scale.length).toBeLessThan(25_000);
    expect(scale.unitsAt(10_000)).toBe(10_000);
    expect(scale.timeAt(scale.length)).toBe(3 * DAY + 10_000);
  });

  test("keeps short idle time", () => {
    const scale = axisScale([
      { from: 0, to: 10_000 },
      { from: 11_000, to: 20_000 },
    ]);
    expect(scale.idles).toEqual([]);
    expect(scale.unitsAt(15_000)).toBe(15_000);
  });

  test("keeps what is usual in a run, and leaves out what is not", () => {
    const thinking = Array.from({ length: 20 }, (_, index) => ({ from: index * 10_000, to: index * 10_000 + 200 }));
    expect(axisScale(thinking).idles).toEqual([]);
    const slept = thinking.map(({ from, to }, index) =>
      index < 10 ? { from, to } : { from: from + DAY, to: to + DAY },
    );
    expect(axisScale(slept).idles).toEqual([{ from: 90_200, to: DAY + 100_000 }]);
  });

  test("has room for moments without a length, a run of milliseconds, and nothing at all", () => {
    expect(axisScale([{ from: 5, to: 5 }]).length).toBeGreaterThan(0);
    expect(axisScale([{ from: 5, to: 9 }]).length).toBe(4);
    expect(axisScale([]).length).toBeGreaterThan(0);
  });

  test("goes forward, and back to where it came from", () => {
    const span = fc.tuple(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 1e6 }));
    fc.assert(
      fc.property(fc.array(span, { minLength: 1 }), fc.integer({ min: 0, max: 1e9 }), (pairs, moment) => {
        const spans = pairs.map(([from, length]) => ({ from, to: from + length })).sort((a, b) => a.from - b.from);
        const scale = axisScale(spans);
        for (const { from, to } of spans) {
          expect(scale.unitsAt(to)).toBeGreaterThanOrEqual(scale.unitsAt(from));
          expect(scale.timeAt(scale.unitsAt(from))).toBeCloseTo(from, 3);
        }
        expect(scale.unitsAt(moment)).toBeLessThanOrEqual(scale.unitsAt(moment + 1));
        expect(scale.unitsAt(moment)).toBeGreaterThanOrEqual(0);
        expect(scale.unitsAt(moment)).toBeLessThanOrEqual(scale.length);
      }),
    );
  });

  test("is marked at round times, few of them, none within what was cut", () => {
    const scale = axisScale([
      { from: 1000, to: 91_000 },
      { from: 1000 + DAY, to: 1000 + DAY + 90_000 },
    ]);
    const marks = axisMarks(scale, 0, scale.length, 8);
    expect(marks.length).toBeGreaterThan(2);
    expect(marks.length).toBeLessThanOrEqual(16);
    expect(marks[0]).toEqual({ units: 0, sinceStartMs: 0 });
    for (const { sinceStartMs } of marks) {
      expect(sinceStartMs % 30_000).toBe(0);
      expect(sinceStartMs <= 90_000 || sinceStartMs >= DAY).toBe(true);
    }
    expect(axisMarks(scale, 0, 20, 8).length).toBeGreaterThan(2);
  });

  test.each([
    [0, "0"],
    [250, "250 ms"],
    [12_000, "12 s"],
    [1500, "1.5 s"],
    [185_000, "3:05"],
    [9_000_000, "2 h 30"],
    [3 * DAY + 6 * 60 * MINUTE, "3 d 6 h"],
  ])("%i ms after the beginning reads %s", (ms, words) => {
    expect(sinceStart(ms)).toBe(words);
  });
});

describe("what the time axis shows", () => {
  const story = tellStory(
    storyRun({
      steps: [
        storyStep("a", 0, { durationMs: 100 }),
        storyStep("b", 50, { durationMs: 100, status: "error" }),
        storyStep("launch", 200, { server: null, tool: "Agent", result: { agentId: "x" }, durationMs: 400 }),
        storyStep("inside", 300, { agentId: "x", durationMs: 50 }),
        storyStep("late", 700, { durationMs: null, status: "running" }),
      ],
      notes: [storyNote(1, 10), storyNote(2, 690, { kind: "interrupt" })],
      gaps: [{ reason: "rejected", lost: 1, at: 650 }],
      status: "running",
      endedAt: null,
    }),
  );
  const model = axisModel(story, 1000, 1e9);

  test("calls that run at the same time stand side by side, an agent's below", () => {
    expect(model.bars.map(({ key, lane, agent }) => `${key} ${lane} ${agent}`)).toEqual([
      "a 0 0",
      "b 1 0",
      "launch 0 0",
      "inside 2 1",
      "late 0 0",
    ]);
    expect(model.laneCount).toBe(3);
  });

  test("what runs goes on to now; notes and gaps are ticks", () => {
    expect(spanOf(model, "late")).toMatchObject({ from: 700, to: 1000 });
    expect(model.ticks.map(({ key, kind }) => `${key} ${kind}`)).toEqual([
      "note-1 text",
      "gap-0 gap",
      "note-2 interrupt",
    ]);
    expect(spanOf(model, "note-2")).toMatchObject({ from: 690, to: 690 });
    expect(spanOf(model, "nobody")).toBeNull();
  });

  test("calls that may have followed each other, as far as their times tell, share a lane", () => {
    const lanesOf = (...calls: [from: number, durationMs: number][]) => {
      const steps = calls.map(([from, durationMs], index) => storyStep(`s${index}`, from, { durationMs }));
      return axisModel(tellStory(storyRun({ steps })), 0, 1e9).bars.map(({ lane }) => lane);
    };
    // Beginnings are whole milliseconds, lengths are not; and a beginning is now and then taken late.
    expect(lanesOf([100, 3.6], [103, 0.8], [103, 0.4], [104, 2.2])).toEqual([0, 0, 0, 0]);
    expect(lanesOf([100, 10.2], [104, 3], [107, 3], [110, 1])).toEqual([0, 0, 0, 0]);
    // Side by side for longer than that, however little it is, they are drawn so.
    expect(lanesOf([100, 10], [101, 10])).toEqual([0, 1]);
    expect(lanesOf([100, 6], [100, 6], [100, 6])).toEqual([0, 0, 1]);
    expect(lanesOf([100, 2000], [105, 2000], [110, 5])).toEqual([0, 1, 2]);
  });

  test("the legend has the signs that are there, and no other", () => {
    const steps = [
      storyStep("a", 0, { status: "error" }),
      storyStep("b", 10, { status: "denied", agentId: "x" }),
      storyStep("c", 20, { status: "lost" }),
    ];
    expect(axisLegend(storyRun({ steps: [storyStep("only", 0)] }), 1e9)).toEqual([]);
    const gaps = [{ reason: "rejected", lost: 1, at: 5 }];
    const notes = [storyNote(1, 3, { kind: "permission" }), storyNote(2, 4, { kind: "warning" })];
    expect(axisLegend(storyRun({ steps, notes, gaps }), 1e9)).toEqual([
      { sign: "error", word: "error" },
      { sign: "undone", word: "denied, lost" },
      { sign: "agents", word: "subagent" },
      { sign: "alert", word: "gap, warning" },
      { sign: "event", word: "permission" },
    ]);
  });

  test("no calls of one lane overlap by more than their times may be wrong, while there are lanes", () => {
    const call = fc.tuple(
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 30 }),
      fc.constantFrom(null, "x", "y"),
    );
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
        const steps = calls
          .map(([from, durationMs, agentId], index) => storyStep(`s${index}`, from, { durationMs, agentId }))
          .sort((a, b) => a.startedAt - b.startedAt);
        const { bars, laneCount, sharedCount } = axisModel(tellStory(storyRun({ steps })), 0, 1e9);
        expect(bars).toHaveLength(steps.length);
        expect(laneCount).toBeLessThanOrEqual(12);
        if (sharedCount > 0) return;
        for (const [index, bar] of bars.entries()) {
          expect(bar.lane).toBeLessThan(laneCount);
          for (const other of bars.slice(index + 1)) {
            if (other.lane === bar.lane)
              expect(Math.min(bar.to, other.to) - Math.max(bar.from, other.from) <= 8).toBe(true);
          }
        }
      }),
    );
  });

  test("is told in words", () => {
    expect(axisWords(model)).toBe("Time axis: 5 calls over 1.0 s, 1 error, 1 subagent, 3 notes.");
  });
});
