/**
 * DEG-17: a remote server is unreachable or refuses. The proxy stays, each request gets one short error, and no word of what the
 * server wrote is in it, on stderr or in the record.
 */

import { gzipSync } from "node:zlib";
import { describe, expect } from "vitest";
import type { Exchange } from "../fakes/http-peer/exchange.ts";
import { LegacyMcp } from "../fakes/http-peer/legacy-mcp.ts";
import { onlyRun } from "../harness/recorded-runs.ts";
import {
  answerText,
  callLine,
  expectLocal,
  initializeParams,
  legacySession,
  modern,
  shakeHands,
  startRemote,
} from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";
import { leftBehind } from "../harness/remote-traces.ts";

const MARKER = "sesame-7f3a-marker";
const HTML = `<!doctype html><title>${MARKER}</title>${"<p>no</p>".repeat(1000)}`;

const REFUSALS: readonly [number, RegExp][] = [
  [401, /^upstream requires sign-in \(HTTP 401\)/],
  [403, /^upstream refused \(HTTP 403\)/],
  [400, /HTTP 400/],
  [404, /HTTP 404/],
  [405, /HTTP 405/],
  [418, /HTTP 418/],
  [429, /HTTP 429/],
  [500, /^upstream answered HTTP 500/],
  [502, /^upstream answered HTTP 502/],
  [503, /^upstream answered HTTP 503/],
];

describe.each(REFUSALS)("DEG-17 HTTP %i", (status, words) => {
  test("one error a request, and the server's words nowhere", async ({ box, peer }) => {
    const headers = { "content-type": "text/html", "www-authenticate": `Bearer realm="${MARKER}"`, "x-why": MARKER };
    const { host } = await legacySession(box, peer, { sessions: false });
    const refuse = (exchange: Exchange) => exchange.reply(status, HTML, headers);
    peer.once("tools/call", refuse);
    peer.once("resources/read", refuse);
    expectLocal(await host.call(1, "echo"), words);
    const { error } = await host.request(2, "resources/read", { uri: "a:b" });
    expect(error?.code).toBe(-32_000);
    expect(error?.message).toMatch(words);
    expect((await host.call(3, "echo")).result?.isError).toBeUndefined();
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.messages().map(({ id }) => id)).toEqual([0, 1, 2, 3]);
    expect(host.stdout.text() + host.stderr.text() + leftBehind(box)).not.toContain(MARKER);
    expect(peer.like("tools/call")).toHaveLength(2);
    const { steps } = await onlyRun(box);
    expect(steps.map((step) => step.status)).toEqual(["error", "ok"]);
  });

  test("from the start, and of 2026-07-28: it stays up", async ({ box, peer }) => {
    peer.serve((exchange) => exchange.reply(status, HTML, { "content-type": "text/html" }));
    const host = startRemote(box, peer, { flags: ["--transport", "http"] });
    expectLocal(await host.request("first", "initialize", initializeParams()), words);
    expectLocal(await host.request(1, "tools/list", modern()), words);
    peer.serve(new LegacyMcp().handle);
    expect((await shakeHands(host)).result).toBeDefined();
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.text() + host.stderr.text()).not.toContain(MARKER);
  });
});

