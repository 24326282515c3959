/** DEG-19: a stream of a server is lost. It is taken up again behind its last event, or is one error for its request. */

import { describe, expect } from "vitest";
import type { EventStream } from "../fakes/http-peer/event-stream.ts";
import type { Exchange } from "../fakes/http-peer/exchange.ts";
import { answerText, callLine, expectLocal, LATEST_LEGACY, legacySession } from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";

/** How a stream ends without its answer. */
const LOSSES: readonly [string, (stream: EventStream) => void][] = [
  ["ends", (stream) => stream.end()],
  ["is dropped", (stream) => stream.drop()],
  ["is reset", (stream) => stream.reset()],
];

/** A GET that takes up a stream behind this event. */
const resumes = (id: string) => (exchange: Exchange) =>
  exchange.method === "GET" && exchange.header("last-event-id") === id;

const isResume = (exchange: Exchange) => exchange.header("last-event-id") !== undefined;

describe.each(LOSSES)("DEG-19 the stream of a call %s", (_, lose) => {
  test("behind an event with an id: it is taken up there", async ({ box, peer }) => {
    const { host, server } = await legacySession(box, peer);
    peer.hold("tools/call", isResume);
    await host.write(callLine("1"));
    const stream = (await peer.next("tools/call")).events();
    stream.prime("first", 1);
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}';
    stream.send(progress, { id: "second: 2" });
    await host.stdout.untilLines(2);
    lose(stream);
    const resumed = await peer.next(resumes("second: 2"));
    expect(resumed.headersLike("mcp-")).toEqual({
      "mcp-session-id": server.sessionIds[0],
      "mcp-protocol-version": LATEST_LEGACY,
    });
    const rest = resumed.events();
    rest.send(answerText("1", "1.0"), { id: "third" });
    rest.end();
    await host.stdout.untilAnswer(1);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.lines().slice(1, 3)).toEqual([progress, answerText("1", "1.0")]);
    expect(peer.like("tools/call")).toHaveLength(1);
  });

  test("without an id: one error, and it is never asked again", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.once("tools/call", (exchange) => {
      const stream = exchange.events();
      stream.comment();
      stream.send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } });
      // A line that has no end is no event.
      stream.raw(`data: ${answerText("1")}\n`);
      void host.stdout.untilLines(2).then(() => lose(stream));
    });
    await host.write(callLine("1"));
    expectLocal(await host.stdout.untilAnswer(1), /upstream connection lost before the answer/);
    await host.call(2, "echo");
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.messages().filter(({ id }) => id === 1)).toHaveLength(1);
    expect(peer.like("tools/call").map(({ message }) => message.id)).toEqual([1, 2]);
    expect(peer.like(isResume)).toEqual([]);
  });

  test("behind its answer: that is no loss", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    const stream = (await peer.next("tools/call")).events();
    stream.prime("a", 1);
    stream.send(answerText("1"), { id: "b" });
    await host.stdout.untilAnswer(1);
    lose(stream);
    peer.unhold();
    await host.call(2, "echo");
    await host.finish();
    expect(peer.like(isResume)).toEqual([]);
    expect(host.stdout.lineCount).toBe(3);
  });
});

