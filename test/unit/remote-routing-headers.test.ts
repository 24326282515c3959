import { describe, expect, it } from "vitest";
import { readHostLine } from "../../src/upstream/remote/message-meta.ts";
import { encodedHeaderValue } from "../../src/upstream/remote/modern/header-value.ts";
import { routingHeaders } from "../../src/upstream/remote/modern/routing-headers.ts";
import { sdkClient } from "./remote-sdk-fixture.ts";

const headersOf = (line: string): Record<string, string> =>
  Object.fromEntries(readHostLine(line).messages.flatMap((message) => [...routingHeaders(message)]));

const inSmallLetters = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const modern = (method: string, params: object, version = "2026-07-28"): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: { ...params, _meta: { "io.modelcontextprotocol/protocolVersion": version } },
  });

describe("the value of a header", () => {
  it("is encoded as in the specification's examples", () => {
    expect(encodedHeaderValue("us-west1")).toBe("us-west1");
    expect(encodedHeaderValue("Hello, 世界")).toBe("=?base64?SGVsbG8sIOS4lueVjA==?=");
    expect(encodedHeaderValue(" padded ")).toBe("=?base64?IHBhZGRlZCA=?=");
    expect(encodedHeaderValue("line1\nline2")).toBe("=?base64?bGluZTEKbGluZTI=?=");
    expect(encodedHeaderValue("=?base64?literal?=")).toBe("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
  });

  it("is itself only where printable ASCII with inner spaces and tabs can hold it", () => {
    for (const plain of ["a", "a b", "a\tb", "~!", "file:///a%20b?c=d", "=?base64?x", "x?=", "=?BASE64?x?=", "?"]) {
      expect(encodedHeaderValue(plain)).toBe(plain);
    }
    const unsafe = [
      "",
      " ",
      "a ",
      "\ta",
      "a\r\nX: y",
      "a\r",
      "a\n",
      "\0",
      "\x7f",
      "é",
      "\u00a0a",
      "\u2028",
      "=?base64??=",
      "=?base64?=",
    ];
    for (const value of unsafe) {
      const encoded = encodedHeaderValue(value);
      expect(encoded).toMatch(/^=\?base64\?[A-Za-z0-9+/]*={0,2}\?=$/);
      expect(Buffer.from(encoded.slice(9, -2), "base64").toString()).toBe(value);
    }
  });
});

describe("routing headers", () => {
  it("are none for a legacy message", () => {
    expect(headersOf('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}')).toEqual({});
    expect(headersOf('{"jsonrpc":"2.0","id":1,"result":{}}')).toEqual({});
  });

  it("repeat version, method and what the method names", () => {
    expect(headersOf(modern("tools/call", { name: "get_weather", uri: "no" }))).toEqual({
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": "get_weather",
    });
    expect(headersOf(modern("resources/read", { uri: "file:///ü", name: "no" }))).toEqual({
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "resources/read",
      "Mcp-Name": "=?base64?ZmlsZTovLy/DvA==?=",
    });
    expect(headersOf(modern("tools/list", { name: "no" }, "2027-01-01"))).toEqual({
      "MCP-Protocol-Version": "2027-01-01",
      "Mcp-Method": "tools/list",
    });
  });

  it("leave out what no header can hold, so that nothing can be smuggled into one", () => {
    expect(headersOf(modern("a\r\nX-Evil: 1", { name: "no" }, "2026\n"))).toEqual({});
    expect(headersOf(modern("tools/call", { name: "a\r\nX-Evil: 1" }))["Mcp-Name"]).toBe(
      `=?base64?${Buffer.from("a\r\nX-Evil: 1").toString("base64")}?=`,
    );
  });

  it("are those that the official client sends", async () => {
    const { client, sent } = await sdkClient([]);
    const names = [
      "plain",
      " padded",
      "tab\tin",
      "ünïcode",
      "a\nb",
      "=?base64?eA==?=",
      "=?base64?=",
      "",
      "a\u007f",
      "x".repeat(500),
    ];
    for (const name of names) {
      await client.callTool({ name, arguments: { name: "other" } });
      await client.getPrompt({ name });
      await client.readResource({ uri: `x:${name}` });
    }
    await client.listTools();
    expect(sent.length).toBeGreaterThan(3 * names.length);
    for (const { headers, body } of sent) expect(inSmallLetters(headersOf(body))).toEqual(headers);
  });
});
