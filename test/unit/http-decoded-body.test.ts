import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestClient, whole } from "../fakes/http/client.ts";
import { answer, RawHttpServer, type RawPeer } from "../fakes/http/raw-server.ts";

/** Answers that are compressed though nobody asked for it. */

let server: RawHttpServer;
let http: TestClient;

beforeEach(async () => {
  server = await RawHttpServer.start();
  http = new TestClient();
});
afterEach(async () => {
  http.client.close();
  await server.close();
});

const TEXT = JSON.stringify({ text: "é 日本 ".repeat(5000) });
const PLAIN = Buffer.from(TEXT);

/** Answers with `bytes`, cut as said. */
function serve(coding: string, bytes: Uint8Array, cut = bytes.length): void {
  server.script = async (_, peer) => {
    await peer.write(
      `HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${bytes.length}\r\nx: y\r\n\r\n`,
    );
    for (let at = 0; at < bytes.length; at += cut) await peer.write(bytes.subarray(at, at + cut));
  };
}

const received = async (): Promise<Buffer> => whole(await http.send(server.url()));

const FORMS: [coding: string, Uint8Array][] = [
  ["gzip", gzipSync(PLAIN)],
  ["X-GZip", gzipSync(PLAIN)],
  ["deflate", deflateSync(PLAIN)],
  ["deflate", deflateRawSync(PLAIN)],
  ["br", brotliCompressSync(PLAIN)],
  ["gzip, br", brotliCompressSync(gzipSync(PLAIN))],
  ["identity, gzip", gzipSync(PLAIN)],
];

describe.each(FORMS)("%s", (coding, bytes) => {
  test("whole, in pieces, and over one connection", async () => {
    for (const cut of [bytes.length, 7]) {
      serve(coding, bytes, cut);
      expect((await received()).equals(PLAIN)).toBe(true);
    }
    expect(server.peers).toHaveLength(1);
  });

  test("what says how it was compressed is not told, what else there is, is", async () => {
    serve(coding, bytes);
    const { status, headers } = await http.send(server.url());
    expect([status, Object.fromEntries(headers)]).toEqual([200, { x: "y" }]);
  });

  test("nothing at all", async () => {
    serve(coding, new Uint8Array(0));
    expect(await received()).toHaveLength(0);
  });
});

test("no body is no compressed body", async () => {
  server.script = (_, peer) => void peer.write("HTTP/1.1 204 No Content\r\ncontent-encoding: gzip\r\n\r\n");
  const response = await http.send(server.url());
  expect([response.status, (await whole(response)).length]).toEqual([204, 0]);
});

test("not compressed at all: every byte as it came", async () => {
  server.script = (_, peer) => void peer.write(answer(gzipSync(PLAIN), { "content-encoding": "identity" }));
  const response = await http.send(server.url());
  expect(response.headers.get("content-encoding")).toBe("identity");
  expect((await whole(response)).equals(gzipSync(PLAIN))).toBe(true);
});

