/** HTTP with SSE, as of 2024-11-05: found out when a server does not take an initialize by POST, or asked for. */

import { describe, expect } from "vitest";
import { HttpPeer } from "../fakes/http-peer/http-peer.ts";
import { LegacyMcp } from "../fakes/http-peer/legacy-mcp.ts";
import { SseMcp, type SseOptions } from "../fakes/http-peer/sse-mcp.ts";
import {
  answerText,
  callLine,
  expectLocal,
  initializeParams,
  shakeHands,
  startRemote,
} from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { ProxyOptions, Sandbox } from "../harness/sandbox.ts";

const SSE = { flags: ["--transport", "sse"] };

/** A host behind which such a server stands, their handshake done. */
async function sseSession(
  box: Sandbox,
  peer: HttpPeer,
  options: SseOptions = {},
  launch: ProxyOptions = {},
): Promise<{ host: RunningProcess; server: SseMcp }> {
  const server = new SseMcp("/mcp", options);
  peer.serve(server.handle);
  const host = startRemote(box, peer, launch);
  expect((await shakeHands(host, "2024-11-05")).result?.protocolVersion).toBe("2024-11-05");
  return { host, server };
}

const asked = (peer: HttpPeer) => peer.exchanges.map(({ method, target }) => `${method} ${target}`);

describe("found out", () => {
  test.for([400, 404, 405] as const)("an initialize that is refused with %i", async (refusal, { box, peer }) => {
    const { host } = await sseSession(box, peer, { refusal });
    expect((await host.call(1, "echo", { text: "é" })).result?.content).toEqual([{ type: "text", text: "é" }]);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    const [post, get, ...rest] = asked(peer);
    expect([post, get]).toEqual(["POST /mcp", "GET /mcp"]);
    expect(rest).toEqual(Array(3).fill("POST /messages?sid=0"));
    expect(host.stdout.messages().map(({ id }) => id)).toEqual([0, 1]);
    await peer.untilAllClosed();
  });

  test("a host that probes for 2026-07-28 first", async ({ box, peer }) => {
    const server = new SseMcp("/mcp", { refusal: 404 });
    peer.serve(server.handle);
    const host = startRemote(box, peer);
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const probe = await host.request("probe", "server/discover", { _meta: meta });
    expect(probe.error).toBeDefined();
    await shakeHands(host, "2024-11-05");
    expect((await host.call(1, "echo")).result).toBeDefined();
    await host.finish();
  });

  test.for([401, 403, 500, 503])("not by %i: that is an error for the host", async (status, { box, peer }) => {
    peer.serve((exchange) => exchange.reply(status, "secret words"));
    const host = startRemote(box, peer);
    const refused = await host.request(0, "initialize", initializeParams());
    expectLocal(refused, new RegExp(`HTTP ${status}`));
    await host.finish();
    expect(asked(peer)).toEqual(["POST /mcp"]);
  });

  test("not by 400 with an error of the protocol's: the host gets that", async ({ box, peer }) => {
    const error = '{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}';
    peer.serve((exchange) => exchange.json(error, 400));
    const host = startRemote(box, peer);
    await host.request(0, "initialize", initializeParams());
    expect(host.stdout.lines()).toEqual([error]);
    await host.finish();
    expect(asked(peer)).toEqual(["POST /mcp"]);
  });

  test("neither of the two is there: one error, and another try later", async ({ box, peer }) => {
    peer.serve((exchange) => exchange.reply(404, "secret words"));
    const host = startRemote(box, peer);
    expectLocal(await host.request("first", "initialize", initializeParams()), /HTTP 404/);
    peer.serve(new LegacyMcp().handle);
    expect((await shakeHands(host)).result).toBeDefined();
    await host.finish();
    expect(host.stdout.text()).not.toContain("secret words");
  });
});

describe("asked for", () => {
  test("--transport sse never POSTs to the address of the stream", async ({ box, peer }) => {
    const { host } = await sseSession(box, peer, {}, SSE);
    await host.call(1, "echo");
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(asked(peer)).toEqual(["GET /mcp", ...Array(3).fill("POST /messages?sid=0")]);
  });

  test("--transport http never falls back", async ({ box, peer }) => {
    const server = new SseMcp("/mcp", { refusal: 405 });
    peer.serve(server.handle);
    const host = startRemote(box, peer, { flags: ["--transport", "http"] });
    expectLocal(await host.request(0, "initialize", initializeParams()), /HTTP 405/);
    await host.finish();
    expect(asked(peer)).toEqual(["POST /mcp"]);
  });
});

