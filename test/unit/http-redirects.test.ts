import { describe, expect, test } from "vitest";
import { HttpFailure } from "../../src/upstream/http/http.ts";
import { redirected } from "../../src/upstream/http/redirects.ts";
import { requestTo } from "../fakes/http/client.ts";

/** Where an answer sends a request to, and what goes along. */

const request = requestTo(new URL("https://a.test/mcp?key=s3cr3t"), {
  headers: [["Mcp-Session-Id", "1"]],
  credentials: [["Authorization", "Bearer t"]],
  body: Buffer.from("{}"),
  onSent: () => {},
});

function follow(location: string | null, status = 307, followed = 0, from = request) {
  return redirected(from, { status, headers: new Map(location === null ? [] : [["location", location]]) }, followed);
}

test.each([301, 302, 307, 308])("HTTP %i keeps the method and the body", (status) => {
  const { url, ...next } = follow("/other", status) ?? {};
  expect(url?.href).toBe("https://a.test/other");
  const { url: _, onSent: __, ...same } = request;
  expect(next).toEqual(same);
});

test.each([200, 202, 204, 300, 304, 305, 306, 400, 401, 404, 500])("HTTP %i is no redirect", (status) => {
  expect(follow("/other", status)).toBeNull();
});

test("a redirect that says nowhere is an answer like any other", () => {
  expect(follow(null)).toBeNull();
});

describe("credentials", () => {
  test.each([
    ["/x", true],
    ["//a.test/x", true],
    ["https://a.test:443/x", true],
    ["https://user:pass@a.test/x", true],
    ["https://a.test:8443/x", false],
    ["https://b.test/x", false],
    ["https://sub.a.test/x", false],
    ["http://localhost/x", false],
  ])("to %s: %s", (location, isKept) => {
    const next = follow(location);
    expect(next?.credentials).toEqual(isKept ? request.credentials : []);
    expect(next?.headers).toEqual(request.headers);
  });

  test("stay away once they were dropped", () => {
    const away = follow("https://b.test/");
    expect(follow("https://a.test/", 307, 1, away ?? request)?.credentials).toEqual([]);
  });
});

describe("from https to http", () => {
  test.each(["http://localhost/", "http://127.0.0.1:3000/", "http://[::1]/", "http://a.localhost/"])(
    "%s",
    (location) => {
      expect(follow(location)?.url.href).toBe(new URL(location).href);
    },
  );

  test.each([
    "http://a.test/",
    "http://127.0.0.1.test/",
    "http://localhost.test/",
    "http://notlocalhost/",
    "http://10.0.0.1/",
    "http://[::2]/",
  ])("%s is refused", (location) => {
    expect(() => follow(location)).toThrow(
      new HttpFailure("invalid", "the server redirects from https to http (HTTP 307)"),
    );
  });

  test("what was without TLS may stay so, or get it", () => {
    const plain = { ...request, url: new URL("http://a.test/") };
    expect(follow("http://b.test/", 307, 0, plain)?.url.href).toBe("http://b.test/");
    expect(follow("https://a.test/", 307, 0, plain)?.url.href).toBe("https://a.test/");
  });
});

test("five are followed, and no more", () => {
  expect(follow("/x", 307, 4)).not.toBeNull();
  expect(() => follow("/x", 307, 5)).toThrow(new HttpFailure("invalid", "the server redirects more than 5 times"));
});

test.each([
  ["/x", 303],
  ["ftp://a.test/s3cr3t", 307],
  ["file:///s3cr3t", 307],
  ["https://", 307],
  ["http://[s3cr3t/", 307],
])("to %s with HTTP %i: refused, without a word of the address", (location, status) => {
  expect(() => follow(location, status)).toThrow(HttpFailure);
  expect(() => follow(location, status)).not.toThrow(/s3cr3t|a\.test/);
});
