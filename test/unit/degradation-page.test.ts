/** The degradation matrix, its page and its fault tests name the same rows. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DEGRADATION } from "../../src/core/degradation.ts";

const TESTS = join(import.meta.dirname, "..");
const page = readFileSync(join(TESTS, "..", "docs", "degradation.md"), "utf8");

/** Rows whose id begins the title of a test, or of a group of tests. */
function rowsWithATest(): Set<string> {
  const files = ["process", "unit", "property"].flatMap((part) =>
    readdirSync(join(TESTS, part), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => join(TESTS, part, name)),
  );
  const title = /(?:\(|^\s+)["'`](DEG-\d\d) \w/gm;
  return new Set(files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(title)].map(([, id = ""]) => id)));
}

describe("docs/degradation.md", () => {
  test("has one section for each row, in the code's order and words", () => {
    const sections = [...page.matchAll(/^### (\S+)\n\n> (.+)$/gm)].map(([, id, words]) => [id, words]);
    expect(sections).toEqual(Object.entries(DEGRADATION));
  });

  test("names no row that does not exist", () => {
    const named = new Set(page.match(/DEG-\d+/g));
    expect([...named].filter((id) => !Object.hasOwn(DEGRADATION, id))).toEqual([]);
  });
});

test("each row is the subject of a test, and each such title names a row", () => {
  expect([...rowsWithATest()].sort()).toEqual(Object.keys(DEGRADATION).sort());
});
