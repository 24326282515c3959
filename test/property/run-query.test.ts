import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRunQuery, QUERY_KEYS, queryValue } from "../../src/core/run-query.ts";

const NOW = 1_795_528_800_000;
const piece = fc.oneof(
  fc.constantFrom(...QUERY_KEYS.map((key) => `${key}:`), '"', " ", "\t", ":", "is:error", "after:2d", "before:99999w"),
  fc.string({ unit: "binary", maxLength: 6 }),
);
const query = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

test("reading a query never fails, and every place it names is in the text", () => {
  fc.assert(
    fc.property(query, (text) => {
      const { tokens, issues, words, startedFrom, startedBefore } = parseRunQuery(text, NOW);
      let last = 0;
      for (const { start, end, valueStart, key, value } of tokens) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        expect(valueStart).toBeGreaterThanOrEqual(start);
        expect(valueStart).toBeLessThanOrEqual(end);
        if (key !== null) expect(text.slice(start, valueStart).toLowerCase()).toBe(`${key}:`);
        expect(value).not.toContain('"');
        last = end;
      }
      // Nothing but white space is between the parts.
      const covered = tokens.reduce((rest, { start, end }) => rest.fill(" ", start, end), [...Array(text.length)]);
      for (const [at, mark] of covered.entries()) if (mark === undefined) expect(text[at]).toMatch(/\s/);
      expect(issues).toEqual(issues.filter(({ start, end }) => tokens.some((t) => t.start === start && t.end === end)));
      expect(issues).toHaveLength(tokens.filter(({ isUnderstood }) => !isUnderstood).length);
      for (const word of words) expect(word.trim()).not.toBe("");
      for (const moment of [startedFrom, startedBefore]) expect(moment === null || Number.isFinite(moment)).toBe(true);
    }),
  );
});

test("a value that was made for a query reads as it was", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", minLength: 1 }),
      fc.constantFrom("tool", "server", "host"),
      (name, key) => {
        fc.pre(!name.includes('"') && name.trim() !== "");
        const { tools, servers, hosts, issues } = parseRunQuery(`${key}:${queryValue(name)}`, NOW);
        expect([...tools, ...servers, ...hosts]).toEqual([name.trim()]);
        expect(issues).toEqual([]);
      },
    ),
  );
});
