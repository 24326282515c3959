import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectWords, spanWords } from "../../src/upstream/http/failure-words.ts";
import { addressesOf, connectAny } from "../../src/upstream/http/tcp.ts";
import { TestClient } from "../fakes/http/client.ts";
import { answer, RawHttpServer } from "../fakes/http/raw-server.ts";

/** How a connection comes about, what is bounded in it, and what is said when there is none. */

/** No name: too long a part. Nobody has to be asked to know it. */
const NOBODY = `${"x".repeat(64)}.invalid`;

async function closedPort(): Promise<number> {
  const server = await RawHttpServer.start();
  const { port } = server;
  await server.close();
  return port;
}

function failureOf(http: TestClient, url: string, signal = new AbortController().signal): Promise<unknown> {
  return http.send(new URL(url), { signal }).catch((error) => error);
}

describe("no connection", () => {
  test("nobody listens", async () => {
    const http = new TestClient();
    expect(await failureOf(http, `http://127.0.0.1:${await closedPort()}/?key=s3cr3t`)).toMatchObject({
      kind: "unreachable",
      message: "connection refused",
    });
    expect(await failureOf(http, `https://localhost:${await closedPort()}/`)).toMatchObject({
      kind: "unreachable",
      message: "connection refused",
    });
  });

  test("no more files to be had: it is not the other side that is blamed", async () => {
    const server = await RawHttpServer.start();
    const program = join(import.meta.dirname, "..", "fakes", "out-of-files.ts");
    const addresses = [server.url().href, `http://${NOBODY}/`, `http://127.0.0.1:${await closedPort()}/`];
    const command = ["sh", "-c", 'ulimit -n 100 && exec "$@"', "sh", process.execPath, program, ...addresses];
    const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
    const said = await new Response(child.stdout).text();
    expect(await child.exited).toBe(0);
    expect(JSON.parse(said)).toEqual({
      scarce: addresses.map(() => "too many open files"),
      plenty: ["HTTP 200", "host not found", "connection refused"],
    });
    await server.close();
  });

  test("a host that does not exist", async () => {
    expect(await failureOf(new TestClient(), `http://${NOBODY}/`)).toMatchObject({
      kind: "unreachable",
      message: "host not found",
    });
  });

  test.each(["ftp://a.test/", "ws://a.test/", "file:///x"])("%s", async (url) => {
    expect(await failureOf(new TestClient(), url)).toMatchObject({ kind: "invalid" });
  });
});

describe("only connecting is bounded", () => {
  test("a server that takes the connection, but never says hello over TLS", async () => {
    const server = await RawHttpServer.start();
    const http = new TestClient({ connectTimeoutMs: 50 });
    expect(await failureOf(http, `https://127.0.0.1:${server.port}/`)).toMatchObject({
      kind: "unreachable",
      message: "no connection within 50 ms",
    });
    await server.until(({ openCount, peers }) => peers.length === 1 && openCount === 0);
    await server.close();
  });

  test("the signal ends an attempt at once", async () => {
    const server = await RawHttpServer.start();
    const http = new TestClient();
    const abort = new AbortController();
    const failure = failureOf(http, `https://127.0.0.1:${server.port}/`, abort.signal);
    await server.until(({ peers }) => peers.length === 1);
    abort.abort();
    expect(await failure).toMatchObject({ kind: "aborted" });
    await server.until(({ openCount }) => openCount === 0);
    await server.close();
  });

  test("closing the client ends an attempt at once", async () => {
    const server = await RawHttpServer.start();
    const http = new TestClient();
    const failure = failureOf(http, `https://127.0.0.1:${server.port}/`);
    await server.until(({ peers }) => peers.length === 1);
    http.client.close();
    expect(await failure).toMatchObject({ kind: "aborted" });
    await server.close();
  });

  test("an answer may take longer than the bound, and so may its body", async () => {
    const server = await RawHttpServer.start();
    const http = new TestClient({ connectTimeoutMs: 50 });
    let release: (bytes: string | Uint8Array) => void = () => {};
    server.script = (_, peer) => {
      release = (bytes) => void peer.write(bytes);
    };
    const slow = http.post(server.url(), "x");
    await server.until(({ requests }) => requests.length === 1);
    // The same bound, met by an attempt that was begun later.
    const until = async (): Promise<void> => {
      const deaf = await RawHttpServer.start();
      expect(await failureOf(http, `https://127.0.0.1:${deaf.port}/`)).toMatchObject({ kind: "unreachable" });
      await deaf.close();
    };
    await until();
    release("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nsl");
    await until();
    release("ow");
    expect(await slow).toBe("slow");
    await server.close();
  });
});