describe("streams", () => {
  const encoders = {
    gzip: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
    deflate: () => createDeflate({ flush: constants.Z_SYNC_FLUSH }),
    br: () => createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
  };

  /** A stream of events, compressed and flushed after each. */
  async function streaming(coding: keyof typeof encoders): Promise<{
    peer: RawPeer;
    iterator: AsyncIterator<Uint8Array>;
    say: (text: string) => Promise<void>;
  }> {
    const { promise: asked, resolve } = Promise.withResolvers<RawPeer>();
    server.script = (_, peer) => {
      void peer.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: ${coding}\r\n\r\n`);
      resolve(peer);
    };
    const { body } = await http.send(server.url());
    const peer = await asked;
    const encoder = encoders[coding]();
    encoder.on("data", (bytes) => void peer.write(bytes));
    const say = (text: string): Promise<void> => new Promise((done) => encoder.write(text, () => done()));
    return { peer, iterator: body[Symbol.asyncIterator](), say };
  }

  test.each(["gzip", "deflate", "br"] as const)("%s: each event is there as soon as it has come", async (coding) => {
    const { peer, iterator, say } = await streaming(coding);
    for (const text of ["data: 1\n\n", ": é\n\n", "data: 2\n\n"]) {
      const next = iterator.next();
      await say(text);
      expect(Buffer.from((await next).value ?? []).toString()).toBe(text);
    }
    // It ends in the middle of what is compressed: so do streams.
    const last = iterator.next();
    peer.end();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  test("leaving it closes the connection, also while something is awaited", async () => {
    const { peer, iterator, say } = await streaming("gzip");
    await say("data: 1\n\n");
    await iterator.next();
    const next = iterator.next();
    await iterator.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    await peer.closed;
  });

  test("leaving it before anything was taken closes the connection", async () => {
    const { peer, iterator } = await streaming("gzip");
    await iterator.return?.();
    await peer.closed;
  });

  test("a connection that breaks is lost, behind what had come", async () => {
    const { promise: asked, resolve } = Promise.withResolvers<RawPeer>();
    server.script = async (_, peer) => {
      await peer.write("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n");
      const bytes = gzipSync("data: 1\n\n");
      await peer.write(`${bytes.length.toString(16)}\r\n`);
      await peer.write(Buffer.concat([bytes, Buffer.from("\r\n")]));
      resolve(peer);
    };
    const iterator = (await http.send(server.url())).body[Symbol.asyncIterator]();
    expect(Buffer.from((await iterator.next()).value ?? []).toString()).toBe("data: 1\n\n");
    (await asked).end();
    await expect(iterator.next()).rejects.toMatchObject({ kind: "lost" });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  test("the signal ends it", async () => {
    const abort = new AbortController();
    server.script = (_, peer) => void peer.write("HTTP/1.1 200 OK\r\ncontent-encoding: br\r\n\r\n");
    const iterator = (await http.send(server.url(), { signal: abort.signal })).body[Symbol.asyncIterator]();
    const next = iterator.next();
    abort.abort();
    await expect(next).rejects.toMatchObject({ kind: "aborted" });
  });
});

describe("what cannot be decompressed", () => {
  const broken = gzipSync(PLAIN);
  broken[12] = 0xff;
  broken[13] = 0xff;
  const cases: [name: string, coding: string, Uint8Array][] = [
    ["no gzip", "gzip", PLAIN],
    ["no brotli", "br", PLAIN],
    ["no deflate", "deflate", PLAIN],
    ["damaged", "gzip", broken],
  ];
  test.each(cases)("%s: invalid, its connection closed where more was to come", async (_, coding, bytes) => {
    server.script = async (_request, peer) => {
      await peer.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: 9000000\r\n\r\n`);
      await peer.write(bytes);
    };
    await expect(received()).rejects.toMatchObject({
      kind: "invalid",
      message: "the answer is compressed and cannot be decompressed",
    });
    await server.until(({ openCount }) => openCount === 0);
  });

  test.each<[string, Uint8Array, string]>([
    ["gzip", gzipSync(PLAIN), "\0\0\0"],
    ["deflate", deflateSync(PLAIN), "garbage"],
    ["br", brotliCompressSync(PLAIN), "garbage"],
  ])("%s: bytes behind the end of it are no part of it", async (coding, bytes, more) => {
    serve(coding, Buffer.concat([bytes, Buffer.from(more)]));
    expect((await received()).equals(PLAIN)).toBe(true);
  });
});

test.each([
  ["gzip", gzipSync(Buffer.alloc(200_000_000))],
  ["br", brotliCompressSync(Buffer.alloc(200_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
])("a little %s that stands for very much costs no more than is taken", async (coding, bytes) => {
  serve(coding, bytes);
  const iterator = (await http.send(server.url())).body[Symbol.asyncIterator]();
  const before = process.memoryUsage().rss;
  let taken = 0;
  for (let i = 0; i < 10; i++) taken += (await iterator.next()).value?.length ?? 0;
  // Exchanges that take place meanwhile are a measure of time.
  const other = await RawHttpServer.start();
  for (let i = 0; i < 50; i++) await http.post(other.url(), "x");
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  while (taken < 200_000_000) taken += (await iterator.next()).value?.length ?? Number.NaN;
  expect(taken).toBe(200_000_000);
  await other.close();
});
