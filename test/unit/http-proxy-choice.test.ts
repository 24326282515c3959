import { describe, expect, test } from "vitest";
import { HttpFailure } from "../../src/upstream/http/http.ts";
import { chooseProxy, type Environment } from "../../src/upstream/http/proxy-choice.ts";
import { routeTo } from "../../src/upstream/http/route.ts";

/** Which proxy leads to a URL, by the environment. */

/** `host:port` of the proxy; null where there is none. */
function proxyFor(url: string, env: Environment): string | null {
  const proxy = chooseProxy(new URL(url), env);
  return proxy && `${proxy.isSecure ? "tls " : ""}${proxy.host}:${proxy.port}`;
}

describe("which variable counts", () => {
  test.each<[string, Environment, string | null]>([
    ["https://a.test/", {}, null],
    ["https://a.test/", { HTTPS_PROXY: "http://p:1" }, "p:1"],
    ["https://a.test/", { https_proxy: "http://p:1" }, "p:1"],
    ["https://a.test/", { https_proxy: "http://p:1", HTTPS_PROXY: "http://q:2" }, "p:1"],
    ["https://a.test/", { https_proxy: "", HTTPS_PROXY: "http://q:2", ALL_PROXY: "http://r:3" }, null],
    ["https://a.test/", { HTTP_PROXY: "http://p:1" }, null],
    ["http://a.test/", { HTTPS_PROXY: "http://p:1" }, null],
    ["http://a.test/", { HTTP_PROXY: "http://p:1" }, "p:1"],
    ["http://a.test/", { http_proxy: "http://p:1", HTTP_PROXY: "http://q:2" }, "p:1"],
    ["http://a.test/", { ALL_PROXY: "http://p:1" }, "p:1"],
    ["https://a.test/", { all_proxy: "http://p:1", ALL_PROXY: "http://q:2" }, "p:1"],
    ["https://a.test/", { ALL_PROXY: "http://p:1", HTTPS_PROXY: "http://q:2" }, "q:2"],
  ])("%s with %j: %s", (url, env, expected) => {
    expect(proxyFor(url, env)).toBe(expected);
  });
});

describe("how a proxy may be written", () => {
  test.each([
    ["proxy.test:3128", "proxy.test:3128"],
    ["http://proxy.test", "proxy.test:80"],
    ["https://proxy.test", "tls proxy.test:443"],
    ["  http://proxy.test:8080/  ", "proxy.test:8080"],
    ["http://[::1]:8080", "::1:8080"],
    ["10.0.0.1:8080", "10.0.0.1:8080"],
  ])("%j", (value, expected) => {
    expect(proxyFor("https://a.test/", { HTTPS_PROXY: value })).toBe(expected);
  });

  test.each([
    ["http://us%40er:p%3Ass@p", "us@er:p:ss"],
    ["http://user@p", "user:"],
    ["http://:key@p", ":key"],
    ["http://100%:x@p", "100%:x"],
    ["user:pass@p:1", "user:pass"],
  ])("credentials of %j", (value, credentials) => {
    const proxy = chooseProxy(new URL("https://a.test/"), { HTTPS_PROXY: value });
    expect(proxy?.authorization).toBe(`Basic ${Buffer.from(credentials).toString("base64")}`);
  });

  test("no credentials, no header", () => {
    expect(chooseProxy(new URL("https://a.test/"), { HTTPS_PROXY: "http://p" })?.authorization).toBeNull();
  });

  test.each([
    ["socks5://user:s3cr3t@p:1080", "HTTPS_PROXY names a socks5 proxy: only http:// and https:// proxies can be used"],
    [
      "socks5h://user:s3cr3t@p:1080",
      "HTTPS_PROXY names a socks5h proxy: only http:// and https:// proxies can be used",
    ],
    ["http://user:s3cr3t@", "HTTPS_PROXY does not hold the address of a proxy (http://host:port)"],
    ["http://user:s3cr3t@p:99999", "HTTPS_PROXY does not hold the address of a proxy (http://host:port)"],
    ["s3cr3t s3cr3t", "HTTPS_PROXY does not hold the address of a proxy (http://host:port)"],
  ])("%j is told without its credentials", (value, message) => {
    expect(() => proxyFor("https://a.test/", { HTTPS_PROXY: value })).toThrow(new HttpFailure("unreachable", message));
    expect(proxyFor("https://a.test/", { HTTPS_PROXY: value, NO_PROXY: "a.test" })).toBeNull();
  });
});

