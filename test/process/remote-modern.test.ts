/**
 * 2026-07-28 over HTTP: every header is computed from the body that passes, and no more than those. The answers pass as they
 * are, also those with a status that is no success.
 */

import { describe, expect } from "vitest";
import { LegacyMcp } from "../fakes/http-peer/legacy-mcp.ts";
import { ModernMcp } from "../fakes/http-peer/modern-mcp.ts";
import {
  expectLocal,
  legacySession,
  MODERN,
  MODERN_META,
  modern,
  shakeHands,
  startRemote,
} from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";

const base64 = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

/** Method, params, and the value of `Mcp-Name`. */
const REQUESTS: readonly [string, object, string | undefined][] = [
  ["server/discover", {}, undefined],
  ["tools/list", { cursor: "x" }, undefined],
  ["tools/call", { name: "echo", arguments: { name: "not this" } }, "echo"],
  ["tools/call", { arguments: {}, name: "a b:c/d" }, "a b:c/d"],
  ["tools/call", { name: "Köln", arguments: {} }, base64("Köln")],
  ["tools/call", { name: " padded ", arguments: {} }, base64(" padded ")],
  ["tools/call", { name: "line\nfeed: x", arguments: {} }, base64("line\nfeed: x")],
  ["tools/call", { name: "=?base64?eA==?=", arguments: {} }, base64("=?base64?eA==?=")],
  ["prompts/get", { name: "greet", arguments: { who: "x" } }, "greet"],
  ["resources/read", { uri: "peer://doc/1?q=é" }, base64("peer://doc/1?q=é")],
  ["resources/read", { uri: "peer://doc/1", name: "no" }, "peer://doc/1"],
  ["resources/list", { name: "no", uri: "no" }, undefined],
  ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "b" } }, undefined],
  ["tasks/get", { taskId: "t" }, "t"],
  ["vendor/ask", { name: "no" }, undefined],
];

describe("headers", () => {
  test.for(REQUESTS)("of %s %o", async ([method, params, name], { box, peer }) => {
    peer.serve((exchange) => exchange.result({ resultType: "complete" }));
    const host = startRemote(box, peer);
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: modern(params) });
    await host.write(`${line}\n`);
    await host.stdout.untilAnswer(1);
    await host.finish();
    const [exchange] = peer.like(method);
    expect(exchange?.text).toBe(line);
    expect(exchange?.headersLike("mcp-")).toEqual({
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": name }),
    });
    expect(peer.exchanges).toHaveLength(1);
  });

  test("a whole session of a strict server: nothing but POSTs, nothing at the end", async ({ box, peer }) => {
    const server = new ModernMcp();
    peer.serve(server.handle);
    const host = startRemote(box, peer);
    expect((await host.request("d", "server/discover", modern())).result?.supportedVersions).toEqual([MODERN]);
    expect((await host.request(0, "tools/list", modern())).result?.tools).toHaveLength(1);
    expect((await host.call(1, "echo", { text: "é" }, MODERN_META)).result?.content).toEqual([
      { type: "text", text: "é" },
    ]);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(peer.exchanges.map(({ method }) => method)).toEqual(["POST", "POST", "POST"]);
    await peer.untilAllClosed();
  });

  test("the version is the body's own, whatever it is, and each message has its own era", async ({ box, peer }) => {
    const { host, server } = await legacySession(box, peer);
    const future = { _meta: { ...MODERN_META, "io.modelcontextprotocol/protocolVersion": "2027-01-01" } };
    peer.once("tools/list", (exchange) => exchange.result({ tools: [] }));
    await host.request(1, "tools/list", future);
    await host.request(2, "tools/list");
    await host.finish();
    const [modernOne, legacyOne] = peer.like("tools/list");
    expect(modernOne?.headersLike("mcp-")).toEqual({
      "mcp-protocol-version": "2027-01-01",
      "mcp-method": "tools/list",
    });
    expect(legacyOne?.headersLike("mcp-")).toEqual({
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": server.sessionIds[0],
    });
  });

  test("a session id of a server that should give none is not sent back", async ({ box, peer }) => {
    peer.serve((exchange) => exchange.result({ resultType: "complete" }, 200, { "mcp-session-id": "s" }));
    const host = startRemote(box, peer);
    for (const id of [1, 2]) await host.request(id, "tools/list", modern());
    await host.finish();
    for (const exchange of peer.exchanges) expect(exchange.header("mcp-session-id")).toBeUndefined();
    expect(peer.like("DELETE")).toEqual([]);
  });
});

