/** Server-sent events as their specification has them: what is an event, what is none, and in which pieces it may come. */

import { describe, expect } from "vitest";
import type { Exchange } from "../fakes/http-peer/exchange.ts";
import { answerText, callLine, expectLocal, legacySession } from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";

const ANSWER = answerText("1", '"é 😀"');
const NOTE = '{"jsonrpc":"2.0","method":"notifications/vendor"}';

/** Texts of a stream, and the lines that the host is to get. */
const STREAMS: readonly [string, string, readonly string[]][] = [
  ["LF", `event: message\ndata: ${ANSWER}\n\n`, [ANSWER]],
  ["CR LF", `event: message\r\ndata: ${ANSWER}\r\n\r\n`, [ANSWER]],
  ["CR", `event: message\rdata: ${ANSWER}\r\r`, [ANSWER]],
  ["no event name, no space", `data:${ANSWER}\n\n`, [ANSWER]],
  ["a byte order mark", `\uFEFFdata: ${ANSWER}\n\n`, [ANSWER]],
  ["comments and empty events", `:\n\n: ping\n\n\n\n:x\ndata: ${ANSWER}\n:y\n\n`, [ANSWER]],
  ["fields that nobody knows", `other: 1\nnothing\ndata: ${ANSWER}\nretry: soon\n\n`, [ANSWER]],
  ["an event without data", `id: 1\ndata:\n\nid: 2\n\ndata: ${ANSWER}\n\n`, [ANSWER]],
  ["another event name", `event: endpoint\ndata: /else\n\nevent: ping\ndata: {}\n\ndata: ${ANSWER}\n\n`, [ANSWER]],
  ["a name that is forgotten behind its event", `event: ping\n\ndata: ${ANSWER}\n\n`, [ANSWER]],
  ["two messages in one piece", `data: ${NOTE}\n\ndata: ${ANSWER}\n\n`, [NOTE, ANSWER]],
  ["a value with colons", `data: {"a:b":":c",\ndata:${ANSWER.slice(1)}\n\n`, [`{"a:b":":c",${ANSWER.slice(1)}`]],
];

describe.each([
  ["at once", false],
  ["byte by byte", true],
] as const)("%s", (_, isSlow) => {
  test.for(STREAMS)("%s", async ([, text, lines], { box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    const stream = (await peer.next("tools/call")).events({ "content-type": "text/event-stream; charset=utf-8" });
    if (isSlow) await stream.slowly(text);
    else stream.raw(text);
    stream.end();
    expect((await host.stdout.untilLines(1 + lines.length)).slice(1)).toEqual(lines);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.lineCount).toBe(1 + lines.length);
  });
});

test("a stream without chunks, up to the end of the connection", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer);
  peer.hold("tools/call");
  await host.write(callLine("1"));
  const call = await peer.next("tools/call");
  call.head(200, { "content-type": "text/event-stream" });
  call.write(`data: ${NOTE}\n\n`);
  expect((await host.stdout.untilLines(2))[1]).toBe(NOTE);
  call.write(`data: ${ANSWER}\n\n`);
  call.drop();
  expect((await host.stdout.untilLines(3))[2]).toBe(ANSWER);
  await host.finish();
});

test("an id that is taken back is none", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer);
  peer.once("tools/call", (exchange) => {
    const stream = exchange.events();
    stream.raw("id: 1\nretry: 1\ndata:\n\nid:\ndata:\n\n");
    stream.end();
  });
  expectLocal(await host.call(1, "echo"), /upstream connection lost before the answer/);
  await host.finish();
  expect(peer.like((exchange) => exchange.header("last-event-id") !== undefined)).toEqual([]);
});

test("an id with U+0000 is ignored", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer);
  const isResume = (exchange: Exchange) => exchange.header("last-event-id") !== undefined;
  peer.hold("tools/call", isResume);
  await host.write(callLine("1"));
  const stream = (await peer.next("tools/call")).events();
  stream.raw("id: good\nretry: 1\ndata:\n\nid: b\u0000d\ndata:\n\n");
  stream.end();
  const resumed = await peer.next(isResume);
  expect(resumed.header("last-event-id")).toBe("good");
  const rest = resumed.events();
  rest.send(ANSWER);
  rest.end();
  await host.stdout.untilAnswer(1);
  await host.finish();
});

test("data that is no JSON ends nothing: the answer still comes", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer);
  peer.hold("tools/call");
  await host.write(callLine("1"));
  const stream = (await peer.next("tools/call")).events();
  stream.raw("data: nonsense\n\n");
  stream.send(ANSWER);
  stream.end();
  expect(await host.stdout.untilAnswer(1)).toMatchObject({ result: { structuredContent: "é 😀" } });
  await host.finish();
});