describe("NO_PROXY", () => {
  const exempt: [list: string, url: string][] = [
    ["*", "https://a.test/"],
    ["a.test", "https://a.test/"],
    ["A.Test", "https://a.test/"],
    ["a.test", "https://deep.a.test:8443/"],
    [".a.test", "https://deep.a.test/"],
    [".a.test", "https://a.test/"],
    ["*.a.test", "https://deep.a.test/"],
    ["a.test.", "https://a.test/"],
    ["a.test", "https://a.test./"],
    ["x, a.test ,y", "https://a.test/"],
    ["x a.test", "https://a.test/"],
    ["a.test:443", "https://a.test/"],
    ["a.test:80", "http://a.test/"],
    ["a.test:8443", "https://a.test:8443/"],
    ["10.0.0.1", "http://10.0.0.1:3000/"],
    ["10.0.0.1:3000", "http://10.0.0.1:3000/"],
    ["10.0.0.0/8", "http://10.255.0.1/"],
    ["10.1.2.3/32", "http://10.1.2.3/"],
    ["0.0.0.0/0", "http://192.168.1.1/"],
    ["fd00::1", "http://[fd00::1]:3000/"],
    ["[fd00::1]", "http://[fd00::1]:3000/"],
    ["[fd00::1]:3000", "http://[fd00::1]:3000/"],
    ["fd00:0:0:0:0:0:0:1", "http://[fd00::1]/"],
    ["fd00::/8", "http://[fd12::1]/"],
  ];
  test.each(exempt)("%j covers %s", (list, url) => {
    const env = { HTTP_PROXY: "http://p", HTTPS_PROXY: "http://p" };
    expect(proxyFor(url, { ...env, NO_PROXY: list })).toBeNull();
    expect(proxyFor(url, { ...env, no_proxy: list, NO_PROXY: "other" })).toBeNull();
    expect(proxyFor(url, { ...env, no_proxy: "other", NO_PROXY: list })).not.toBeNull();
  });

  const others: [list: string, url: string][] = [
    ["", "https://a.test/"],
    [" , ", "https://a.test/"],
    ["a.test", "https://aa.test/"],
    ["a.test", "https://a.test.other/"],
    ["deep.a.test", "https://a.test/"],
    [".", "https://a.test/"],
    ["a.test:80", "https://a.test/"],
    ["a.test:44", "https://a.test/"],
    ["10.0.0.1:3000", "http://10.0.0.1:30000/"],
    ["10.0.0.1", "http://a.test/"],
    ["0.0.1", "http://10.0.0.1/"],
    ["10.0.0.0/8", "http://11.0.0.1/"],
    ["10.0.0.0/33", "http://10.0.0.1/"],
    ["10.0.0.0/", "http://10.0.0.0/"],
    ["10.0.0.0/x", "http://10.0.0.0/"],
    ["::1", "http://[::2]/"],
    ["fd00::/8", "http://[fe00::1]/"],
    ["::/0", "http://10.0.0.1/"],
    ["localhost", "http://10.0.0.1/"],
    ["localhost", "http://localhost.test/"],
  ];
  test.each(others)("%j does not cover %s", (list, url) => {
    expect(proxyFor(url, { HTTP_PROXY: "http://p", HTTPS_PROXY: "http://p", NO_PROXY: list })).toBe("p:80");
  });
});

describe("this machine has no proxy", () => {
  const env = { HTTP_PROXY: "http://p", HTTPS_PROXY: "http://p", ALL_PROXY: "socks5://p" };

  test.each([
    "localhost",
    "LocalHost.",
    "a.b.localhost",
    "127.0.0.1",
    "127.255.0.3",
    "127.1",
    "2130706433",
    "[::1]",
    "[0:0::0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f12:3]",
  ])("%s", (host) => {
    for (const scheme of ["http", "https"]) expect(proxyFor(`${scheme}://${host}:3000/`, env)).toBeNull();
    expect(proxyFor(`http://${host}/`, { ALL_PROXY: "socks5://p" })).toBeNull();
  });

  test.each([
    "localhost.test",
    "notlocalhost",
    "127.0.0.1.test",
    "128.0.0.1",
    "0.0.0.0",
    "[::2]",
    "[::7f00:1]",
    "[::ffff:8000:1]",
    "[::ffff:7f0:1]",
  ])("but %s does", (host) => {
    expect(proxyFor(`http://${host}/`, env)).toBe("p:80");
  });
});

describe("which connections stand in for each other", () => {
  const env = { HTTP_PROXY: "http://p:1", HTTPS_PROXY: "http://p:1", NO_PROXY: "direct.test" };
  const key = (url: string, variables: Environment = env): string => routeTo(new URL(url), variables).key;

  test("those to one origin, and those to a proxy that asks for whole addresses", () => {
    expect(key("https://a.test/x?y")).toBe(key("https://a.test:443/z"));
    expect(key("http://a.test/")).toBe(key("http://b.test:8080/"));
  });

  test("no others", () => {
    const urls = ["https://a.test/", "https://a.test:8443/", "https://b.test/", "http://a.test/"];
    const direct = ["https://direct.test/", "http://direct.test/", "http://direct.test:81/"];
    const keys = [...urls.map((url) => key(url)), ...direct.map((url) => key(url)), key("https://a.test/", {})];
    keys.push(key("http://a.test/", { HTTP_PROXY: "http://user:pass@p:1" }));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
