/** How texts and queries are cut into words, and payloads into text. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonText, resultText, SEARCHED_LENGTH } from "../../src/store/index/json-text.ts";
import { placedWords, placesOf, soughtWords, wordsOf } from "../../src/store/index/words.ts";

describe("words", () => {
  test.each([
    ["Hello, World!", ["hello", "world"]],
    ["mcp__files__read-file /tmp/a.ts", ["mcp", "files", "read", "file", "tmp", "a", "ts"]],
    ["Größe ÉTÉ İstanbul ﬁne ＡＢＣ ½", ["große", "ete", "istanbul", "fine", "abc", "12"]],
    ["мир МИР й", ["мир", "мир", "и"]],
    ["天气好 x天y", ["天气", "气好", "好", "x", "天", "y"]],
    ["カメラ 한국", ["カメ", "メラ", "ラ", "한국", "국"]],
    ["a".repeat(50), ["a".repeat(40)]],
    ["\u{1f600} -- …", []],
    ["\ud800broken\udc00", ["broken"]],
  ])("of %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
    expect(placedWords(text).map(({ word }) => word)).toEqual(words);
  });

  test.each([
    ["wor", ["wor"]],
    ["天", ["天"]],
    ["天气", ["天气"]],
    ["天气好", ["天气", "气好"]],
    ["天气 x", ["天气", "气", "x"]],
    ["read_file", ["read", "file"]],
    ["->", []],
  ])("that %j looks for", (word, sought) => {
    expect(soughtWords(word)).toEqual(sought);
  });

  test.each([
    ["wo", "hello World", ["Wo"]],
    ["orld", "hello world", []],
    ["read file", "mcp__read_files read-file", ["read_file", "read-file"]],
    ["read files", "mcp__read_file", []],
    ["气", "今天天气好", ["气"]],
    ["天气", "今天天气好", ["天气"]],
    ["ete", "un été!", ["été"]],
    ["ubergro", "Übergröße", ["Übergrö"]],
    ["uber", "U\u0308bergang", ["U\u0308bergang"]],
  ])("%j in %j", (word, text, places) => {
    expect(placesOf(soughtWords(word), placedWords(text)).map(({ start, end }) => text.slice(start, end))).toEqual(
      places,
    );
  });

  test("are the same with and without their places, which are in the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const placed = placedWords(text);
        expect(placed.map(({ word }) => word)).toEqual(wordsOf(text));
        for (const { word, start, end } of placed) {
          expect(word).not.toMatch(/[\s"*\ue000\ue001]/);
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("a text is found by itself, and by any beginning of its last word", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 20 }),
        fc.string({ unit: "grapheme", maxLength: 20 }),
        (text, more) => {
          const sought = soughtWords(text);
          fc.pre(sought.length > 0 && /[a-z0-9]$/i.test(text));
          expect(placesOf(sought, placedWords(`${more} ${text}`))).not.toEqual([]);
        },
      ),
    );
  });
});

describe("the text of a payload", () => {
  test.each([
    ['{"a":["x",{"b":1.50}],"c":null}', " a: x b: 1.50 c: null"],
    ['{"t":"two\\nlines \\u00e9 \\"q\\""}', ' t: two\nlines é "q"'],
    ['{"k" : "ends:", "type":"text"}', " k: ends: type: text"],
    ['"a string"', " a string"],
    ['{"cut":"here \\u00', " cut: here  "],
    ["[1e400,-0,true]", " 1e400 -0 true"],
    ["", ""],
  ])("%j", (json, text) => {
    expect(jsonText(json)).toBe(text);
  });

  test("of a result is what the tool said, not how it is wrapped", () => {
    expect(
      resultText('{"content":[{"type":"text","text":"so"},{"type":"image","mimeType":"image/png"}],"isError":true}'),
    ).toBe(" so image/png true");
    expect(resultText('{"structuredContent":{"type":"invoice","content":"paper"}}')).toBe(" invoice paper");
  });

  test("is bounded, and taken in good time whatever it is", () => {
    for (const json of [
      '"'.repeat(100_000),
      "\\".repeat(100_000),
      `"${"\\".repeat(99_999)}`,
      `"${"a".repeat(200_000)}"`,
    ]) {
      expect(jsonText(json).length).toBeLessThanOrEqual(2 * SEARCHED_LENGTH);
    }
  });
});
