import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isExactNumber, parseExact, parsePayload, stringifyExact } from "../../src/core/exact-json.ts";

describe("exact JSON", () => {
  test.each([
    "12345678901234567890",
    "-12345678901234567890.5",
    "1.0",
    "1e400",
    "-0",
    "1E5",
    "0.10",
    "1.7976931348623157e+309",
  ])("keeps %s as it was written", (source) => {
    expect(stringifyExact(parseExact(source))).toBe(source);
    expect(stringifyExact(parseExact(`{"a":[${source}]}`))).toBe(`{"a":[${source}]}`);
    expect(isExactNumber(parseExact(source))).toBe(true);
  });

  test("gives plain numbers where nothing is lost", () => {
    expect(parseExact('{"a":1,"b":-2.5,"c":1e21}')).toEqual({ a: 1, b: -2.5, c: { rawJSON: "1e21" } });
    expect(isExactNumber(1)).toBe(false);
    expect(isExactNumber({ rawJSON: "1" })).toBe(false);
  });

  test("keeps a key called __proto__ a key", () => {
    const text = '{"__proto__":{"admin":1.0},"b":2}';
    expect(stringifyExact(parseExact(text))).toBe(text);
    expect(Object.getPrototypeOf(parseExact(text))).toBe(Object.prototype);
  });

  test("indents", () => {
    expect(stringifyExact(parseExact('{"a":1.0}'), 2)).toBe('{\n  "a": 1.0\n}');
  });

  test("is the identity on any compact JSON text", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(stringifyExact(parseExact(text))).toBe(text);
      }),
    );
  });

  test("throws on what is not JSON, and a payload then reads as its text", () => {
    expect(() => parseExact("{")).toThrow(SyntaxError);
    expect(parsePayload("{oops")).toBe("{oops");
    expect(parsePayload(null)).toBeNull();
    const deep = "[".repeat(1_000_000);
    expect(parsePayload(deep + "]".repeat(1_000_000))).toMatch(/^\[{1000}/);
  });

  test("follows a thousand levels and no more, whatever stands in its strings", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}1.0${"]".repeat(depth)}`;
    const followed = nested(1000);
    expect(stringifyExact(parsePayload(followed))).toBe(followed);
    const page = `{"events":[{"args":{"a":${followed}}}]}`;
    expect(stringifyExact(parseExact(page))).toBe(page);
    expect(() => parseExact(nested(1065))).toThrow(RangeError);
    expect(() => parseExact(`${'{"a":'.repeat(1065)}1${"}".repeat(1065)}`)).toThrow(RangeError);
    expect(parsePayload(nested(1001))).toBe(nested(1001));
    const quoted = JSON.stringify({ a: "[{".repeat(3000), b: '\\"[{'.repeat(3000), c: "\\\\" });
    expect(stringifyExact(parseExact(quoted))).toBe(quoted);
    expect(stringifyExact(parseExact(`[${"[[1]],".repeat(1000)}0]`))).toBe(`[${"[[1]],".repeat(1000)}0]`);
    expect(() => parseExact(`"${"[".repeat(3000)}`)).toThrow(SyntaxError);
  });
});
