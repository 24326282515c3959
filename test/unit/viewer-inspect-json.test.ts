import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExact } from "../../src/core/exact-json.ts";
import { needleOf } from "../../src/viewer/inspect/find/find-text.ts";
import { pathText } from "../../src/viewer/inspect/json/json-path.ts";
import { jsonText } from "../../src/viewer/inspect/json/json-text.ts";
import { findInTree, hitNode } from "../../src/viewer/inspect/json/tree-find.ts";
import type { TreeNode } from "../../src/viewer/inspect/json/tree-node.ts";
import { rowText } from "../../src/viewer/inspect/json/tree-row-text.ts";
import {
  canOpen,
  foldBelow,
  openSubtree,
  openWithin,
  rootOf,
  rowsOf,
  uncover,
} from "../../src/viewer/inspect/json/tree-rows.ts";
import { kindOf, memberOf, parseContainer, scalarText } from "../../src/viewer/inspect/json/value.ts";

/** JSON in the inspector: its text, its tree, its paths, whatever the value. */

function nested(levels: number): unknown {
  let value: unknown = "bottom";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}

function byPath(node: TreeNode): string {
  return pathText(node.path());
}

describe("JSON text", () => {
  test("is what JSON.stringify writes, in one line and indented", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const read: unknown = JSON.parse(JSON.stringify(value));
        expect(jsonText(read, 0)).toBe(JSON.stringify(read));
        expect(jsonText(read, 2).replaceAll(/\[\n\s*\]/g, "[]")).toBe(JSON.stringify(read, null, 2));
      }),
      { numRuns: 1000 },
    );
  });

  test("keeps numbers as they were recorded", () => {
    const text = '{"a":12345678901234567890,"b":1.0,"c":[1e400,-0,0.1]}';
    expect(jsonText(parseExact(text), 0)).toBe(text);
    expect(scalarText(parseExact("-0"))).toBe("-0");
    expect(kindOf(parseExact("1.0"))).toBe("number");
  });

  test("of a value that is nested 100,000 levels deep is whole, and no larger than its depth allows", () => {
    const text = jsonText(nested(100_000), 2);
    expect(text.length).toBeLessThan(100_000 * 200);
    expect(text.split("[").length - 1).toBe(50_000);
    expect(text).toContain('"bottom"');
  });

  test("of members that every object has by nature", () => {
    const value: unknown = JSON.parse('{"__proto__":{"x":1},"constructor":null}');
    expect(jsonText(value, 0)).toBe('{"__proto__":{"x":1},"constructor":null}');
    expect(memberOf(value, "__proto__")).toEqual({ x: 1 });
    expect(memberOf({}, "constructor")).toBeUndefined();
    expect(memberOf([], "length")).toBeUndefined();
  });
});

describe("paths", () => {
  test("are JSONPath", () => {
    expect(pathText([])).toBe("$");
    expect(pathText(["a", 0, "b c", "d_1", '"', "__proto__"])).toBe('$.a[0]["b c"].d_1["\\""].__proto__');
    expect(pathText(["body", { within: "json" }, "id"])).toBe("$.body » $.id");
  });
});

