/**
 * `Mcp-Param-*`: what a tool's schema asks to be said in headers, by the schema that was seen last. And the one change that a
 * client has to make to what passes: tools whose annotations are wrong are not listed.
 */

import { describe, expect } from "vitest";
import type { PeerTool } from "../fakes/http-peer/answers.ts";
import type { HttpPeer } from "../fakes/http-peer/http-peer.ts";
import { ModernMcp } from "../fakes/http-peer/modern-mcp.ts";
import { legacySession, MODERN_META, modern, startRemote } from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";

const base64 = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

const tool = (properties: object, name = "query"): PeerTool => ({ name, inputSchema: { type: "object", properties } });

const QUERY = tool({
  region: { type: "string", "x-mcp-header": "Region" },
  count: { type: "integer", "x-mcp-header": "X-Count" },
  dry: { type: "boolean", "x-mcp-header": "dry" },
  plain: { type: "string" },
  deep: { type: "object", properties: { er: { type: "string", "x-mcp-header": "Deep.Er" } } },
});

/** A strict server with these tools, which the host has listed. */
async function listed(box: Sandbox, peer: HttpPeer, tools: readonly PeerTool[], ttlMs?: number) {
  const server = new ModernMcp({ tools, ...(ttlMs === undefined ? {} : { ttlMs }) });
  peer.serve(server.handle);
  const host = startRemote(box, peer);
  await host.request("list", "tools/list", modern());
  return { host, server };
}

