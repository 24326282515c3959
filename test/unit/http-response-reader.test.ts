import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HttpFailure } from "../../src/upstream/http/http.ts";
import type { ResponseHead } from "../../src/upstream/http/response-head.ts";
import { ResponseReader } from "../../src/upstream/http/response-reader.ts";

/** Answers out of bytes: what is read, however the bytes are cut, and what is refused. */

interface Read {
  status: number | null;
  headers: Record<string, string>;
  body: string;
  isComplete: boolean;
  idleMs: number;
  failure: string | null;
}

/** Reads `chunks`, then the end of the connection if `isEnded`. */
function readAll(chunks: readonly (string | Uint8Array)[], isEnded = false): Read {
  let head: ResponseHead | null = null;
  let body = Buffer.alloc(0);
  let failure: string | null = null;
  const reader = new ResponseReader({
    onHead: (read) => {
      head = read;
    },
    onPiece: (piece) => {
      expect(piece.length).toBeGreaterThan(0);
      body = Buffer.concat([body, piece]);
    },
  });
  try {
    for (const chunk of chunks)
      reader.take(typeof chunk === "string" ? Buffer.from(chunk, "latin1") : Buffer.from(chunk));
    if (isEnded) reader.end();
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    failure = `${error.kind}: ${error.message}`;
  }
  const { status = null, headers = new Map() } = (head ?? {}) as Partial<ResponseHead>;
  const { isComplete, idleMs } = reader;
  return { status, headers: Object.fromEntries(headers), body: body.toString("latin1"), isComplete, idleMs, failure };
}

const HEAD = "HTTP/1.1 200 OK\r\n";

describe("what is read", () => {
  test("a body of a stated length", () => {
    const read = readAll([`${HEAD}Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello`]);
    expect(read).toEqual({
      status: 200,
      headers: { "content-type": "text/plain", "content-length": "5" },
      body: "hello",
      isComplete: true,
      idleMs: 4000,
      failure: null,
    });
  });

  test("chunks, with extensions and trailers", () => {
    const chunks = '5;name="a b"\r\nhello\r\n00A\r\n, wide wor\r\n2\r\nld\r\n0\r\nDigest: x\r\nMore: y\r\n\r\n';
    const read = readAll([`${HEAD}Transfer-Encoding: Chunked\r\n\r\n${chunks}`]);
    expect(read).toMatchObject({ body: "hello, wide world", isComplete: true, idleMs: 4000, failure: null });
    expect(read.headers).not.toHaveProperty("digest");
  });

  test("a body that ends with the connection, which is not used again", () => {
    const bytes = `${HEAD}content-type: text/event-stream\r\n\r\ndata: 1\n\n`;
    expect(readAll([bytes])).toMatchObject({ body: "data: 1\n\n", isComplete: false });
    expect(readAll([bytes], true)).toMatchObject({ body: "data: 1\n\n", isComplete: true, idleMs: 0, failure: null });
  });

  test.each(["204 No Content", "304 Not Modified"])("%s has no body, whatever its head says", (status) => {
    const read = readAll([`HTTP/1.1 ${status}\r\ncontent-length: 7\r\ncontent-encoding: gzip\r\n\r\n`]);
    expect(read).toMatchObject({ body: "", isComplete: true, idleMs: 4000, failure: null });
  });

  test("answers of status 1xx are passed over, 101 is not", () => {
    const early = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n";
    expect(readAll([`${early}HTTP/1.1 202\r\ncontent-length: 0\r\n\r\n`])).toMatchObject({
      status: 202,
      isComplete: true,
    });
    expect(readAll(["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n"]).failure).toMatch(/^invalid: /);
  });

  test("values of one name are joined; blanks around a value are no part of it", () => {
    const read = readAll([`${HEAD}A:  1 \r\nContent-Length:\t0\t\r\na: 2\r\nEmpty:\r\nodd: \u00a0x\u00a0\r\n\r\n`]);
    expect(read.headers).toEqual({ a: "1, 2", "content-length": "0", empty: "", odd: "\u00a0x\u00a0" });
  });

  test("lines that are folded, and blanks before a colon", () => {
    const lines = "A: 1\r\n 2\r\n\t \r\n \t3 \r\nb:\r\n only\r\nC : x\r\nd\t : y\r\na: 4\r\n\t5\r\n";
    const read = readAll([`${HEAD}${lines}content-length: 2\r\n\r\nok`]);
    expect(read).toMatchObject({ body: "ok", isComplete: true, failure: null });
    expect(read.headers).toEqual({ a: "1 2 3, 4 5", b: "only", c: "x", d: "y", "content-length": "2" });
  });

  test("headers without a name that could be asked for are passed over, with what is folded onto them", () => {
    const read = readAll([`${HEAD}X A: b\r\n c\r\n: d\r\n e\r\nf: g\r\ncontent-length: 2\r\n\r\nok`]);
    expect(read).toMatchObject({ body: "ok", isComplete: true, failure: null });
    expect(read.headers).toEqual({ f: "g", "content-length": "2" });
  });

  test("a body that says how it is compressed, as it came", () => {
    const read = readAll([`${HEAD}content-encoding: GZip ,identity\r\ncontent-length: 3\r\n\r\nabc`]);
    expect(read).toMatchObject({ body: "abc", isComplete: true, failure: null });
  });

  test("a length stated twice the same", () => {
    expect(readAll([`${HEAD}content-length: 2\r\ncontent-length: 2\r\n\r\nok`])).toMatchObject({
      body: "ok",
      isComplete: true,
    });
  });
});

