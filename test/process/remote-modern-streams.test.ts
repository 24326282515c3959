/** 2026-07-28: a closed stream is the way to cancel, a lost one is a lost request, and listening is a request that stays open. */

import { describe, expect } from "vitest";
import type { EventStream } from "../fakes/http-peer/event-stream.ts";
import { ModernMcp } from "../fakes/http-peer/modern-mcp.ts";
import { answerText, expectLocal, MODERN_META, modern, startRemote } from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";
import type { RunningProcess } from "../harness/running-process.ts";

const losses: [string, (stream: EventStream) => void][] = [
  ["ends", (stream) => stream.end()],
  ["is dropped", (stream) => stream.drop()],
  ["is reset", (stream) => stream.reset()],
];

const call = (id: unknown) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: modern({ name: "echo", arguments: {} }),
});

const cancel = (requestId: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, reason: "enough", _meta: MODERN_META },
});

describe("cancelled", () => {
  test("the connection of exactly that request is closed, and nothing is sent", async ({ box, peer }) => {
    peer.serve(new ModernMcp().handle);
    peer.hold("tools/call");
    const host = startRemote(box, peer);
    for (const id of [1, "1", 2]) await host.send(call(id));
    const calls = await peer.untilCount("tools/call", 3);
    for (const one of calls) one.events().comment();
    await host.send(cancel("1"));
    const [number, text, other] = [1, "1", 2].map((id) => calls.find(({ message }) => message.id === id));
    if (!number || !text || !other) throw new Error("not all calls came");
    await peer.untilAbandoned(text);
    for (const one of [number, other]) {
      expect(one.isAbandoned).toBe(false);
      one.stream.send(answerText(String(one.message.id)));
      one.stream.end();
      await host.stdout.untilAnswer(one.message.id);
    }
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.lineCount).toBe(2);
    expect(peer.exchanges).toHaveLength(3);
  });

  test.for(["without metadata", "with metadata"])(
    "also before anything was answered, %s",
    async (how, { box, peer }) => {
      peer.hold("tools/call");
      const host = startRemote(box, peer);
      await host.send(call(1));
      const exchange = await peer.next("tools/call");
      const { params, ...rest } = cancel(1);
      const { _meta, ...bare } = params;
      await host.send({ ...rest, params: how === "with metadata" ? params : bare });
      await peer.untilAbandoned(exchange);
      await host.finish();
      expect(peer.exchanges).toHaveLength(1);
      expect(host.stdout.lineCount).toBe(0);
    },
  );

  test("for what is over or never was: nothing happens", async ({ box, peer }) => {
    peer.serve(new ModernMcp().handle);
    const host = startRemote(box, peer);
    await host.call(1, "echo", {}, MODERN_META);
    for (const id of [1, 7, null]) await host.send(cancel(id));
    await host.call(2, "echo", {}, MODERN_META);
    await host.finish();
    expect(peer.exchanges).toHaveLength(2);
    expect(host.stdout.lineCount).toBe(2);
  });

  test("an id that is used again is a request of its own", async ({ box, peer }) => {
    peer.hold("tools/call");
    const host = startRemote(box, peer);
    await host.send(call(1));
    const first = await peer.next("tools/call");
    await host.send(cancel(1));
    await peer.untilAbandoned(first);
    await host.send(call(1));
    (await peer.next("tools/call")).json(answerText("1"));
    await host.stdout.untilAnswer(1);
    await host.finish();
    expect(host.stdout.lineCount).toBe(1);
  });
});

describe("a stream that is lost", () => {
  test.for(losses)("%s: one error, nobody comes back, whatever ids there were", async ([, lose], { box, peer }) => {
    peer.hold("tools/call");
    const host = startRemote(box, peer);
    await host.send(call(1));
    const { stream } = await peer.next("tools/call").then((exchange) => ({ stream: exchange.events() }));
    stream.prime("an-id", 1);
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}';
    stream.send(progress, { id: "another" });
    await host.stdout.untilLines(1);
    lose(stream);
    expectLocal(await host.stdout.untilAnswer(1), /^upstream (?:connection lost|ended its answer) before/);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(peer.exchanges).toHaveLength(1);
    expect(host.stdout.lineCount).toBe(2);
  });
});

describe("subscriptions/listen", () => {
  async function listen(host: RunningProcess, id: unknown): Promise<void> {
    const params = modern({ notifications: { toolsListChanged: true } });
    await host.send({ jsonrpc: "2.0", id, method: "subscriptions/listen", params });
  }

  test("what is said on it passes, several at a time, until the host goes", async ({ box, peer }) => {
    const server = new ModernMcp();
    peer.serve(server.handle);
    const host = startRemote(box, peer);
    await listen(host, "a");
    await listen(host, "b");
    await peer.until("both to listen", () => server.listeners.size === 2);
    await host.stdout.untilLines(2);
    server.notify("notifications/resources/list_changed");
    server.notify("notifications/prompts/list_changed");
    await host.stdout.untilLines(6);
    await host.call(1, "echo", {}, MODERN_META);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    const tagged = host.stdout.messages().flatMap(({ params }) => {
      const meta = params?._meta as Record<string, unknown> | undefined;
      return meta ? [meta["io.modelcontextprotocol/subscriptionId"]] : [];
    });
    expect(tagged.sort()).toEqual(["a", "a", "a", "b", "b", "b"]);
    for (const exchange of peer.like("subscriptions/listen")) await peer.untilAbandoned(exchange);
    expect(host.stdout.lineCount).toBe(7);
  });

  test("cancelled: that one is closed", async ({ box, peer }) => {
    const server = new ModernMcp();
    peer.serve(server.handle);
    const host = startRemote(box, peer);
    await listen(host, "a");
    await listen(host, "b");
    await host.stdout.untilLines(2);
    await host.send(cancel("a"));
    const [a, b] = ["a", "b"].map((id) => peer.exchanges.find(({ message }) => message.id === id));
    if (!a || !b) throw new Error("not both came");
    await peer.untilAbandoned(a);
    expect(b.isAbandoned).toBe(false);
    await host.finish();
    expect(peer.like("POST")).toHaveLength(2);
  });

  test.for(losses)("a stream that %s: one error, and nobody listens again", async ([, lose], { box, peer }) => {
    const server = new ModernMcp();
    peer.serve(server.handle);
    const host = startRemote(box, peer);
    await listen(host, "a");
    await host.stdout.untilLines(1);
    const stream = server.listeners.get("a");
    if (stream) lose(stream);
    expectLocal(await host.stdout.untilAnswer("a"), /^upstream /);
    await host.call(1, "echo", {}, MODERN_META);
    await host.finish();
    expect(peer.like("subscriptions/listen")).toHaveLength(1);
    expect(host.stdout.lineCount).toBe(3);
  });

  test("ended by the server with a result: that is its answer", async ({ box, peer }) => {
    const server = new ModernMcp();
    peer.serve(server.handle);
    const host = startRemote(box, peer);
    await listen(host, "a");
    await host.stdout.untilLines(1);
    const stream = server.listeners.get("a");
    stream?.send('{"jsonrpc":"2.0","id":"a","result":{"resultType":"complete"}}');
    stream?.end();
    expect((await host.stdout.untilAnswer("a")).result).toEqual({ resultType: "complete" });
    await host.finish();
    expect(host.stdout.lineCount).toBe(2);
  });
});
