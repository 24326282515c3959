/**
 * DEG-06 and DEG-08: messages that are too large to be held whole, in both directions, and what is no message at all. Over the limit
 * something is an answer, never a hang, and what comes behind it is untouched.
 */

import { describe, expect } from "vitest";
import type { Exchange } from "../fakes/http-peer/exchange.ts";
import type { WireMessage } from "../harness/byte-log.ts";
import { onlyRun } from "../harness/recorded-runs.ts";
import { answerText, callLine, legacySession, MODERN_META, modern, startRemote } from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";

const LIMIT = 200_000;
const SMALL = { env: { BIR_UPSTREAM_MAX_MESSAGE_BYTES: String(LIMIT) } };
const BIG = "x".repeat(LIMIT + 1);

const expectTooLarge = ({ result, error }: WireMessage) => {
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ isError: true, content: [{ type: "text" }] });
  expect(JSON.stringify(result)).toContain("BIR_UPSTREAM_MAX_MESSAGE_BYTES");
  expect(JSON.stringify(result)).not.toContain("xxxxx");
};

describe("DEG-06 from the host", () => {
  test("a call is answered with a result that is an error", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer, {}, SMALL);
    expectTooLarge(await host.call(1, "echo", { text: BIG }));
    expect((await host.call(2, "echo", { text: "x" })).result?.content).toEqual([{ type: "text", text: "x" }]);
    await host.finish();
    expect(peer.like("tools/call")).toHaveLength(1);
    expect(host.stderr.text().match(/DEG-06/g)).toHaveLength(1);
    expect((await onlyRun(box)).steps.map(({ status }) => status)).toEqual(["error", "ok"]);
  });

  test("a call of 2026-07-28 gets a complete result", async ({ box, peer }) => {
    const host = startRemote(box, peer, SMALL);
    const answer = await host.call("a", "echo", { text: BIG }, MODERN_META);
    expectTooLarge(answer);
    await host.finish();
    expect(peer.exchanges).toEqual([]);
  });

  test("another request is answered with an error, its id behind it all", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer, {}, SMALL);
    await host.write(`{"jsonrpc":"2.0","method":"resources/read","params":{"uri":"a:${BIG}"},"id":"late"}\n`);
    const { error } = await host.stdout.untilAnswer("late");
    expect(error?.code).toBe(-32_000);
    expect(error?.message).toContain("BIR_UPSTREAM_MAX_MESSAGE_BYTES");
    await host.finish();
    expect(peer.like("resources/read")).toEqual([]);
  });

  test("a notification and a response are dropped", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer, {}, SMALL);
    await host.send({ jsonrpc: "2.0", method: "notifications/vendor", params: { a: BIG } });
    await host.send({ jsonrpc: "2.0", id: 9, result: { a: BIG } });
    await host.call(1, "echo");
    await host.finish();
    expect(host.stdout.messages().map(({ id }) => id)).toEqual([0, 1]);
    expect(peer.like("notifications/vendor")).toEqual([]);
    expect(peer.like("response")).toEqual([]);
  });

  test("one of exactly the limit passes", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer, {}, SMALL);
    const empty = callLine("1", '{"text":""}').trimEnd().length;
    const line = callLine("1", `{"text":"${"y".repeat(LIMIT - empty)}"}`);
    expect(Buffer.byteLength(line.trimEnd())).toBe(LIMIT);
    await host.write(line);
    expect((await host.stdout.untilAnswer(1)).result?.isError).toBeUndefined();
    await host.finish();
    expect(peer.like("tools/call")[0]?.body.length).toBe(LIMIT);
  });
});

const WAYS: readonly [string, (exchange: Exchange, text: string) => void][] = [
  ["JSON", (exchange, text) => exchange.json(text)],
  [
    "an event",
    (exchange, text) => {
      const stream = exchange.events();
      stream.send(text);
      stream.end();
    },
  ],
];

describe.each(WAYS)("DEG-06 from the server, as %s", (_, answer) => {
  test("the answer to a call", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer, {}, SMALL);
    peer.once("tools/call", (exchange) => answer(exchange, answerText("1", `"${BIG}"`)));
    expectTooLarge(await host.call(1, "echo"));
    expect((await host.call(2, "echo")).result?.isError).toBeUndefined();
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.lineCount).toBe(3);
    expect(peer.like("tools/call")).toHaveLength(2);
  });

  test("the answer to another request", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer, {}, SMALL);
    peer.once("resources/read", (exchange) => answer(exchange, answerText('"r"', `"${BIG}"`)));
    const { error } = await host.request("r", "resources/read", { uri: "a:b" });
    expect(error?.code).toBe(-32_000);
    expect(error?.message).toContain("BIR_UPSTREAM_MAX_MESSAGE_BYTES");
    await host.finish();
  });
});