describe("answers", () => {
  test("pass byte for byte, as JSON and as events with progress before them", async ({ box, peer }) => {
    const host = startRemote(box, peer);
    const result = '{"id":1 ,"jsonrpc":"2.0","result":{"resultType":"complete","content":[],"n":1.0,"a":1,"a":2}}';
    peer.once("*", (exchange) => exchange.json(result));
    await host.send({ jsonrpc: "2.0", id: 1, method: "vendor/ask", params: modern() });
    await host.stdout.untilLines(1);
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1.0}}';
    peer.once("*", (exchange) => {
      const stream = exchange.events();
      stream.comment();
      stream.send(progress);
      stream.send(result);
      stream.end();
    });
    await host.send({ jsonrpc: "2.0", id: 1, method: "vendor/ask", params: modern() });
    expect(await host.stdout.untilLines(3)).toEqual([result, progress, result]);
    await host.finish();
  });

  const errors: [string, number, string][] = [
    ["400 -32602", 400, '{"jsonrpc":"2.0","id":1,"error":{"code":-32602, "message":"m","data":{"n":1.0}}}'],
    ["400 -32021", 400, '{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"capability","data":{}}}'],
    ["400 -32022", 400, '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"v","data":{"supported":["x"]}}}'],
    ["404 -32601", 404, '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}'],
    ["500 -32603", 500, '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"inside"}}'],
  ];

  test.for(errors)("%s is relayed as it is", async ([, status, error], { box, peer }) => {
    peer.serve((exchange) => exchange.json(error, status));
    const host = startRemote(box, peer);
    await host.request(1, "vendor/ask", modern());
    expect(host.stdout.lines()).toEqual([error]);
    await host.finish();
    expect(peer.exchanges).toHaveLength(1);
  });

  test.for([400, 404])(
    "%i with an error that names no id is the error of that request",
    async (status, { box, peer }) => {
      peer.serve((exchange) => exchange.error(-32_602, "no metadata", status, null));
      const host = startRemote(box, peer);
      for (const id of [0, "a", -1]) {
        const { error } = await host.request(id, "tools/list", modern());
        expect(error).toEqual({ code: -32_602, message: "no metadata" });
      }
      expect(host.stdout.lineCount).toBe(3);
      await host.finish();
    },
  );

  test("a dual-era host asks a server of the old era: it is refused, and does it the old way", async ({
    box,
    peer,
  }) => {
    peer.serve(new LegacyMcp({ answers: "events" }).handle);
    const host = startRemote(box, peer);
    const probe = await host.request("probe", "server/discover", modern());
    expect(probe.error).toEqual({ code: -32_000, message: "Session id is missing" });
    await shakeHands(host);
    expect((await host.call(1, "echo")).result).toBeDefined();
    await host.finish();
    expect(peer.like("server/discover")).toHaveLength(1);
    expect(peer.like("initialize")).toHaveLength(1);
  });

  test("404 without a message is no session that is gone: one error", async ({ box, peer }) => {
    peer.serve((exchange) => exchange.reply(404, "<h1>secret words</h1>", { "content-type": "text/html" }));
    const host = startRemote(box, peer);
    expectLocal(await host.request(1, "tools/list", modern()), /HTTP 404/);
    await host.finish();
    expect(peer.exchanges).toHaveLength(1);
    expect(host.stdout.text() + host.stderr.text()).not.toContain("secret words");
  });

  test("rounds: each is a request of its own, answered as it is", async ({ box, peer }) => {
    peer.hold("tools/call");
    const host = startRemote(box, peer);
    const asks = '{"resultType":"input_required","requestState":"ä/1.0+=","inputRequests":{"a":{"method":"x"}}}';
    await host.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: modern({ name: "echo", arguments: {} }) });
    (await peer.next("tools/call")).json(`{"jsonrpc":"2.0","id":1,"result":${asks}}`);
    expect(await host.stdout.untilLines(1)).toEqual([`{"jsonrpc":"2.0","id":1,"result":${asks}}`]);
    const answered = {
      name: "echo",
      arguments: {},
      requestState: "ä/1.0+=",
      inputResponses: { a: { action: "accept" } },
    };
    await host.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: modern(answered) });
    const second = await peer.next("tools/call");
    expect(second.message.params.requestState).toBe("ä/1.0+=");
    expect(second.header("mcp-name")).toBe("echo");
    second.result({ resultType: "complete", content: [] });
    await host.stdout.untilAnswer(2);
    await host.finish();
  });
});
