import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hrefOf, parseRoute, type Route } from "../../src/viewer/app/route.ts";
import { shortPath } from "../../src/viewer/list/short-path.ts";
import { RowHeights } from "../../src/viewer/ui/row-heights.ts";
import { dayName } from "../../src/viewer/ui/time.ts";
import { firstLine, visiblePieces, visibleText } from "../../src/viewer/ui/visible.ts";
import { wordMarks } from "../../src/viewer/ui/word-marks.ts";

/** Small pure parts of the page: text made visible, marks, heights of rows, places, days. */

const HOSTILE = fc.string({
  maxLength: 80,
  unit: fc.constantFrom(
    "a",
    "ä",
    " ",
    "\n",
    "\t",
    "\r",
    "\u0000",
    "\u001b",
    "\u202e",
    "\u200b",
    "\ud800",
    "\udc00",
    "😀",
    "\u2028",
  ),
});
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u2028-\u202e]|\p{Cs}|\r(?!\n)/u;

describe("recorded text", () => {
  test("nothing unseen is left, and every unit of it is in one piece", () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const pieces = visiblePieces(text);
        let from = 0;
        for (const piece of pieces) {
          expect(piece.start).toBe(from);
          expect(piece.text).not.toMatch(UNSEEN);
          if (!piece.isEscape) expect(piece.text).toBe(text.slice(piece.start, piece.end));
          from = piece.end;
        }
        expect(from).toBe(text.length);
        expect(pieces.map((piece) => piece.text).join("")).toBe(visibleText(text));
      }),
    );
  });

  test("text that is nothing but controls makes few pieces", () => {
    expect(visiblePieces("\u0000".repeat(100_000))).toHaveLength(1);
    expect(visiblePieces("a\u0000".repeat(100_000)).length).toBeLessThan(1100);
  });

  test("the first line that says anything, on one line", () => {
    expect(firstLine("\n\n  Fix   the\ttest\nand more")).toBe("Fix the test");
    expect(firstLine("x".repeat(400), 10)).toBe("xxxxxxxxxx…");
    expect(firstLine("a\u001b[31mb")).toBe("a\\x1b[31mb");
  });
});

describe("marks of words", () => {
  const marked = (text: string, words: string[]) =>
    wordMarks(text, words).map(({ start, end }) => text.slice(start, end));

  test("at beginnings of words, without regard to case and accents", () => {
    expect(marked("Éclair, eclairs and reclaim", ["ecl"])).toEqual(["Écl", "ecl"]);
    expect(marked("a two  words b", ["two words"])).toEqual(["two  words"]);
    expect(marked("forecast", ["fore", "forecast"])).toEqual(["forecast"]);
  });

  test("inside the text, in order, not overlapping", () => {
    fc.assert(
      fc.property(HOSTILE, fc.array(HOSTILE, { maxLength: 3 }), (text, words) => {
        let from = 0;
        for (const { start, end } of wordMarks(text, words)) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          from = end;
        }
      }),
    );
  });
});

describe("heights of rows", () => {
  test("sums and places as if they were counted one by one", () => {
    const change = fc.record({ key: fc.integer({ min: 0, max: 30 }), height: fc.integer({ min: 1, max: 90 }) });
    const keys = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        fc.array(keys, { minLength: 1, maxLength: 4 }),
        fc.array(change, { maxLength: 30 }),
        (lists, changes) => {
          const heights = new RowHeights(20);
          const known = new Map<string, number>();
          for (const list of lists) {
            const names = list.map(String);
            heights.setKeys(names);
            for (const { key, height } of changes) {
              heights.measure(String(key), height);
              known.set(String(key), height);
            }
            let top = 0;
            for (const [index, name] of names.entries()) {
              const height = known.get(name) ?? 20;
              expect(heights.topOf(index)).toBe(top);
              expect(heights.indexAt(top)).toBe(index);
              expect(heights.indexAt(top + height - 1)).toBe(index);
              expect(heights.indexOf(name)).toBe(index);
              expect(heights.keyAt(index)).toBe(name);
              top += height;
            }
            expect(heights.total()).toBe(top);
          }
        },
      ),
    );
  });
});

describe("places", () => {
  test("an address leads to the place it was made for", () => {
    const id = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => text.isWellFormed());
    const place: fc.Arbitrary<Route> = fc.oneof(
      fc.record({ view: fc.constant("runs" as const), query: id }),
      fc.record({
        view: fc.constant("run" as const),
        id,
        step: fc.option(id, { nil: null }),
        filter: fc.oneof(fc.constant(""), id),
        isRaw: fc.boolean(),
      }),
      fc.record({
        view: fc.constant("compare" as const),
        left: id,
        right: id,
        row: fc.option(fc.nat(99_999), { nil: null }),
      }),
    );
    fc.assert(
      fc.property(place, (one) => {
        expect(parseRoute(hrefOf(one))).toEqual(one);
      }),
    );
  });

  test("what cannot be understood is the list", () => {
    expect(parseRoute("#/nowhere/x")).toEqual({ view: "runs", query: "" });
    expect(parseRoute("#/run/")).toEqual({ view: "runs", query: "" });
    expect(parseRoute("%%%")).toEqual({ view: "runs", query: "" });
  });
});

describe("words for places and days", () => {
  test("a directory by its last two names", () => {
    expect(shortPath("/home/ana/projects/map")).toBe("…/projects/map");
    expect(shortPath("C:\\Users\\ana\\map")).toBe("…/ana/map");
    // Not for the sake of a few characters.
    expect(shortPath("/a/srv/map")).toBe("/a/srv/map");
    expect(shortPath("/home/ana/map")).toBe("/home/ana/map");
    expect(shortPath("/srv/map")).toBe("/srv/map");
    expect(shortPath("/")).toBe("/");
  });

  test("days from here", () => {
    const noon = new Date(2026, 10, 30, 12).getTime();
    expect(dayName(noon - 3_600_000, noon)).toBe("Today");
    expect(dayName(noon - 86_400_000, noon)).toBe("Yesterday");
    expect(dayName(noon - 7 * 86_400_000, noon)).toBe("Monday 2026-11-23");
  });
});
