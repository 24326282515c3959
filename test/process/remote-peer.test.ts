/**
 * The scriptable HTTP peer is what it claims to be: the official clients, old and new, get along with its servers, and what a
 * test makes it do wrong arrives as wrong as it was meant.
 */

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HttpPeer } from "../fakes/http-peer/http-peer.ts";
import { LegacyMcp, type LegacyOptions } from "../fakes/http-peer/legacy-mcp.ts";
import { ModernMcp } from "../fakes/http-peer/modern-mcp.ts";
import { SseMcp } from "../fakes/http-peer/sse-mcp.ts";
import { expectProper } from "../harness/remote-test.ts";

const INFO = { name: "sdk-client", version: "1.0.0" };
const text = (value: string) => [{ type: "text", text: value }];

let peer: HttpPeer;

beforeEach(async () => {
  peer = await HttpPeer.start();
});

afterEach(async () => {
  await peer.close();
  expect(peer.faults).toEqual([]);
});

/** The bytes of an answer, read to its end or to where it was cut. */
async function rawAnswer(init: RequestInit = {}): Promise<{ status: number; text: string; isWhole: boolean }> {
  const response = await fetch(peer.url, { method: "POST", body: "{}", ...init });
  const pieces: Uint8Array[] = [];
  let isWhole = true;
  try {
    for await (const piece of response.body ?? []) pieces.push(piece);
  } catch {
    isWhole = false;
  }
  return { status: response.status, text: Buffer.concat(pieces).toString(), isWhole };
}

describe("the official clients", () => {
  const variants: [string, LegacyOptions][] = [
    ["JSON", {}],
    ["events", { answers: "events" }],
    ["events that can be resumed", { answers: "events", resumable: true }],
    ["no sessions, no stream, 2025-03-26", { sessions: false, noStream: true, version: "2025-03-26" }],
  ];

  test.for(variants)("v1 over Streamable HTTP: %s", async ([, options]) => {
    const server = new LegacyMcp(options);
    peer.serve(server.handle);
    const client = new Client(INFO, { capabilities: { sampling: {} } });
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: "assistant",
      model: "m",
      content: { type: "text", text: "sampled" },
    }));
    const transport = new StreamableHTTPClientTransport(new URL(peer.url));
    await client.connect(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["echo"]);
    expect((await client.callTool({ name: "echo", arguments: { text: "é 😀" } })).content).toEqual(text("é 😀"));
    await expect(client.request({ method: "vendor/ask" }, CreateMessageRequestSchema as never)).rejects.toThrow(
      "-32601",
    );
    if (!options.noStream) {
      await peer.untilCount("GET", 1);
      server.push({
        jsonrpc: "2.0",
        id: "s",
        method: "sampling/createMessage",
        params: { messages: [], maxTokens: 1 },
      });
      await peer.untilCount("response", 1);
      expect(server.responses).toMatchObject([{ id: "s", result: { content: { text: "sampled" } } }]);
    }
    await transport.terminateSession();
    await client.close();
    for (const exchange of peer.exchanges) expectProper(exchange, peer);
    expect(server.sessions.size).toBe(options.sessions === false ? 1 : 0);
  });

  test("v1 comes back for a stream that was closed, with the id of its last event", async () => {
    const server = new LegacyMcp({ resumable: true, retryMs: 1 });
    peer.serve(server.handle);
    const client = new Client(INFO);
    const notified = Promise.withResolvers<string>();
    client.fallbackNotificationHandler = async ({ method }) => notified.resolve(method);
    await client.connect(new StreamableHTTPClientTransport(new URL(peer.url)));
    await peer.untilCount("GET", 1);
    const stream = server.streams.get("get");
    stream?.close();
    server.push({ jsonrpc: "2.0", method: "notifications/missed" });
    expect(await notified.promise).toBe("notifications/missed");
    expect(peer.like("GET").map((get) => get.header("last-event-id"))).toEqual([undefined, "get-0"]);
    await client.close();
  });

  test("v1 over HTTP with SSE", async () => {
    const server = new SseMcp("/mcp");
    peer.serve(server.handle);
    const client = new Client(INFO);
    await client.connect(new SSEClientTransport(new URL(peer.url)));
    expect((await client.callTool({ name: "echo", arguments: { text: "é" } })).content).toEqual(text("é"));
    expect(peer.exchanges.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "GET /mcp",
      ...Array(3).fill("POST /messages?sid=0"),
    ]);
    await client.close();
  });

  test.for(["json", "events"] as const)("v2 at 2026-07-28, answered with %s", async (answers) => {
    const inputSchema = {
      type: "object",
      properties: { text: { type: "string" }, region: { type: "string", "x-mcp-header": "Region" } },
    };
    peer.serve(new ModernMcp({ answers, tools: [{ name: "echo", inputSchema }] }).handle);
    const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new ModernTransport(new URL(peer.url)));
    await client.listTools();
    const args = { text: "x", region: "Köln" };
    expect((await client.callTool({ name: "echo", arguments: args })).content).toEqual(text("x"));
    expect(peer.like("tools/call")[0]?.headersLike("mcp-")).toEqual({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "echo",
      "mcp-param-region": `=?base64?${Buffer.from("Köln").toString("base64")}?=`,
    });
    await client.close();
  });
});