describe("the address for messages", () => {
  const places: [string, string, string][] = [
    ["from the root", "/messages?sid={sid}&x=%20", "/messages?sid=0&x=%20"],
    ["beside the stream", "messages/{sid}", "/messages/0"],
    ["only a query", "?sid={sid}", "/mcp?sid=0"],
  ];

  test.for(places)("%s", async ([, endpoint, target], { box, peer }) => {
    const server = new SseMcp("/mcp", { endpoint });
    peer.serve((exchange) => {
      if (exchange.method === "GET") server.handle(exchange);
      else {
        exchange.accept();
        const { id } = exchange.message;
        if (id !== undefined) server.push(answerText(JSON.stringify(id)));
      }
    });
    const host = startRemote(box, peer, SSE);
    await host.request(0, "initialize", initializeParams("2024-11-05"));
    await host.finish();
    expect(asked(peer)).toEqual(["GET /mcp", `POST ${target}`]);
  });

  test("a whole one at the same origin", async ({ box, peer }) => {
    const { host } = await sseSession(box, peer, { endpoint: `${peer.origin}/messages?sid={sid}` }, SSE);
    await host.finish();
    expect(asked(peer)).toContain("POST /messages?sid=0");
  });

  test("one of another origin is refused: nothing ever goes there", async ({ box, peer }) => {
    const other = await HttpPeer.start();
    const server = new SseMcp("/mcp", { endpoint: `${other.origin}/messages` });
    peer.serve(server.handle);
    const host = startRemote(box, peer, { flags: ["--transport", "sse", "--header", "X-Key: sesame"] });
    expectLocal(await host.request(0, "initialize", initializeParams()), /^upstream /);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(other.exchanges).toEqual([]);
    expect(other.connections).toEqual([]);
    await other.close();
  });

  test("what the host says before it is known waits, in its order", async ({ box, peer }) => {
    const server = new SseMcp("/mcp", { silent: true });
    peer.serve(server.handle);
    const host = startRemote(box, peer, SSE);
    await host.send({ jsonrpc: "2.0", id: 0, method: "initialize", params: initializeParams("2024-11-05") });
    await peer.untilCount("GET", 1);
    server.streams[0]?.comment();
    server.streams[0]?.send("/messages?sid=0", { event: "endpoint" });
    await host.stdout.untilAnswer(0);
    await host.finish();
  });
});

describe("the stream", () => {
  test("carries answers in any order, and requests of the server's", async ({ box, peer }) => {
    const { host, server } = await sseSession(box, peer, {}, SSE);
    peer.hold("tools/call");
    await host.write([1, 2, 3].map((id) => callLine(String(id))).join(""));
    for (const call of await peer.untilCount("tools/call", 3)) call.accept();
    const ask = '{"jsonrpc":"2.0","id":0,"method":"roots/list"}';
    server.push(ask);
    const told = '{"jsonrpc":"2.0","id":0,"result":{"roots":[ ]}}';
    await host.stdout.untilText(ask);
    await host.write(`${told}\n`);
    expect((await peer.untilCount("response", 1))[0]?.text).toBe(told);
    for (const id of [3, 1, 2]) server.push(answerText(String(id)));
    await host.stdout.untilLines(5);
    expect(host.stdout.lines().slice(1)).toEqual([ask, ...[3, 1, 2].map((id) => answerText(String(id)))]);
    await host.finish();
  });

  test("the answer may come before the message was accepted", async ({ box, peer }) => {
    const { host, server } = await sseSession(box, peer, {}, SSE);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    const call = await peer.next("tools/call");
    server.push(answerText("1"));
    await host.stdout.untilAnswer(1);
    call.accept();
    await host.finish();
    expect(host.stdout.lineCount).toBe(2);
  });

  test("a message that is refused is one error", async ({ box, peer }) => {
    const { host } = await sseSession(box, peer, {}, SSE);
    peer.once("tools/call", (exchange) => exchange.reply(500, "secret words"));
    expectLocal(await host.call(1, "echo"), /HTTP 500/);
    expect((await host.call(2, "echo")).result).toBeDefined();
    await host.finish();
    expect(host.stdout.text()).not.toContain("secret words");
  });

  test("is lost: one error for each request in flight, none is sent again", async ({ box, peer }) => {
    const { host, server } = await sseSession(box, peer, {}, SSE);
    peer.hold("tools/call");
    await host.write(callLine("1") + callLine("2"));
    for (const call of await peer.untilCount("tools/call", 2)) call.accept();
    server.streams[0]?.drop();
    for (const id of [1, 2])
      expectLocal(await host.stdout.untilAnswer(id), /upstream connection lost before the answer/);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.lineCount).toBe(3);
    expect(peer.like("tools/call")).toHaveLength(2);
  });
});