describe("how long the connection may be kept", () => {
  test.each([
    ["", 4000],
    ["connection: keep-alive\r\n", 4000],
    ["keep-alive: timeout=5\r\n", 4000],
    ["keep-alive: max=100, timeout=30\r\n", 29_000],
    ["keep-alive: timeout=1\r\n", 0],
    ["keep-alive: timeout=999999\r\n", 600_000],
    ["keep-alive: nonsense\r\n", 4000],
    ["connection: close\r\n", 0],
    ["connection: x, Close\r\n", 0],
    ["connection: closest\r\n", 4000],
  ])("%j: %i ms", (headers, idleMs) => {
    expect(readAll([`${HEAD}${headers}content-length: 0\r\n\r\n`])).toMatchObject({ isComplete: true, idleMs });
  });

  test("not at all for HTTP/1.0, and after bytes that nobody asked for", () => {
    expect(readAll(["HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n"])).toMatchObject({ isComplete: true, idleMs: 0 });
    const stray = readAll([`${HEAD}content-length: 2\r\n\r\nok`, "HTTP/1.1 200 OK\r\n"]);
    expect(stray).toMatchObject({ body: "ok", isComplete: true, idleMs: 0, failure: null });
    expect(readAll([`${HEAD}content-length: 2\r\n\r\nokay`])).toMatchObject({
      body: "ok",
      isComplete: true,
      idleMs: 0,
    });
  });
});

