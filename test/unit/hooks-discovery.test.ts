import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { addressOf, knownServers, readDiscovery } from "../../src/kit/discovery.ts";
import { controlDirectory, serverDiscoveryPath } from "../../src/kit/paths.ts";

/** Where a server is said to be: by the environment, by its file, and only ever on this machine. */

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bir-test-"));
  mkdirSync(controlDirectory(home));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

function announce(content: unknown): void {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(serverDiscoveryPath(home), text);
}

describe("an address", () => {
  test.each([
    ["http://127.0.0.1:4000", { host: "127.0.0.1", port: 4000 }],
    ["http://localhost:65535/", { host: "localhost", port: 65535 }],
    ["http://[::1]:1", { host: "[::1]", port: 1 }],
  ])("%s", (url, where) => {
    expect(addressOf(url, "secret")).toEqual({ ...where, token: "secret" });
  });

  test.each([
    "https://127.0.0.1:4000",
    "http://127.0.0.1",
    "http://127.0.0.1:0",
    "http://127.0.0.1:65536",
    "http://127.0.0.1:4000/path",
    "http://user@127.0.0.1:4000",
    "http://127.0.0.1:4000@example.com:80",
    "http://192.168.0.1:4000",
    "http://localhost.example.com:4000",
    "http://127.0.0.1:4000\r\nx: y",
    "",
    null,
    4000,
  ])("is none: %j", (url) => {
    expect(addressOf(url, "secret")).toBeNull();
  });

  test.each(["", "a b", "a\r\nx: y", "ü", null, 7, "x".repeat(600)])("has no such token: %j", (token) => {
    expect(addressOf("http://127.0.0.1:4000", token)).toBeNull();
  });
});

describe("the servers to ask", () => {
  const FILED = { host: "127.0.0.1", port: 4000, token: "filed" };
  const NAMED = { host: "127.0.0.1", port: 5000, token: "named" };

  function name(url = "http://127.0.0.1:5000", token = "named"): void {
    vi.stubEnv("BIR_CONTROL_URL", url);
    vi.stubEnv("BIR_CONTROL_TOKEN", token);
  }

  test("none", () => {
    expect(knownServers(home)).toEqual([]);
    expect(knownServers(join(home, "nowhere"))).toEqual([]);
  });

  test("the one of the environment first", () => {
    announce({ url: "http://127.0.0.1:4000", token: "filed" });
    expect(knownServers(home)).toEqual([FILED]);
    name();
    expect(knownServers(home)).toEqual([NAMED, FILED]);
    announce("");
    expect(knownServers(home)).toEqual([NAMED]);
  });

  test("the same one once", () => {
    announce({ url: "http://127.0.0.1:5000", token: "named" });
    name();
    expect(knownServers(home)).toEqual([NAMED]);
  });

  test("half of a name is none", () => {
    name("http://127.0.0.1:5000", "");
    expect(knownServers(home)).toEqual([]);
    name("", "named");
    expect(knownServers(home)).toEqual([]);
  });
});

describe("a discovery file", () => {
  test.each(["", "{", "null", "[]x", '"text"', "7"])("that says nothing: %j", (content) => {
    announce(content);
    expect(readDiscovery(serverDiscoveryPath(home))).toBeNull();
  });

  test("is read whole, and one that is far too large is not read", () => {
    announce({ url: "http://127.0.0.1:4000", token: "ü", pid: 7 });
    expect(readDiscovery(serverDiscoveryPath(home))).toEqual({ url: "http://127.0.0.1:4000", token: "ü", pid: 7 });
    announce({ token: "x".repeat(100_000) });
    expect(readDiscovery(serverDiscoveryPath(home))).toBeNull();
  });
});
