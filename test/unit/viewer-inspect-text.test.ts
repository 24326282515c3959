import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldCase, marksIn } from "../../src/viewer/inspect/find/find-text.ts";
import { formsOf, numberedLines } from "../../src/viewer/inspect/payload/text-forms.ts";
import { textLines } from "../../src/viewer/inspect/text/line-source.ts";
import { inSight } from "../../src/viewer/inspect/text/pane.ts";
import { piecesOf } from "../../src/viewer/inspect/text/pieces.ts";
import { RowHeights } from "../../src/viewer/ui/row-heights.ts";

/** Long text in pieces, what is found in it, and in which form it is shown. */

describe("pieces", () => {
  test("are the lines of a text, long lines in parts", () => {
    const shown = (text: string, longest = 4) =>
      piecesOf(text, longest).map(({ start, end }) => text.slice(start, end));
    expect(shown("")).toEqual([""]);
    expect(shown("a\r\nb\n")).toEqual(["a", "b"]);
    expect(shown("a\n\nb")).toEqual(["a", "", "b"]);
    expect(shown("abcdefghi\nj")).toEqual(["abcd", "efgh", "i", "j"]);
    expect(shown("abc😀def")).toEqual(["abc", "😀de", "f"]);
    expect(piecesOf("abcdef\ng", 4).map(({ line, isLineStart }) => [line, isLineStart])).toEqual([
      [0, true],
      [0, false],
      [1, true],
    ]);
  });

  test("hold every character but the line ends, in order", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "\n", "\r", "😀", "\ud800", "é") }),
        fc.nat(8),
        (text, longest) => {
          const pieces = piecesOf(text, longest + 2);
          expect(pieces.map(({ start, end }) => text.slice(start, end)).join("")).toBe(
            text.replaceAll("\r\n", "").replaceAll("\n", ""),
          );
          for (const { start, end } of pieces) expect(end - start).toBeLessThanOrEqual(longest + 2);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("have the numbers of a file's lines, once each", () => {
    const lines = textLines(`${"x".repeat(4500)}\nsecond\n`, 41);
    expect(lines.count).toBe(4);
    expect([0, 1, 2, 3].map((index) => lines.at(index).gutter)).toEqual([[41], [null], [null], [42]]);
    expect(lines.gutter).toEqual({ columns: 1, digits: 2 });
  });
});

describe("finding", () => {
  test("gives places in the text as it was recorded, whatever lower case does to it", () => {
    const text = "İstanbul İSTANBUL";
    expect(foldCase(text).length).toBe(text.length);
    expect(marksIn(text, foldCase("stanbul"))).toEqual([
      { start: 1, end: 8 },
      { start: 10, end: 17 },
    ]);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (any) => {
        expect(foldCase(any).length).toBe(any.length);
      }),
      { numRuns: 2000 },
    );
  });

  test("marks do not overlap and end somewhere", () => {
    expect(marksIn("aaaa", "aa")).toEqual([
      { start: 0, end: 2 },
      { start: 2, end: 4 },
    ]);
    expect(marksIn("a".repeat(100), "a", 7)).toHaveLength(7);
    expect(marksIn("abc", null)).toEqual([]);
  });
});

describe("what is in sight", () => {
  test("is between two heights, with space for the rest", () => {
    expect(inSight({ count: 100, heights: 20 }, 200, 400)).toEqual({ first: 10, end: 21, above: 200, below: 1580 });
    expect(inSight({ count: 3, heights: 20 }, -300, 900)).toEqual({ first: 0, end: 3, above: 0, below: 0 });
    expect(inSight({ count: 0, heights: 20 }, 0, 900)).toEqual({ first: 0, end: 0, above: 0, below: 0 });
    const measured = new RowHeights(20);
    measured.setKeys(["0", "1", "2", "3"]);
    measured.measure("1", 100);
    expect(inSight({ count: 4, heights: measured }, 30, 110)).toEqual({ first: 1, end: 2, above: 20, below: 40 });
  });

  test("is a screenful whatever the length", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: -1000, max: 20_000_000 }), (count, top) => {
        const { first, end, above, below } = inSight({ count, heights: 20 }, top, top + 1500);
        expect(end - first).toBeLessThanOrEqual(77);
        expect(above + below + (end - first) * 20).toBe(count * 20);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("forms", () => {
  test("of a text are told by what it holds", () => {
    expect(formsOf('{"a":1}')).toEqual(["json", "plain"]);
    expect(formsOf("\u001b[31mred")).toEqual(["terminal", "plain"]);
    expect(formsOf("10%\r20%")).toEqual(["terminal", "plain"]);
    expect(formsOf("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n")).toEqual(["diff", "plain"]);
    expect(formsOf("# Title\n\nSome **bold** text")).toEqual(["markdown", "plain"]);
    expect(formsOf("    1→a\n    2→b\n")).toEqual(["file", "plain"]);
    expect(formsOf("just words")).toEqual(["plain"]);
    expect(formsOf("just words", "terminal")).toEqual(["terminal", "plain"]);
    expect(formsOf("# not\n# prose", "file")).toEqual(["file", "plain"]);
    expect(formsOf("any answer", "markdown")).toEqual(["markdown", "plain"]);
  });

  test("a file with numbers is one only where they count on", () => {
    expect(numberedLines("   9→a\n  10→\n  11→c")).toEqual({ first: 9, text: "a\n\nc" });
    expect(numberedLines("1→a\n3→b")).toBeNull();
    expect(numberedLines("1→a\nplain")).toBeNull();
    expect(numberedLines("")).toBeNull();
  });
});
