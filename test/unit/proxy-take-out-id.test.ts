import { describe, expect, test } from "vitest";
import { IdGate, type Passage } from "../../src/proxy/injection/id-gate.ts";
import { takeOutIds } from "../../src/proxy/injection/take-out-id.ts";

const ID = "__bir_call_id__";
const message = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${args}}}\n`;

function taken(line: string): { text: string; calls: readonly { rawId: string; injectedId: string | null }[] } {
  const { line: bytes, calls } = takeOutIds(Buffer.from(line));
  return { text: Buffer.from(bytes).toString(), calls };
}

describe("an id of ours in the arguments of a call", () => {
  test.each([
    [`{"${ID}":"x","a":1}`, `{"a":1}`],
    [`{"${ID}":"x"}`, "{}"],
    [`{"a":1,"${ID}":"x"}`, `{"a":1}`],
    [`{"a":1,"${ID}":"x","b":2}`, `{"a":1,"b":2}`],
    [`{ "a" : 1 , "${ID}" : "x" , "b" : 2 }`, `{ "a" : 1  , "b" : 2 }`],
    [`{\t"${ID}" : "x" ,\r "b" : 2 }`, `{\t\r "b" : 2 }`],
    [`{ "${ID}" : "x" }`, "{  }"],
    [String.raw`{"\u005f_bir_call_id__":"x","a":1}`, `{"a":1}`],
    [String.raw`{"__bir\u005Fcall_id__":"x","a":1}`, `{"a":1}`],
    [`{"${ID}":"x","a":1,"${ID}":"y"}`, `{"a":1}`],
    [`{"${ID}":"w","${ID}":"x","a":1}`, `{"a":1}`],
    [`{"${ID}":"w","${ID}":"x"}`, "{}"],
    [`{"a":1.0,"${ID}":{"deep":[1,"}"]},"a":1e2}`, `{"a":1.0,"a":1e2}`],
    [`{"a":"ü\\"{,","${ID}":"x"}`, `{"a":"ü\\"{,"}`],
  ])("%s", (args, without) => {
    expect(taken(message(args)).text).toBe(message(without));
  });

  test.each([
    `{"a":{"${ID}":"x"}}`,
    `[{"${ID}":"x"}]`,
    `"${ID}"`,
    "null",
    `{"x${ID}":"x"}`,
    `{"A":"\\"${ID}\\":1,"}`,
    `{"${ID}":"x" "a":1}`,
    `{"${ID}":"x",}`,
    `{"${ID}"`,
  ])("that is none stays: %s", (args) => {
    expect(taken(message(args)).text).toBe(message(args));
  });

  test("is told with the id of its request, as the host wrote that", () => {
    expect(taken(message(`{"${ID}":"bir_1"}`)).calls).toEqual([{ rawId: "1", injectedId: "bir_1" }]);
    expect(taken(message(`{"${ID}":"bir_1"}`).replace('"id":1', '"id":"é"')).calls).toEqual([
      { rawId: '"é"', injectedId: "bir_1" },
    ]);
    expect(taken(message(`{"${ID}":7}`)).calls).toEqual([{ rawId: "1", injectedId: null }]);
    expect(taken(message("{}")).calls).toEqual([{ rawId: "1", injectedId: null }]);
  });

  test("is taken out in a batch, and out of nothing but calls", () => {
    const call = (id: number, args: string) => message(args).trim().replace('"id":1', `"id":${id}`);
    const other = `{"id":9,"method":"tools/list","params":{"arguments":{"${ID}":"x"}}}`;
    const batch = (first: string, second: string) => ` [${call(1, first)}, ${other} ,${call(2, second)},5]\r\n`;
    const { text, calls } = taken(batch(`{"${ID}":"x","a":1}`, `{"${ID}":"y"}`));
    expect(text).toBe(batch(`{"a":1}`, "{}"));
    expect(calls).toEqual([
      { rawId: "1", injectedId: "x" },
      { rawId: "2", injectedId: "y" },
    ]);
  });

  test("beside bytes that are no UTF-8", () => {
    const around = [
      Buffer.from(`{"method":"tools/call","params":{"arguments":{"a":"`),
      Buffer.from([0xff, 0xc0, 0x80]),
    ];
    const line = Buffer.concat([...around, Buffer.from(`","${ID}":"x"}}}`)]);
    expect(Buffer.from(takeOutIds(line).line)).toEqual(Buffer.concat([...around, Buffer.from(`"}}}`)]));
  });
});

/** What passes, as one text, and how many bytes passed with each piece that was fed. */
function through(gate: IdGate, pieces: readonly string[]): { out: Passage[][]; text: string } {
  const out = [...pieces.map((piece) => gate.feed(Buffer.from(piece))), gate.end()];
  return { out, text: textOf(out.flat()) };
}

function textOf(passages: readonly Passage[]): string {
  return Buffer.concat(passages.flatMap((it) => (it.kind === "pass" ? [it.bytes] : []))).toString();
}

