import { describe, expect, test } from "vitest";
import { readProxyOptions, UsageError } from "../../src/roles/proxy-options.ts";

const URL_ = "https://example.com/mcp";

const DEFAULTS = {
  serverName: "server",
  command: ["server"],
  remote: null,
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

describe("command lines that name a remote server", () => {
  const REMOTE = { transport: null, headerLines: [], bearerVariable: null };
  const { command: _command, ...others } = DEFAULTS;

  test.each([
    [["--url", URL_], { serverName: "example.com" }, {}],
    [[`--url=${URL_}`, "--"], { serverName: "example.com" }, {}],
    [["--server-name", "docs", "--url", URL_], { serverName: "docs" }, {}],
    [["--url", URL_, "--transport", "http"], { serverName: "example.com" }, { transport: "http" }],
    [["--transport=sse", "--url", URL_], { serverName: "example.com" }, { transport: "sse" }],
    [["--url", URL_, "--bearer-env", "My_token2"], { serverName: "example.com" }, { bearerVariable: "My_token2" }],
    [["--url", URL_, "--stay-up", "--standalone"], { serverName: "example.com", stayUp: true, standalone: true }, {}],
    [
      ["--url", URL_, "--scope", "user", "--no-record"],
      { serverName: "example.com", userScope: true, record: false },
      {},
    ],
    [["--url", URL_, "--no-correlation"], { serverName: "example.com", correlation: false }, {}],
    [
      ["--header", "B: 1", "--url", URL_, "--header=A: 2=3", "--header", "b: --4", "--header=--5"],
      { serverName: "example.com" },
      { headerLines: ["B: 1", "A: 2=3", "b: --4", "--5"] },
    ],
  ])("%j", (words, expected, remote) => {
    const { remote: found, command, ...rest } = readProxyOptions(words);
    expect(rest).toEqual({ ...others, ...expected, remote: undefined });
    expect(command).toBeNull();
    expect({ ...found, url: found?.url.href }).toEqual({ ...REMOTE, url: URL_, ...remote });
  });

  test.each([
    ["http://127.0.0.1:8080/mcp", "127.0.0.1", "http://127.0.0.1:8080/mcp"],
    ["HTTPS://Example.COM", "example.com", "https://example.com/"],
    [`http://[::1]:9/x?a=%23&b=\${`, "[::1]", `http://[::1]:9/x?a=%23&b=\${`],
    ["https://bücher.example/mcp", "xn--bcher-kva.example", "https://xn--bcher-kva.example/mcp"],
  ])("the server at %s is called %s", (address, serverName, href) => {
    const { remote, serverName: found } = readProxyOptions(["--url", address]);
    expect([found, remote?.url.href]).toEqual([serverName, href]);
  });

  test("of a URL that is given twice the last counts", () => {
    expect(readProxyOptions(["--url", "https://a.example", "--url", URL_]).remote?.url.href).toBe(URL_);
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
    [["--urls", "https://example.com"], 'unknown option "--urls"'],
    [["https://user:s3cret@example.com/mcp"], "a remote server's URL goes after --url."],
    [["--", "https://user:s3cret@example.com/mcp"], `a remote server's URL goes after --url, without "--".`],
    [["--url"], "--url needs a value"],
    [["--url", "--", "server"], "--url needs a value"],
    [["--url=", "--stay-up"], "--url needs a value"],
    [["--header", "", "--url", URL_], "--header needs a value"],
    [["--bearer-env", "--url", URL_], "--bearer-env needs a value"],
    [["--transport", "--url", URL_], "--transport needs a value"],
    [["--url", URL_, "--", "server"], "--url and a server command do not go together: leave out the one"],
    [["--url", URL_, "--", ""], "--url and a server command do not go together"],
    [["--transport", "http", "--", "server"], "--transport goes with --url only"],
    [["--header", "X: s3cret", "--", "server"], "--header goes with --url only"],
    [["--bearer-env", "TOKEN", "--", "server"], "--bearer-env goes with --url only"],
    [["--header", "X: s3cret"], "no server command and no --url"],
    [["--url", "example.com/mcp?key=s3cret"], "--url needs a whole http or https URL, such as https://example.com/mcp"],
    [["--url", "https:example.com"], "--url needs a whole http or https URL"],
    [["--url", "/mcp"], "--url needs a whole http or https URL"],
    [["--url", " https://example.com"], "--url needs a whole http or https URL"],
    [["--url", "https://"], "--url needs a whole http or https URL"],
    [["--url", "https://s3cret host/"], "--url needs a whole http or https URL"],
    [["--url", "http://h:99999/"], "--url needs a whole http or https URL"],
    [["--url", "ws://example.com/mcp"], "--url needs a whole http or https URL"],
    [["--url", "file:///etc/passwd"], "--url needs a whole http or https URL"],
    [
      ["--url", "https://user:s3cret@example.com"],
      "no credentials: every user of this machine can see them. Use BIR_UP",
    ],
    [["--url", "https://s3cret@example.com"], "Use BIR_UPSTREAM_HEADERS or --bearer-env"],
    [["--url", "https://:s3cret@example.com"], "--url must hold no credentials"],
    [["--url", "https://example.com/mcp#s3cret"], '--url must hold no "#"'],
    [["--url", "https://example.com/mcp#"], '--url must hold no "#"'],
    [["--url", `\${MCP_URL}`], `the host left \${MCP_URL} in --url as it is: set that variable, or write its value`],
    [["--url", `https://h/mcp?key=s3cret&tenant=\${env:TENANT}`], `the host left \${env:TENANT} in --url as it is`],
    [["--url", URL_, "--transport", "stdio"], '--transport can only be "http" or "sse"; without it bir finds out'],
    [["--url", URL_, "--transport=HTTP"], '--transport can only be "http" or "sse"'],
    [["--url", URL_, "--bearer-env", "s3cret-s3cret"], "--bearer-env takes the name of a variable, such as API_TOKEN"],
    [["--url", URL_, "--bearer-env", `\${s3cret}`], "--bearer-env takes the name of a variable"],
    [["--url", URL_, "--bearer-env", "$TOKEN"], "--bearer-env takes the name of a variable"],
    [["--url", URL_, "--bearer-env", "1TOKEN"], "--bearer-env takes the name of a variable"],
    [["--url", URL_, "--restart"], "--restart is for a server that bir starts: leave it out with --url"],
    [["--url", URL_, "extra"], 'unexpected "extra"'],
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
