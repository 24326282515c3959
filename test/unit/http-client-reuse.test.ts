import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test as plain } from "vitest";
import { TestClient } from "../fakes/http/client.ts";
import { answer, RawHttpServer } from "../fakes/http/raw-server.ts";

/** Connections that are used again, those that must not be, and requests that are never sent twice. */

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

describe("a connection is used again", () => {
  test.for<[string, string | Buffer]>([
    ["a stated length", answer("ok")],
    ["chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
    ["no body", "HTTP/1.1 204 No Content\r\n\r\n"],
  ])("after an answer with %s", async ([, bytes], { server, http }) => {
    server.script = (_, peer) => void peer.write(bytes);
    for (let i = 0; i < 5; i++) await http.post(server.url(), "x");
    expect([server.requests.length, server.peers.length]).toEqual([5, 1]);
  });

  test("by as many requests as there are at a time", async ({ server, http }) => {
    for (let i = 0; i < 3; i++) {
      const waiting: (() => void)[] = [];
      server.script = (_, peer) => void waiting.push(() => void peer.write(answer("ok")));
      const all = Promise.all([1, 2, 3].map((n) => http.post(server.url(), String(n))));
      await server.until(() => waiting.length === 3);
      for (const go of waiting) go();
      await all;
    }
    expect([server.requests.length, server.peers.length]).toEqual([9, 3]);
  });

  test("also when the answer came whole and nobody has read it", async ({ server, http }) => {
    await http.send(server.url());
    await http.send(server.url());
    expect(server.peers).toHaveLength(1);
  });
});

describe("a connection is not used again", () => {
  test.for<[string, string | Buffer]>([
    ["the server says so", answer("ok", { connection: "close" })],
    ["the server keeps it for no time", answer("ok", { "keep-alive": "timeout=1" })],
    ["the server speaks HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok"],
    ["more came than was asked for", `${answer("ok")}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`],
  ])("when %s", async ([, bytes], { server, http }) => {
    server.script = (_, peer) => void peer.write(bytes);
    for (let i = 0; i < 2; i++) expect(await http.post(server.url(), "x")).toBe("ok");
    expect([server.requests.length, server.peers.length]).toEqual([2, 2]);
  });

  /** Long enough that it is not given up for its age meanwhile. */
  const kept = answer("ok", { "keep-alive": "timeout=600" });

  test("when its end was seen while it lay idle", async ({ server, http }) => {
    server.script = (_, peer) => void peer.write(kept);
    await http.post(server.url(), "x");
    server.peers[0]?.end();
    await server.peers[0]?.closed;
    expect(await http.post(server.url(), "y")).toBe("ok");
    expect([server.requests.length, server.peers.length]).toEqual([2, 2]);
  });

  test("when bytes came while it lay idle", async ({ server, http }) => {
    server.script = (_, peer) => void peer.write(kept);
    await http.post(server.url(), "x");
    await server.peers[0]?.write("HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n");
    await server.peers[0]?.closed;
    expect(await http.post(server.url(), "y")).toBe("ok");
    expect([server.requests.length, server.peers.length]).toEqual([2, 2]);
  });

  test("for another origin", async ({ server, http }) => {
    const other = await RawHttpServer.start();
    await http.post(server.url(), "x");
    await http.post(other.url(), "x");
    await http.post(server.url("/", "localhost"), "x");
    expect([server.peers.length, other.peers.length]).toEqual([2, 1]);
    await other.close();
  });
});

test("an end that has come in, though nobody was told yet, is heard before a request goes out", async ({ http }) => {
  const directory = mkdtempSync(join(tmpdir(), "bir-http-"));
  const ended = join(directory, "ended");
  const program = `
    require("node:net").createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        socket.write("HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nok");
        if (String(bytes).includes("first")) process.stdin.once("data", () => socket.end(() => {
          require("node:fs").writeFileSync(process.argv[1], "");
        }));
      });
    }).listen(0, "127.0.0.1", function () { process.stdout.write(this.address().port + "\\n"); });
    process.stdin.on("end", () => process.exit());`;
  const child = Bun.spawn([process.execPath, "-e", program, ended], { stdin: "pipe", stdout: "pipe" });
  try {
    const { value } = await child.stdout.getReader().read();
    const url = new URL(
      `http://127.0.0.1:${Buffer.from(value ?? [])
        .toString()
        .trim()}/`,
    );
    expect(await http.post(url, "first")).toBe("ok");
    child.stdin.write("end");
    await child.stdin.flush();
    // This thread hears of nothing meanwhile.
    const giveUpAt = performance.now() + 20_000;
    while (!existsSync(ended) && performance.now() < giveUpAt) Bun.sleepSync(1);
    expect(existsSync(ended)).toBe(true);
    expect(await http.post(url, "second")).toBe("ok");
  } finally {
    child.stdin.end();
    await child.exited;
    rmSync(directory, { recursive: true });
  }
});

describe("a request goes out once", () => {
  test.for(["end", "reset"] as const)(
    "a connection that was used before breaks (%s): lost, not sent again",
    async (how, { server, http }) => {
      await http.post(server.url(), "first");
      server.script = (_, peer) => peer[how]();
      await expect(http.post(server.url(), "second")).rejects.toMatchObject({ kind: "lost" });
      expect(server.requests.map(({ body }) => body.toString())).toEqual(["first", "second"]);
    },
  );

  test("a new connection breaks: lost, not sent again", async ({ server, http }) => {
    server.script = (_, peer) => peer.reset();
    await expect(http.post(server.url(), "only")).rejects.toMatchObject({ kind: "lost" });
    expect(server.requests).toHaveLength(1);
  });

  test("a server that takes half a request and breaks off", async ({ http }) => {
    const rude = await RawHttpServer.start({ onConnection: (peer) => peer.socket.once("data", () => peer.reset()) });
    await expect(http.send(rude.url(), { body: Buffer.alloc(30_000_000) })).rejects.toMatchObject({ kind: "lost" });
    expect(rude.peers).toHaveLength(1);
    await rude.close();
  });

  test("300 at once, a third of them broken off: each arrived once", async ({ server, http }) => {
    await Promise.all(Array.from({ length: 300 }, () => http.post(server.url("/warm"), "")));
    server.requests.length = 0;
    server.script = ({ body }, peer) => (Number(body) % 3 === 0 ? peer.reset() : void peer.write(answer(body)));
    const all = Array.from({ length: 300 }, (_, i) => http.post(server.url(), String(i)).catch((error) => error.kind));
    const outcomes = await Promise.all(all);
    expect(outcomes).toEqual(outcomes.map((_, i) => (i % 3 === 0 ? "lost" : String(i))));
    const arrived = server.requests.map(({ body }) => Number(body)).sort((a, b) => a - b);
    expect(arrived).toEqual(Array.from({ length: 300 }, (_, i) => i));
  });
});
