/** What a server of the handshake era says by itself: on the GET stream and on the stream of a call. */

import { describe, expect } from "vitest";
import { answerText, callLine, LATEST_LEGACY, legacySession } from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";

const ASKED: readonly [string, string, string][] = [
  [
    "sampling/createMessage",
    '{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1.0}}',
    '{"jsonrpc":"2.0","id":0,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"é"},"n":1.0}}',
  ],
  [
    "elicitation/create",
    '{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"?","requestedSchema":{}}}',
    '{ "jsonrpc":"2.0","id":"e","result":{"action":"accept","content":{"a":1,"a":2}}}',
  ],
  [
    "roots/list",
    '{"jsonrpc":"2.0","id":-1,"method":"roots/list"}',
    '{"jsonrpc":"2.0","id":-1,"result":{"roots":[{"uri":"file:///é"}]}}',
  ],
  [
    "one that nobody knows",
    '{"jsonrpc":"2.0","id":1,"method":"vendor/ask","params":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":{"n":1e2}}}',
  ],
];

describe("a request of the server's", () => {
  test.for(ASKED)("%s on the GET stream is answered by a POST", async ([, asked, answer], { box, peer }) => {
    const { host, server } = await legacySession(box, peer);
    await peer.untilCount("GET", 1);
    server.push(asked);
    expect((await host.stdout.untilLines(2))[1]).toBe(asked);
    await host.write(`${answer}\n`);
    const [post] = await peer.untilCount("response", 1);
    expect(post?.text).toBe(answer);
    expect(post?.headersLike("mcp-")).toEqual({
      "mcp-session-id": server.sessionIds[0],
      "mcp-protocol-version": LATEST_LEGACY,
    });
    await host.call(5, "echo");
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.lineCount).toBe(3);
  });

  test("on the stream of a call, which goes on when it was answered", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call", "response");
    await host.write(callLine("1"));
    const stream = (await peer.next("tools/call")).events();
    for (const [, asked, answer] of ASKED) {
      const lines = host.stdout.lineCount;
      stream.send(asked);
      expect((await host.stdout.untilLines(lines + 1))[lines]).toBe(asked);
      await host.write(`${answer}\n`);
      const post = await peer.next("response");
      expect(post.text).toBe(answer);
      post.accept();
    }
    stream.send(answerText("1"));
    stream.end();
    expect((await host.stdout.untilAnswer(1)).result).toBeDefined();
    await host.finish();
  });

  test("ids of the two sides are worlds apart", async ({ box, peer }) => {
    const { host, server } = await legacySession(box, peer);
    await peer.untilCount("GET", 1);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    const call = await peer.next("tools/call");
    server.push('{"jsonrpc":"2.0","id":1,"method":"roots/list"}');
    await host.stdout.untilLines(2);
    await host.write('{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}\n');
    await peer.untilCount("response", 1);
    call.json(answerText("1", '"mine"'));
    expect((await host.stdout.untilLines(3))[2]).toBe(answerText("1", '"mine"'));
    await host.finish();
  });

  test("a response that the server refuses is over", async ({ box, peer }) => {
    const { host, server } = await legacySession(box, peer);
    await peer.untilCount("GET", 1);
    server.push('{"jsonrpc":"2.0","id":1,"method":"roots/list"}');
    await host.stdout.untilLines(2);
    peer.once("response", (exchange) => exchange.error(-32_000, "too late", 400, null));
    await host.write('{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}\n');
    await host.call(7, "echo");
    await host.finish();
    expect(peer.like("response")).toHaveLength(1);
    expect(host.stdout.lineCount).toBe(3);
  });
});

describe("notifications", () => {
  test("progress and logs before an answer, in their order, and one after it", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    const stream = (await peer.next("tools/call")).events();
    const said = [1, 2, 3].map(
      (n) => `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":${n}.0}}`,
    );
    for (const one of said) stream.send(one);
    stream.comment(" still there");
    stream.send(answerText("1"));
    const late = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"late"}}';
    stream.send(late);
    stream.end();
    const lines = await host.stdout.untilLines(6);
    expect(lines.slice(1)).toEqual([...said, answerText("1"), late]);
    await host.finish();
  });

  test("cancelled is passed on like any other: the server may still answer", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    const call = await peer.next("tools/call");
    const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"é"}}';
    await host.write(`${cancelled}\n`);
    const [post] = await peer.untilCount("notifications/cancelled", 1);
    expect(post?.text).toBe(cancelled);
    call.json(answerText("1"));
    await host.stdout.untilAnswer(1);
    expect(call.isAbandoned).toBe(false);
    await host.finish();
  });
});

describe("the GET stream", () => {
  test.for([405, 404, 400, 500])(
    "a server that refuses it with %i: everything else works",
    async (status, { box, peer }) => {
      peer.once("GET", (exchange) => exchange.reply(status, "<h1>no</h1>", { "content-type": "text/html" }));
      const { host } = await legacySession(box, peer);
      await peer.untilCount("GET", 1);
      expect((await host.call(1, "echo", { text: "x" })).result).toBeDefined();
      await host.finish();
      expect(host.stdout.messages().map(({ id }) => id)).toEqual([0, 1]);
      expect(host.stdout.text()).not.toContain("<h1>");
      expect(host.stderr.text()).not.toContain("<h1>");
    },
  );

  test("is opened once, when the server has accepted `initialized`", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    await peer.untilCount("GET", 1);
    for (const id of [1, 2, 3]) await host.call(id, "echo");
    await host.finish();
    expect(peer.like("GET")).toHaveLength(1);
    const [initialized] = peer.like("notifications/initialized");
    expect(peer.like("GET")[0]?.seq).toBeGreaterThan(initialized?.seq ?? Number.NaN);
  });

  test("a server that never answers it: everything else works", async ({ box, peer }) => {
    const asked = peer.next("GET");
    const { host } = await legacySession(box, peer);
    await host.call(1, "echo");
    const get = await asked;
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    await peer.untilAbandoned(get);
  });
});
