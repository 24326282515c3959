import { describe, expect, test as plain } from "vitest";
import { TestClient, whole } from "../fakes/http/client.ts";
import { answer, RawHttpServer } from "../fakes/http/raw-server.ts";

/** The client against real sockets: answers of any shape, many at once, and how an exchange ends before its time. */

const test = plain.extend<{ server: RawHttpServer; http: TestClient }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names in it
  server: async ({}, use) => {
    const server = await RawHttpServer.start();
    await use(server);
    await server.close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names in it
  http: async ({}, use) => {
    const http = new TestClient();
    await use(http);
    http.client.close();
  },
});

describe("an exchange", () => {
  test("the server gets exactly what was given, the caller what was answered", async ({ server, http }) => {
    server.script = (_, peer) => void peer.write(answer("pong", { "Mcp-Session-Id": "7" }, "202 Accepted"));
    const response = await http.send(server.url("/mcp?a=b"), {
      headers: [["Content-Type", "application/json"]],
      credentials: [["Authorization", "Bearer t"]],
      body: Buffer.from('{"ü":1}'),
    });
    expect(response.status).toBe(202);
    expect(response.headers.get("mcp-session-id")).toBe("7");
    expect((await whole(response)).toString()).toBe("pong");
    expect(server.requests[0]).toMatchObject({ method: "POST", target: "/mcp?a=b", body: Buffer.from('{"ü":1}') });
    expect(server.requests[0]?.head.split("\r\n").slice(1)).toEqual([
      `host: 127.0.0.1:${server.port}`,
      "Content-Type: application/json",
      "Authorization: Bearer t",
      "accept-encoding: identity",
      "content-length: 8",
    ]);
  });

  test("GET and DELETE have no body", async ({ server, http }) => {
    for (const method of ["GET", "DELETE"] as const) await whole(await http.send(server.url(), { method }));
    expect(server.requests.map(({ method, headers }) => [method, headers.has("content-length")])).toEqual([
      ["GET", false],
      ["DELETE", false],
    ]);
  });

  test("values are bytes: what is given in latin1 arrives as it is, and so UTF-8 can be sent and read", async ({
    server,
    http,
  }) => {
    const text = "ключ-é-日本-😀";
    const bytes = Buffer.from(text).toString("latin1");
    server.script = ({ headers }, peer) =>
      void peer.write(
        Buffer.from(
          `HTTP/1.1 200 OK\r\nechoed: ${headers.get("last-event-id")}\r\ncontent-length: 0\r\n\r\n`,
          "latin1",
        ),
      );
    const { headers } = await http.send(server.url(), { headers: [["Last-Event-ID", bytes]] });
    expect(Buffer.from(server.requests[0]?.headers.get("last-event-id") ?? "", "latin1").toString()).toBe(text);
    expect(Buffer.from(headers.get("echoed") ?? "", "latin1").toString()).toBe(text);
    const refused = http.send(server.url(), { headers: [["Last-Event-ID", text]] });
    await expect(refused).rejects.toMatchObject({ kind: "invalid" });
    expect(server.requests).toHaveLength(1);
  });

  test("a body that takes many writes arrives whole, and is sent only when it is out", async ({ server, http }) => {
    const body = Buffer.alloc(20_000_000, "abcdefg");
    const order: string[] = [];
    let accept = (): void => {};
    server.script = (request, peer) => {
      order.push(request.body.equals(body) ? "arrived" : "damaged");
      accept = () => void peer.write(answer("ok"));
    };
    const sent = new Promise<void>((resolve) => {
      const onSent = (): void => {
        order.push("sent");
        resolve();
      };
      void http.send(server.url(), { body, onSent }).then(whole, () => {});
    });
    await sent;
    await server.until(({ requests }) => requests.length === 1);
    accept();
    expect(order.toSorted()).toEqual(["arrived", "sent"]);
  });

  test("a request is not sent while the server takes nothing of it", async ({ server, http }) => {
    let isSent = false;
    server.script = () => {};
    const paused = await RawHttpServer.start({ onConnection: ({ socket }) => socket.pause() });
    const onSent = (): void => {
      isSent = true;
    };
    const stuck = http.send(paused.url(), { body: Buffer.alloc(50_000_000), onSent }).catch((error) => error);
    await paused.until(({ peers }) => peers.length === 1);
    // Another exchange, from beginning to end, as a measure of time.
    server.script = (_, peer) => void peer.write(answer("ok"));
    for (let i = 0; i < 20; i++) await http.post(server.url(), "x");
    expect(isSent).toBe(false);
    await paused.close();
    expect(await stuck).toMatchObject({ kind: "lost" });
    // It never will be: nobody needs to wait for it any more.
    expect(isSent).toBe(true);
  });

  test("a head that comes byte by byte, and a body in any pieces", async ({ server, http }) => {
    server.script = async (_, peer) => {
      const bytes = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n4\r\n two\r\n0\r\n\r\n";
      for (const byte of bytes) await peer.write(byte);
    };
    expect(await http.post(server.url(), "x")).toBe("one two");
  });

  test("pieces of a stream are there as soon as they have come", async ({ server, http }) => {
    let peer = server.peers[0];
    server.script = (request) => {
      peer = request.peer;
      void peer.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n");
    };
    const { body } = await http.send(server.url());
    const iterator = body[Symbol.asyncIterator]();
    for (const text of ["data: 1\n\n", ": still here\n\n", "data: 2\n\n"]) {
      const next = iterator.next();
      await peer?.write(text);
      expect(Buffer.from((await next).value ?? []).toString()).toBe(text);
    }
    const last = iterator.next();
    peer?.end();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  test("an answer that comes before the request is out is an answer; its connection is not used again", async ({
    server,
    http,
  }) => {
    const hasty = await RawHttpServer.start({
      onConnection: (peer) => {
        peer.socket.pause();
        void peer.write(answer("too much", {}, "413 Content Too Large"));
      },
    });
    const response = await http.send(hasty.url(), { body: Buffer.alloc(50_000_000) });
    expect([response.status, (await whole(response)).toString()]).toEqual([413, "too much"]);
    await http.send(hasty.url()).then(whole);
    expect(hasty.peers).toHaveLength(2);
    await hasty.close();
    expect(server.requests).toHaveLength(0);
  });
});

describe("many at once", () => {
  test("1,000 requests are under way together, and are answered in any order", async ({ server, http }) => {
    const count = 1000;
    const waiting: (() => void)[] = [];
    server.script = ({ body }, peer) => void waiting.push(() => void peer.write(answer(`echo ${body}`)));
    const answers = Promise.all(Array.from({ length: count }, (_, i) => http.post(server.url(), String(i))));
    await server.until(() => waiting.length === count);
    for (const go of waiting.reverse()) go();
    expect(await answers).toEqual(Array.from({ length: count }, (_, i) => `echo ${i}`));
    expect(server.requests).toHaveLength(count);
  });
});

describe("back-pressure", () => {
  const PIECE = Buffer.alloc(64 * 1024, "x");
  const MANY = 1000;

  test("no more is read than is taken, and all of it in the end", async ({ server, http }) => {
    let written = 0;
    server.script = async (_, peer) => {
      await peer.write(`HTTP/1.1 200 OK\r\ncontent-length: ${PIECE.length * MANY}\r\n\r\n`);
      for (let i = 0; i < MANY; i++) {
        await peer.write(PIECE);
        written++;
      }
    };
    const { body } = await http.send(server.url());
    // Exchanges that take place meanwhile are a measure of time. What the system holds by itself stays below a few MB.
    const other = await RawHttpServer.start();
    for (let i = 0; i < 200; i++) await http.post(other.url(), "x");
    expect(written).toBeLessThan(MANY / 2);
    let length = 0;
    for await (const piece of body) length += piece.length;
    expect(length).toBe(PIECE.length * MANY);
    await other.close();
  });

  test("a stream that nobody reads for a while still notices that it has ended", async ({ server, http }) => {
    server.script = async (_, peer) => {
      await peer.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n");
      peer.end();
    };
    const { body } = await http.send(server.url());
    // Other exchanges, from beginning to end: the end of the first one has come in by then.
    const other = await RawHttpServer.start();
    for (let i = 0; i < 20; i++) await http.post(other.url(), "x");
    await other.close();
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const piece of body) seen.push(Buffer.from(piece).toString());
    };
    await expect(read()).rejects.toMatchObject({ kind: "lost" });
    expect(seen).toEqual(["hello"]);
  });
});

