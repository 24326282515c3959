import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changedParts, diffLineSource, diffSummary } from "../../src/viewer/inspect/diff/diff-marks.ts";
import { type DiffLine, diffOf, withoutSame } from "../../src/viewer/inspect/diff/line-diff.ts";
import { hunkLines, isPatch, patchLines } from "../../src/viewer/inspect/diff/patch-text.ts";
import { commonParts } from "../../src/viewer/inspect/diff/sequence-diff.ts";

/** Differences: of two texts, and as they were recorded. */

function told(lines: readonly DiffLine[]): string[] {
  const signs = { same: " ", added: "+", removed: "-", heading: "#" };
  return lines.map((line) => `${signs[line.kind]}${line.text}`);
}

/** The longest common subsequence, by the book. */
function longestCommon(left: readonly number[], right: readonly number[]): number {
  const row = new Array<number>(right.length + 1).fill(0);
  for (const one of left) {
    let before = 0;
    for (let j = 1; j <= right.length; j++) {
      const above = row[j] ?? 0;
      row[j] = one === right[j - 1] ? before + 1 : Math.max(above, row[j - 1] ?? 0);
      before = above;
    }
  }
  return row[right.length] ?? 0;
}

describe("two texts", () => {
  test("are told line by line, with the numbers of both", () => {
    const lines = diffOf("a\nb\nc\n", "a\nc\nd");
    expect(told(lines)).toEqual([" a", "-b", " c", "+d"]);
    expect(lines.map((line) => [line.old, line.new])).toEqual([
      [1, 1],
      [2, null],
      [3, 2],
      [null, 3],
    ]);
    expect(diffSummary(lines)).toBe("1 added, 1 removed");
    expect(told(diffOf("", "x\r\n"))).toEqual(["+x"]);
    expect(diffSummary(diffOf("same", "same"))).toBe("nothing changed");
  });

  test("can both be read off the difference, whatever they are", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffOf(before.map((line) => `${line}\n`).join(""), after.map((line) => `${line}\n`).join(""));
        expect(diff.filter(({ kind }) => kind !== "added").map(({ text }) => text)).toEqual(before);
        expect(diff.filter(({ kind }) => kind !== "removed").map(({ text }) => text)).toEqual(after);
      }),
      { numRuns: 3000 },
    );
  });

  test("have as much in common as there is, where nothing in them is unique", () => {
    const numbers = fc.array(fc.nat(3), { maxLength: 24 }).map((all) => [...all, ...all]);
    // Ends that differ, so that nothing is cut off before.
    const between = (end: number, all: readonly number[]) => [end, ...all, end];
    fc.assert(
      fc.property(numbers, numbers, (left, right) => {
        const parts = commonParts(between(8, left), between(9, right), 1000);
        expect(parts.reduce((sum, { length }) => sum + length, 0)).toBe(longestCommon(left, right));
      }),
      { numRuns: 2000 },
    );
  });

  test("that are long and wholly different are looked through a bounded number of times", () => {
    const count = (size: number) => {
      let reads = 0;
      const watched = (numbers: number[]) =>
        new Proxy(numbers, {
          get(target, key, receiver) {
            reads += 1;
            return Reflect.get(target, key, receiver);
          },
        });
      commonParts(
        watched(Array.from({ length: size }, (_, n) => n % 7)),
        watched(Array.from({ length: size }, (_, n) => (n * n) % 11)),
        50,
      );
      return reads;
    };
    expect(count(8000)).toBeLessThan(2.5 * count(4000));
  });

  test("that share long stretches leave them out", () => {
    const before = Array.from({ length: 100 }, (_, n) => `line ${n}`);
    const after = before.with(50, "changed");
    const lines = withoutSame(diffOf(before.join("\n"), after.join("\n")));
    expect(told(lines)).toEqual([
      "#47 unchanged lines",
      ...[47, 48, 49].map((n) => ` line ${n}`),
      "-line 50",
      "+changed",
      ...[51, 52, 53].map((n) => ` line ${n}`),
      "#46 unchanged lines",
    ]);
    expect(told(withoutSame(diffOf("a\nb", "a\nc")))).toEqual([" a", "-b", "+c"]);
  });
});

