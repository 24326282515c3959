import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonHash } from "../../src/core/compare/json-hash.ts";
import { lineChanges } from "../../src/core/compare/line-diff.ts";
import { sameJson } from "../../src/core/compare/same-json.ts";
import { valueChanges } from "../../src/core/compare/value-diff.ts";
import { compareRuns, isDifferent } from "../../src/core/compare.ts";
import type { Comparison } from "../../src/core/comparison.ts";
import type { Run } from "../../src/core/run.ts";
import { type Made, madeRun } from "../unit/compare-fixture.ts";

/** What holds for any two runs. */

/** Few different calls, so that runs have much in common and repeat themselves. */
const call: fc.Arbitrary<Made> = fc.record({
  tool: fc.constantFrom("read", "write", "bash"),
  args: fc.oneof(fc.record({ path: fc.constantFrom("/a", "/b", "/c") }), fc.constant(null)),
  result: fc.constantFrom("x", "y", null),
  status: fc.constantFrom("ok", "error", "lost"),
  agentId: fc.constantFrom(null, null, null, "agent-1", "agent-2"),
  ms: fc.constantFrom(0, 5, 30),
  gap: fc.constantFrom(0, 6, 40),
});
const calls = fc.array(call, { maxLength: 25 });
/** One after the other, by one agent. */
const plainCalls = calls.map((made) => made.map((one) => ({ ...one, agentId: null, ms: 5, gap: 10 })));
const compared = (left: readonly Made[], right: readonly Made[]) =>
  compareRuns(madeRun("a", left), madeRun("b", right));

/** Which call stands beside which, and in what they differ; the order of rows is no part of it. */
function pairsOf({ rows }: Comparison, isTurned = false): string[] {
  const index = (step: { index: number } | null) => step?.index ?? "none";
  return rows
    .map(({ left, right, differs }) => {
      const [a, b] = isTurned ? [right, left] : [left, right];
      return `${index(a)} ${index(b)} ${differs.join()}`;
    })
    .sort();
}

describe("two runs", () => {
  test("a run is the same as itself", () => {
    fc.assert(
      fc.property(calls, (made) => {
        const { rows, firstDifference, counts } = compared(made, made);
        expect(firstDifference).toBeNull();
        expect(counts).toEqual({ same: made.length, changed: 0, leftOnly: 0, rightOnly: 0 });
        expect(rows.every((row) => !isDifferent(row))).toBe(true);
      }),
    );
  });

  test("turned around, the same calls stand side by side", () => {
    fc.assert(
      fc.property(calls, calls, (a, b) => {
        expect(pairsOf(compared(b, a), true)).toEqual(pairsOf(compared(a, b)));
      }),
      { numRuns: 400 },
    );
  });

  test("every call stands in one row, those of the left run in order, and counts say how many there are of each", () => {
    fc.assert(
      fc.property(calls, calls, (a, b) => {
        const { rows, counts, firstDifference } = compared(a, b);
        const [left, right] = [rows.flatMap((row) => row.left ?? []), rows.flatMap((row) => row.right ?? [])];
        expect(left.map(({ index }) => index)).toEqual([...a.keys()]);
        expect(right.map(({ index }) => index).sort((x, y) => x - y)).toEqual([...b.keys()]);
        expect(counts.same + counts.changed + counts.leftOnly + counts.rightOnly).toBe(rows.length);
        expect(firstDifference ?? -1).toBe(rows.findIndex(isDifferent));
      }),
      { numRuns: 400 },
    );
  });

  test("calls that were made one after the other stand in order on both sides", () => {
    fc.assert(
      fc.property(plainCalls, plainCalls, (a, b) => {
        const right = compared(a, b).rows.flatMap((row) => row.right ?? []);
        expect(right.map(({ index }) => index)).toEqual([...b.keys()]);
      }),
    );
  });

  test("calls of one tool stand side by side, by the same agent of each run", () => {
    fc.assert(
      fc.property(calls, calls, (a, b) => {
        const agents = new Map<string | null, string | null>();
        for (const { left, right } of compared(a, b).rows) {
          if (left === null || right === null) continue;
          expect(left.tool).toBe(right.tool);
          const known = agents.get(left.agentId) ?? right.agentId;
          expect(right.agentId).toBe(known);
          agents.set(left.agentId, right.agentId);
        }
      }),
    );
  });
});