describe("answers that are none", () => {
  const odd: readonly [string, (exchange: Exchange) => void][] = [
    ["200 with HTML", (exchange) => exchange.reply(200, HTML, { "content-type": "text/html" })],
    ["200 with text that says it is JSON", (exchange) => exchange.json(MARKER)],
    ["200 with half of a message", (exchange) => exchange.json(`{"jsonrpc":"2.0","id":1,"result":{"${MARKER}":`)],
    ["200 with nothing", (exchange) => exchange.json("")],
    ["200 without a type", (exchange) => exchange.reply(200, MARKER)],
    ["204 to a request", (exchange) => exchange.reply(204)],
    ["an error status with JSON that is no error", (exchange) => exchange.json({ oops: MARKER }, 400)],
    ["an error status with half of an error", (exchange) => exchange.json(`{"error":{"message":"${MARKER}"`, 400)],
    ["an error status with a huge body", (exchange) => exchange.reply(500, `${MARKER}${"x".repeat(3_000_000)}`)],
    [
      "an error status with a body that is cut",
      (exchange) => {
        exchange.head(500, { "content-type": "application/json", "content-length": "999" });
        exchange.drop(MARKER);
      },
    ],
  ];

  test.for(odd)("%s: one error, and nobody is asked again", async ([, answer], { box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.once("tools/call", answer);
    expectLocal(await host.call(1, "echo"), /^upstream /);
    expect((await host.call(2, "echo", { text: "x" })).result?.content).toEqual([{ type: "text", text: "x" }]);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.lineCount).toBe(3);
    expect(peer.like("tools/call")).toHaveLength(2);
    expect(host.stdout.text() + host.stderr.text() + leftBehind(box)).not.toContain(MARKER);
  });

  test("202 to a request: its answer may come on the stream of the server's own messages", async ({ box, peer }) => {
    const { host, server } = await legacySession(box, peer);
    await peer.untilCount("GET", 1);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    (await peer.next("tools/call")).accept();
    await peer.until("the stream to be open", () => peer.like("GET")[0]?.isAnswered);
    server.push(answerText("1"));
    expect((await host.stdout.untilLines(2))[1]).toBe(answerText("1"));
    await host.finish();
  });

  test("a refusal whose body never ends keeps no other request, and not the end", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold((exchange) => exchange.message.id === 1);
    await host.write(callLine("1"));
    const call = await peer.next("tools/call");
    call.head(500, { "content-type": "text/plain", "transfer-encoding": "chunked" });
    call.write(`${MARKER.length.toString(16)}\r\n${MARKER}\r\n`);
    expect((await host.call(2, "echo")).result).toBeDefined();
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.text() + host.stderr.text()).not.toContain(MARKER);
  });

  test("compressed, though nobody has asked for it: read, or refused as one error", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.once("tools/call", (exchange) => {
      const body = gzipSync(answerText("1"));
      exchange.reply(200, body, { "content-type": "application/json", "content-encoding": "gzip" });
    });
    await host.write(callLine("1"));
    const answer = await host.stdout.untilAnswer(1);
    if (answer.error !== undefined || answer.result?.isError) expectLocal(answer, /^upstream /);
    else expect(host.stdout.lines()[1]).toBe(answerText("1"));
    await host.finish();
    for (const exchange of peer.exchanges) {
      expect(exchange.header("accept-encoding") ?? "identity").toBe("identity");
    }
  });

  test("an answer to another id than was asked for leaves the request without one: one error", async ({
    box,
    peer,
  }) => {
    const { host } = await legacySession(box, peer);
    peer.once("tools/call", (exchange) => exchange.json(answerText("99")));
    await host.write(callLine("1"));
    expectLocal(await host.stdout.untilAnswer(1), /^upstream /);
    await host.finish();
    expect(peer.like("tools/call")).toHaveLength(1);
  });
});

describe("DEG-17 unreachable", () => {
  test("at the start: an error a request until it is there, then all is well", async ({ box, peer }) => {
    const { port } = peer;
    await peer.close();
    const host = startRemote(box, `http://127.0.0.1:${port}/mcp`);
    const unreachable = /^upstream unreachable: /;
    expectLocal(await host.request("a", "initialize", initializeParams()), unreachable);
    expectLocal(await host.request("b", "server/discover", modern()), unreachable);
    await host.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    expectLocal(await host.call("c", "echo"), unreachable);
    await peer.listen(port);
    peer.serve(new LegacyMcp().handle);
    await shakeHands(host);
    expect((await host.call(1, "echo", { text: "x" })).result?.content).toEqual([{ type: "text", text: "x" }]);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.messages().map(({ id }) => id)).toEqual(["a", "b", "c", 0, 1]);
  });

  test("in the middle: an error for what is in flight, and for what comes, and on it goes", async ({ box, peer }) => {
    const { host, server } = await legacySession(box, peer);
    await host.call(1, "echo");
    const { port } = peer;
    peer.hold((exchange) => exchange.message.id === 2);
    await host.write(callLine("2"));
    await peer.untilCount("tools/call", 2);
    await peer.close();
    expectLocal(await host.stdout.untilAnswer(2), /^upstream connection lost before the answer/);
    expectLocal(await host.call(3, "echo"), /^upstream unreachable: /);
    await peer.listen(port);
    peer.serve(server.handle);
    expect((await host.call(4, "echo", { text: "x" })).result?.content).toEqual([{ type: "text", text: "x" }]);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(server.sessionIds).toHaveLength(1);
    expect(peer.like("tools/call").map(({ message }) => message.id)).toEqual([1, 2, 4]);
  });

  test.for([
    ["a name that does not exist", "http://no-such-host.invalid/mcp"],
    ["a port that nobody listens on", "http://127.0.0.1:1/mcp"],
  ])("%s: it stays, and ends with 0", async ([, url = ""], { box }) => {
    const host = startRemote(box, `${url}?token=${MARKER}`);
    for (const id of [1, 2]) expectLocal(await host.request(id, "ping"), /^upstream unreachable: /);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.text() + host.stderr.text()).not.toContain(MARKER);
  });
});

test("a connection that the server has closed while nobody asked is no error", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer, { noStream: true });
  for (let id = 1; id <= 10; id++) {
    await host.call(id, "echo");
    for (const connection of peer.connections) connection.close();
    await peer.untilAllClosed();
  }
  await host.finish();
  expect(host.stdout.messages().map(({ error, result }) => error ?? result?.isError)).toEqual(
    Array(11).fill(undefined),
  );
  expect(peer.like("tools/call")).toHaveLength(10);
});
