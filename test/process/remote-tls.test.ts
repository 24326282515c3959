/**
 * TLS and proxies in the built executable: whom it trusts and which way it goes is said by the environment of the day it runs, and
 * nothing makes it trust less carefully.
 */

import { describe, expect } from "vitest";
import { CA_FILE, serverIdentity } from "../fakes/http/certificates.ts";
import { ProxyServer } from "../fakes/http/proxy-server.ts";
import { HttpPeer } from "../fakes/http-peer/http-peer.ts";
import { LegacyMcp } from "../fakes/http-peer/legacy-mcp.ts";
import { test as withBox } from "../harness/process-test.ts";
import { expectLocal, initializeParams, shakeHands, startRemote } from "../harness/remote-session.ts";
import { leftBehind } from "../harness/remote-traces.ts";

interface Servers {
  /** Over TLS, with a certificate of the private CA. */
  secure: HttpPeer;
  plain: HttpPeer;
  proxy: ProxyServer;
}

const test = withBox.extend<Servers>({
  secure: async ({ task: _ }, use) => {
    const peer = await HttpPeer.start({ tls: serverIdentity() });
    peer.serve(new LegacyMcp().handle);
    await use(peer);
    await peer.close();
  },
  plain: async ({ task: _ }, use) => {
    const peer = await HttpPeer.start();
    peer.serve(new LegacyMcp().handle);
    await use(peer);
    await peer.close();
  },
  proxy: async ({ task: _ }, use) => {
    const proxy = await ProxyServer.start();
    await use(proxy);
    await proxy.close();
  },
});

const TRUSTING = { NODE_EXTRA_CA_CERTS: CA_FILE };
const at = (peer: HttpPeer, host: string) => peer.url.replace("127.0.0.1", host);

describe("whom it trusts", () => {
  test.for(["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"])(
    "the CA in %s, for a whole session",
    async (name, { box, secure }) => {
      const host = startRemote(box, secure, { env: { [name]: CA_FILE } });
      await shakeHands(host);
      await secure.untilCount("GET", 1);
      expect((await host.call(1, "echo", { text: "é" })).result?.content).toEqual([{ type: "text", text: "é" }]);
      expect(await host.finish()).toEqual({ code: 0, signal: null });
      expect(secure.exchanges.at(-1)?.method).toBe("DELETE");
      expect(host.stderr.text()).toBe("");
    },
  );

  test("nobody whose CA it does not know: nothing is sent", async ({ box, secure }) => {
    const host = startRemote(box, secure, { flags: ["--header", "X-Key: sesame"] });
    expectLocal(await host.request(0, "initialize", initializeParams()), /^upstream unreachable: .*not trusted/);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(secure.exchanges).toEqual([]);
  });

  test.for([
    ["another host's certificate", "wrong-host"],
    ["an expired one", "expired"],
  ] as const)("%s: nothing is sent", async ([, name], { box }) => {
    const peer = await HttpPeer.start({ tls: serverIdentity(name) });
    const host = startRemote(box, peer, { env: TRUSTING });
    expectLocal(await host.request(0, "initialize", initializeParams()), /^upstream unreachable: /);
    await host.finish();
    expect(peer.exchanges).toEqual([]);
    await peer.close();
  });

  test("NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing", async ({ box, secure }) => {
    const host = startRemote(box, secure, { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } });
    expectLocal(await host.request(0, "initialize", initializeParams()), /^upstream unreachable: /);
    await host.finish();
    expect(secure.exchanges).toEqual([]);
  });

  test("a CA file that cannot be read is said, and the session goes on without it", async ({ box, plain }) => {
    const host = startRemote(box, plain, { env: { NODE_EXTRA_CA_CERTS: "/no/such/file.pem" } });
    expect((await shakeHands(host)).result).toBeDefined();
    expect(await host.finish()).toEqual({ code: 0, signal: null });
  });

  test("https → http is never followed, whatever the server says", async ({ box, secure, plain, proxy }) => {
    // A name that is not this machine's, and can be reached all the same.
    secure.serve((exchange) => exchange.reply(307, "", { location: at(plain, "mcp.example.test") }));
    const env = { ...TRUSTING, HTTP_PROXY: proxy.url() };
    const host = startRemote(box, secure, { env });
    expectLocal(await host.request(0, "initialize", initializeParams()), /^upstream .*https to http/);
    await host.finish();
    expect(proxy.requests).toEqual([]);
    expect(plain.exchanges).toEqual([]);
  });
});

