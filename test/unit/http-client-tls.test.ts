import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CA_FILE, serverIdentity } from "../fakes/http/certificates.ts";
import { TestClient, whole } from "../fakes/http/client.ts";
import { ProxyServer } from "../fakes/http/proxy-server.ts";
import { answer, RawHttpServer } from "../fakes/http/raw-server.ts";

/** Whom the client believes over TLS: directly, through a tunnel, and through a tunnel of a proxy that itself speaks TLS. */

const TRUSTING = { NODE_EXTRA_CA_CERTS: CA_FILE };
const NOT_TRUSTED = /^the certificate is not trusted \([A-Z_]+\)$/;
const EXPIRED = "the certificate has expired (CERT_HAS_EXPIRED)";
const OTHER_HOST = "the certificate is for another host (ERR_TLS_CERT_ALTNAME_INVALID)";

let good: RawHttpServer;
let wrongHost: RawHttpServer;
let namesOnly: RawHttpServer;
let expired: RawHttpServer;
let plainProxy: ProxyServer;
let tlsProxy: ProxyServer;
const clients: TestClient[] = [];

beforeAll(async () => {
  good = await RawHttpServer.start({ tls: serverIdentity("server") });
  wrongHost = await RawHttpServer.start({ tls: serverIdentity("wrong-host") });
  namesOnly = await RawHttpServer.start({ tls: serverIdentity("names-only") });
  expired = await RawHttpServer.start({ tls: serverIdentity("expired") });
  plainProxy = await ProxyServer.start();
  tlsProxy = await ProxyServer.start({ tls: serverIdentity("server") });
});
afterEach(() => {
  for (const { client } of clients.splice(0)) client.close();
});
afterAll(async () => {
  await Promise.all([good, wrongHost, namesOnly, expired, plainProxy, tlsProxy].map((server) => server.close()));
});

function clientWith(env: Record<string, string>): TestClient {
  const http = new TestClient({ env });
  clients.push(http);
  return http;
}

function messageOf(http: TestClient, url: URL): Promise<string> {
  return http.send(url).then(
    ({ status }) => `HTTP ${status}`,
    ({ kind, message }) => {
      expect(kind).toBe("unreachable");
      return message;
    },
  );
}

/** Names that lead through a proxy, as this machine's never do; nobody but the proxies of these tests knows them. */
const ELSEWHERE = ["example.test", "mcp.example.test"];

describe.each<[string, () => Record<string, string>, hosts: string[], through: () => ProxyServer | null]>([
  ["directly", () => ({}), ["127.0.0.1", "localhost"], () => null],
  ["through a proxy", () => ({ HTTPS_PROXY: plainProxy.url() }), ELSEWHERE, () => plainProxy],
  ["through a proxy over TLS", () => ({ HTTPS_PROXY: tlsProxy.url("", "localhost") }), ELSEWHERE, () => tlsProxy],
])("%s", (_, route, hosts, through) => {
  const to = (server: RawHttpServer): URL => server.url("/", hosts[0]);

  test("a server whose CA a variable names", async () => {
    for (const name of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]) {
      const http = clientWith({ ...route(), [name]: CA_FILE });
      for (const host of hosts) expect(await http.post(good.url("/", host), "x")).toBe("ok");
    }
  });

  test("a server whose CA nobody knows", async () => {
    const before = good.requests.length;
    // The proxy over TLS is of the same CA: it is itself the one that is not believed.
    expect(await messageOf(clientWith(route()), to(good))).toMatch(/the certificate is not trusted \([A-Z_]+\)$/);
    expect(good.requests).toHaveLength(before);
  });

  test("a certificate that has expired", async () => {
    expect(await messageOf(clientWith({ ...route(), ...TRUSTING }), to(expired))).toBe(EXPIRED);
    expect(expired.requests).toHaveLength(0);
  });

  test("a certificate for another host", async () => {
    const http = clientWith({ ...route(), ...TRUSTING });
    for (const host of hosts) expect(await messageOf(http, wrongHost.url("/", host))).toBe(OTHER_HOST);
    expect(wrongHost.requests).toHaveLength(0);
  });

  test("large bodies both ways", async () => {
    const http = clientWith({ ...route(), ...TRUSTING });
    const body = Buffer.alloc(5_000_000, "abcdefg");
    good.script = (request, peer) => void peer.write(answer(request.body));
    try {
      expect((await whole(await http.send(to(good), { body }))).equals(body)).toBe(true);
    } finally {
      good.script = (_, peer) => void peer.write(answer("ok"));
    }
  });

  test("connections are used again", async () => {
    const http = clientWith({ ...route(), ...TRUSTING });
    const before = good.peers.length;
    const askedBefore = through()?.asked.length ?? 0;
    for (let i = 0; i < 3; i++) await http.post(to(good), "x");
    expect(good.peers.length - before).toBe(1);
    const asked = through()?.asked.slice(askedBefore) ?? null;
    expect(asked).toEqual(through() === null ? null : [`CONNECT ${hosts[0]}:${good.port}`]);
  });

  test("no more is read than is taken", async () => {
    const piece = Buffer.alloc(64 * 1024, "x");
    let written = 0;
    good.script = async (_, peer) => {
      await peer.write(`HTTP/1.1 200 OK\r\ncontent-length: ${piece.length * 800}\r\n\r\n`);
      for (let i = 0; i < 800 && !peer.isClosed; i++) {
        await peer.write(piece);
        written++;
      }
    };
    const http = clientWith({ ...route(), ...TRUSTING });
    const { body } = await http.send(to(good));
    const other = await RawHttpServer.start();
    for (let i = 0; i < 50; i++) await clientWith({}).post(other.url(), "x");
    await other.close();
    good.script = (_, peer) => void peer.write(answer("ok"));
    if (route().HTTPS_PROXY === undefined) expect(written).toBeLessThan(400);
    let length = 0;
    for await (const { length: more } of body) length += more;
    expect(length).toBe(piece.length * 800);
  });
});