describe("what is refused", () => {
  const chunked = `${HEAD}transfer-encoding: chunked\r\n\r\n`;
  test.each([
    ["another protocol", "SSH-2.0-OpenSSH\r\n"],
    ["half a name of it", "HTTP/2"],
    ["an empty line before it", `\r\n${HEAD}\r\n`],
    ["another version", "HTTP/1.2 200 OK\r\n\r\n"],
    ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"],
    ["a status of letters", "HTTP/1.1 abc OK\r\n\r\n"],
    ["a line feed alone", "HTTP/1.1 200 OK\ncontent-length: 0\n\r\n\r\n"],
    ["a line feed alone in a header", `${HEAD}a: 1\nb: 2\r\n\r\n`],
    ["a carriage return alone in the status line", "HTTP/1.1 200 OK\r\r\n"],
    ["a fold of nothing", `${HEAD} a: 1\r\n\r\n`],
    ["a folded length", `${HEAD}content-length: 1\r\n 2\r\n\r\n`],
    ["a length on its folded line", `${HEAD}Content-Length:\r\n\t2\r\n\r\n`],
    ["a folded transfer encoding", `${HEAD}Transfer-Encoding:\r\n chunked\r\n\r\n`],
    ["a length with a blank before its colon", `${HEAD}Content-Length : 0\r\n\r\n`],
    ["a transfer encoding with a blank before its colon", `${HEAD}transfer-encoding\t: chunked\r\n\r\n`],
    ["two lengths, one with a blank", `${HEAD}content-length: 1\r\ncontent-length : 2\r\n\r\n`],
    ["a length with a blank in its name", `${HEAD}content -length: 5\r\n\r\n`],
    ["a length with something behind its name", `${HEAD}content-length x: 5\r\n\r\n`],
    ["a name with other characters", `${HEAD}a(b) c: 1\r\n\r\n`],
    ["a name with a control character", `${HEAD}a \x01: 1\r\n\r\n`],
    ["a zero byte in a fold", `${HEAD}a: 1\r\n x\0\r\n\r\n`],
    ["a header without a colon", `${HEAD}nonsense\r\n\r\n`],
    ["a zero byte in a value", `${HEAD}a: x\0y\r\n\r\n`],
    ["a carriage return in a value", `${HEAD}a: x\ry\r\n\r\n`],
    ["two lengths", `${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\n`],
    ["two lengths in one line", `${HEAD}content-length: 1, 2\r\n\r\n`],
    ["a negative length", `${HEAD}content-length: -1\r\n\r\n`],
    ["a signed length", `${HEAD}content-length: +1\r\n\r\n`],
    ["an empty length", `${HEAD}content-length:\r\n\r\n`],
    ["a length beyond counting", `${HEAD}content-length: 99999999999999999999\r\n\r\n`],
    ["chunks and a length", `${HEAD}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n`],
    ["another transfer encoding", `${HEAD}transfer-encoding: gzip, chunked\r\n\r\n`],
    ["chunks twice", `${HEAD}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`],
    ["a body compressed in an unknown way", `${HEAD}content-encoding: zstd\r\ncontent-length: 5\r\n\r\n`],
    ["a body compressed in a known and an unknown way", `${HEAD}content-encoding: gzip, aes128gcm\r\n\r\n`],
    ["a body compressed again and again", `${HEAD}content-encoding: gzip, gzip, gzip, gzip\r\n\r\n`],
    ["a coding that every object knows", `${HEAD}content-encoding: constructor\r\n\r\n`],
    ["a chunk size of no digits", `${chunked}\r\n`],
    ["a chunk size of other letters", `${chunked}5g\r\n`],
    ["a chunk size with a prefix", `${chunked}0x5\r\n`],
    ["a signed chunk size", `${chunked}-1\r\n`],
    ["a chunk size with a blank", `${chunked}5 \r\n`],
    ["a chunk size beyond counting", `${chunked}ffffffffffffffff\r\n`],
    ["a chunk size that is only long", `${chunked}00000000000000005\r\n`],
    ["a chunk size that ends in a line feed", `${chunked}5\nhello`],
    ["a chunk longer than it says", `${chunked}5\r\nhello!\r\n`],
    ["a line feed after a chunk", `${chunked}5\r\nhello\n`],
    ["a line feed in an extension", `${chunked}5;a\n`],
    ["an extension without an end", `${chunked}5;${"a".repeat(20_000)}`],
    ["a line feed alone in a trailer", `${chunked}0\r\na: b\n\r\n`],
    ["trailers without an end", `${chunked}0\r\n${"a: b\r\n".repeat(20_000)}`],
    ["a head without an end", `${HEAD}a: ${"b".repeat(70_000)}`],
    ["a head that is too long", `${HEAD}a: ${"b".repeat(70_000)}\r\n\r\n`],
  ])("%s", (_, bytes) => {
    expect(readAll([bytes]).failure).toMatch(/^invalid: /);
    expect(readAll([...bytes.slice(0, 2000)].concat(bytes.slice(2000))).failure).toMatch(/^invalid: /);
  });

  test("says of a body that it is compressed", () => {
    expect(readAll([`${HEAD}content-encoding: zstd\r\n\r\n`]).failure).toBe(
      "invalid: the answer is compressed or encoded (zstd), which was not asked for",
    );
  });

  test("a head with line feeds alone is refused at its first one, though it never seems to end", () => {
    const failure = "invalid: the answer has a line end that is no HTTP/1.1";
    expect(readAll(["HTTP/1.1 200 OK\ncontent-length: 2\n\nok"]).failure).toBe(failure);
    expect(readAll(["HTTP/1.1 200 OK", "\n"]).failure).toBe(failure);
    expect(readAll(["HTTP/1.1 200 OK\r", "\r"]).failure).toBe(failure);
    expect(readAll(["HTTP/1.1 200 OK\r", "\n"]).failure).toBeNull();
  });

  test("never quotes what came", () => {
    const secret = "s3cr3t";
    const all = [
      `${secret}\r\n\r\n`,
      `HTTP/1.1 ${secret}\r\n\r\n`,
      `${HEAD}${secret}\r\n\r\n`,
      `${HEAD}x: ${secret}\0\r\n\r\n`,
    ];
    all.push(`${HEAD}content-length: ${secret}\r\n\r\n`, `${HEAD}content-encoding: ${secret}\u00ff\r\n\r\n`);
    for (const bytes of all) {
      const { failure } = readAll([bytes]);
      expect(failure).toMatch(/^invalid: /);
      expect(failure).not.toContain(secret);
    }
  });
});

