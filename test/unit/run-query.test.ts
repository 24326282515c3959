import { describe, expect, test } from "vitest";
import { parseRunQuery, type RunQuery } from "../../src/core/run-query.ts";

const NOW = new Date(2026, 10, 24, 14, 0).getTime();
const HOUR = 3_600_000;
const parse = (text: string) => parseRunQuery(text, NOW);

/** What a query says beside its tokens: only what differs from the empty one. */
function meaning(text: string): Partial<RunQuery> {
  const { tokens: _tokens, ...query } = parse(text);
  const { tokens: _none, ...empty } = parse("");
  return Object.fromEntries(
    Object.entries(query).filter(([key, value]) => !Bun.deepEquals(value, empty[key as keyof typeof empty])),
  );
}

describe("a query", () => {
  test.each<[string, Partial<RunQuery>]>([
    ["", {}],
    ["   ", {}],
    ["weather Paris", { words: ["weather", "Paris"] }],
    ['"weather in Paris" now', { words: ["weather in Paris", "now"] }],
    ['"never closed', { words: ["never closed"] }],
    ['a" b "c', { words: ["a b c"] }],
    ["tool:get-sum", { tools: ["get-sum"] }],
    ['tool:"my tool" TOOL:other', { tools: ["my tool", "other"] }],
    ["server:files host:claude-code", { servers: ["files"], hosts: ["claude-code"] }],
    ["status:failed status:Abandoned", { statuses: ["failed", "abandoned"] }],
    ["is:error is:lossy is:running", { isError: true, isLossy: true, isRunning: true }],
    ["is:Incomplete", { isLossy: true }],
    ["after:2026-11-20", { startedFrom: new Date(2026, 10, 20).getTime() }],
    ["before:2026-11-20T10:30", { startedBefore: new Date(2026, 10, 20, 10, 30).getTime() }],
    ['after:"2026-11-20 10:30"', { startedFrom: new Date(2026, 10, 20, 10, 30).getTime() }],
    ["after:2h", { startedFrom: NOW - 2 * HOUR }],
    ["before:3d", { startedBefore: NOW - 72 * HOUR }],
    ["after:2h after:5h before:1h before:30m", { startedFrom: NOW - 5 * HOUR, startedBefore: NOW - HOUR / 2 }],
    [
      "http://example.com/a:b C:\\dir 12:30 error:",
      { words: ["http://example.com/a:b", "C:\\dir", "12:30", "error:"] },
    ],
    ['"tool:x"', { words: ["tool:x"] }],
    ["天气 übung", { words: ["天气", "übung"] }],
  ])("%j", (text, expected) => {
    expect(meaning(text)).toEqual(expected);
  });

  test.each([
    ["status:over", "status:over", "`status:` takes one of"],
    ["x is:fine", "is:fine", "`is:` takes one of error"],
    ["after:soon y", "after:soon", "Write a date"],
    ["before:2026-02-31", "before:2026-02-31", "Write a date"],
    ["tool:", "tool:", "`tool:` needs a value"],
    ['host:""', 'host:""', "`host:` needs a value"],
    ["-> x", "->", "Only letters and digits"],
  ])("%j tells what is wrong, where, and leaves it out", (text, part, message) => {
    const { issues, tokens, words } = parse(text);
    expect(issues).toHaveLength(1);
    const [issue] = issues;
    expect(text.slice(issue?.start, issue?.end)).toBe(part);
    expect(issue?.message).toContain(message);
    expect(tokens.filter(({ isUnderstood }) => !isUnderstood)).toHaveLength(1);
    expect(words).toEqual(text.split(" ").filter((word) => /^[xy]$/.test(word)));
  });

  test("has so many words at most", () => {
    const { words, issues } = parse("word ".repeat(20));
    expect(words).toHaveLength(16);
    expect(issues.map(({ message }) => message)).toEqual(Array(4).fill("At most 16 words are looked for."));
  });

  test("tells the parts of its text in order, with the place of each value", () => {
    const text = 'one tool:"my tool" is:error';
    expect(
      parse(text).tokens.map(({ start, end, key, valueStart, value }) => [
        text.slice(start, end),
        key,
        text.slice(valueStart, end),
        value,
      ]),
    ).toEqual([
      ["one", null, "one", "one"],
      ['tool:"my tool"', "tool", '"my tool"', "my tool"],
      ["is:error", "is", "error", "error"],
    ]);
  });
});
