import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ServerAddress } from "../../src/kit/discovery.ts";
import { SocketConnection } from "../../src/proxy/tiers/control-connection.ts";
import { FakeControlServer, type Reply } from "../fakes/control-server.ts";

let fake: FakeControlServer;
beforeEach(async () => {
  fake = await FakeControlServer.start();
});
afterEach(async () => await fake.close());

const address = (): ServerAddress => ({ host: "127.0.0.1", port: Number(new URL(fake.url).port), token: fake.token });

describe("a request to a control server", () => {
  test("is answered", async () => {
    const connection = new SocketConnection(address());
    const reply = await connection.post("/proxy/register", '{"serverName":"grüße"}', 5_000);
    expect(reply).toEqual({ kind: "answer", status: 200, body: '{"proxyId":"proxy-1"}' });
    expect(fake.requests).toMatchObject([
      {
        method: "POST",
        route: "/proxy/register",
        authorization: `Bearer ${fake.token}`,
        body: { serverName: "grüße" },
      },
    ]);
    connection.close();
  });

  test("of 8 MB arrives whole", async () => {
    const connection = new SocketConnection(address());
    const body = JSON.stringify({ text: "é".repeat(4_000_000) });
    expect(await connection.post("/proxy/step", body, 20_000)).toMatchObject({ status: 200 });
    expect(fake.requests[0]?.text).toBe(body);
    connection.close();
  });

  test.each<[string, Reply, object]>([
    ["a status of its own", { status: 503 }, { kind: "answer", status: 503 }],
    ["no proof of the token", { status: 401 }, { kind: "answer", status: 401 }],
    ["a reset", "reset", { kind: "silence", reached: true }],
    ["the end of the connection", "close", { kind: "silence", reached: true }],
    ["no HTTP", "garbage", { kind: "silence", reached: true }],
    ["nothing in time", "hang", { kind: "silence", reached: true }],
    ["a part of an answer", "half", { kind: "silence", reached: true }],
  ])("answered by %s says so, and the next one is answered", async (_, reply, expected) => {
    const connection = new SocketConnection(address());
    fake.script = (request, nth) => (nth === 0 ? reply : { body: { echoed: request.body } });
    expect(await connection.post("/proxy/step", '{"n":1}', 300)).toMatchObject(expected);
    expect(await connection.post("/proxy/step", '{"n":2}', 5_000)).toMatchObject({ body: '{"echoed":{"n":2}}' });
    connection.close();
  });

  test("to a port where nobody is has certainly not arrived", async () => {
    await fake.close();
    const connection = new SocketConnection({ host: "127.0.0.1", port: 1, token: "t" });
    expect(await connection.post("/proxy/step", "{}", 5_000)).toEqual({ kind: "silence", reached: false });
    fake = await FakeControlServer.start();
  });

  test("is given up when the connection is closed", async () => {
    const connection = new SocketConnection(address());
    fake.script = () => "hang";
    const reply = connection.post("/proxy/step", "{}", 60_000);
    await fake.untilRequests(1);
    connection.close();
    expect(await reply).toEqual({ kind: "silence", reached: true });
  });
});

describe("the connection", () => {
  let counted: Server;
  const sockets: Socket[] = [];
  let head = "";
  beforeEach(async () => {
    counted = createServer((socket) => {
      sockets.push(socket);
      socket.on("data", () => socket.write(`HTTP/1.1 200 OK\r\n${head}content-length: 2\r\n\r\n{}`));
      socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => counted.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    counted.close();
    head = "";
  });
  const here = (): ServerAddress => ({
    host: "127.0.0.1",
    port: (counted.address() as { port: number }).port,
    token: "t",
  });

  test("is kept for the next request", async () => {
    const connection = new SocketConnection(here());
    for (let n = 0; n < 5; n++)
      expect(await connection.post("/proxy/step", "{}", 5_000)).toMatchObject({ status: 200 });
    expect(sockets).toHaveLength(1);
    connection.close();
  });

  test("is made anew after the server has closed it", async () => {
    const connection = new SocketConnection(here());
    await connection.post("/proxy/step", "{}", 5_000);
    const closed = new Promise((resolve) => sockets[0]?.once("close", resolve));
    sockets[0]?.end();
    await closed;
    expect(await connection.post("/proxy/step", "{}", 5_000)).toMatchObject({ status: 200 });
    expect(sockets).toHaveLength(2);
    connection.close();
  });

  test("is not kept where the server says that it closes it", async () => {
    head = "Connection: close\r\n";
    const connection = new SocketConnection(here());
    for (let n = 0; n < 2; n++) await connection.post("/proxy/step", "{}", 5_000);
    expect(sockets).toHaveLength(2);
    connection.close();
  });
});
