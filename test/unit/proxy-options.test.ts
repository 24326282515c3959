import { describe, expect, test } from "vitest";
import { readProxyOptions, UsageError } from "../../src/roles/proxy-options.ts";

const DEFAULTS = {
  serverName: "server",
  command: ["server"],
  record: true,
  restart: false,
  stayUp: false,
  standalone: false,
  userScope: false,
  correlation: true,
};

describe("command lines that can be followed", () => {
  test.each([
    [["--", "server"], {}],
    [["--server-name", "files", "--", "server"], { serverName: "files" }],
    [["--server-name=files", "--", "server"], { serverName: "files" }],
    [["--server-name=a=b", "--", "server"], { serverName: "a=b" }],
    [["--server-name=--odd", "--", "server"], { serverName: "--odd" }],
    [["--server-name", "-", "--", "server"], { serverName: "-" }],
    [["--server-name", "grüße 日本", "--", "server"], { serverName: "grüße 日本" }],
    [["--server-name", "a", "--server-name", "b", "--", "server"], { serverName: "b" }],
    [["--standalone", "--", "server"], { standalone: true }],
    [["--no-correlation", "--", "server"], { correlation: false }],
    [["--scope", "user", "--", "server"], { userScope: true }],
    [["--scope=user", "--", "server"], { userScope: true }],
    [["--no-record", "--", "server"], { record: false }],
    [["--restart", "--restart", "--", "server"], { restart: true }],
    [["--stay-up", "--restart", "--", "server"], { restart: true, stayUp: true }],
  ])("%j", (words, expected) => {
    expect(readProxyOptions(words)).toEqual({ ...DEFAULTS, ...expected });
  });

  test("what follows the first -- is the server's, whatever it looks like", () => {
    const command = ["npx", "-y", "--restart", "--", "--server-name", "x", "", "--help", "a b"];
    expect(readProxyOptions(["--stay-up", "--", ...command])).toEqual({
      ...DEFAULTS,
      serverName: "npx",
      stayUp: true,
      command,
    });
  });

  test.each([
    ["/usr/local/bin/mcp-server", "mcp-server"],
    ["./server.js", "server.js"],
    ["C:\\Program Files\\nodejs\\npx.cmd", "npx"],
    ["C:/tools/SERVER.EXE", "SERVER"],
    ["run.bat", "run"],
    [".cmd", ".cmd"],
    ["/opt/dir/", "/opt/dir/"],
    ["tool.exe.sh", "tool.exe.sh"],
  ])("the server of %j is called %j", (program, serverName) => {
    expect(readProxyOptions(["--", program]).serverName).toBe(serverName);
  });
});

describe("command lines that cannot be followed", () => {
  test.each([
    [[], "no server command"],
    [["--"], "no server command"],
    [["--", ""], "no server command"],
    [["--server-name", "x"], "no server command"],
    [["--restart"], "no server command"],
    [["server"], 'unexpected "server"'],
    [["npx", "--", "server"], 'unexpected "npx"'],
    [["--server-name", "x", "npx", "-y", "server"], 'unexpected "npx"'],
    [[""], 'unexpected ""'],
    [["--", "server"].toReversed(), 'unexpected "server"'],
    [["--bogus", "--", "server"], 'unknown option "--bogus"'],
    [["-x", "--", "server"], 'unknown option "-x"'],
    [["-", "--", "server"], 'unknown option "-"'],
    [["--Restart", "--", "server"], 'unknown option "--Restart"'],
    [["--url", "https://example.com"], 'unknown option "--url"'],
    [["--api-key=s3cret-s3cret", "--", "server"], 'unknown option "--api-key"'],
    [["--restart=1", "--", "server"], "--restart takes no value"],
    [["--no-record=", "--", "server"], "--no-record takes no value"],
    [["--server-name"], "--server-name needs a value"],
    [["--server-name", "--", "server"], "--server-name needs a value"],
    [["--server-name=", "--", "server"], "--server-name needs a value"],
    [["--server-name", "", "--", "server"], "--server-name needs a value"],
    [["--server-name", "--restart", "--", "server"], "--server-name needs a value"],
    [["--scope", "--", "server"], "--scope needs a value"],
    [["--scope", "project", "--", "server"], '--scope can only be "user"'],
    [["--scope=User", "--", "server"], '--scope can only be "user"'],
  ])("%j", (words, expected) => {
    let message = "";
    try {
      readProxyOptions(words);
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      message = (error as Error).message;
    }
    expect(message).toContain(expected);
    expect(message).not.toContain("s3cret");
    // One line that says what to do.
    expect(message).toMatch(/See: bir proxy --help$|as in: bir proxy .* -- npx server$/);
    expect(message).not.toContain("\n");
  });
});