async function callHeaders(host: RunningProcess, peer: HttpPeer, args: object | string, name = "query") {
  const id = crypto.randomUUID();
  const text = typeof args === "string" ? args : JSON.stringify(args);
  const params = JSON.stringify(modern({ name })).replace(/^\{/, `{"arguments":${text},`);
  await host.write(`{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":${params}}\n`);
  const answer = await host.stdout.untilAnswer(id);
  const exchanges = peer.like((exchange) => exchange.message.id === id);
  return { answer, headers: exchanges.map((exchange) => exchange.headersLike("mcp-param-")) };
}

const ARGUMENTS: readonly [string, object | string, Record<string, string>][] = [
  [
    "one of each type",
    { region: "eu", count: 42, dry: false, deep: { er: "x" } },
    { region: "eu", "x-count": "42", dry: "false", "deep.er": "x" },
  ],
  ["absent and null", { region: null, plain: "x", deep: {} }, {}],
  ["no arguments", {}, {}],
  ["not ASCII", { region: "Köln" }, { region: base64("Köln") }],
  ["spaces around", { region: " eu" }, { region: base64(" eu") }],
  ["empty", { region: "" }, { region: base64("") }],
  ["a line feed and a header", { region: "eu\r\nX-Evil: 1" }, { region: base64("eu\r\nX-Evil: 1") }],
  ["what looks encoded", { region: "=?base64?eA==?=" }, { region: base64("=?base64?eA==?=") }],
  ["escaped in the body", '{"region":"\\u0065u"}', { region: "eu" }],
  [
    "inside other values",
    { plain: "x", deep: { er: "x", region: "no" }, list: [{ region: "no" }] },
    { "deep.er": "x" },
  ],
  ["zero and negative", { count: -1 }, { "x-count": "-1" }],
];

describe("headers of arguments", () => {
  test.for(ARGUMENTS)("%s", async ([, args, wanted], { box, peer }) => {
    const { host } = await listed(box, peer, [QUERY]);
    const { answer, headers } = await callHeaders(host, peer, args);
    // The strict server compares them as well.
    expect(answer.error).toBeUndefined();
    expect(headers).toEqual([
      Object.fromEntries(Object.entries(wanted).map(([name, value]) => [`mcp-param-${name}`, value])),
    ]);
    await host.finish();
  });

  test("another tool's annotations are not this one's", async ({ box, peer }) => {
    const { host } = await listed(box, peer, [QUERY, tool({ region: { type: "string" } }, "other")]);
    const { headers } = await callHeaders(host, peer, { region: "eu" }, "other");
    expect(headers).toEqual([{}]);
    await host.finish();
  });

  test("a list of several pages", async ({ box, peer }) => {
    const { host, server } = await listed(box, peer, [QUERY]);
    const other = tool({ zone: { type: "string", "x-mcp-header": "Zone" } }, "other");
    const page = { resultType: "complete", tools: [other], ttlMs: 60_000, cacheScope: "private" };
    peer.once("tools/list", (exchange) => exchange.result(page));
    await host.request("more", "tools/list", modern({ cursor: "2" }));
    server.options.tools = [QUERY, other];
    expect((await callHeaders(host, peer, { region: "eu" })).headers).toEqual([{ "mcp-param-region": "eu" }]);
    expect((await callHeaders(host, peer, { zone: "z" }, "other")).headers).toEqual([{ "mcp-param-zone": "z" }]);
    await host.finish();
  });
});

describe("a schema that changes", () => {
  const CHANGED = tool({ region: { type: "string", "x-mcp-header": "Zone" } });

  test("is followed when the host lists again", async ({ box, peer }) => {
    const { host, server } = await listed(box, peer, [QUERY]);
    server.options.tools = [CHANGED];
    await host.request("again", "tools/list", modern());
    expect((await callHeaders(host, peer, { region: "eu" })).headers).toEqual([{ "mcp-param-zone": "eu" }]);
    await host.finish();
  });

  test("is followed when the server says so, though the host does not list again", async ({ box, peer }) => {
    const { host, server } = await listed(box, peer, [QUERY]);
    const params = modern({ notifications: { toolsListChanged: true } });
    await host.send({ jsonrpc: "2.0", id: "listen", method: "subscriptions/listen", params });
    await host.stdout.untilText("acknowledged");
    server.options.tools = [CHANGED];
    server.notify("notifications/tools/list_changed");
    await host.stdout.untilText("list_changed");
    const { answer, headers } = await callHeaders(host, peer, { region: "eu" });
    expect(answer.result?.content).toBeDefined();
    expect(headers).toEqual([{ "mcp-param-zone": "eu" }]);
    expect(host.stdout.messages().filter(({ result }) => result?.tools !== undefined)).toHaveLength(1);
    await host.finish();
  });

  test("is followed when the list is older than it may be", async ({ box, peer }) => {
    const { host, server } = await listed(box, peer, [QUERY], 1);
    server.options.tools = [CHANGED];
    // More than a millisecond.
    for (const id of [1, 2, 3]) await host.request(id, "server/discover", modern());
    const { answer, headers } = await callHeaders(host, peer, { region: "eu" });
    expect(answer.result?.content).toBeDefined();
    expect(headers).toEqual([{ "mcp-param-zone": "eu" }]);
    await host.finish();
  });

  test("is found out by a refusal: listed again unseen, and sent once more", async ({ box, peer }) => {
    const { host, server } = await listed(box, peer, [QUERY], 3_600_000);
    server.options.tools = [CHANGED];
    const { answer, headers } = await callHeaders(host, peer, { region: "eu" });
    expect(answer.result?.content).toBeDefined();
    expect(headers).toEqual([{ "mcp-param-region": "eu" }, { "mcp-param-zone": "eu" }]);
    await host.finish();
    expect(host.stdout.lineCount).toBe(2);
  });

  test("a server that refuses whatever is sent: the host gets its error, and it is sent twice at most", async ({
    box,
    peer,
  }) => {
    const { host, server } = await listed(box, peer, [QUERY]);
    peer.serve((exchange) => {
      if (exchange.message.method !== "tools/call") server.handle(exchange);
      else {
        // Whatever it was, it is something else by now.
        const region = { type: "string", "x-mcp-header": `Region-${exchange.seq}` };
        server.options.tools = [tool({ region })];
        exchange.error(-32_020, "not what I see", 400);
      }
    });
    const { answer } = await callHeaders(host, peer, { region: "eu" });
    expect(answer.error).toEqual({ code: -32_020, message: "not what I see" });
    await host.finish();
    expect(peer.like("tools/call")).toHaveLength(2);
    expect(host.stdout.lineCount).toBe(2);
  });
});

describe("DEG-20 tools whose annotations are wrong", () => {
  const wrong: readonly [string, object][] = [
    ["empty", { a: { type: "string", "x-mcp-header": "" } }],
    ["no string", { a: { type: "string", "x-mcp-header": 1 } }],
    ["a space in the name", { a: { type: "string", "x-mcp-header": "My Region" } }],
    ["a colon in the name", { a: { type: "string", "x-mcp-header": "Region:" } }],
    ["a line end in the name", { a: { type: "string", "x-mcp-header": "Region\r\nX: y" } }],
    ["not ASCII", { a: { type: "string", "x-mcp-header": "Région" } }],
    [
      "twice, whatever the case",
      { a: { type: "string", "x-mcp-header": "R" }, b: { type: "string", "x-mcp-header": "r" } },
    ],
    ["an object", { a: { type: "object", "x-mcp-header": "A" } }],
    ["an array", { a: { type: "array", "x-mcp-header": "A" } }],
    ["a number", { a: { type: "number", "x-mcp-header": "A" } }],
    ["no type", { a: { "x-mcp-header": "A" } }],
    ["in an array's items", { a: { type: "array", items: { type: "string", "x-mcp-header": "A" } } }],
    ["in a choice", { a: { oneOf: [{ type: "string", "x-mcp-header": "A" }] } }],
  ];

  test.for(wrong)("%s: not listed, and every other byte is untouched", async ([, properties], { box, peer }) => {
    const good = (name: string) => `{ "name":"${name}", "inputSchema":{"type":"object","n":1.0,"a":1,"a":2} }`;
    const bad = JSON.stringify(tool(properties, "bad"));
    const list = (tools: string[]) =>
      `{"jsonrpc":"2.0","id":1,"result":{"ttlMs":1.0,"tools":[${tools.join(",")}], "nextCursor":"\\u0041","resultType":"complete"}}`;
    const host = startRemote(box, peer);
    const orders = [
      [good("a"), bad, good("b")],
      [bad, good("a"), good("b")],
      [good("a"), good("b"), bad],
    ];
    for (const [n, tools] of orders.entries()) {
      peer.once("tools/list", (exchange) => exchange.json(list(tools)));
      await host.send({ jsonrpc: "2.0", id: 1, method: "tools/list", params: modern() });
      const line = (await host.stdout.untilLines(n + 1))[n] ?? "";
      expect(JSON.parse(line).result.tools.map(({ name }: PeerTool) => name)).toEqual(["a", "b"]);
      const [before = "", after = ""] = list(["\0"]).split("\0");
      expect(line.startsWith(before) && line.endsWith(after), line).toBe(true);
      for (const name of ["a", "b"]) expect(line).toContain(good(name));
    }
    peer.once("tools/list", (exchange) => exchange.json(list([bad])));
    await host.send({ jsonrpc: "2.0", id: 1, method: "tools/list", params: modern() });
    expect(JSON.parse((await host.stdout.untilLines(4))[3] ?? "").result.tools).toEqual([]);
    await host.finish();
    expect(host.stderr.text()).toContain("bad");
  });

  test("a list without any is untouched, also in an event", async ({ box, peer }) => {
    const text = `{"jsonrpc":"2.0", "id":1,"result":{"resultType":"complete","tools":[ ${JSON.stringify(QUERY)} ],"a":1.0,"a":2}}`;
    const host = startRemote(box, peer);
    peer.once("tools/list", (exchange) => {
      const stream = exchange.events();
      stream.send(text);
      stream.end();
    });
    await host.send({ jsonrpc: "2.0", id: 1, method: "tools/list", params: modern() });
    expect(await host.stdout.untilLines(1)).toEqual([text]);
    await host.finish();
  });

  test("the old versions know no such annotation: nothing is dropped, and no header is sent", async ({ box, peer }) => {
    const bad = tool({ a: { type: "object", "x-mcp-header": " " } }, "bad");
    const { host } = await legacySession(box, peer, { tools: [bad, QUERY] });
    expect((await host.request(1, "tools/list")).result?.tools).toHaveLength(2);
    await host.call(2, "query", { region: "eu" });
    await host.finish();
    expect(peer.like("tools/call")[0]?.headersLike("mcp-param-")).toEqual({});
  });

  test("a call of a tool that was never listed goes without such headers", async ({ box, peer }) => {
    peer.serve(new ModernMcp().handle);
    const host = startRemote(box, peer);
    expect((await host.call(1, "echo", { text: "x" }, MODERN_META)).result?.content).toBeDefined();
    await host.finish();
    expect(peer.like("tools/call")[0]?.headersLike("mcp-param-")).toEqual({});
  });
});
