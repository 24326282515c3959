import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExact, stringifyExact } from "../../src/core/exact-json.ts";
import { EventStreamParser, type StreamEvent } from "../../src/viewer/data/event-stream.ts";
import { parseJson } from "../../src/viewer/data/json.ts";

/** What the page reads of the service: JSON with its numbers as they were, and server-sent events in whatever pieces. */

describe("JSON of the service", () => {
  const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,24})?([eE][+-]?\d{1,3})?$/);

  test("a number comes out as it was written", () => {
    fc.assert(
      fc.property(fc.array(digits, { minLength: 1, maxLength: 4 }), fc.string(), (numbers, text) => {
        const json = `{"a":[${numbers.join(",")}],"b":${JSON.stringify(text)},"c": ${numbers[0]}}`;
        expect(stringifyExact(parseJson(json))).toBe(stringifyExact(parseExact(json)));
      }),
      { numRuns: 2000 },
    );
  });

  test("text without such numbers is read as usual", () => {
    expect(parseJson('{"at":1764500000000,"durationMs":12.5,"text":"1.0"}')).toEqual({
      at: 1764500000000,
      durationMs: 12.5,
      text: "1.0",
    });
    expect(() => parseJson("{")).toThrow(SyntaxError);
  });
});

describe("server-sent events", () => {
  const read = (pieces: readonly string[]): StreamEvent[] => {
    const events: StreamEvent[] = [];
    const parser = new EventStreamParser((event) => events.push(event));
    for (const piece of pieces) parser.add(piece);
    return events;
  };
  const TEXT =
    ': here\n\nevent: runs\nid: 7\ndata: {"a":1}\n\nevent: index\r\ndata: 1\r\ndata: 2\r\n\r\ndata:no space\n\n:\n\nid: 9\n\n';

  test("names, ids, data of several lines, comments", () => {
    expect(read([TEXT])).toEqual([
      { name: "runs", id: "7", data: '{"a":1}' },
      { name: "index", id: "7", data: "1\n2" },
      { name: "", id: "7", data: "no space" },
    ]);
  });

  test("the pieces they come in make no difference", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: TEXT.length }), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), TEXT.length];
        const pieces = places.slice(1).map((end, index) => TEXT.slice(places[index], end));
        expect(read(pieces)).toEqual(read([TEXT]));
      }),
    );
  });

  test("what is not complete is not told", () => {
    expect(read(["event: runs\ndata: 1\n"])).toEqual([]);
  });
});