describe("before the server has begun to answer", () => {
  const ways: [string, (exchange: Exchange) => void][] = [
    ["closes", (exchange) => exchange.drop()],
    ["resets", (exchange) => exchange.reset()],
    ["ends in the middle of the head", (exchange) => exchange.drop("HTTP/1.1 200 OK\r\nconte")],
    ["says what is no HTTP", (exchange) => exchange.drop("\u0000\u0001 nonsense\r\n\r\n")],
    [
      "ends in the middle of the body",
      (exchange) => {
        exchange.head(200, { "content-type": "application/json", "content-length": "1000" });
        exchange.drop(answerText("1"));
      },
    ],
  ];

  test.for(ways)("the connection %s: one error, and it is never asked again", async ([, lose], { box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.once("tools/call", lose);
    const failed = await host.call(1, "echo");
    expectLocal(failed, /^upstream /);
    await host.call(2, "echo");
    await host.finish();
    expect(peer.like("tools/call").map(({ message }) => message.id)).toEqual([1, 2]);
    expect(host.stdout.lineCount).toBe(3);
  });
});

describe("polling", () => {
  test("the server closes again and again, and the client comes back each time", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call", isResume);
    await host.write(callLine("1"));
    let stream = (await peer.next("tools/call")).events();
    stream.prime("0", 1);
    for (let n = 1; n <= 5; n++) {
      stream.end();
      stream = (await peer.next(resumes(String(n - 1)))).events();
      stream.prime(String(n), 1);
    }
    stream.send(answerText("1"), { id: "last" });
    stream.end();
    await host.stdout.untilAnswer(1);
    await host.finish();
    // An event without a message is none: the host has got nothing but answers.
    expect(host.stdout.lineCount).toBe(2);
    expect(peer.like("tools/call")).toHaveLength(1);
    expect(peer.like(isResume)).toHaveLength(5);
  });

  test("a stream that is taken up without news keeps its last id", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call", isResume);
    await host.write(callLine("1"));
    const first = (await peer.next("tools/call")).events();
    first.prime("here", 1);
    first.end();
    (await peer.next(resumes("here"))).events().end();
    const last = (await peer.next(resumes("here"))).events();
    last.send(answerText("1"));
    last.end();
    await host.stdout.untilAnswer(1);
    await host.finish();
  });

  test("`retry` is respected: nobody comes back before", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    const stream = (await peer.next("tools/call")).events();
    stream.prime("here", 3_600_000);
    stream.end();
    peer.unhold();
    for (const id of [2, 3, 4]) await host.call(id, "echo");
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(peer.like(isResume)).toEqual([]);
    expect(host.stdout.messages().map(({ id }) => id)).toEqual([0, 2, 3, 4]);
  });
});

test("each stream has a last event of its own", async ({ box, peer }) => {
  peer.hold("GET", "tools/call");
  const { host } = await legacySession(box, peer);
  const get = (await peer.next("GET")).events();
  get.prime("get-1", 1);
  await host.write(callLine("1") + callLine("2"));
  const calls = [await peer.next("tools/call"), await peer.next("tools/call")];
  for (const call of calls) call.events().prime(`call-${call.message.id}`, 1);
  const note = '{"jsonrpc":"2.0","method":"notifications/vendor"}';
  get.send(note, { id: "get-2" });
  await host.stdout.untilText(note);
  for (const call of calls) call.stream.drop();
  get.drop();
  for (const id of [2, 1]) {
    const rest = (await peer.next(resumes(`call-${id}`))).events();
    rest.send(answerText(String(id)), { id: `call-${id}-end` });
    rest.end();
    await host.stdout.untilAnswer(id);
  }
  const again = (await peer.next(resumes("get-2"))).events();
  again.send(note, { id: "get-3" });
  await host.stdout.untilLines(5);
  await host.finish();
});

describe("taking up a stream", () => {
  test.for([400, 404, 405])("that the server refuses with %i is one error", async (status, { box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    const stream = (await peer.next("tools/call")).events();
    stream.prime("here", 1);
    // However often it is tried.
    peer.serve((exchange) => (isResume(exchange) ? exchange.reply(status, "secret words") : exchange.accept()));
    stream.end();
    expectLocal(await host.stdout.untilAnswer(1), /^upstream /);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(peer.like("tools/call")).toHaveLength(1);
    expect(host.stdout.text()).not.toContain("secret words");
  });

  test("that fails on the way is tried again", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call", isResume);
    await host.write(callLine("1"));
    const stream = (await peer.next("tools/call")).events();
    stream.prime("here", 1);
    stream.end();
    (await peer.next(resumes("here"))).reset();
    const rest = (await peer.next(resumes("here"))).events();
    rest.send(answerText("1"));
    rest.end();
    await host.stdout.untilAnswer(1);
    await host.finish();
  });

  test("the GET stream too, without an id when it gave none", async ({ box, peer }) => {
    peer.hold("GET");
    const { host } = await legacySession(box, peer);
    const first = (await peer.next("GET")).events();
    first.raw("retry: 1\n\n");
    first.end();
    const second = await peer.next("GET");
    expect(second.header("last-event-id")).toBeUndefined();
    const note = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
    second.events().send(note);
    expect((await host.stdout.untilLines(2))[1]).toBe(note);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
  });
});