describe("the tree", () => {
  test("opens levels within a budget, and always the first", () => {
    const root = rootOf({ few: [1, 2], many: Array.from({ length: 90 }, (_, n) => n), text: "x" });
    openWithin(root, 20);
    expect(rowsOf(root).map((row) => byPath(row.node))).toEqual([
      "$",
      "$.few",
      "$.few[0]",
      "$.few[1]",
      "$.many",
      "$.text",
    ]);
    const wide = rootOf(Array.from({ length: 500 }, (_, n) => n));
    openWithin(wide, 20);
    expect(rowsOf(wide).length).toBe(501);
  });

  test("shows every value once when all is open, in the order of the text", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const read: unknown = JSON.parse(JSON.stringify(value));
        const root = rootOf(read);
        openSubtree(root);
        const paths = rowsOf(root).flatMap((row) => (row.kind === "node" ? [byPath(row.node)] : []));
        const expected: string[] = [];
        const visit = (one: unknown, path: (string | number)[]): void => {
          expected.push(pathText(path));
          if (Array.isArray(one)) for (const [index, item] of one.entries()) visit(item, [...path, index]);
          else if (typeof one === "object" && one !== null)
            for (const [key, member] of Object.entries(one)) visit(member, [...path, key]);
        };
        visit(read, []);
        expect(paths.filter((path) => !path.includes("»"))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("puts the members of large containers into ranges, and finds its way through them", () => {
    const root = rootOf(Array.from({ length: 250_000 }, (_, n) => n));
    expect(root.childCount).toBe(25);
    expect(root.child(3).range).toEqual({ from: 30_000, to: 40_000 });
    const member = root.member(123_456);
    expect(member.value).toBe(123_456);
    expect(byPath(member)).toBe("$[123456]");
    expect(byPath(root.child(24))).toBe("$");
    expect(root.child(24).shownValue()).toHaveLength(10_000);
    const object = rootOf(Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`k${n}`, n])));
    expect(object.childCount).toBe(15);
    expect(byPath(object.member(1499))).toBe("$.k1499");
    expect(Object.keys(object.child(1).shownValue() as object)[0]).toBe("k100");
  });

  test("of 50,000 values makes no node that nobody looks at", () => {
    const rows = Array.from({ length: 12_500 }, (_, id) => ({ id, name: `row ${id}`, tags: ["a"] }));
    let made = 0;
    const watched = rows.map(
      (row) =>
        new Proxy(row, {
          ownKeys(target) {
            made += 1;
            return Reflect.ownKeys(target);
          },
        }),
    );
    const root = rootOf(watched);
    openWithin(root, 60);
    expect(rowsOf(root).length).toBe(126);
    expect(made).toBe(0);
  });

  test("opens, folds and copies what is nested 100,000 levels deep", () => {
    const root = rootOf(nested(100_000));
    expect(openSubtree(root)).toBe(true);
    const rows = rowsOf(root);
    expect(rows.length).toBe(100_001);
    const last = rows.at(-1)?.node;
    expect(last?.path()).toHaveLength(100_000);
    foldBelow(root);
    expect(rowsOf(root).length).toBe(2);
    if (last !== undefined) uncover(last);
    expect(rowsOf(root).length).toBe(100_001);
  });

  test("opens no more than it can show, and says so", () => {
    const root = rootOf(Array.from({ length: 300 }, () => Array.from({ length: 1000 }, () => 0)));
    expect(openSubtree(root)).toBe(false);
    expect(rowsOf(root).length).toBeLessThan(202_000);
    expect(openSubtree(root, 1)).toBe(true);
    expect(rowsOf(root).length).toBe(301);
  });

  test("shows JSON within a string as JSON, or as text", () => {
    const root = rootOf({ body: '{"id":[7]}', no: "[not json" });
    openSubtree(root);
    const body = root.child(0);
    expect(rowsOf(root).map((row) => byPath(row.node))).toEqual(["$", "$.body", "$.no"]);
    openSubtree(body);
    expect(rowsOf(root).map((row) => byPath(row.node))).toContain("$.body » $.id[0]");
    body.isPlainText = true;
    expect(rowsOf(root).map((row) => row.kind)).toEqual(["node", "node", "text", "node"]);
    expect(canOpen(body)).toBe(true);
    expect(canOpen(root.child(1))).toBe(false);
    expect(parseContainer("7")).toBeUndefined();
    expect(parseContainer(" [1")).toBeUndefined();
  });

  test("shows a long text folded with its length, and opened line by line", () => {
    const text = `${"word ".repeat(40)}\nsecond`;
    const root = rootOf({ text });
    openWithin(root, 60);
    const node = root.child(0);
    expect(rowText(node, null)).toMatchObject({ kind: "string", size: "207 characters, 2 lines" });
    expect(rowText(node, null).value.length).toBeLessThan(130);
    node.isOpen = true;
    const pieces = rowsOf(root).flatMap((row) =>
      row.kind === "text" ? [text.slice(row.piece.start, row.piece.end)] : [],
    );
    expect(pieces.join("|")).toBe(`${"word ".repeat(24)}|${"word ".repeat(16)}|second`);
  });

  test("says in one line what a folded value holds", () => {
    const value = { id: 1, name: "a\nb", list: [], deep: { x: 1 }, none: null };
    expect(rowText(rootOf(value), null).value).toBe('{ id: 1, name: "a ⏎ b", list: [], deep: {…}, none: null }');
    expect(rowText(rootOf([1, "x", [2]]), null).value).toBe('[1, "x", […]]');
    expect(rowText(rootOf(Array.from({ length: 99 }, () => 0)), null).value).toBe("[0, 0, 0, 0, 0, 0, 0, 0, …]");
    expect(rowText(rootOf("x".repeat(10_000)), null).value.length).toBeLessThan(140);
  });
});

describe("finding in a tree", () => {
  const find = (value: unknown, query: string) => {
    const root = rootOf(value);
    return findInTree(root, needleOf(query)).map((hit) => byPath(hitNode(hit)));
  };

  test("looks at keys and values, folded or not, without regard to case", () => {
    const value = { Alpha: 1, b: ["x alpha", { c: "ALPHAbet" }], n: 1.5, t: true };
    expect(find(value, "alpha")).toEqual(["$.Alpha", "$.b[0]", "$.b[1].c"]);
    expect(find(value, "1.5")).toEqual(["$.n"]);
    expect(find(value, "tru")).toEqual(["$.t"]);
    expect(find(value, "")).toEqual([]);
    expect(find("some text", "TEXT")).toEqual(["$"]);
  });

  test("finds what is at the bottom of 100,000 levels, and among 250,000 items", () => {
    const deep = rootOf(nested(100_000));
    const [hit] = findInTree(deep, "bottom");
    expect(hit === undefined ? 0 : hitNode(hit).depth).toBe(100_000);
    expect(
      find(
        Array.from({ length: 250_000 }, (_, n) => n),
        "249999",
      ),
    ).toEqual(["$[249999]"]);
  });

  test("shows a hit that stands far into a long text", () => {
    const text = `${"a ".repeat(500)}needle${" b".repeat(500)}`;
    expect(rowText(rootOf(text), "needle").value).toContain("needle");
  });
});