describe("from the server, by itself", () => {
  test("a notification is dropped, and the stream goes on", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer, {}, SMALL);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    const stream = (await peer.next("tools/call")).events();
    stream.send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: BIG } });
    stream.send(answerText("1"));
    stream.end();
    await host.stdout.untilAnswer(1);
    await host.finish();
    expect(host.stdout.lineCount).toBe(2);
  });

  test("a request is refused with -32600, and the host never sees it", async ({ box, peer }) => {
    const { host, server } = await legacySession(box, peer, {}, SMALL);
    await peer.until("the stream", () => peer.like("GET")[0]?.isAnswered);
    server.push({ jsonrpc: "2.0", id: "s", method: "sampling/createMessage", params: { messages: [BIG] } });
    const [refusal] = await peer.untilCount("response", 1);
    expect(refusal?.message).toMatchObject({ id: "s", error: { code: -32_600 } });
    expect(refusal?.header("mcp-session-id")).toBe(server.sessionIds[0]);
    await host.call(1, "echo");
    await host.finish();
    expect(host.stdout.lineCount).toBe(2);
  });
});

test("DEG-08: what is no JSON is answered with -32700, and goes nowhere", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer);
  const bad = ["{not json}", '{"jsonrpc":"2.0","id":1,', '{"a":nope}', "text", "\u0000"];
  for (const [n, text] of bad.entries()) {
    await host.write(`${text}\n`);
    const line = (await host.stdout.untilLines(2 + n))[1 + n] ?? "";
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_700 } });
  }
  await host.call(7, "echo");
  await host.finish();
  expect(peer.like("POST")).toHaveLength(3);
  expect(host.stdout.lineCount).toBe(2 + bad.length);
});

test("a message that is cut off by the host's end is none", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer);
  await host.write(callLine("1").slice(0, 40));
  expect(await host.finish()).toEqual({ code: 0, signal: null });
  expect(peer.like("tools/call")).toEqual([]);
});

test("a line without a line feed at the end is a message all the same", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer);
  await host.write(callLine("1").trimEnd());
  expect(await host.finish()).toEqual({ code: 0, signal: null });
  expect(peer.like("tools/call")).toHaveLength(1);
  expect(host.stdout.messages().map(({ id }) => id)).toEqual([0, 1]);
});

describe("batches (2025-03-26)", () => {
  const BATCH = `[${callLine("1").trim()}, ${callLine('"two"').trim()},{"jsonrpc":"2.0","method":"notifications/vendor"}]`;

  test("pass as one message, answered as one, or one by one", async ({ box, peer }) => {
    const { host, server } = await legacySession(box, peer, { version: "2025-03-26" });
    const isBatch = (exchange: Exchange) => exchange.text.startsWith("[");
    const answers = `[${answerText('"two"')}, ${answerText("1", "1.0")}]`;
    peer.once(isBatch, (exchange) => exchange.json(answers));
    await host.write(`${BATCH}\n`);
    expect((await host.stdout.untilLines(2))[1]).toBe(answers);
    peer.once(isBatch, (exchange) => {
      const stream = exchange.events();
      for (const id of ['"two"', "1"]) stream.send(answerText(id));
      stream.end();
    });
    await host.write(`${BATCH}\n`);
    expect((await host.stdout.untilLines(4)).slice(2)).toEqual([answerText('"two"'), answerText("1")]);
    await host.finish();
    const batches = peer.like(isBatch);
    expect(batches.map(({ text }) => text)).toEqual([BATCH, BATCH]);
    expect(batches[0]?.header("mcp-session-id")).toBe(server.sessionIds[0]);
  });

  test("one that is refused: an error for each of its requests", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer, { version: "2025-03-26" });
    peer.once(
      (exchange) => exchange.text.startsWith("["),
      (exchange) => exchange.reply(500, "no"),
    );
    await host.write(`${BATCH}\n`);
    await host.stdout.untilAnswer(1);
    await host.stdout.untilAnswer("two");
    await host.finish();
    expect(host.stdout.messages().map(({ id, error }) => [id, error?.code])).toEqual([
      [0, undefined],
      [1, -32_000],
      ["two", -32_000],
    ]);
  });
});

test("2026-07-28: the limit holds for what comes back too", async ({ box, peer }) => {
  peer.serve((exchange) => exchange.json(answerText("1", `"${BIG}"`)));
  const host = startRemote(box, peer, SMALL);
  await host.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: modern({ name: "echo", arguments: {} }) });
  expectTooLarge(await host.stdout.untilAnswer(1));
  await host.finish();
});