const passedAtOnce = (pieces: readonly string[]) =>
  through(new IdGate(1e6), pieces)
    .out.slice(0, -1)
    .map((out) => textOf(out));

describe("what is held", () => {
  test("a call, until it is whole", () => {
    expect(passedAtOnce(['{"method":"tools/call","params":{"a":1', "}", "}\n"])).toEqual([
      "",
      "",
      '{"method":"tools/call","params":{"a":1}}\n',
    ]);
  });

  test.each([
    ["a request of another method", ['{"id":1,"method":"ping"', ',"params":{}', "}\n"]],
    ["an answer", ['{"jsonrpc":"2.0","id":1,"result"', ":{}", "}\n"]],
    ["an error", ['{"id":1,"error"', ":{}", "}\n"]],
    ["no JSON", ["hello", " world", "\n"]],
    ["something like JSON", ["{hello", " world", "}\n"]],
    ["a string", ['"tools', '/call"', "\n"]],
    ["white space", ["  ", "\t", "\r\n"]],
    ["an empty object", ["{}", " ", "\n"]],
  ])("not %s: it passes piece by piece", (_, pieces) => {
    expect(passedAtOnce(pieces)).toEqual(pieces);
  });

  test("what is not known yet, until it is", () => {
    expect(passedAtOnce(['{"params":{"method":"ping"},"id":1', ',"meth', 'od":"pi', 'ng","x":1', "}\n"])).toEqual([
      "",
      "",
      "",
      '{"params":{"method":"ping"},"id":1,"method":"ping","x":1',
      "}\n",
    ]);
  });

  test("a line without an end, when nothing more comes", () => {
    const line = message(`{"${ID}":"x"}`).trim();
    expect(through(new IdGate(1e6), [line.slice(0, 30), line.slice(30)]).text).toBe(message("{}").trim());
  });

  test("pieces that pass side by side are passed as one", () => {
    const lines = '{"id":1,"method":"ping"}\n{"id":2,"method":"ping"}\nhello\n';
    expect(new IdGate(1e6).feed(Buffer.from(lines))).toHaveLength(1);
  });
});

describe("DEG-06 a message that is too large to be held", () => {
  const big = "x".repeat(2_000);
  const refused = (pieces: readonly string[], limit = 500) => {
    const { out, text } = through(new IdGate(limit), [...pieces, '{"id":7,"method":"ping"}\n']);
    const refusals = out.flat().filter((it) => it.kind === "refuse");
    const kept = out.flat().flatMap((it) => (it.kind === "keep-back" ? [it.bytes] : []));
    return { text, refusals, kept: Buffer.concat(kept).toString() };
  };

  test("goes nowhere, and its id is known wherever it stands", () => {
    for (const line of [
      `{"id":"é1","method":"tools/call","params":{"arguments":{"a":"${big}"}}}\n`,
      `{"method":"tools/call","params":{"arguments":{"a":"${big}"}},"id":"é1"}\n`,
      `{"params":{"arguments":{"a":"${big}"}},"id": "é1" ,"method":"tools\\/call"}\n`,
    ]) {
      for (const cut of [10, 400, 1_900]) {
        const { text, refusals, kept } = refused([line.slice(0, cut), line.slice(cut)]);
        expect(text).toBe('{"id":7,"method":"ping"}\n');
        expect(kept).toBe(line);
        expect(refusals).toEqual([
          {
            kind: "refuse",
            messages: [{ rawId: '"é1"', method: "tools/call", isAnswer: false }],
            isStateless: false,
          },
        ]);
      }
    }
  });

  test("in a batch, every message of it", () => {
    const line = `[{"id":1,"method":"tools/call","params":"${big}"},[{"id":5}],{"id":2,"method":"ping"},{"id":3,"result":{}},{"method":"n"}]\n`;
    const [{ messages } = { messages: [] }] = refused([line]).refusals;
    expect(messages.map(({ rawId, method, isAnswer }) => [rawId, method, isAnswer])).toEqual([
      ["1", "tools/call", false],
      ["2", "ping", false],
      ["3", null, true],
      [null, "n", false],
    ]);
  });

  test("of the stateless protocol is known as such", () => {
    const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';
    expect(refused([`{"id":1,"method":"tools/call","params":{${meta},"a":"${big}"}}\n`]).refusals).toMatchObject([
      { isStateless: true },
    ]);
  });

  test.each([
    ["a message that need not be held", `{"id":1,"method":"ping","params":"${big}"}\n`, 500],
    ["an answer", `{"id":1,"result":"${big}"}\n`, 500],
    ["no JSON", `${big}\n`, 500],
    ["a call just within the bound", `{"id":1,"method":"tools/call","params":"${big}"}\n`, 2_045],
  ])("%s passes", (_, line, limit) => {
    expect(refused([line], limit)).toMatchObject({ text: `${line}{"id":7,"method":"ping"}\n`, refusals: [] });
  });
});
