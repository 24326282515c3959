import { describe, expect, test } from "vitest";
import { hasTerms, parseRunFilter, toggledTool, unknownKey } from "../../src/viewer/run/run-filter.ts";

describe("the filter of a run", () => {
  test("tells what it cannot understand, and leaves it out", () => {
    const filter = parseRunFilter('owl is:broken status:failed is:error host:"my app"');
    expect(filter).toMatchObject({ words: ["owl"], states: ["error"] });
    expect(filter.issues).toEqual([
      {
        term: "is:broken",
        message: "is: takes one of error, denied, cancelled, lost, running, slow, truncated, note",
      },
      { term: "status:failed", message: "status: is a key of the list of runs" },
      { term: 'host:"my app"', message: "host: is a key of the list of runs" },
    ]);
    expect(parseRunFilter("is: tool:").issues).toEqual([]);
  });

  test.each([
    ["foo:bar", "foo:"],
    ["owl foo:bar", "foo:"],
    ["http://a.example", null],
    ["error: no such file", null],
    ["owl", null],
  ])("%s may have meant the key %s", (text, key) => {
    expect(unknownKey(parseRunFilter(text))).toBe(key);
  });

  describe("by a tool of a server", () => {
    const read = { server: "server:files", tool: "tool:read" };
    const write = { server: "server:files", tool: "tool:write" };
    const other = { server: "server:web", tool: "tool:read" };
    const own = { server: null, tool: "tool:Bash" };
    const all = [read, write, other, own];

    test("asks for both", () => {
      expect(toggledTool("owl", read, all)).toBe("owl server:files tool:read");
      expect(toggledTool("", own, all)).toBe("tool:Bash");
      expect(toggledTool("server:files tool:read", write, all)).toBe("server:files tool:read tool:write");
    });

    test("and takes back what no other tool needs", () => {
      expect(toggledTool("owl server:files tool:read", read, all)).toBe("owl");
      expect(toggledTool("server:files tool:read tool:write", read, all)).toBe("server:files tool:write");
      expect(toggledTool("server:files tool:read server:web", read, all)).toBe("tool:read server:web");
    });

    test("is on only where all of its terms are", () => {
      expect(hasTerms("tool:read_file", ["tool:read"])).toBe(false);
      expect(hasTerms("TOOL:read server:files", ["server:files", "tool:read"])).toBe(true);
    });
  });
});
