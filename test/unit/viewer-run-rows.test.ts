import { describe, expect, test } from "vitest";
import { tellStory } from "../../src/core/story.ts";
import { FilterText, parseRunFilter, termOf, toggledTerm } from "../../src/viewer/run/run-filter.ts";
import { callLine } from "../../src/viewer/run/story/call-line.ts";
import { planLines } from "../../src/viewer/run/story/plan-lines.ts";
import { agentsAround, rowsOf } from "../../src/viewer/run/story/run-rows.ts";
import { isSlow, slowThreshold } from "../../src/viewer/run/story/slow-calls.ts";
import { allParts, nextKey } from "../../src/viewer/run/story/story-order.ts";
import { substringMarks } from "../../src/viewer/run/story/substring-marks.ts";
import { toolUse } from "../../src/viewer/run/tool-use.ts";
import { storyNote, storyRun, storyStep } from "./story-fixture.ts";

const STORY = tellStory(
  storyRun({
    input: "Find the owl",
    finalAnswer: "It is in the barn.",
    steps: [
      storyStep("read", 10, { tool: "Read", server: null, qualifiedName: "Read", args: { path: "/barn" } }),
      storyStep("launch", 20, { tool: "Agent", server: null, result: { agentId: "a1" }, durationMs: 500 }),
      storyStep("inside", 30, { agentId: "a1", tool: "search", args: { query: "Owl" } }),
      storyStep("failed", 40, { agentId: "a1", tool: "search", status: "error", error: "no owl" }),
      storyStep("last", 900, { tool: "write", status: "denied", error: "not allowed" }),
    ],
    notes: [storyNote(7, 5, { kind: "thought", text: "Owls live in barns." })],
    gaps: [{ reason: "rejected", lost: 2, at: 800 }],
  }),
);

function keys(filter: string, folded: readonly string[] = []): string {
  const choice = { filter: parseRunFilter(filter), folded: new Set(folded), slowMs: 400 };
  const { rows, matchCount } = rowsOf(STORY, choice, new FilterText());
  return `${rows.map(({ key, depth, isMatch }) => `${">".repeat(depth)}${key}${isMatch ? "" : "~"}`).join(" ")} (${matchCount})`;
}

describe("the rows of a story", () => {
  test("stand in order, those of an agent inside its call", () => {
    expect(keys("")).toBe("prompt note-7 read launch >inside >failed gap-0~ last answer end~ (8)");
  });

  test("of an agent that is folded away are left out", () => {
    expect(keys("", ["a1"])).toBe("prompt note-7 read launch gap-0~ last answer end~ (6)");
  });

  test.each([
    ["owl", "prompt note-7 launch~ >inside >failed (4)"],
    ["is:error", "launch~ >failed (1)"],
    ["is:error is:denied", "launch~ >failed last (2)"],
    ["tool:search", "launch~ >inside >failed (2)"],
    ["tool:SEARCH owl is:error", "launch~ >failed (1)"],
    ["tool:read tool:write", "read last (2)"],
    ["server:s", "launch~ >inside >failed last (3)"],
    ["agent:main", "note-7 read launch last (4)"],
    ["is:note", "note-7 (1)"],
    ['"not allowed"', "last (1)"],
    ["barn tool:Read", "read (1)"],
    ["nowhere", " (0)"],
  ])("%s finds %s", (filter, rows) => {
    expect(keys(filter)).toBe(rows);
  });

  test("a filter reaches into what is folded", () => {
    expect(keys("is:error", ["a1"])).toBe("launch~ >failed (1)");
  });

  test("knows which agents to unfold for a call", () => {
    expect(agentsAround(STORY, "failed")).toEqual(["a1"]);
    expect(agentsAround(STORY, "read")).toEqual([]);
  });

  test("are as many as there are parts, however deep they are nested", () => {
    const depth = 3000;
    const steps = Array.from({ length: depth }, (_, index) =>
      storyStep(`s${index}`, index, {
        server: null,
        tool: "Agent",
        agentId: index === 0 ? null : `a${index}`,
        result: { agentId: `a${index + 1}` },
      }),
    );
    const story = tellStory(storyRun({ steps }));
    const { rows } = rowsOf(story, { filter: parseRunFilter(""), folded: new Set(), slowMs: 1 }, new FilterText());
    expect(rows).toHaveLength(depth + 1);
    expect(rows.at(-2)).toMatchObject({ key: `s${depth - 1}`, depth: depth - 1 });
    expect(allParts(story)).toHaveLength(depth);
  });
});

describe("going through a story", () => {
  const parts = allParts(STORY);
  const isFailed = ({ key }: { key: string }) => key === "failed" || key === "last";

  test("finds the next and the previous, and goes on from the other end", () => {
    expect(nextKey(parts, null, 1, isFailed)).toBe("failed");
    expect(nextKey(parts, "failed", 1, isFailed)).toBe("last");
    expect(nextKey(parts, "last", 1, isFailed)).toBe("failed");
    expect(nextKey(parts, "read", -1, isFailed)).toBe("last");
    expect(nextKey(parts, "last", 1, isFailed, false)).toBeNull();
    expect(nextKey(parts, "read", 1, () => false)).toBeNull();
    expect(nextKey([], null, 1, () => true)).toBeNull();
  });
});

