/**
 * Over HTTP too, a message is the same bytes on both sides. Only line ends between values are taken out of what a server says:
 * a line of the host cannot hold them.
 */

import { describe, expect } from "vitest";
import type { Exchange } from "../fakes/http-peer/exchange.ts";
import { answerText, callLine, legacySession } from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";
import { ODD_IDS, ODD_VALUES } from "../harness/remote-values.ts";
import { expectSameBytes } from "../harness/untouched.ts";

/** Ways to answer with this message. */
const FRAMINGS: readonly [string, (exchange: Exchange, message: string) => void][] = [
  ["JSON", (exchange, message) => exchange.json(message)],
  [
    "an event",
    (exchange, message) => {
      const stream = exchange.events();
      stream.send(message);
      stream.end();
    },
  ],
  [
    "JSON of unknown length, up to the end of the connection",
    (exchange, message) => {
      exchange.head(200, { "content-type": "application/json", connection: "close" });
      exchange.write(message);
      exchange.drop();
    },
  ],
  [
    "JSON in chunks of seven bytes",
    (exchange, message) => {
      exchange.head(200, { "Content-Type": "APPLICATION/JSON; charset=utf-8", "Transfer-Encoding": "chunked" });
      const bytes = Buffer.from(message);
      const step = Math.max(7, Math.ceil(bytes.length / 20_000));
      for (let at = 0; at < bytes.length; at += step) {
        const piece = bytes.subarray(at, at + step);
        exchange.write(
          Buffer.concat([Buffer.from(`${piece.length.toString(16)};ext=1\r\n`), piece, Buffer.from("\r\n")]),
        );
      }
      exchange.write("0\r\ntrailer: x\r\n\r\n");
      exchange.isDone = true;
    },
  ],
];

test.for(FRAMINGS)("arguments and results of every odd kind, answered as %s", async ([, answer], { box, peer }) => {
  const { host } = await legacySession(box, peer);
  peer.hold("tools/call");
  for (const { name, json } of ODD_VALUES) {
    const before = host.stdout.sizeBytes;
    await host.write(callLine("1", json));
    const call = await peer.next("tools/call");
    expectSameBytes(call.body, Buffer.from(callLine("1", json).trimEnd()), `${name}: what the server got`);
    const message = answerText("1", json);
    answer(call, message);
    const got = await host.stdout.untilSize(before + Buffer.byteLength(message) + 1);
    expectSameBytes(Buffer.from(got.subarray(before)), Buffer.from(`${message}\n`), `${name}: what the host got`);
  }
  expect(await host.finish()).toEqual({ code: 0, signal: null });
});

test("every id as it was written, many in flight", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer);
  peer.hold("tools/call");
  const calls = ODD_IDS.map(() => peer.next("tools/call"));
  for (const id of ODD_IDS) await host.write(callLine(id));
  for (const call of calls) {
    const { text } = await call;
    const id = ODD_IDS.find((one) => callLine(one).trimEnd() === text);
    expect(id, text.slice(0, 100)).toBeDefined();
    (await call).json(answerText(id ?? "", "true"));
  }
  await host.stdout.untilLines(1 + ODD_IDS.length);
  expect(host.stdout.lines().slice(1).sort()).toEqual(ODD_IDS.map((id) => answerText(id, "true")).sort());
  await host.finish();
});

test("an id that is null: passed on, its answer too, and nothing is made up for it", async ({ box, peer }) => {
  const { host } = await legacySession(box, peer);
  peer.once("tools/call", (exchange) => exchange.json(answerText("null", "1.0")));
  await host.write(callLine("null"));
  expect((await host.stdout.untilLines(2))[1]).toBe(answerText("null", "1.0"));
  peer.once("tools/call", (exchange) => exchange.reply(500, "no"));
  await host.write(callLine("null"));
  await peer.untilCount("tools/call", 2);
  await host.call(1, "echo");
  expect(await host.finish()).toEqual({ code: 0, signal: null });
  expect(peer.like("tools/call").map(({ message }) => message.id)).toEqual([null, null, 1]);
  expect(host.stdout.lineCount).toBe(3);
});

describe("a message that is spread over lines becomes one", () => {
  const pretty =
    '{\n  "jsonrpc": "2.0",\n  "id": 1,\n\n  "result": {\n\t"a\\n\\\\": "x \\\\\\"",\n    "b": 1.0\n  }\n}\n';
  const spread: [string, string, (exchange: Exchange) => void][] = [
    ["JSON with LF", pretty, (exchange) => exchange.json(pretty)],
    ["JSON with CR LF", pretty, (exchange) => exchange.json(pretty.replaceAll("\n", "\r\n"))],
    ["JSON with CR", pretty, (exchange) => exchange.json(pretty.replaceAll("\n", "\r"))],
    [
      "an event of several data lines",
      pretty.trimEnd(),
      (exchange) => {
        const stream = exchange.events();
        stream.send(pretty.trimEnd());
        stream.end();
      },
    ],
    [
      "an event of several data lines with CR LF",
      pretty.trimEnd(),
      (exchange) => {
        const stream = exchange.events();
        const lines = pretty.trimEnd().split("\n");
        stream.raw(`${lines.map((line) => `data: ${line}`).join("\r\n")}\r\n\r\n`);
        stream.end();
      },
    ],
  ];

  test.for(spread)("%s", async ([, message, answer], { box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call");
    peer.once("tools/call", answer);
    await host.write(callLine("1"));
    const [, line] = await host.stdout.untilLines(2);
    expect(line).toBe(message.replace(/\n/g, ""));
    await host.finish();
  });

  test("and one of the host ends at its line feed, with what stands before it", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call");
    const message = callLine("1", "{}").trimEnd();
    // Neither an empty line nor one of spaces is a message.
    await host.write(`\n \n${message}\r\n\t\n`);
    const call = await peer.next("tools/call");
    expect(call.text.trimEnd()).toBe(message);
    call.json(answerText("1"));
    await host.stdout.untilLines(2);
    expect(peer.like("POST")).toHaveLength(3);
    await host.finish();
  });
});

test("messages of the server's own, in the same bytes and in its order", async ({ box, peer }) => {
  const { host, server } = await legacySession(box, peer);
  await peer.untilCount("GET", 1);
  const said = ODD_VALUES.filter(({ json }) => json.length < 1_000_000).map(
    ({ json }) => `{"method":"notifications/message", "params":{"level":"info","data":${json}},"jsonrpc":"2.0"}`,
  );
  for (const message of said) server.push(message);
  const lines = await host.stdout.untilLines(1 + said.length);
  expect(lines.slice(1)).toEqual(said);
  await host.finish();
});

test("the first half of a message is not kept back from the server's side of a stream for the second", async ({
  box,
  peer,
}) => {
  const { host } = await legacySession(box, peer);
  peer.hold("tools/call");
  await host.write(callLine("1"));
  const stream = (await peer.next("tools/call")).events();
  const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}';
  await stream.slowly(`event: message\ndata: ${progress}\n\n`);
  expect((await host.stdout.untilLines(2))[1]).toBe(progress);
  stream.send(answerText("1", '"😀"'));
  stream.end();
  expect((await host.stdout.untilLines(3))[2]).toBe(answerText("1", '"😀"'));
  await host.finish();
});