describe("within lines", () => {
  test("what changed is marked by words", () => {
    const before = "const port = 3000;";
    const after = "const port = Number(env.PORT ?? 3000);";
    const parts = changedParts(before, after);
    expect(parts?.before).toEqual([]);
    expect(parts?.after.map(({ start, end }) => after.slice(start, end))).toEqual(["Number(env.PORT ?? ", ")"]);
  });

  test("lines that have little in common are not marked", () => {
    expect(changedParts("alpha beta", "something else entirely")).toBeNull();
    expect(changedParts("x".repeat(700), "y")).toBeNull();
  });

  test("marks stay within the line", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const parts = changedParts(before, after);
        for (const { end } of parts?.before ?? []) expect(end).toBeLessThanOrEqual(before.length);
        for (const { end } of parts?.after ?? []) expect(end).toBeLessThanOrEqual(after.length);
      }),
      { numRuns: 2000 },
    );
  });

  test("each line has a sign and a word for it", () => {
    const source = diffLineSource(diffOf("a", "b"));
    expect([0, 1].map((index) => source.at(index).sign)).toMatchObject([
      { text: "−", words: "removed: " },
      { text: "+", words: "added: " },
    ]);
  });
});

describe("recorded patches", () => {
  test("of diff and git", () => {
    const text =
      "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@ here\n same\n-old\n+new\n\\ No newline at end of file\n";
    expect(isPatch(text)).toBe(true);
    const lines = patchLines(text);
    expect(told(lines)).toEqual([
      "#diff --git a/x b/x",
      "#--- a/x",
      "#+++ b/x",
      "#@@ -3,2 +3,2 @@ here",
      " same",
      "-old",
      "+new",
      "#\\ No newline at end of file",
    ]);
    expect(lines[5]).toMatchObject({ old: 4, new: null });
    expect(lines[6]).toMatchObject({ old: null, new: 4 });
  });

  test("of several files, and removed lines that look like a header", () => {
    const text = "--- a\n+++ a\n@@ -1 +1 @@\n--- gone\n+x\n--- b\n+++ b\n@@ -1 +1 @@\n-1\n+2\n";
    expect(told(patchLines(text))).toEqual([
      "#--- a",
      "#+++ a",
      "#@@ -1 +1 @@",
      "--- gone",
      "+x",
      "#--- b",
      "#+++ b",
      "#@@ -1 +1 @@",
      "-1",
      "+2",
    ]);
  });

  test("of apply_patch", () => {
    const text = "*** Begin Patch\n*** Update File: a.ts\n@@ f()\n x\n-y\n+z\n*** Add File: b.ts\n+new\n*** End Patch";
    expect(isPatch(text)).toBe(true);
    expect(told(patchLines(text))).toEqual([
      "#*** Begin Patch",
      "#*** Update File: a.ts",
      "#@@ f()",
      " x",
      "-y",
      "+z",
      "#*** Add File: b.ts",
      "+new",
      "#*** End Patch",
    ]);
  });

  test("as hunks", () => {
    const hunk = { oldStart: 38, oldLines: 2, newStart: 38, newLines: 2, lines: [" a", "-b", "+c"] };
    expect(told(hunkLines([hunk]) ?? [])).toEqual(["#@@ -38,2 +38,2 @@", " a", "-b", "+c"]);
    expect(hunkLines([])).toBeNull();
    expect(hunkLines([{ lines: [1] }])).toBeNull();
    expect(hunkLines([null])).toBeNull();
  });

  test("are nothing else", () => {
    expect(isPatch("- a list\n+ of things")).toBe(false);
    expect(isPatch("--- a rule above\ntext")).toBe(false);
  });
});
