import { describe, expect, test as plain } from "vitest";
import { CA_FILE, serverIdentity } from "../fakes/http/certificates.ts";
import { TestClient, whole } from "../fakes/http/client.ts";
import { ProxyServer } from "../fakes/http/proxy-server.ts";
import { answer, RawHttpServer } from "../fakes/http/raw-server.ts";

/** Through proxies: what they are asked and told, and what is said when they do not do it. */

const test = plain.extend<{ server: RawHttpServer; secure: RawHttpServer; proxy: ProxyServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names in it
  server: async ({}, use) => {
    const server = await RawHttpServer.start();
    await use(server);
    await server.close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names in it
  secure: async ({}, use) => {
    const server = await RawHttpServer.start({ tls: serverIdentity() });
    await use(server);
    await server.close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names in it
  proxy: async ({}, use) => {
    const proxy = await ProxyServer.start();
    await use(proxy);
    await proxy.close();
  },
});

/** Credentials as a URL holds them, and as they are sent. */
const USER_INFO = "us%40er:s3cr3t";
const AUTHORIZATION = `Basic ${Buffer.from("us@er:s3cr3t").toString("base64")}`;

async function using<T>(
  env: Record<string, string>,
  body: (http: TestClient) => Promise<T>,
  timeoutMs?: number,
): Promise<T> {
  const http = new TestClient({
    env: { NODE_EXTRA_CA_CERTS: CA_FILE, ...env },
    ...(timeoutMs === undefined ? {} : { connectTimeoutMs: timeoutMs }),
  });
  try {
    return await body(http);
  } finally {
    http.client.close();
  }
}

const failureOf = (http: TestClient, url: URL): Promise<unknown> => http.send(url).catch((error) => error);

describe("with TLS", () => {
  test("the proxy learns the host, its own credentials, and nothing else", async ({ secure, proxy }) => {
    proxy.authorization = AUTHORIZATION;
    await using({ https_proxy: proxy.url(USER_INFO) }, async (http) => {
      const url = secure.url("/mcp?key=q", "example.test");
      await whole(await http.send(url, { credentials: [["Authorization", "Bearer t"]], body: Buffer.from("x") }));
    });
    const authority = `example.test:${secure.port}`;
    expect(proxy.requests.map(({ head }) => head)).toEqual([
      `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\nproxy-authorization: ${AUTHORIZATION}`,
    ]);
    expect(secure.requests[0]).toMatchObject({ target: "/mcp?key=q", body: Buffer.from("x") });
    expect(secure.requests[0]?.head).not.toMatch(/proxy/i);
    expect(secure.requests[0]?.headers.get("authorization")).toBe("Bearer t");
  });

  test.for([
    ["407 Proxy Authentication Required", "the proxy refused (HTTP 407)"],
    ["403 Forbidden", "the proxy refused (HTTP 403)"],
    ["302 Found", "the proxy refused (HTTP 302)"],
    ["502 Bad Gateway", "the proxy refused (HTTP 502)"],
  ] as const)("a proxy that answers %s", async ([refuse, message], { secure, proxy }) => {
    proxy.mood = { refuse };
    await using({ HTTPS_PROXY: proxy.url(USER_INFO) }, async (http) => {
      expect(await failureOf(http, secure.url("/", "example.test"))).toMatchObject({ kind: "unreachable", message });
    });
    await proxy.until(({ openCount }) => openCount === 0);
    expect(secure.peers).toHaveLength(0);
  });

  test("a proxy that never answers: the bound on connecting holds for it too", async ({ secure, proxy }) => {
    proxy.mood = "silent";
    const env = { HTTPS_PROXY: proxy.url() };
    const failure = await using(env, (http) => failureOf(http, secure.url("/", "example.test")), 100);
    expect(failure).toMatchObject({ kind: "unreachable", message: "no connection within 100 ms" });
    await proxy.until(({ openCount, requests }) => openCount === 0 && requests.length === 1);
  });

  test("the signal ends the wait for a proxy", async ({ secure, proxy }) => {
    proxy.mood = "silent";
    const abort = new AbortController();
    await using({ HTTPS_PROXY: proxy.url() }, async (http) => {
      const failure = http.send(secure.url("/", "example.test"), { signal: abort.signal }).catch((error) => error);
      await proxy.until(({ requests }) => requests.length === 1);
      abort.abort();
      expect(await failure).toMatchObject({ kind: "aborted" });
      await proxy.until(({ openCount }) => openCount === 0);
    });
  });

  test.for([
    ["closes", "", "the connection was closed before it was ready"],
    ["speaks no HTTP", "220 smtp\r\n", "what answers does not speak HTTP/1.1"],
    ["says more than its answer", "HTTP/1.1 200 OK\r\n\r\nhello", "the proxy sent more than its answer"],
  ] as const)("a proxy that %s", async ([, bytes, message], { secure }) => {
    const odd = await RawHttpServer.start({
      script: (_, peer) => void (bytes === "" ? peer.end() : peer.write(bytes)),
    });
    await using({ HTTPS_PROXY: odd.url().href }, async (http) => {
      expect(await failureOf(http, secure.url("/", "example.test"))).toMatchObject({ message });
    });
    await odd.until(({ openCount }) => openCount === 0);
    await odd.close();
  });

  test("nobody listens where the proxy should be", async ({ secure, proxy }) => {
    const url = proxy.url(USER_INFO);
    await proxy.close();
    await using({ HTTPS_PROXY: url }, async (http) => {
      expect(await failureOf(http, secure.url("/", "example.test"))).toMatchObject({
        kind: "unreachable",
        message: "the proxy cannot be reached: connection refused",
      });
    });
    expect(secure.peers).toHaveLength(0);
  });
});

describe("without TLS", () => {
  test("the proxy is asked for the whole address, over one connection", async ({ server, proxy }) => {
    proxy.authorization = AUTHORIZATION;
    server.script = ({ body }, peer) => void peer.write(answer(`echo ${body}`));
    await using({ HTTP_PROXY: proxy.url(USER_INFO) }, async (http) => {
      for (const host of ["example.test", "another.test"]) {
        expect(await http.post(server.url("/mcp?x=1", host), host)).toBe(`echo ${host}`);
      }
    });
    expect(proxy.asked).toEqual([
      `POST http://example.test:${server.port}/mcp?x=1`,
      `POST http://another.test:${server.port}/mcp?x=1`,
    ]);
    expect(server.requests.map(({ headers }) => headers.get("host"))).toEqual([
      `example.test:${server.port}`,
      `another.test:${server.port}`,
    ]);
    expect(server.requests[0]?.head).not.toMatch(/proxy/i);
  });

  test("a proxy that wants credentials", async ({ server, proxy }) => {
    proxy.authorization = AUTHORIZATION;
    await using({ HTTP_PROXY: proxy.url() }, async (http) => {
      expect(await failureOf(http, server.url("/", "example.test"))).toMatchObject({
        kind: "unreachable",
        message: "the proxy refused (HTTP 407)",
      });
    });
    expect(server.requests).toHaveLength(0);
  });

  test("a server that answers 407 without a proxy is told as it is", async ({ server }) => {
    server.script = (_, peer) => void peer.write(answer("", {}, "407 Odd"));
    await using({}, async (http) => expect((await http.send(server.url())).status).toBe(407));
  });
});

test.for(["socks5://127.0.0.1:1", "http://127.0.0.1:1", ""])(
  "this machine is reached directly, whatever the proxy (%j)",
  async (named, { server, secure, proxy }) => {
    const url = named || proxy.url();
    for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]) {
      await using({ [name]: url, [name.toLowerCase()]: url }, async (http) => {
        for (const host of ["127.0.0.1", "localhost", "LOCALHOST.", "a.localhost"]) {
          expect(await http.post(server.url("/", host), "x")).toBe("ok");
        }
        expect(await http.post(secure.url(), "x")).toBe("ok");
      });
    }
    expect(proxy.requests).toHaveLength(0);
  },
);