test.each([
  ["in the head", `${HEAD}content-len`],
  ["in a body of a stated length", `${HEAD}content-length: 5\r\n\r\nhell`],
  ["in a chunk", `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhel`],
  ["before the last chunk", `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`],
  ["in the trailers", `${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n`],
  ["before anything", ""],
])("a connection that ends %s has lost the answer", (_, bytes) => {
  expect(readAll([bytes], true).failure).toBe("lost: the connection ended before the answer did");
});

describe("any cut reads the same", () => {
  const token = fc
    .stringMatching(/^[a-z][a-z-]{0,8}$/)
    .filter((name) => !/^(content-|transfer-|connection$|keep-)/.test(name));
  const value = fc.stringMatching(/^([!-~]([ !-~]{0,12}[!-~])?)?$/);
  const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 });
  const cuts = fc.array(fc.nat(), { maxLength: 30 });

  /** The bytes of an answer, with the body it has. */
  const answers = fc
    .record({
      status: fc.constantFrom(200, 202, 400, 404, 500),
      headers: fc.array(fc.tuple(token, value), { maxLength: 4 }),
      pieces,
      framing: fc.constantFrom("length", "chunked", "close"),
      isInformed: fc.boolean(),
      rest: fc.constantFrom("", "HTTP/1.1 200 OK\r\n"),
    })
    .map(({ status, headers, pieces, framing, isInformed, rest }) => {
      const body = Buffer.concat(pieces);
      const lines = headers.map(([name, text]) => `${name}: ${text}\r\n`).join("");
      const chunks = pieces.map((p) =>
        Buffer.concat([Buffer.from(`${p.length.toString(16)};x\r\n`), p, Buffer.from("\r\n")]),
      );
      const [frame, payload] = {
        length: [`content-length: ${body.length}\r\n`, [body, Buffer.from(rest)]],
        chunked: ["transfer-encoding: chunked\r\n", [...chunks, Buffer.from(`0\r\nt: x\r\n\r\n${rest}`)]],
        close: ["", [body]],
      }[framing] as [string, Buffer[]];
      const first = isInformed ? "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" : "";
      const head = Buffer.from(`${first}HTTP/1.1 ${status} Some words\r\n${lines}${frame}\r\n`, "latin1");
      return { bytes: Buffer.concat([head, ...payload]), body: body.toString("latin1"), status };
    });

  test("a whole answer", () => {
    fc.assert(
      fc.property(answers, cuts, ({ bytes, body, status }, at) => {
        const whole = readAll([bytes], true);
        expect(whole).toMatchObject({ status, body, isComplete: true, failure: null });
        expect(readAll(cut(bytes, at), true)).toEqual(whole);
        expect(
          readAll(
            Array.from(bytes, (byte) => Uint8Array.of(byte)),
            true,
          ),
        ).toEqual(whole);
      }),
    );
  });

  test("an answer with a fault in it", () => {
    fc.assert(
      fc.property(answers, cuts, fc.nat(), fc.nat(255), ({ bytes }, at, where, byte) => {
        bytes[where % bytes.length] = byte;
        const { body: _, ...whole } = readAll([bytes], true);
        const { body: __, ...inParts } = readAll(cut(bytes, at), true);
        expect(inParts).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });
});

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [...new Set(at.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
}
