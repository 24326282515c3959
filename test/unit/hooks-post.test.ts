import { describe, expect, test as plain } from "vitest";
import { addressOf, type ServerAddress } from "../../src/kit/discovery.ts";
import { postJson } from "../../src/kit/loopback-post.ts";
import { FakeControlServer, type Reply } from "../fakes/control-server.ts";

/** One request to a server on this machine: what came of it, whatever the server does. */

const test = plain.extend<{ server: FakeControlServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names in it
  server: async ({}, use) => {
    const server = await FakeControlServer.start();
    await use(server);
    await server.close();
  },
});

const LONG_MS = 20_000;

function addressed(server: FakeControlServer): ServerAddress {
  const address = addressOf(server.url, server.token);
  if (address === null) throw new Error("no address");
  return address;
}

describe("what came of a request", () => {
  test("an answer, of any status and with any characters", async ({ server }) => {
    server.script = ({ body }) => ({ status: body.status, body: { echo: body.text } });
    for (const [status, text] of [
      [200, "ünï → 😀"],
      [404, ""],
      [503, "x".repeat(200_000)],
    ] as const) {
      const outcome = await postJson(addressed(server), "/tool/post", JSON.stringify({ status, text }), LONG_MS);
      expect(outcome).toEqual({ kind: "answered", status, body: JSON.stringify({ echo: text }) });
    }
    expect(server.requests.map(({ method, route }) => `${method} ${route}`)).toEqual(Array(3).fill("POST /tool/post"));
  });

  test("a request that takes many writes arrives whole", async ({ server }) => {
    const json = JSON.stringify({ text: "é".repeat(3_000_000) });
    expect(await postJson(addressed(server), "/tool/post", json, LONG_MS)).toMatchObject({ status: 200 });
    expect(server.requests[0]?.text).toBe(json);
  });

  test.for<[Reply, string]>([
    ["hang", "silent"],
    ["half", "silent"],
    ["reset", "none"],
    ["close", "none"],
    ["garbage", "none"],
  ])("%s: %s", async ([reply, kind], { server }) => {
    server.script = () => reply;
    const timeoutMs = kind === "silent" ? 50 : LONG_MS;
    expect(await postJson(addressed(server), "/tool/post", "{}", timeoutMs)).toEqual({ kind });
  });

  test("nobody there", async ({ server }) => {
    const address = addressed(server);
    await server.close();
    expect(await postJson(address, "/tool/post", "{}", LONG_MS)).toEqual({ kind: "none" });
    expect(await postJson(address, "/tool/post", "{}", 0)).toMatchObject({
      kind: expect.stringMatching(/none|silent/),
    });
  });

  const RAW: [string, string[], object][] = [
    [
      "in single bytes",
      [..."HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"],
      { kind: "answered", status: 200, body: "{}" },
    ],
    ["without a length", ["HTTP/1.1 200 OK\r\n\r\n{}"], { kind: "none" }],
    ["in chunks", ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"], { kind: "none" }],
    ["of another version", ["HTTP/2 200\r\ncontent-length: 2\r\n\r\n{}"], { kind: "none" }],
    ["that is none yet", ["HTTP/1.1 100 Continue\r\ncontent-length: 0\r\n\r\n"], { kind: "none" }],
    ["without end", ["HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\n", "x".repeat(2_000_000)], { kind: "none" }],
  ];

  plain.each(RAW)("an answer %s", async (_, pieces, expected) => {
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: async (socket) => {
          for (const piece of pieces) {
            socket.write(piece);
            await Bun.sleep(0);
          }
        },
      },
    });
    const address: ServerAddress = { host: "127.0.0.1", port: server.port, token: "t" };
    expect(await postJson(address, "/tool/post", "{}", LONG_MS)).toEqual(expected);
    server.stop(true);
  });
});