describe("NO_PROXY", () => {
  test("is reached directly", async ({ server, secure, proxy }) => {
    const env = { HTTP_PROXY: proxy.url(), HTTPS_PROXY: proxy.url(), NO_PROXY: "0.0.0.0/8,example.test" };
    await using(env, async (http) => {
      // An address that is no loopback address, and leads to this machine all the same.
      expect(await http.post(server.url("/", "0.0.0.0"), "x")).toBe("ok");
      // Names that only the proxies of these tests know.
      for (const url of [server.url("/", "example.test"), secure.url("/", "deep.example.test")]) {
        expect(await failureOf(http, url)).toMatchObject({ kind: "unreachable", message: "host not found" });
      }
      expect(await http.post(server.url("/", "other.test"), "x")).toBe("ok");
    });
    expect(proxy.asked).toEqual([`POST http://other.test:${server.port}/`]);
  });

  test("a redirect may lead from a proxy to a host without one", async ({ server, proxy }) => {
    server.script = ({ target }, peer) =>
      void peer.write(target === "/a" ? answer("", { location: server.url("/b").href }, "307 Moved") : answer("there"));
    await using({ HTTP_PROXY: proxy.url() }, async (http) => {
      expect(await http.post(server.url("/a", "example.test"), "x")).toBe("there");
    });
    expect(proxy.asked).toEqual([`POST http://example.test:${server.port}/a`]);
    expect(server.requests.map(({ target }) => target)).toEqual(["/a", "/b"]);
  });
});

test("a proxy that cannot be used is an error, not a way around it", async ({ server, secure }) => {
  await using({ ALL_PROXY: "socks5://user:s3cr3t@127.0.0.1:1" }, async (http) => {
    for (const url of [server.url("/", "example.test"), secure.url("/", "example.test")]) {
      expect(await failureOf(http, url)).toMatchObject({
        kind: "unreachable",
        message: "ALL_PROXY names a socks5 proxy: only http:// and https:// proxies can be used",
      });
    }
  });
  expect(server.peers.length + secure.peers.length).toBe(0);
});
