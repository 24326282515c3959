import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Facets } from "../../src/core/service-wire.ts";
import { freeWords, hasPart, partText, queryParts, togglePart } from "../../src/viewer/list/query-text.ts";
import { suggestionsAt } from "../../src/viewer/list/suggest.ts";

/** The search box: the parts of what is written, and what is offered for them. */

const FACETS: Facets = {
  hosts: [{ value: "claude-code", runs: 12 }],
  servers: [
    { value: "browser", runs: 9 },
    { value: "github", runs: 3 },
  ],
  tools: [{ value: "my tool", runs: 1 }],
};

describe("parts of a query", () => {
  test("keys, quotes and words", () => {
    expect(queryParts('two Tool:"my tool" "a phrase" is:')).toEqual([
      { start: 0, end: 3, key: null, value: "two" },
      { start: 4, end: 18, key: "tool", value: "my tool" },
      { start: 19, end: 29, key: null, value: "a phrase" },
      { start: 30, end: 33, key: "is", value: "" },
    ]);
    expect(freeWords('is:error "a phrase" word')).toEqual(["a phrase", "word"]);
  });

  test("every part is inside the text, in order, and nothing but white space lies between", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 60, unit: fc.constantFrom("a", ":", '"', " ", "\t", "is:", "é", "😀") }),
        (text) => {
          let from = 0;
          for (const { start, end } of queryParts(text)) {
            expect(start).toBeGreaterThanOrEqual(from);
            expect(end).toBeGreaterThan(start);
            expect(end).toBeLessThanOrEqual(text.length);
            expect(text.slice(from, start).trim()).toBe("");
            from = end;
          }
          expect(text.slice(from).trim()).toBe("");
        },
      ),
    );
  });

  test("putting a part in and taking it out again changes nothing else", () => {
    const once = togglePart("word  is:error", "host", "my app");
    expect(once).toBe('word is:error host:"my app"');
    expect(hasPart(once, "host", "My App")).toBe(true);
    expect(togglePart(once, "host", "my app")).toBe("word is:error");
  });

  test("a quote in a name cannot end it", () => {
    expect(queryParts(partText("tool", 'a "b" c'))).toHaveLength(1);
  });
});

describe("suggestions", () => {
  test("keys for nothing written, and for their beginnings", () => {
    expect(suggestionsAt("", 0, FACETS).options.map(({ insert }) => insert)).toContain("server:");
    expect(suggestionsAt("is:error se", 11, FACETS)).toMatchObject({ start: 9, end: 11 });
    expect(suggestionsAt("is:error se", 11, FACETS).options[0]?.insert).toBe("server:");
  });

  test("known names for a key, and for a word that begins one", () => {
    expect(suggestionsAt("server:g", 8, FACETS).options[0]).toMatchObject({
      insert: "server:github",
      detail: "3 runs",
    });
    expect(suggestionsAt("to", 2, FACETS).options.map(({ insert }) => insert)).toEqual(["tool:", 'tool:"my tool"']);
    expect(suggestionsAt("ser", 3, FACETS).options.map(({ insert }) => insert)).not.toContain("server:browser");
  });

  test("nothing for what is written already, and nothing for words", () => {
    expect(suggestionsAt("is:error", 8, FACETS).options).toEqual([]);
    expect(suggestionsAt("forecast", 8, FACETS).options).toEqual([]);
    expect(suggestionsAt("server:", 7, null).options).toEqual([]);
  });
});
