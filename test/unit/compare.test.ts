import { describe, expect, test } from "vitest";
import { compareRuns } from "../../src/core/compare.ts";
import type { Comparison, ComparisonRow } from "../../src/core/comparison.ts";
import { parseExact } from "../../src/core/exact-json.ts";
import { type Made, madeRun } from "./compare-fixture.ts";

function compared(left: readonly Made[], right: readonly Made[]): Comparison {
  return compareRuns(madeRun("a", left), madeRun("b", right));
}

/** `1=1` the same, `2~3 arguments`, `4-` only left, `+4` only right; positions from 1. */
function short({ left, right, differs }: ComparisonRow): string {
  const [l, r] = [left === null ? "" : left.index + 1, right === null ? "" : right.index + 1];
  if (left === null) return `+${r}`;
  if (right === null) return `${l}-`;
  return differs.length === 0 ? `${l}=${r}` : `${l}~${r} ${differs.join()}`;
}

const shorts = ({ rows }: Comparison) => rows.map(short);
const read = (path: string, more: Made = {}): Made => ({ args: { path }, ...more });

describe("what two runs have in common", () => {
  test("is all of it for the same calls, whatever their ids and times", () => {
    const calls = [read("/a"), read("/b"), { tool: "write", args: { path: "/b", text: "x" } }];
    const comparison = compared(
      calls,
      calls.map((call) => ({ ...call, gap: 5000, ms: 700, callId: "other" })),
    );
    expect(shorts(comparison)).toEqual(["1=1", "2=2", "3=3"]);
    expect(comparison.firstDifference).toBeNull();
    expect(comparison.counts).toEqual({ same: 3, changed: 0, leftOnly: 0, rightOnly: 0 });
  });

  test("the order of keys is no difference, the value of a number is", () => {
    const args = (text: string): Made => ({ args: parseExact(text) });
    expect(shorts(compared([args('{"a":1,"b":2.0}')], [args('{"b":2,"a":1.0}')]))).toEqual(["1=1"]);
    expect(shorts(compared([args('{"n":12345678901234567890}')], [args('{"n":12345678901234567891}')]))).toEqual([
      "1~1 arguments",
    ]);
    expect(shorts(compared([args('{"n":1e400}')], [args('{"n":10e399}')]))).toEqual(["1=1"]);
  });

  test("what came back is told apart from what was asked", () => {
    const error: Made = { status: "error", isError: true, result: null, rpcError: { code: -32602, message: "no" } };
    expect(shorts(compared([read("/a")], [read("/a", { result: "other" })]))).toEqual(["1~1 result"]);
    expect(shorts(compared([read("/a")], [read("/a", error)]))).toEqual(["1~1 result,status"]);
    expect(shorts(compared([read("/a", error)], [read("/a", error)]))).toEqual(["1=1"]);
    expect(shorts(compared([read("/a")], [read("/a", { status: "lost" })]))).toEqual(["1~1 status"]);
  });

  test("prompt and answer are compared", () => {
    const left = madeRun("a", [], { input: "do it", finalAnswer: "done" });
    expect(compareRuns(left, madeRun("b", [], { input: "do it" }))).toMatchObject({
      sameInput: true,
      sameAnswer: false,
    });
    expect(compareRuns(left, { ...left, id: "b" })).toMatchObject({ sameInput: true, sameAnswer: true, rows: [] });
  });
});

describe("calls find each other", () => {
  test("around one that is only on one side", () => {
    const [a, b, c] = [read("/a"), read("/b"), read("/c")];
    const comparison = compared([a, b, c], [a, c]);
    expect(shorts(comparison)).toEqual(["1=1", "2-", "3=2"]);
    expect(comparison.firstDifference).toBe(1);
    expect(shorts(compared([a, c], [a, b, c]))).toEqual(["1=1", "+2", "2=3"]);
  });

  test("by the tool, with the arguments that are most alike", () => {
    const left = [read("/src/parser.ts"), read("/src/printer.ts")];
    const right = [read("/docs/readme.md"), read("/src/parser.test.ts"), read("/src/printer.test.ts")];
    expect(shorts(compared(left, right))).toEqual(["+1", "1~2 arguments", "2~3 arguments"]);
  });

  test("not across tools or servers", () => {
    expect(shorts(compared([read("/a")], [{ ...read("/a"), tool: "write" }]))).toEqual(["1-", "+1"]);
    expect(shorts(compared([read("/a")], [{ ...read("/a"), server: "other" }]))).toEqual(["1-", "+1"]);
  });

  test("the longest part that both have in order is what stays; what moved is on both sides alone", () => {
    const [a, b, c, d] = ["/a", "/b", "/c", "/d"].map((path) => ({ tool: path.slice(1), args: { path } }));
    if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error("four calls");
    expect(shorts(compared([a, b, c, d], [b, c, d, a]))).toEqual(["1-", "2=1", "3=2", "4=3", "+4"]);
  });

  test("repeated calls are not mixed up", () => {
    const poll: Made = { tool: "poll", args: {} };
    expect(compared([poll, poll, read("/a"), poll], [poll, read("/a"), poll]).counts).toEqual({
      same: 3,
      changed: 0,
      leftOnly: 1,
      rightOnly: 0,
    });
  });
});

