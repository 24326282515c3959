import { describe, expect, test } from "vitest";
import { innerChange, lineChanges, withoutSame } from "../../src/core/compare/line-diff.ts";
import { valueChanges } from "../../src/core/compare/value-diff.ts";
import { parseExact } from "../../src/core/exact-json.ts";

describe("the difference of two values", () => {
  const told = (left: string, right: string) => valueChanges(parseExact(left), parseExact(right), "arguments").changes;

  test("names each value by its path", () => {
    expect(
      told('{"path":"/a","deep":{"x y":[1,2]},"gone":1}', '{"path":"/b","deep":{"x y":[1,3]},"new":null}'),
    ).toEqual([
      { kind: "changed", path: "arguments.path", left: "/a", right: "/b" },
      { kind: "changed", path: 'arguments.deep["x y"][1]', left: 2, right: 3 },
      { kind: "removed", path: "arguments.gone", left: 1 },
      { kind: "added", path: "arguments.new", right: null },
    ]);
  });

  test("finds items again that moved along", () => {
    expect(told('["a","b","c"]', '["new","a","b","c"]')).toEqual([
      { kind: "added", path: "arguments[0]", right: "new" },
    ]);
    expect(told('["a","b","c"]', '["a","c"]')).toEqual([{ kind: "removed", path: "arguments[1]", left: "b" }]);
    expect(told('[{"id":1,"v":"x"},{"id":2}]', '[{"id":1,"v":"y"},{"id":2}]')).toEqual([
      { kind: "changed", path: "arguments[0].v", left: "x", right: "y" },
    ]);
  });

  test("a key that objects have by themselves is a key like others", () => {
    expect(
      told('{"__proto__":1,"constructor":2}', '{"toString":3}').map(({ kind, path }) => `${kind} ${path}`),
    ).toEqual(["removed arguments.__proto__", "removed arguments.constructor", "added arguments.toString"]);
  });

  test("tells so many and counts the others", () => {
    const items = (from: number) => Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i + from]));
    const { changes, more } = valueChanges(items(0), items(1), "v", 20);
    expect([changes.length, more]).toEqual([20, 30]);
  });

  test("what is nested very deeply is one value", () => {
    const deep = (end: string) => parseExact(`${'{"a":['.repeat(490)}${end}${"]}".repeat(490)}`);
    expect(valueChanges(deep("1"), deep("2"), "v").changes).toHaveLength(1);
    expect(valueChanges(deep("1"), deep("1"), "v").changes).toEqual([]);
  });
});

describe("the difference of two texts", () => {
  const signed = (left: string, right: string) => lineChanges(left, right).map(({ sign, text }) => sign + text);

  test("is told by lines, what was taken away first", () => {
    expect(signed("a\nb\nc\n", "a\nx\ny\nc")).toEqual([" a", "-b", "+x", "+y", " c"]);
    expect(signed("", "a")).toEqual(["+a"]);
    expect(signed("a\r\nb", "a\nb")).toEqual([" a", " b"]);
  });

  test("leaves out what both have, but for the lines around", () => {
    const many = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const parts = withoutSame(lineChanges(many.join("\n"), many.with(10, "other").join("\n")), 2);
    expect(parts.map((part) => ("skipped" in part ? part.skipped : part.sign + part.text))).toEqual([
      8,
      " line 8",
      " line 9",
      "-line 10",
      "+other",
      " line 11",
      " line 12",
      7,
    ]);
    expect(withoutSame(lineChanges("a\nb", "a\nb"))).toEqual([{ skipped: 2 }]);
  });

  test("within a line, never through a character", () => {
    expect(innerChange("const a = 1;", "const b = 1;")).toEqual({ before: 6, behind: 5 });
    expect(innerChange("aa", "aaa")).toEqual({ before: 2, behind: 0 });
    expect(innerChange("x\u{1f600}y", "x\u{1f601}y")).toEqual({ before: 1, behind: 1 });
  });
});