describe("one call more, less or other", () => {
  const distinct = fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 30 });
  const one = (n: number): Made => ({ tool: `tool-${n % 4}`, args: { path: `/${n}`, n }, result: n });
  const at = fc.nat();

  test("is the one difference", () => {
    fc.assert(
      fc.property(distinct, at, fc.constantFrom("remove", "add", "result", "arguments"), (numbers, place, what) => {
        const left = numbers.map(one);
        const index = place % left.length;
        const other = left[index];
        if (other === undefined) return;
        const changed = {
          remove: [],
          add: [one(20_000), other],
          result: [{ ...other, result: "other" }],
          arguments: [{ ...other, args: { path: "/other" } }],
        };
        const right = left.toSpliced(index, 1, ...changed[what]);
        const { counts, firstDifference } = compared(left, right);
        const expected = { same: left.length - 1, changed: 0, leftOnly: 0, rightOnly: 0 };
        if (what === "remove") expect(counts).toEqual({ ...expected, leftOnly: 1 });
        else if (what === "add") expect(counts).toEqual({ ...expected, same: left.length, rightOnly: 1 });
        else expect(counts).toEqual({ ...expected, changed: 1 });
        expect(firstDifference).toBe(index);
      }),
    );
  });

  test("calls that ran together may have changed places in any way", () => {
    const together = fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 30 });
    const shuffled = together.chain((numbers) =>
      fc.tuple(fc.constant(numbers), fc.shuffledSubarray(numbers, { minLength: numbers.length })),
    );
    const run = (id: string, numbers: readonly number[]): Run =>
      madeRun(id, [one(-1), ...numbers.map((n) => ({ ...one(n), gap: 1, ms: 500 })), { ...one(-2), gap: 1000 }]);
    fc.assert(
      fc.property(shuffled, ([a, b]) => {
        expect(compareRuns(run("a", a), run("b", b)).firstDifference).toBeNull();
      }),
    );
  });
});

describe("two values", () => {
  test("equal values have the same hash and no difference, others have one", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const again: unknown = JSON.parse(JSON.stringify(a));
        expect(sameJson(a, again)).toBe(true);
        expect(jsonHash(again)).toBe(jsonHash(a));
        expect(valueChanges(a, again, "v").changes).toEqual([]);
        const isSame = sameJson(a, b);
        expect(isSame).toBe(sameJson(b, a));
        expect(valueChanges(a, b, "v").changes.length === 0).toBe(isSame);
      }),
      { numRuns: 500 },
    );
  });

  test("what one has more the other has less", () => {
    const members = fc.dictionary(
      fc.string(),
      fc.oneof(fc.integer(), fc.string(), fc.dictionary(fc.string(), fc.integer())),
    );
    fc.assert(
      fc.property(members, members, (a, b) => {
        const paths = (from: unknown, to: unknown, kind: string) =>
          valueChanges(from, to, "v")
            .changes.flatMap((change) => (change.kind === kind ? [change.path] : []))
            .sort();
        expect(paths(a, b, "added")).toEqual(paths(b, a, "removed"));
        expect(paths(a, b, "changed")).toEqual(paths(b, a, "changed"));
      }),
    );
  });
});

describe("two texts", () => {
  test("both can be read from what differs between them", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 }).map((all) => all.join("\n"));
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const changes = lineChanges(left, right);
        const side = (sign: string) => changes.filter((line) => line.sign !== sign).map(({ text }) => text);
        const trimmed = (text: string) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
        expect(side("+")).toEqual(trimmed(left));
        expect(side("-")).toEqual(trimmed(right));
        if (left === right) expect(changes.every(({ sign }) => sign === " ")).toBe(true);
      }),
    );
  });
});