describe("calls that were under way at the same time", () => {
  const together = (paths: readonly string[]) =>
    paths.map((path, index) => read(path, { gap: index === 0 ? 10 : 1, ms: 50 }));

  test("may have been made in another order", () => {
    const comparison = compared(together(["/a", "/b", "/c", "/d"]), together(["/d", "/c", "/b", "/a"]));
    expect(comparison.firstDifference).toBeNull();
    expect(shorts(comparison).sort()).toEqual(["1=4", "2=3", "3=2", "4=1"]);
  });

  test("calls that waited for one another may not", () => {
    const [a, b] = [
      { tool: "a", args: {} },
      { tool: "b", args: {} },
    ];
    expect(compared([a, b], [b, a]).counts).toEqual({ same: 1, changed: 0, leftOnly: 1, rightOnly: 1 });
  });

  test("only the calls that ran together may change places", () => {
    const left = [...together(["/a", "/b"]), read("/c", { gap: 100 })];
    const right = [read("/c"), ...together(["/b", "/a"]).map((call) => ({ ...call, gap: (call.gap ?? 0) + 1 }))];
    const { counts } = compared(left, right);
    expect(counts).toMatchObject({ same: 2, leftOnly: 1, rightOnly: 1 });
  });
});

describe("agents", () => {
  const by = (agentId: string | null, ...paths: string[]) => paths.map((path) => read(path, { agentId }));

  test("are found again by what they did, under other names and in another order", () => {
    const left = [...by("x1", "/a", "/b", "/c"), ...by("x2", "/k", "/l"), ...by(null, "/z")];
    const right = [...by("y9", "/k", "/l"), ...by("y8", "/a", "/b", "/c"), ...by(null, "/z")];
    expect(compared(left, right).firstDifference).toBeNull();
  });

  test("calls of an agent are not calls of the one that sent it out", () => {
    expect(shorts(compared(by("x1", "/a"), by(null, "/a")))).toEqual(["1-", "+1"]);
  });

  test("an agent that only one run had stands alone", () => {
    const left = [...by(null, "/a"), ...by(null, "/z")];
    const right = [...by(null, "/a"), ...by("y1", "/m", "/n"), ...by(null, "/z")];
    expect(shorts(compared(left, right))).toEqual(["1=1", "+2", "+3", "2=4"]);
    expect(shorts(compared(right, left))).toEqual(["1=1", "2-", "3-", "4=2"]);
  });
});

describe("runs of any length", () => {
  test("5,000 calls against 5,000 with nothing in common, and with all of it repeated", () => {
    const many = (make: (index: number) => Made) => Array.from({ length: 5_000 }, (_, index) => make(index));
    const apart = compared(
      many((i) => read(`/left/${i}`)),
      many((i) => read(`/right/${i}`)),
    );
    expect(apart.counts).toEqual({ same: 0, changed: 5_000, leftOnly: 0, rightOnly: 0 });
    expect(
      compared(
        many(() => read("/a")),
        many(() => read("/a")),
      ).counts.same,
    ).toBe(5_000);
    const shifted = compared(
      many((i) => read(`/${i}`)),
      many((i) => read(`/${i + 1}`)),
    );
    expect(shifted.counts).toEqual({ same: 4_999, changed: 0, leftOnly: 1, rightOnly: 1 });
  });

  test("what is too long for one table is still found, where it did not move far", () => {
    const many = (length: number, from: number) => Array.from({ length }, (_, index) => read(`/${index + from}`));
    expect(compared(many(30_000, 0), many(30_000, 500)).counts).toEqual({
      same: 29_500,
      changed: 0,
      leftOnly: 500,
      rightOnly: 500,
    });
    expect(compared(many(40_000, 0), many(100, 39_000)).counts).toMatchObject({ same: 100, leftOnly: 39_900 });
  });

  test("arguments as deep as a reader can read them", () => {
    const deep = parseExact(`${'{"a":['.repeat(490)}1${"]}".repeat(490)}`);
    const other = parseExact(`${'{"a":['.repeat(490)}2${"]}".repeat(490)}`);
    expect(shorts(compared([{ args: deep }], [{ args: other }]))).toEqual(["1~1 arguments"]);
    expect(shorts(compared([{ args: deep }], [{ args: structuredClone(deep) }]))).toEqual(["1=1"]);
  });
});
