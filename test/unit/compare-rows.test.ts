import { describe, expect, test } from "vitest";
import { compareRuns } from "../../src/core/compare.ts";
import { type CompareRow, compareRows, differencesOf } from "../../src/viewer/compare/compare-rows.ts";
import { madeRun } from "./compare-fixture.ts";

/** `P`: the prompt, `3`: the call of the third row, `[2-5)`: those folded. */
function short(row: CompareRow): string {
  if (row.kind === "text") return row.key === "prompt" ? "P" : "A";
  return row.kind === "call" ? String(row.index) : `[${row.from}-${row.to})${row.isOpen ? "open" : ""}`;
}

const numbers = Array.from({ length: 20 }, (_, n) => ({ args: { n } }));
const comparison = compareRuns(
  madeRun("a", numbers, { input: "do it", finalAnswer: "x" }),
  madeRun("b", numbers.with(10, { args: { n: -1 } }), { input: "do it", finalAnswer: "y" }),
);
const rows = (open: string[] = [], isAllOpen = false, selected: number | null = null) =>
  compareRows(comparison, new Set(open), isAllOpen, selected).map(short);

describe("the rows of two compared runs", () => {
  test("calls that are the same are folded, but for those beside a difference", () => {
    expect(differencesOf(comparison)).toEqual([10]);
    expect(rows()).toEqual(["P", "[0-9)", "9", "10", "11", "[12-20)", "A"]);
  });

  test("a fold opens by itself or with all others", () => {
    expect(rows(["same 0"]).slice(0, 4)).toEqual(["P", "[0-9)open", "0", "1"]);
    expect(rows([], true)).toHaveLength(22);
  });

  test("a call that a link leads to is never folded away", () => {
    expect(rows([], false, 5).slice(0, 12)).toEqual(["P", ...Array.from({ length: 11 }, (_, n) => String(n))]);
  });
});