describe("an end before the time", () => {
  test("the signal closes the connection while an answer is awaited", async ({ server, http }) => {
    server.script = () => {};
    const abort = new AbortController();
    const failure = http.send(server.url(), { signal: abort.signal }).catch((error) => error);
    await server.until(({ requests }) => requests.length === 1);
    abort.abort();
    expect(await failure).toMatchObject({ kind: "aborted" });
    await server.until(({ openCount }) => openCount === 0);
  });

  test("the signal closes the connection of a stream, read or not", async ({ server, http }) => {
    server.script = (_, peer) => void peer.write("HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n");
    const abort = new AbortController();
    const [read, unread] = await Promise.all([0, 1].map(() => http.send(server.url(), { signal: abort.signal })));
    const iterator = read?.body[Symbol.asyncIterator]();
    await iterator?.next();
    const pending = iterator?.next().catch((error) => error);
    abort.abort();
    expect(await pending).toMatchObject({ kind: "aborted" });
    await expect(unread?.body[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: "aborted" });
    await server.until(({ openCount }) => openCount === 0);
  });

  test("a signal that was given before sends nothing", async ({ server, http }) => {
    await expect(http.send(server.url(), { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: "aborted" });
    expect(server.peers).toHaveLength(0);
  });

  test("a signal after the end has no effect on what was read", async ({ server, http }) => {
    const abort = new AbortController();
    const response = await http.send(server.url(), { signal: abort.signal });
    abort.abort();
    expect((await whole(response)).toString()).toBe("ok");
    expect(await http.post(server.url(), "x")).toBe("ok");
    expect(server.peers).toHaveLength(1);
  });

  test("a consumer that stops closes the connection", async ({ server, http }) => {
    server.script = (_, peer) => void peer.write("HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n");
    const { body } = await http.send(server.url());
    for await (const piece of body) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    await server.until(({ openCount }) => openCount === 0);
  });

  test("closing the client closes everything, and it sends nothing any more", async ({ server, http }) => {
    server.script = ({ target }, peer) => void (target === "/hang" || peer.write(answer("ok")));
    const hanging = http.send(server.url("/hang")).catch((error) => error);
    await http.post(server.url(), "x");
    await server.until(({ requests }) => requests.length === 2);
    http.client.close();
    expect(await hanging).toMatchObject({ kind: "lost" });
    await server.until(({ openCount }) => openCount === 0);
    await expect(http.send(server.url())).rejects.toMatchObject({ kind: "aborted" });
  });

  test.for<[string, string | null, string]>([
    ["without a word", null, "lost"],
    ["within the head", "HTTP/1.1 200 OK\r\ncont", "lost"],
    ["with nonsense", "220 smtp ready\r\n", "invalid"],
    ["with an answer in an unknown encoding", "HTTP/1.1 200 OK\r\ncontent-encoding: zstd\r\n\r\n", "invalid"],
  ])("a server that ends %s", async ([, bytes, kind], { server, http }) => {
    server.script = async (_, peer) => {
      if (bytes !== null) await peer.write(bytes);
      peer.end();
    };
    await expect(http.send(server.url())).rejects.toMatchObject({ kind });
    expect(server.requests).toHaveLength(1);
  });

  test.for(["end", "reset"] as const)(
    "a body that is cut off (%s) is lost, after what was there",
    async (how, { server, http }) => {
      server.script = (_, peer) => void peer.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello");
      const { body } = await http.send(server.url());
      const iterator = body[Symbol.asyncIterator]();
      expect(Buffer.from((await iterator.next()).value ?? []).toString()).toBe("hello");
      const rest = iterator.next().catch((error) => error);
      server.peers[0]?.[how]();
      expect(await rest).toMatchObject({ kind: "lost" });
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
    },
  );

  test("a body without a length that is broken off is lost, one that is ended is whole", async ({ server, http }) => {
    server.script = (_, peer) => void peer.write("HTTP/1.1 200 OK\r\n\r\nhello");
    for (const how of ["reset", "end"] as const) {
      const { body } = await http.send(server.url());
      const iterator = body[Symbol.asyncIterator]();
      await iterator.next();
      const rest = iterator.next().catch((error) => error);
      server.peers.at(-1)?.[how]();
      expect(await rest).toMatchObject(how === "reset" ? { kind: "lost" } : { done: true });
    }
  });
});