describe("what rows say", () => {
  test.each([
    [{ command: "npm test", description: "Runs" }, 'npm test  description: "Runs"'],
    [{ limit: 3, path: "/a b" }, "/a b  limit: 3"],
    [{ a: [1, { b: null }] }, 'a: [1,{"b":null}]'],
    [null, ""],
    ["text", '"text"'],
    [[1, 2], "[1,2]"],
    [{ brief: true, length: 9999, head: '{"command":"echo \\"hi\\\\n' }, 'echo "hi\\n'],
    [
      { brief: true, length: 9999, head: '{"n":{"x":[1,2]},"query":"owls","long":"abc' },
      'owls  n: {"x":[1,2]}  long: "abc',
    ],
    [{ truncated: true, originalBytes: 5_000_000, head: "{", tail: "}" }, "(arguments of 4.8 MiB)"],
    [{ __proto__: 1, "\u202e": "\u0000" }, '\\u{202e}: "\\u0000"'],
  ])("%j as one line", (args, line) => {
    expect(callLine(args)).toBe(line);
  });

  test("a line stays short, whatever the arguments", () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, "x".repeat(100)]));
    expect(callLine(many).length).toBeLessThanOrEqual(400);
    expect(callLine({ command: "x".repeat(1_000_000) }).length).toBeLessThanOrEqual(400);
    expect(callLine({ brief: true, length: 9999, head: "[".repeat(600) }).length).toBeLessThanOrEqual(400);
  });

  test("a plan reads as a list", () => {
    const todos = [
      { content: "Look", status: "completed" },
      { content: "Fix", status: "in_progress" },
      { title: "Tell", status: "pending" },
      { odd: 1 },
    ];
    expect(planLines(JSON.stringify({ todos }))).toBe('✓ Look\n▸ Fix\n○ Tell\n○ {"odd":1}');
    expect(planLines("1. Look\n2. Fix")).toBe("1. Look\n2. Fix");
    expect(planLines('{"todos":')).toBe('{"todos":');
    expect(planLines("[1,2]")).toBe("[1,2]");
    expect(planLines('[{"status":"__proto__","content":"x"}]')).toBe("○ x");
  });

  test("the tools it used, most often first", () => {
    expect(toolUse(STORY.run.steps).map(({ name, count }) => `${name} ${count}`)).toEqual([
      "s › search 2",
      "Read 1",
      "mcp__s__t 1",
      "s › write 1",
    ]);
  });

  test("marks words wherever they stand", () => {
    expect(substringMarks("Owl, owls", ["owl"])).toEqual([
      { start: 0, end: 3 },
      { start: 5, end: 8 },
    ]);
    expect(substringMarks("İowl", ["owl"])).toEqual([]);
  });

  test("terms are put in and taken out again", () => {
    expect(toggledTerm("owl", "is:error")).toBe("owl is:error");
    expect(toggledTerm("owl is:error", "is:error")).toBe("owl");
    expect(termOf("tool", "my tool")).toBe('tool:"my tool"');
    expect(toggledTerm('x tool:"my tool"', termOf("tool", "my tool"))).toBe("x");
    expect(parseRunFilter('tool:"my tool" a "b c"')).toMatchObject({ tools: ["my tool"], words: ["a", "b c"] });
  });
});

describe("slow calls", () => {
  const lasting = (...durations: number[]) =>
    durations.map((durationMs, index) => storyStep(`s${index}`, index, { durationMs }));

  test("of few calls are those far over the usual", () => {
    expect(slowThreshold(lasting(100))).toBe(Number.POSITIVE_INFINITY);
    expect(slowThreshold(lasting(100, 200, 300))).toBe(2000);
    expect(slowThreshold(lasting(1000, 1000, 9000))).toBe(5000);
  });

  test("of many calls are the slowest twentieth", () => {
    const steps = lasting(...Array.from({ length: 100 }, (_, index) => (index + 1) * 100));
    const slowMs = slowThreshold(steps);
    expect(steps.filter((step) => isSlow(step, slowMs)).length).toBeLessThanOrEqual(6);
    expect(steps.filter((step) => isSlow(step, slowMs)).length).toBeGreaterThanOrEqual(5);
  });

  test("neither waiting for a person nor launching an agent makes a call slow", () => {
    expect(isSlow(storyStep("a", 0, { durationMs: 9000, waitingMs: 8900 }), 2000)).toBe(false);
    expect(isSlow(storyStep("a", 0, { durationMs: 9000, server: null, tool: "Task" }), 2000)).toBe(false);
    expect(isSlow(storyStep("a", 0, { durationMs: 9000 }), 2000)).toBe(true);
  });
});
