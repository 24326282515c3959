import { describe, expect, it } from "vitest";
import { ToolSchemas } from "../../src/upstream/remote/modern/tool-schemas.ts";
import { readToolsList, type ToolsList } from "../../src/upstream/remote/modern/tools-list.ts";

const tool = (name: string, header: string | null): object => ({
  name,
  inputSchema: { properties: header === null ? {} : { p: { type: "string", "x-mcp-header": header } } },
});

function page(ttlMs: number, ...tools: object[]): ToolsList {
  const list = readToolsList(JSON.stringify({ id: 1, result: { tools, ttlMs } }));
  expect(list).not.toBeNull();
  return list ?? { tools: [], ttlMs: 0 };
}

const declared = (name: string): object[] => [{ name, path: ["p"] }];
const UNKNOWN = { state: "unknown", declarations: [] };

describe("the tools last listed", () => {
  it("are unknown before a list, and fresh for as long as the server said", () => {
    const schemas = new ToolSchemas();
    expect(schemas.find("a", 0)).toEqual(UNKNOWN);
    schemas.learn(page(1000, tool("a", "A"), tool("none", null)), true, 5000);
    expect(schemas.find("a", 5999)).toEqual({ state: "fresh", declarations: declared("A") });
    expect(schemas.find("a", 6000)).toEqual({ state: "stale", declarations: declared("A") });
    expect(schemas.find("none", 5000)).toEqual({ state: "fresh", declarations: [] });
    expect(schemas.find("toString", 5000)).toEqual(UNKNOWN);
  });

  it("are stale at once without a time to live, and after the server said that they changed", () => {
    const schemas = new ToolSchemas();
    schemas.learn(page(0, tool("a", "A")), true, 5000);
    expect(schemas.find("a", 5000).state).toBe("stale");
    schemas.learn(page(1000, tool("a", "A")), true, 5000);
    schemas.markStale();
    expect(schemas.find("a", 5000)).toEqual({ state: "stale", declarations: declared("A") });
    expect(schemas.find("b", 5000)).toEqual(UNKNOWN);
    schemas.learn(page(1000, tool("a", "B")), true, 5100);
    expect(schemas.find("a", 5100)).toEqual({ state: "fresh", declarations: declared("B") });
  });

  it("add up over pages, each with its own time, until a list starts anew", () => {
    const schemas = new ToolSchemas();
    schemas.learn(page(1000, tool("a", "A")), true, 0);
    schemas.learn(page(50, tool("b", "B")), false, 10);
    expect(schemas.find("a", 100)).toEqual({ state: "fresh", declarations: declared("A") });
    expect(schemas.find("b", 100)).toEqual({ state: "stale", declarations: declared("B") });
    schemas.learn(page(1000, tool("c", "C")), true, 20);
    expect(schemas.find("a", 20)).toEqual(UNKNOWN);
    expect(schemas.find("c", 20).state).toBe("fresh");
  });

  it("take the last word on a tool, and know an invalid one without declarations", () => {
    const schemas = new ToolSchemas();
    schemas.learn(page(1000, tool("a", "A"), tool("a", "B"), tool("bad", "no token")), true, 0);
    expect(schemas.find("a", 0).declarations).toEqual(declared("B"));
    expect(schemas.find("bad", 0)).toEqual({ state: "fresh", declarations: [] });
  });

  it("are not remembered past a bound, which a list that starts anew gives free", () => {
    const schemas = new ToolSchemas(1000);
    schemas.learn(page(1000, tool("a", "A"), tool("x".repeat(900), "X"), tool("b", null)), true, 0);
    expect(schemas.find("a", 0).declarations).toEqual(declared("A"));
    expect(schemas.find("x".repeat(900), 0)).toEqual(UNKNOWN);
    // The same page again and again takes no more room.
    for (let i = 0; i < 20; i++) schemas.learn(page(1000, tool("b", "B")), false, 0);
    expect(schemas.find("b", 0).declarations).toEqual(declared("B"));
    schemas.learn(page(1000, tool("y".repeat(700), "Y")), true, 0);
    expect(schemas.find("y".repeat(700), 0).state).toBe("fresh");
  });
});