test("a certificate for the name, not for the address", async () => {
  const http = clientWith(TRUSTING);
  expect(await http.post(namesOnly.url("/", "localhost"), "x")).toBe("ok");
  expect(await messageOf(http, namesOnly.url())).toBe(OTHER_HOST);
  expect(namesOnly.requests.map(({ headers }) => headers.get("host"))).not.toContain(`127.0.0.1:${namesOnly.port}`);
});

test("names below a wildcard, reached through a tunnel, and told to the server", async () => {
  const http = clientWith({ HTTPS_PROXY: plainProxy.url(), ...TRUSTING });
  const url = good.url("/", "mcp.example.test");
  expect(await http.post(url, "x")).toBe("ok");
  expect(plainProxy.asked.at(-1)).toBe(`CONNECT mcp.example.test:${good.port}`);
  expect((good.peers.at(-1)?.socket as { servername?: string } | undefined)?.servername).toBe("mcp.example.test");
  expect(await messageOf(http, good.url("/", "mcp.other.test"))).toBe(OTHER_HOST);
  expect(await messageOf(http, good.url("/", "deep.mcp.example.test"))).toBe(OTHER_HOST);
});

test("a proxy over TLS that is not trusted learns nothing", async () => {
  const before = tlsProxy.requests.length;
  const http = clientWith({ HTTPS_PROXY: tlsProxy.url("user:s3cr3t"), NODE_TLS_REJECT_UNAUTHORIZED: "0" });
  const message = await messageOf(http, good.url("/", "example.test"));
  expect(message).toMatch(/^the proxy cannot be reached: the certificate is not trusted \([A-Z_]+\)$/);
  expect(tlsProxy.requests).toHaveLength(before);
});

test.each([
  ["TLSv1.2", /^HTTP 200$/],
  ["TLSv1.1", /^no TLS connection/],
] as const)("a server that speaks %s at most", async (maxVersion, message) => {
  const old = await RawHttpServer.start({ tls: { ...serverIdentity(), minVersion: "TLSv1", maxVersion } });
  expect(await messageOf(clientWith(TRUSTING), old.url())).toMatch(message);
  await old.close();
});

test("a server that speaks no TLS", async () => {
  const plain = await RawHttpServer.start({
    onConnection: (peer) => void peer.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
  });
  expect(await messageOf(clientWith({}), new URL(`https://127.0.0.1:${plain.port}/`))).toMatch(/^no TLS connection/);
  await plain.close();
});

test("no variable turns verification off", async () => {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  try {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    expect(await messageOf(clientWith(env), good.url())).toMatch(NOT_TRUSTED);
    expect(await messageOf(clientWith({ ...env, ...TRUSTING }), expired.url())).toBe(EXPIRED);
    expect(await messageOf(clientWith({ ...env, ...TRUSTING }), wrongHost.url())).toBe(OTHER_HOST);
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  }
});

test("a file that cannot be read is said once, and trusted is what was trusted before", async () => {
  const http = clientWith({ NODE_EXTRA_CA_CERTS: "/nonexistent/ca.pem" });
  for (let i = 0; i < 2; i++) expect(await messageOf(http, good.url())).toMatch(NOT_TRUSTED);
  expect(http.warnings).toEqual([expect.stringMatching(/^NODE_EXTRA_CA_CERTS: \/nonexistent\/ca\.pem cannot be read/)]);
});

test("nothing is read for requests without TLS", async () => {
  const plain = await RawHttpServer.start();
  const http = clientWith({ NODE_EXTRA_CA_CERTS: "/nonexistent/ca.pem" });
  expect(await http.post(plain.url(), "x")).toBe("ok");
  expect(http.warnings).toEqual([]);
  await plain.close();
});
