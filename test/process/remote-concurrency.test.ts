/** Hundreds of requests at a time, answered in any order and in any way: none waits for another, and none is lost. */

import { describe, expect } from "vitest";
import type { Exchange } from "../fakes/http-peer/exchange.ts";
import { onlyRun } from "../harness/recorded-runs.ts";
import { answerText, callLine, legacySession, modern, startRemote } from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";

const WAYS: readonly [string, (exchange: Exchange, text: string) => void][] = [
  ["JSON", (exchange, text) => exchange.json(text)],
  [
    "events",
    (exchange, text) => {
      const stream = exchange.events();
      stream.send(text);
      stream.end();
    },
  ],
];

describe.each(WAYS)("answered with %s", (_, answer) => {
  test.for([150, 600])("%i calls at a time, the last first", async (count, { box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call");
    const ids = Array.from({ length: count }, (_, n) => n + 1);
    await host.write(ids.map((id) => callLine(String(id), `{"n":${id}}`)).join(""));
    const calls = await peer.untilCount("tools/call", count);
    const byId = new Map(calls.map((call) => [call.message.id, call]));
    expect(byId.size).toBe(count);
    for (const id of ids.toReversed()) {
      const call = byId.get(id);
      expect(call?.message.params.arguments).toEqual({ n: id });
      // One after the other, so that there is an order to look at.
      if (call) answer(call, answerText(String(id), String(id)));
      await host.stdout.untilLines(2 + count - id);
    }
    expect(host.stdout.lines().slice(1)).toEqual(ids.toReversed().map((id) => answerText(String(id), String(id))));
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    const { steps, lossy } = await onlyRun(box);
    expect(lossy).toBe(false);
    expect(steps.map(({ status }) => status)).toEqual(ids.map(() => "ok"));
    for (const { args, result } of steps) {
      expect(result).toMatchObject({ structuredContent: (args as { n: number }).n });
    }
  });
});

test("300 calls of 2026-07-28 at a time, all at once", async ({ box, peer }) => {
  const host = startRemote(box, peer);
  peer.hold("tools/call");
  const ids = Array.from({ length: 300 }, (_, n) => `id-${n}`);
  for (const id of ids) {
    await host.send({ jsonrpc: "2.0", id, method: "tools/call", params: modern({ name: "echo", arguments: {} }) });
  }
  const calls = await peer.untilCount("tools/call", ids.length);
  for (const call of calls.toReversed()) call.json(answerText(JSON.stringify(call.message.id)));
  await host.stdout.untilLines(ids.length);
  expect(host.stdout.lines().sort()).toEqual(ids.map((id) => answerText(JSON.stringify(id))).sort());
  await host.finish();
});

test("one that is never answered, one that is slow and one whose server stalls keep no other", async ({
  box,
  peer,
}) => {
  const { host } = await legacySession(box, peer);
  const [never, slow] = [peer.next("tools/call"), peer.next("tools/call")];
  await host.write(callLine('"never"'));
  const unanswered = await never;
  await host.write(callLine('"slow"'));
  const stream = (await slow).events();
  for (let n = 1; n <= 50; n++) {
    await host.call(n, "echo");
    stream.comment();
  }
  stream.send(answerText('"slow"'));
  stream.end();
  await host.stdout.untilAnswer("slow");
  expect(unanswered.isAbandoned).toBe(false);
  await host.finish();
  expect(host.stdout.messages().some(({ id }) => id === "never")).toBe(false);
});

test("a server that does not read one of them: the others pass it, and the end comes", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer, { noStream: true });
  await host.call("first", "echo");
  // More than can be idle: those that are open are in use, so that the next call needs another connection.
  const keeping = ["keeps-1", "keeps-2", "keeps-3", "keeps-4", "keeps-5"];
  peer.hold((exchange) => keeping.includes(String(exchange.message.id)));
  await host.write(keeping.map((id) => callLine(`"${id}"`)).join(""));
  await peer.untilCount("tools/call", 1 + keeping.length);
  const open = peer.connections.length;
  peer.stallNext();
  await host.write(callLine('"stuck"', `{"text":"${"x".repeat(12_000_000)}"}`));
  await peer.until("the connection that is not read", () => peer.connections.length > open);
  for (let n = 1; n <= 20; n++) expect((await host.call(n, "echo")).result).toBeDefined();
  expect(peer.like("tools/call").some(({ message }) => message.id === "stuck")).toBe(false);
  expect(await host.finish()).toEqual({ code: 0, signal: null });
  // What was not read to its end, as it had to be.
  peer.faults.length = 0;
});

test("a host that does not read for a while gets everything", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer);
  peer.hold("tools/call");
  const count = 40;
  const ids = Array.from({ length: count }, (_, n) => n + 1);
  await host.write(ids.map((id) => callLine(String(id))).join(""));
  const calls = await peer.untilCount("tools/call", count);
  host.pauseStdout();
  const value = `"${"x".repeat(100_000)}"`;
  for (const call of calls) call.json(answerText(String(call.message.id), value));
  host.resumeStdout();
  await host.stdout.untilLines(1 + count);
  const wanted = ids.map((id) => answerText(String(id), value)).sort();
  expect(host.stdout.lines().slice(1).sort()).toEqual(wanted);
  await host.finish();
});