describe("which way it goes", () => {
  test.for(["HTTPS_PROXY", "https_proxy"])(
    "%s: through a tunnel, TLS from end to end",
    async (name, { box, secure, proxy }) => {
      const host = startRemote(box, at(secure, "mcp.example.test"), { env: { ...TRUSTING, [name]: proxy.url() } });
      await shakeHands(host);
      expect((await host.call(1, "echo", { text: "x" })).result?.content).toEqual([{ type: "text", text: "x" }]);
      expect(await host.finish()).toEqual({ code: 0, signal: null });
      expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT mcp.example.test:${secure.port}`]));
      expect(secure.exchanges[0]?.header("host")).toBe(`mcp.example.test:${secure.port}`);
    },
  );

  test.for(["HTTP_PROXY", "http_proxy"])("%s: for plain HTTP", async (name, { box, plain, proxy }) => {
    const host = startRemote(box, at(plain, "mcp.example.test"), { env: { [name]: proxy.url() } });
    await shakeHands(host);
    expect((await host.call(1, "echo")).result).toBeDefined();
    await host.finish();
    expect(proxy.asked.length).toBeGreaterThan(0);
    expect(plain.exchanges.length).toBeGreaterThan(0);
  });

  test.for(["NO_PROXY", "no_proxy"])("%s: past it", async (name, { box, plain, proxy }) => {
    // No loopback address, but one that leads to this machine.
    const url = at(plain, "0.0.0.0");
    const env = { HTTP_PROXY: proxy.url(), [name]: "example.org, 0.0.0.0" };
    const host = startRemote(box, url, { env });
    expect((await shakeHands(host)).result).toBeDefined();
    await host.finish();
    expect(proxy.requests).toEqual([]);
    const other = startRemote(box, url, { env: { ...env, [name]: "example.org" } });
    expect((await shakeHands(other)).result).toBeDefined();
    await other.finish();
    expect(proxy.asked[0]).toBe(`POST ${url}`);
  });

  test.for(["127.0.0.1", "localhost"])(
    "%s: past any proxy, also one that cannot be used",
    async (name, { box, secure, plain, proxy }) => {
      const env = { ...TRUSTING, HTTPS_PROXY: proxy.url(), HTTP_PROXY: "socks5://proxy.example.test" };
      for (const peer of [secure, plain]) {
        const host = startRemote(box, at(peer, name), { env });
        expect((await shakeHands(host)).result).toBeDefined();
        expect(await host.finish()).toEqual({ code: 0, signal: null });
      }
      expect(proxy.requests).toEqual([]);
    },
  );

  test("what the server is to know is not told to the proxy, and the other way round", async ({
    box,
    secure,
    proxy,
  }) => {
    const env = { ...TRUSTING, HTTPS_PROXY: proxy.url("user:proxy-sesame"), BIR_DEBUG: "all" };
    proxy.authorization = `Basic ${Buffer.from("user:proxy-sesame").toString("base64")}`;
    const flags = ["--header", "X-Key: server-sesame"];
    const host = startRemote(box, at(secure, "mcp.example.test"), { env, flags });
    expect((await shakeHands(host)).result).toBeDefined();
    await host.call(1, "echo");
    await host.finish();
    expect(proxy.requests.map(({ head }) => head).join()).not.toContain("server-sesame");
    for (const exchange of secure.exchanges) {
      expect(exchange.header("x-key")).toBe("server-sesame");
      expect(exchange.header("proxy-authorization")).toBeUndefined();
    }
    const shown = host.stdout.text() + host.stderr.text() + leftBehind(box);
    expect(shown).not.toContain("sesame");
  });

  test("a proxy that wants a sign-in, or does not let through: one error", async ({ box, secure, proxy }) => {
    proxy.authorization = "Basic none";
    const host = startRemote(box, at(secure, "mcp.example.test"), { env: { ...TRUSTING, HTTPS_PROXY: proxy.url() } });
    expectLocal(await host.request("a", "initialize", initializeParams()), /^upstream unreachable: /);
    proxy.authorization = null;
    proxy.mood = { refuse: "502 Bad Gateway" };
    expectLocal(await host.request("b", "initialize", initializeParams()), /^upstream unreachable: /);
    proxy.mood = "pass";
    expect((await shakeHands(host)).result).toBeDefined();
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.text() + host.stderr.text()).not.toContain("who are you");
  });
});
