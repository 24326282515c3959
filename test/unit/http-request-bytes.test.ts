import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HttpFailure } from "../../src/upstream/http/http.ts";
import { requestHead } from "../../src/upstream/http/request-bytes.ts";
import { routeTo } from "../../src/upstream/http/route.ts";
import { requestTo } from "../fakes/http/client.ts";

/** The head of a request, byte by byte, and the headers that are refused. */

function head(url: string, request: Parameters<typeof requestTo>[1] = {}, env: Record<string, string> = {}): string {
  const asked = requestTo(new URL(url), request);
  return requestHead(asked, routeTo(asked.url, env));
}

test("a POST", () => {
  const sent = head("https://a.test:8443/mcp?x=1#part", {
    headers: [["MCP-Protocol-Version", "2025-11-25"]],
    credentials: [["Authorization", "Bearer t"]],
    body: Buffer.from("{}"),
  });
  expect(sent.split("\r\n")).toEqual([
    "POST /mcp?x=1 HTTP/1.1",
    "host: a.test:8443",
    "MCP-Protocol-Version: 2025-11-25",
    "Authorization: Bearer t",
    "accept-encoding: identity",
    "content-length: 2",
    "",
    "",
  ]);
});

test("a GET states no length, a POST without a body does", () => {
  expect(head("http://a.test", { method: "GET" })).toBe(
    "GET / HTTP/1.1\r\nhost: a.test\r\naccept-encoding: identity\r\n\r\n",
  );
  expect(head("http://a.test")).toContain("\r\ncontent-length: 0\r\n");
});

test("credentials in a URL go nowhere", () => {
  expect(head("http://user:s3cr3t@a.test/")).not.toMatch(/s3cr3t|user|authorization/i);
});

test("a host that was configured is the one that is named", () => {
  const sent = head("http://127.0.0.1:1/", { credentials: [["Host", "a.test"]] });
  expect(sent.match(/host:.*/gi)).toEqual(["Host: a.test"]);
});

describe("through a proxy", () => {
  const env = { HTTP_PROXY: "http://user:pass@p", HTTPS_PROXY: "http://user:pass@p" };

  test("without TLS, the whole address and the proxy's credentials", () => {
    const sent = head("http://a.test:81/mcp?x=1", {}, env);
    expect(sent).toMatch(/^POST http:\/\/a\.test:81\/mcp\?x=1 HTTP\/1\.1\r\nhost: a\.test:81\r\n/);
    expect(sent).toContain("\r\nproxy-authorization: Basic dXNlcjpwYXNz\r\n");
  });

  test("with TLS, the server sees nothing of it", () => {
    expect(head("https://a.test/mcp", {}, env)).toMatch(/^POST \/mcp HTTP/);
    expect(head("https://a.test/mcp", {}, env)).not.toContain("proxy");
  });
});

describe("what is refused", () => {
  const secret = "s3cr3t";
  test.each([
    ["x", `a\r\nevil: ${secret}`],
    ["x", `a\n${secret}`],
    ["x", `a\r${secret}`],
    ["x", `${secret}\0`],
    ["x", `${secret}\u0100`],
    ["x\r\nevil", secret],
    ["x y", secret],
    ["x:", secret],
    ["", secret],
    ["ü", secret],
    ["Content-Length", secret],
    ["Transfer-Encoding", secret],
    ["Connection", secret],
    ["Accept-Encoding", secret],
    ["Proxy-Authorization", secret],
    ["Expect", secret],
  ])("%j: %j", (name, value) => {
    for (const where of ["headers", "credentials"]) {
      const attempt = (): string => head("http://a.test", { [where]: [[name, value]] });
      expect(attempt).toThrow(HttpFailure);
      expect(attempt).not.toThrow(secret);
    }
  });

  test("whatever is let through is one line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (name, value) => {
        let sent: string;
        try {
          sent = head("http://a.test", { headers: [[name, value]] });
        } catch (error) {
          expect(error).toBeInstanceOf(HttpFailure);
          return;
        }
        expect(sent.split(/[\r\n]+/)).toHaveLength(/^host$/i.test(name) ? 5 : 6);
        expect(sent).toContain(`\r\n${name}: ${value}\r\n`);
      }),
    );
  });
});