describe("what a test makes it do", () => {
  test("every request is kept as it came", async () => {
    peer.serve((exchange) => exchange.json("{}"));
    const headers = { "X-One": "1", "x-two": "a, b" };
    await fetch(`${peer.url}?q=%20a`, { method: "POST", body: '{"n":1.0}\n', headers });
    const [exchange] = peer.exchanges;
    expect(exchange?.target).toBe("/mcp?q=%20a");
    expect(exchange?.text).toBe('{"n":1.0}\n');
    expect(exchange?.header("X-ONE")).toBe("1");
    expect(exchange?.headers.map(([name]) => name)).toEqual(expect.arrayContaining(["X-One", "x-two"]));
  });

  test("a body in chunks is a body", async () => {
    peer.serve((exchange) => exchange.reply(200, exchange.body));
    async function* pieces() {
      yield Buffer.from("one ");
      yield Buffer.from("two");
    }
    expect((await rawAnswer({ body: pieces() as unknown as ReadableStream })).text).toBe("one two");
  });

  test("a stream in single bytes, cut in the middle, and reset", async () => {
    peer.once("POST", async (exchange) => {
      const stream = exchange.events();
      await stream.slowly("data: é\n\n");
      stream.end();
    });
    expect(await rawAnswer()).toEqual({ status: 200, text: "data: é\n\n", isWhole: true });
    peer.once("POST", (exchange) => {
      exchange.events().send({ cut: 1 });
      exchange.drop();
    });
    expect(await rawAnswer()).toMatchObject({ isWhole: false });
    peer.once("POST", (exchange) => exchange.reset());
    await expect(rawAnswer()).rejects.toThrow();
  });

  test("a client that goes away is noticed, and which request it left", async () => {
    const abort = new AbortController();
    const left = rawAnswer({ signal: abort.signal, body: '{"method":"leave"}' }).catch(() => "left");
    const stays = rawAnswer({ body: '{"method":"stay"}' });
    const leave = await peer.next("leave");
    const stay = await peer.next("stay");
    leave.events().comment();
    abort.abort();
    await left;
    await peer.untilAbandoned(leave);
    expect(stay.isAbandoned).toBe(false);
    stay.json("{}");
    expect((await stays).text).toBe("{}");
  });

  test("it can be away and come back at the same place", async () => {
    const { port } = peer;
    await peer.close();
    await expect(rawAnswer()).rejects.toThrow();
    await peer.listen(port);
    peer.serve((exchange) => exchange.json("{}"));
    expect((await rawAnswer()).text).toBe("{}");
  });

  test("what a client must not do is a fault", async () => {
    const { connect } = await import("node:net");
    const socket = connect(peer.port, "127.0.0.1");
    socket.write("NO HTTP\r\n\r\n");
    await peer.until("the fault", () => peer.faults.length > 0);
    expect(peer.faults.splice(0)).toEqual(['Error: no request line: "NO HTTP"']);
    socket.destroy();
  });
});
