/**
 * Odd but possible traffic, as bytes: what JSON parsers, line splitters and re-serialisers get wrong.
 * Each case is one exchange; a transparent relay delivers exactly these bytes to both sides.
 */

import type { Turn } from "./transcript.ts";

export interface GoldenCase {
  name: string;
  turns: readonly Turn[];
}

const request = (id: string, args: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":${args}}}\n`;
const answer = (id: string, value: string) =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${value}}}\n`;

/** The same odd JSON value as arguments and as result. */
const value = (name: string, json: string): GoldenCase => ({
  name,
  turns: [{ up: request("1", json) }, { down: answer("1", json) }],
});

/** The same bytes in both directions, with an ordinary call behind them to show that the stream is whole. */
const bytes = (name: string, data: string | Uint8Array): GoldenCase => ({
  name,
  turns: [{ up: data }, { down: data }, { up: request("7", "{}") }, { down: answer("7", "1") }],
});

/** A call with this id, answered under this id. */
const id = (json: string): GoldenCase => ({
  name: `id ${json.slice(0, 40)}`,
  turns: [{ up: request(json, "{}") }, { down: answer(json, "true") }],
});

const call = (method: string, from: "up" | "down"): Turn =>
  from === "up"
    ? { up: `{"jsonrpc":"2.0","method":"${method}","id":5,"params":[1.0]}\n` }
    : { down: `{"jsonrpc":"2.0","method":"${method}","id":5,"params":[1.0]}\n` };

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

export const GOLDEN_CASES: readonly GoldenCase[] = [
  value("big integers", '{"n":123456789012345678901234567890,"m":-9007199254740993}'),
  value("numbers as written", '{"a":1.0,"b":1E5,"c":-0,"d":0.10,"e":1e400,"f":1.50e-7}'),
  value("key order", '{"z":1,"a":{"10":1,"9":2,"b":3},"__proto__":{"x":1},"constructor":null}'),
  value("duplicate keys", '{"a":1,"a":2,"a":{"b":1,"b":2}}'),
  value("white space inside", '{ "a" :\t[ 1 ,  2 ]\r , "b":\t{ } }'),
  value("escapes as written", String.raw`{"a":"\u0041\/\b\f\n\r\t\"\\ \u00e9 \u2028 \ud83d\ude00"}`),
  value("lone surrogates", String.raw`{"a":"\ud800","b":"\udc00x","\udbff":1}`),
  value("U+2028 and U+2029 unescaped", '{"a":"\u2028\u2029","\u2028":"\u0085"}'),
  value("emoji and combining marks", '{"a":"😀👩‍👩‍👧‍👦 é é \u{10FFFF}"}'),
  value(
    "words that look like secrets",
    '{"password":"hunter2","authorization":"Bearer abcdefghijklmnopqrstuvwxyz0123"}',
  ),
  value("a string that holds a whole message", String.raw`{"a":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"}`),
  value("a long run of escapes", `{"a":"${"\\u0000\\\\".repeat(20_000)}"}`),
  value("a value nested 100,000 deep", nested(100_000)),
  value("a very long key", `{"${"k".repeat(300_000)}":1}`),
  {
    name: "keys in another order",
    turns: [
      { up: '{"params":{"arguments":{},"name":"echo"},"method":"tools/call","id":3,"jsonrpc":"2.0"}\n' },
      { down: '{"result":{"content":[]},"id":3,"jsonrpc":"2.0"}\n' },
    ],
  },
  {
    name: "duplicate ids and methods in one message",
    turns: [
      {
        up: '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping","method":"tools/call","params":{"name":"a","name":"b"}}\n',
      },
      { down: '{"jsonrpc":"2.0","id":1,"id":2,"result":{},"result":{"content":[]}}\n' },
    ],
  },
  {
    name: "no jsonrpc member",
    turns: [{ up: '{"id":1,"method":"tools/call","params":{"name":"echo"}}\n' }, { down: '{"id":1,"result":{}}\n' }],
  },
  {
    name: "result and error together, and neither",
    turns: [
      { up: request("1", "{}") + request("2", "{}") },
      { down: '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1.5}}\n{"jsonrpc":"2.0","id":2}\n' },
    ],
  },
  {
    name: "an error with a code of the protocol's and data",
    turns: [
      { up: request("1", "{}") },
      {
        down: '{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"call \\"x\\"","data":{"elicitations":[1.0]}}}\n',
      },
    ],
  },
  {
    name: "an answer that nobody asked for, and the same answer twice",
    turns: [
      { up: request("1", "{}") },
      { down: answer("99", "1") + answer("1", "1") + answer("1", "2") },
      { up: answer("99", "1") + answer("1", "1") },
    ],
  },
  {
    name: "params of every JSON type",
    turns: [
      {
        up: ["null", "true", "1.0", '"s"', "[]", "[[]]"]
          .map((json, n) => `{"jsonrpc":"2.0","id":${n},"method":"tools/call","params":${json}}\n`)
          .join(""),
      },
      {
        down: ["null", "true", "1.0", '"s"', "[]", "[[]]"]
          .map((json, n) => `{"jsonrpc":"2.0","id":${n},"result":${json}}\n`)
          .join(""),
      },
    ],
  },
  ...[
    "0",
    "-1",
    '"s"',
    '""',
    "null",
    "1.5",
    "1e2",
    "1.0",
    "9007199254740993",
    '"1"',
    '"\\u0031"',
    "true",
    "[1]",
    '{"a":1}',
    `"${"i".repeat(70_000)}"`,
    '"bir:1"',
  ].map(id),
  {
    name: 'ids 1 and "1" in flight together',
    turns: [
      { up: request("1", '{"n":1}') + request('"1"', '{"n":"1"}') },
      { down: answer('"1"', '"one"') + answer("1", "1") },
    ],
  },
  {
    name: "a batch of calls, a batch of answers",
    turns: [
      {
        up: `[${request("1", "{}").trim()}, ${request("2", "{}").trim()},{"jsonrpc":"2.0","method":"notifications/initialized"}]\n`,
      },
      { down: `[${answer("2", "2").trim()},${answer("1", "1").trim()}]\n` },
    ],
  },
  bytes("empty and odd batches", '[]\n[[]]\n[1,null,"x"]\n[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n'),
  bytes("JSON that is no message", '1\n"text"\nnull\ntrue\n{}\n'),
  {
    name: "calls and answers that are broken inside",
    turns: [
      { up: `${request("1", '{"a":nope}')}${request("2", '{"a":"\\x \\u12"}')}${request("3", '{"a" 1,}')}` },
      { down: `${answer("1", "e")}${answer("2", '{"a":[}')}${answer("3", '"a\u0001\tb')}` },
      { up: request("4", "{}") },
      { down: answer("4", "{}") },
    ],
  },
  {
    name: "calls whose _meta is broken inside",
    turns: [
      {
        up: ['null"t"', '"\u0010"', "-", "[1,]", "{", nested(100_000)]
          .map(
            (json, n) =>
              `{"jsonrpc":"2.0","id":${n},"method":"tools/call","params":{"name":"echo","_meta":{"claudecode/toolUseId":${json}}}}\n`,
          )
          .join(""),
      },
      { down: answer("0", "0") + answer("1", "1") },
    ],
  },
  bytes("lines that are no JSON", 'Starting server...\n{not json}\n{"jsonrpc":"2.0","id":1,\n'),
  bytes("empty lines and lines of spaces", "\n\n \n\t\n\n"),
  bytes("CR LF", `${request("1", "{}").trim()}\r\n\r\n${answer("1", "1").trim()}\r\n`),
  bytes("CR alone, form feed, vertical tab", '{"jsonrpc":"2.0",\r"id":1,"method":"ping"}\r\n\f\n\v\n'),
  bytes("a byte order mark", '\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}\n'),
  bytes("Content-Length framing", 'Content-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n'),
  bytes("NUL bytes", Buffer.from('{"jsonrpc":"2.0","id":1,"method":"pi\0ng"}\n\0\n\0\0\0\n')),
  bytes(
    "bytes that are no UTF-8",
    Uint8Array.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0xff, 0xc0, 0x80, 0xfe, 0x22, 0x0a, 0xe2, 0x82, 0x0a]),
  ),
  bytes("terminal escapes", "\u001b[31mred\u001b[0m\u001b]0;title\u0007\n"),
  bytes(
    "5,000 messages in one write",
    '{"jsonrpc":"2.0","method":"notifications/x","params":{"n":1.0}}\n'.repeat(5000),
  ),
  {
    name: "unknown methods both ways",
    turns: [
      call("vendor/ask", "up"),
      call("vendor/ask", "down"),
      { up: '{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"no"}}\n' },
      { down: '{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"no"}}\n' },
    ],
  },
  {
    name: "unknown notifications both ways",
    turns: [
      { up: '{"jsonrpc":"2.0","method":"notifications/vendor/x","params":{"a":1.0}}\n{"jsonrpc":"2.0","method":""}\n' },
      { down: '{"jsonrpc":"2.0","method":"notifications/vendor/x"}\n{"jsonrpc":"2.0","method":"$/progress"}\n' },
    ],
  },
  {
    name: "12 MB of arguments and of result",
    turns: [
      { up: request("1", `{"a":"${"x".repeat(12_000_000)}"}`) },
      { down: answer("1", `{"a":"${"y".repeat(12_000_000)}"}`) },
      { up: request("2", "{}") },
      { down: answer("2", "2") },
    ],
  },
  {
    name: "no line feed before the end of either stream",
    turns: [{ up: request("1", "{}").trimEnd() }, { down: answer("1", "1").trimEnd() }],
  },
  { name: "nothing at all", turns: [] },
];
