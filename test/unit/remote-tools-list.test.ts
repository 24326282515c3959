import { describe, expect, it } from "vitest";
import { readToolsList, withoutInvalidTools } from "../../src/upstream/remote/modern/tools-list.ts";

const good = (name: string): string =>
  `{"name":"${name}", "inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"R"}}}}`;
const bad = (name: string): string =>
  `{ "inputSchema" : {"properties":{"r":{"type":"number","x-mcp-header":"R"}}}, "name" : "${name}"}`;
const REASON = "r: x-mcp-header is on a type other than string, integer and boolean";

const answer = (tools: string, more = ""): string => `{"jsonrpc":"2.0","id":1,"result":{"tools":${tools}${more}}}`;

function filtered(text: string): { text: string; dropped: { name: string | null; reason: string }[] } {
  const list = readToolsList(text);
  return list === null ? { text, dropped: [] } : withoutInvalidTools(text, list);
}
const cut = (tools: string): string => filtered(answer(tools)).text;

describe("a tools/list answer without invalid tools", () => {
  it("is the same text where none is invalid", () => {
    const text = answer(
      `[ ${good("a")} ,{"name":"b","inputSchema":{}},{}, 7 ]`,
      ',"ttlMs":1.0,"big":12345678901234567890',
    );
    expect(filtered(text)).toEqual({ text, dropped: [] });
  });

  it("loses each invalid tool with one comma and not a byte else", () => {
    const [a, b, x, y] = [good("a"), good("b"), bad("x"), bad("y")];
    expect(cut(`[ ${x} , ${a} ]`)).toBe(answer(`[   ${a} ]`));
    expect(cut(`[ ${a} , ${x} ]`)).toBe(answer(`[ ${a}   ]`));
    expect(cut(`[${a},${x},${b}]`)).toBe(answer(`[${a},${b}]`));
    expect(cut(`[${x},${a},${y},${b}]`)).toBe(answer(`[${a},${b}]`));
    expect(cut(`[${x},${y},${a}]`)).toBe(answer(`[${a}]`));
    expect(cut(`[${a},${x},${y}]`)).toBe(answer(`[${a}]`));
    expect(cut(`[${x}\n,\t${y}]`)).toBe(answer("[\n\t]"));
    expect(cut(`[${x}]`)).toBe(answer("[]"));
  });

  it("names those that were dropped and says why", () => {
    const nameless = '{"inputSchema":{"x-mcp-header":"A"}}';
    expect(filtered(answer(`[${bad("x")},${good("a")},${nameless},${bad("\\u00e9")}]`)).dropped).toEqual([
      { name: "x", reason: REASON },
      { name: null, reason: "the schema itself: x-mcp-header stands where no chain of properties leads" },
      { name: "é", reason: REASON },
    ]);
  });

  it("keeps the text of the rest: numbers, escapes, double keys, unusual spaces", () => {
    const odd = '{"name":"o","n":1.0,"n":1e+2,"s":"\\u2028\u2028 \\ud800","inputSchema":{ } }';
    const text = `{"result" : { "x":0.10,"tools":[${bad("x")},${odd}],"_meta":{"k":-0}} , "id":"1"}`;
    expect(filtered(text).text).toBe(`{"result" : { "x":0.10,"tools":[${odd}],"_meta":{"k":-0}} , "id":"1"}`);
  });

  it("is what came where it is an error, no list of tools, or not well formed", () => {
    const others = [
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"tools"}}',
      answer("{}"),
      answer("null"),
      '{"jsonrpc":"2.0","id":1,"result":{"other":[]}}',
      answer(`[${bad("x")}`),
      answer(`[${bad("x")} ${bad("y")}]`),
      "",
      "x",
    ];
    for (const text of others) {
      expect(readToolsList(text)).toBeNull();
      expect(filtered(text).text).toBe(text);
    }
  });

  it("tells how long it is fresh", () => {
    const ttlMs = (raw: string): number | undefined => readToolsList(answer("[]", `,"ttlMs":${raw}`))?.ttlMs;
    expect(ttlMs("300000")).toBe(300_000);
    for (const none of ["0", "-5", '"7"', "null", "1e999", "{}"]) expect(ttlMs(none)).toBe(0);
    expect(readToolsList(answer("[]"))).toEqual({ tools: [], ttlMs: 0 });
  });
});