describe("a name with several addresses", () => {
  const signal = new AbortController().signal;

  test("an address is one; this machine is tried both ways", async () => {
    expect(await addressesOf("127.0.0.1")).toEqual(["127.0.0.1"]);
    expect(await addressesOf("::1")).toEqual(["::1"]);
    expect(await addressesOf("localhost")).toEqual(expect.arrayContaining(["127.0.0.1", "::1"]));
    expect(await addressesOf("no-such-name.localhost")).toEqual(expect.arrayContaining(["127.0.0.1", "::1"]));
    await expect(addressesOf(NOBODY)).rejects.toThrow();
  });

  test("the next is tried when one refuses", async () => {
    const server = await RawHttpServer.start();
    const socket = await connectAny(["::1", "127.0.0.2", "127.0.0.1"], server.port, signal);
    expect(socket.remoteAddress).toBe("127.0.0.1");
    socket.destroy();
    await server.close();
  });

  test("no address at all", async () => {
    await expect(connectAny([], 1, signal)).rejects.toMatchObject({ code: "ENODATA" });
  });

  test("nobody waits any more", async () => {
    const server = await RawHttpServer.start();
    await expect(connectAny(["127.0.0.1"], server.port, AbortSignal.abort())).rejects.toThrow();
    await server.close();
  });

  test("the first that refused is the one that is told of", async () => {
    for (const addresses of [
      ["127.0.0.1", "127.0.0.2"],
      ["not an address", "127.0.0.1"],
    ]) {
      await expect(connectAny(addresses, await closedPort(), signal)).rejects.toMatchObject({
        code: "ECONNREFUSED",
        address: "127.0.0.1",
      });
    }
  });

  test("localhost leads to a server that listens on IPv6 only", async ({ skip }) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on("data", () => socket.write(answer("six")));
    });
    const port = await listenOn(server, "::1");
    if (port === null) return skip("this machine has no IPv6");
    const http = new TestClient();
    expect(await http.post(new URL(`http://localhost:${port}/`), "x")).toBe("six");
    expect(await http.post(new URL(`http://[::1]:${port}/`), "x")).toBe("six");
    http.client.close();
    server.close();
  });
});

describe("words", () => {
  test.each([
    ["ECONNREFUSED", "connection refused"],
    ["ENOTFOUND", "host not found"],
    ["EMFILE", "too many open files"],
    ["ENFILE", "too many open files"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "the certificate is not trusted (SELF_SIGNED_CERT_IN_CHAIN)"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)"],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "the certificate is not trusted (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)"],
    ["CERT_HAS_EXPIRED", "the certificate has expired (CERT_HAS_EXPIRED)"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "the certificate is for another host (ERR_TLS_CERT_ALTNAME_INVALID)"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "no TLS connection (ERR_SSL_WRONG_VERSION_NUMBER)"],
    ["EOTHER", "no connection (EOTHER)"],
    ["s3cr3t", "no connection"],
  ])("%s: %s", (code, words) => {
    expect(connectWords(Object.assign(new Error("s3cr3t"), { code }))).toBe(words);
  });

  test("anything else is not quoted", () => {
    expect([connectWords(new Error("s3cr3t")), connectWords("s3cr3t"), connectWords({ code: "X" })]).toEqual(
      Array(3).fill("no connection"),
    );
  });

  test("spans", () => {
    expect([50, 999, 1000, 1500, 10_000].map(spanWords)).toEqual(["50 ms", "999 ms", "1 s", "1.5 s", "10 s"]);
  });
});

/** The port; null where the address does not exist on this machine. */
function listenOn(server: Server, host: string): Promise<number | null> {
  return new Promise((resolve) => {
    server.once("error", () => resolve(null));
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : null);
    });
  });
}
