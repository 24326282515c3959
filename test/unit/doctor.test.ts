import { Database } from "bun:sqlite";
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { doctorSchema } from "../../src/core/schema/answers.ts";
import { examine } from "../../src/roles/cli/commands/doctor.ts";
import { CHECKS } from "../../src/roles/cli/doctor/checks.ts";
import { diskFinding } from "../../src/roles/cli/doctor/disk-space.ts";
import { readMcpConfig, runsBir } from "../../src/roles/cli/doctor/mcp-config.ts";
import { secretArguments } from "../../src/roles/cli/doctor/secret-arguments.ts";
import { eventfulRun, TestCli } from "./cli-fixture.ts";

interface Found {
  check: string;
  severity: string;
  message: string;
  hint: string | null;
}

/** What the doctor finds, without what is well. */
async function complaints(cli: TestCli, ...more: string[]): Promise<Found[]> {
  const { findings } = doctorSchema.parse(await cli.json("doctor", ...more));
  return findings.filter(({ severity }) => severity === "warning" || severity === "error");
}

function put(path: string, content: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const birEntry = (extra: object = {}) => ({ command: "bir", args: ["proxy", "--", "server"], ...extra });

describe("bir doctor", () => {
  test("of a healthy home has no complaint and exits 0", async () => {
    const cli = new TestCli().record(eventfulRun());
    expect(await complaints(cli)).toEqual([]);
    expect(await cli.run("doctor")).toBe(0);
    expect(cli.stdout).toContain("✓ ok       store: the store is sound: 1 run, 6 calls");
  });

  test("of nothing at all has no complaint, and makes nothing", async () => {
    const cli = new TestCli();
    expect(await complaints(cli)).toEqual([]);
    const { ok, findings } = doctorSchema.parse(await cli.json("doctor"));
    expect(ok).toBe(true);
    expect(findings.find(({ check }) => check === "home")?.message).toContain("does not exist yet");
  });

  test("every check is heard, and one that fails stops no other", async () => {
    const cli = new TestCli();
    const failing = {
      name: "failing",
      run: () => {
        throw new Error("out of order");
      },
    };
    const found = await examine({ context: cli.context, configPaths: [] }, [failing, ...CHECKS]);
    expect(found[0]).toMatchObject({
      check: "failing",
      severity: "error",
      message: "this check itself failed: out of order",
    });
    expect(new Set(found.map(({ check }) => check)).size).toBe(CHECKS.length + 1);
    expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
  });

  test("what a check may not look at is told in words", async () => {
    const refused = Object.assign(new Error("EACCES: permission denied, stat '/x'"), { code: "EACCES" });
    const check = { name: "closed", run: () => Promise.reject(refused) };
    const [found] = await examine({ context: new TestCli().context, configPaths: [] }, [check]);
    expect(found?.message).toBe("this could not be looked at: this user may not do that");
  });

  test("a home or a file that others may open", async () => {
    const cli = new TestCli().record(eventfulRun());
    chmodSync(join(cli.home, "recordings.db"), 0o644);
    expect(await complaints(cli)).toMatchObject([{ check: "home", severity: "warning" }]);
    chmodSync(cli.home, 0o755);
    const [found] = await complaints(cli);
    expect(found?.message).toBe(`other users of this machine may open ${cli.home} and 1 more file`);
    expect(found?.hint).toBe(`Close it: chmod -R go-rwx '${cli.home}'`);
    expect(await cli.run("doctor")).toBe(0);
  });

  test("a home that is a file is broken", async () => {
    const cli = new TestCli();
    writeFileSync(cli.home, "");
    const found = await complaints(cli);
    expect(found).toContainEqual(expect.objectContaining({ check: "home", severity: "error" }));
    expect(await cli.run("doctor")).toBe(1);
    expect(cli.stdout).toContain("✗ broken   home: ");
  });

  test("a home in a place that is the system's own is broken, and that is all there is to say", async () => {
    const cli = new TestCli({ home: "/proc/nope/deeper" });
    const found = await complaints(cli);
    const said = process.platform === "linux" ? "/proc belongs to the system" : "does not exist and cannot be made";
    expect(found).toMatchObject([{ check: "home", severity: "error", message: expect.stringContaining(said) }]);
    expect(found[0]?.hint).toMatch(/set BIR_HOME to a directory of yours/i);
    expect(cli.stdout).not.toMatch(/free|delete old runs/);
  });

  test.each([
    ["rec", "'/.*/project/rec'"],
    ["./a b", "'/.*/project/a b'"],
    ["~/rec", "'/.*/user/rec'"],
  ])("a home of %s is another one in each directory", async (home, whole) => {
    const cli = new TestCli({ home });
    const [found] = await complaints(cli);
    expect(found).toMatchObject({ check: "home", severity: "warning" });
    expect(found?.message).toContain(`BIR_HOME is not a whole path (${home})`);
    expect(found?.hint).toMatch(new RegExp(`BIR_HOME=${whole}$`));
  });

  test("a damaged store is broken, and so is a newer one", async () => {
    const cli = new TestCli().record(eventfulRun());
    const path = join(cli.home, "recordings.db");
    await cli.run("run", "list");
    const newer = new Database(path);
    newer.run("PRAGMA user_version = 999");
    newer.close();
    expect(await complaints(cli)).toMatchObject(
      [{ check: "store", severity: "error", hint: /Update bir/ }].map(hintMatching),
    );
    const older = new Database(path);
    older.run("PRAGMA user_version = 1");
    older.run("PRAGMA wal_checkpoint(TRUNCATE)");
    older.close();
    truncateSync(path, 5 * 4096);
    expect(await complaints(cli)).toMatchObject([{ check: "store", severity: "error" }]);
    expect(await cli.run("doctor")).toBe(1);
  });

  test("a damaged store that was set aside", async () => {
    const cli = new TestCli().record(eventfulRun());
    const name = "recordings.db.corrupt-1795528800000";
    writeFileSync(join(cli.home, name), "x".repeat(2048), { mode: 0o600 });
    const [found] = await complaints(cli);
    expect(found).toMatchObject({ check: "damaged-stores", severity: "warning" });
    expect(found?.message).toContain(`(2.0 KiB) in ${cli.home}: ${name}`);
  });

  test("little room on the disk, and none", () => {
    const MIB = 1024 * 1024;
    expect(diskFinding(600 * MIB).severity).toBe("ok");
    expect(diskFinding(100 * MIB).severity).toBe("warning");
    expect(diskFinding(MIB).severity).toBe("error");
  });

  test("recording that is switched off", async () => {
    const cli = new TestCli();
    await cli.run("off");
    await cli.run("off", "--here");
    cli.context.env.BIR_OFF = "1";
    const found = await complaints(cli);
    expect(found.map(({ check, hint }) => [check, hint])).toEqual([
      ["switches", "`bir on` turns it on again."],
      ["switches", "`bir on --here`, run there, turns it on again."],
      ["switches", null],
    ]);
  });

  test("variables that are mistyped, or the runtime's", async () => {
    const cli = new TestCli();
    Object.assign(cli.context.env, {
      BIR_HOEM: "/x",
      BIR_SOMETHING_ELSE: "1",
      BIR_HOME: "/y",
      BUN_OPTIONS: "--preload secret",
      BUN_JSC_useJIT: "0",
    });
    const { findings } = doctorSchema.parse(await cli.json("doctor"));
    const of = (check: string) => findings.filter((found) => found.check === check);
    expect(of("own-variables").map(({ hint }) => hint)).toEqual([
      "Did you mean BIR_HOME?",
      expect.stringMatching(/^It knows BIR_HOME, /),
    ]);
    expect(of("runtime-variables").map(({ severity }) => severity)).toEqual(["warning", "info"]);
    expect(cli.stdout).not.toContain("preload");
  });
});

describe("variables whose value means nothing", () => {
  test("are told, without it", async () => {
    const cli = new TestCli();
    Object.assign(cli.context.env, { BIR_UPSTREAM_CONNECT_TIMEOUT_MS: "ten", BIR_UPSTREAM_MAX_MESSAGE_BYTES: "1000" });
    const [found, ...rest] = await complaints(cli);
    expect(found).toMatchObject({ check: "own-variables", severity: "warning" });
    expect(found?.message).toBe(
      "BIR_UPSTREAM_CONNECT_TIMEOUT_MS is set to something that is no whole number above 0, so 10000 holds",
    );
    expect(rest).toEqual([]);
  });
});

describe("entries of MCP configurations", () => {
  const places: [string, (cli: TestCli) => string, (servers: object, cli: TestCli) => object][] = [
    ["./.mcp.json", (cli) => join(cli.cwd, ".mcp.json"), (mcpServers) => ({ mcpServers })],
    ["~/.claude.json", (cli) => join(cli.userHome, ".claude.json"), (mcpServers) => ({ mcpServers })],
    [
      "~/.claude.json, this project",
      (cli) => join(cli.userHome, ".claude.json"),
      (mcpServers, cli) => ({
        projects: {
          [cli.cwd]: { mcpServers },
          "/other": { mcpServers: { x: { command: "bir", env: { BUN_BE_BUN: "1" } } } },
        },
      }),
    ],
    ["~/.cursor/mcp.json", (cli) => join(cli.userHome, ".cursor", "mcp.json"), (mcpServers) => ({ mcpServers })],
    ["./.cursor/mcp.json", (cli) => join(cli.cwd, ".cursor", "mcp.json"), (mcpServers) => ({ mcpServers })],
    ["./.vscode/mcp.json", (cli) => join(cli.cwd, ".vscode", "mcp.json"), (servers) => ({ servers })],
  ];

  test.each(places)("in %s are looked at", async (_name, path, wrapped) => {
    const cli = new TestCli();
    const servers = {
      mine: birEntry({ env: { BUN_OPTIONS: "--preload /tmp/evil-preload.js" } }),
      other: { command: "node", args: ["x.js"], env: { BUN_OPTIONS: "--smol" } },
      remote: { url: "https://example.com/mcp" },
    };
    const file = put(path(cli), wrapped(servers, cli));
    const found = await complaints(cli);
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toContain(`server "mine" in ${file}`);
    expect(found[0]?.message).toContain("sets BUN_OPTIONS");
    expect(cli.stdout).not.toContain("evil-preload");
  });

  test("in files named with --config, as many as there are", async () => {
    const cli = new TestCli();
    const one = put(join(cli.cwd, "one.json"), { mcpServers: { a: birEntry({ env: { BUN_BE_BUN: "1" } }) } });
    const two = put(join(cli.cwd, "two.json"), { servers: { b: birEntry({ env: { BUN_OPTIONS: "x" } }) } });
    const found = await complaints(cli, "--config", one, "--config", two, "--config", join(cli.cwd, "three.json"));
    expect(found.map(({ message }) => message.slice(0, 30))).toEqual([
      expect.stringContaining(cli.cwd.slice(0, 20)),
      expect.stringContaining('server "a"'),
      expect.stringContaining('server "b"'),
    ]);
  });

  test.each([
    [
      "comments and trailing commas",
      '// mine\n{ "mcpServers": { "a": { "command": "bir-proxy", "args": ["--", "server",], /* x */ "env": { "BUN_BE_BUN": "1", }, }, }, }',
    ],
    [
      "a byte order mark",
      '\ufeff{"mcpServers":{"a":{"command":"bir-proxy","args":["--","server"],"env":{"BUN_BE_BUN":"1"}}}}',
    ],
  ])("with %s are read", async (_what, content) => {
    const cli = new TestCli();
    put(join(cli.cwd, ".mcp.json"), content);
    expect(await complaints(cli)).toMatchObject([{ check: "mcp-entries", severity: "warning" }]);
  });

  test.each([
    ["a missing bracket", '{"mcpServers": {'],
    ["nothing", ""],
    ["nesting without end", "[".repeat(200_000)],
    ["another format", "<xml/>"],
  ])("in a file of %s are a complaint and no crash", async (_what, content) => {
    const cli = new TestCli();
    const path = put(join(cli.cwd, ".mcp.json"), content);
    expect(await complaints(cli)).toMatchObject([{ check: "mcp-entries", message: `${path} cannot be read as JSON` }]);
    expect(await cli.run("doctor")).toBe(0);
  });

  test.each(["[]", "3", '"x"', "null"])("in a file of %s, which is no object, are a complaint", async (content) => {
    const cli = new TestCli();
    const path = put(join(cli.cwd, "one.json"), content);
    expect(await complaints(cli, "--config", path)).toMatchObject([{ message: `${path} holds no object` }]);
  });

  test("in a directory are a complaint", async () => {
    const cli = new TestCli();
    expect(await complaints(cli, "--config", cli.cwd)).toMatchObject([{ message: `${cli.cwd} cannot be read` }]);
  });

  test.each<[string, { command: string; args?: string[]; env?: object }, string, string, RegExp]>([
    [
      "bir is not on PATH",
      { command: "bir", args: ["proxy", "--", "server"], env: { PATH: "/nowhere" } },
      "error",
      'starts "bir", which is not found on the entry\'s own PATH',
      /whole path/,
    ],
    [
      "bir's path is wrong",
      { command: "/nowhere/bir", args: ["proxy", "--", "server"] },
      "error",
      'starts "/nowhere/bir", which is not there',
      /whole path/,
    ],
    [
      "bir's path begins with ~",
      { command: "~/bin/bir", args: ["proxy", "--", "server"] },
      "error",
      "hosts do not know what ~ is",
      /user\/bin\/bir$/,
    ],
    [
      "a whole command line is the command",
      { command: "bir proxy -- server" },
      "error",
      'has a whole command line in "command"',
      /"args"/,
    ],
    [
      "another program starts a bir that is not there",
      { command: "/usr/bin/env", args: ["/nowhere/bir", "proxy", "--", "server"] },
      "error",
      'starts "/nowhere/bir"',
      /whole path/,
    ],
    [
      "proxy is missing",
      { command: "bir", args: ["--", "server"] },
      "error",
      'runs bir with "--" first',
      /"proxy" as the first/,
    ],
    [
      "everything is missing",
      { command: "bir" },
      "error",
      "runs bir without saying what to do",
      /as a list: "proxy", /,
    ],
    [
      "-- is missing",
      { command: "bir", args: ["proxy", "--server-name", "x", "server", "-y"] },
      "error",
      'cannot start: unexpected "server"',
      /Write "--" before "server"/,
    ],
    [
      "-- is missing behind env",
      { command: "/usr/bin/env", args: ["A=1", "bir", "proxy", "server"] },
      "error",
      'cannot start: unexpected "server"',
      /Write "--" before "server"/,
    ],
    [
      "an option is mistyped",
      { command: "bir", args: ["proxy", "--server-nam", "x", "--", "server"] },
      "error",
      'cannot start: unknown option "--server-nam"',
      /Did you mean --server-name\?/,
    ],
    [
      "an option is unknown",
      { command: "bir", args: ["proxy", "--verbose", "--", "server"] },
      "error",
      'cannot start: unknown option "--verbose"',
      /bir proxy --help/,
    ],
    [
      "the server's command is missing",
      { command: "bir-proxy", args: ["--server-name", "x"] },
      "error",
      "cannot start: no server command",
      /server's own command/,
    ],
    [
      "the server is not on PATH",
      { command: "bir", args: ["proxy", "--", "no-such-server"] },
      "warning",
      'wraps "no-such-server", which is not found on this shell\'s PATH',
      /Install it/,
    ],
    [
      "the server's path is wrong",
      { command: "bir", args: ["proxy", "--", "/nowhere/server"] },
      "warning",
      'wraps "/nowhere/server", which is not there',
      /whole path/,
    ],
    [
      "its home is relative",
      { command: "bir", args: ["proxy", "--", "server"], env: { BIR_HOME: "rec" } },
      "warning",
      "BIR_HOME is not a whole path (rec)",
      /BIR_HOME='\/.*\/project\/rec'/,
    ],
  ])("cannot work where %s", async (_what, entry, severity, message, hint) => {
    const cli = new TestCli();
    put(join(cli.cwd, ".mcp.json"), { mcpServers: { mine: entry } });
    const [found] = (await complaints(cli)).filter((one) => one.message.includes(message));
    expect(found).toMatchObject({ check: "mcp-entries", severity, hint: expect.stringMatching(hint) });
    expect(found?.message).toContain(`server "mine" in ${join(cli.cwd, ".mcp.json")}`);
    expect(await cli.run("doctor")).toBe(severity === "error" ? 1 : 0);
  });

  test("cannot work where bir may not be run", async () => {
    const cli = new TestCli();
    const command = put(join(cli.userHome, "bir"), "");
    put(join(cli.cwd, ".mcp.json"), { mcpServers: { mine: { command, args: ["proxy", "--", "server"] } } });
    const [found] = await complaints(cli);
    expect(found).toMatchObject({ severity: "error", hint: `Allow it with \`chmod u+x '${command}'\`.` });
  });

  test.each([
    ["bir proxy --server-name=x --restart --scope user -- server --api x"],
    ["bir-proxy -- server"],
    ["env A=1 bir proxy -- server"],
    ["docker run -i image bir proxy -- server-inside"],
    [`\${HOME}/bin/bir proxy -- \${SERVER}`],
  ])("%s can work", async (line) => {
    const cli = new TestCli();
    for (const program of ["env", "docker"]) cli.program(program);
    const [command, ...args] = line.split(" ");
    put(join(cli.cwd, ".mcp.json"), { mcpServers: { mine: { command, args } } });
    expect(await complaints(cli)).toEqual([]);
  });

  test("cannot work without a secret being told", async () => {
    const cli = new TestCli();
    const args = ["proxy", "server", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "--api-key", "hunter2hunter2"];
    const more = ["proxy", "--", "server"];
    put(join(cli.cwd, ".mcp.json"), {
      mcpServers: {
        a: { command: "bir", args },
        b: { command: "bir", args: ["proxy", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", ...more] },
        c: { command: "bir", args: ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", ...more] },
      },
    });
    expect((await complaints(cli)).filter(({ severity }) => severity === "error")).toHaveLength(3);
    expect(cli.stdout).not.toMatch(/hunter2|ghp_/);
  });

  test("of odd shapes are passed over", () => {
    const cli = new TestCli();
    const servers = { a: null, b: "x", c: { command: 1 }, d: { command: "bir", args: [1, "proxy"], env: [] }, e: [] };
    const path = put(join(cli.cwd, ".mcp.json"), { mcpServers: servers, servers: [], projects: 3 });
    expect(readMcpConfig(path, cli.cwd).entries).toMatchObject([{ name: "d", args: ["proxy"], env: {} }]);
  });

  test.each([
    ["bir", [], true],
    ["/usr/local/bin/bir", ["proxy"], true],
    ["C:\\tools\\bir.exe", ["proxy"], true],
    ["bir-proxy", [], true],
    ["env", ["A=1", "bir", "proxy"], true],
    ["node", ["server.js", "--", "bir"], false],
    ["birdwatch", [], false],
    ["npx", ["-y", "server"], false],
  ])("%s %j runs bir: %s", (command, args, expected) => {
    expect(runsBir({ place: "", name: "", command, args, env: {} })).toBe(expected);
  });

  test("with a secret among the arguments are warned of, without the secret", async () => {
    const cli = new TestCli();
    const args = ["proxy", "--", "server", "--api-key", "hunter2hunter2", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"];
    put(join(cli.cwd, ".mcp.json"), { mcpServers: { a: { command: "bir", args } } });
    const [found] = await complaints(cli);
    expect(found?.message).toContain("(--api-key, argument 6)");
    await cli.run("doctor");
    expect(cli.stdout).not.toMatch(/hunter2|ghp_/);
  });

  test.each([
    [["--token", "abc123def"], ["--token"]],
    [["--access-token=abc"], ["--access-token"]],
    [["--githubToken", "abc"], ["--githubToken"]],
    [["--password", "hunter2hunter2"], ["--password"]],
    [["sk-proj-9fK2mQ7xT4vB8nL1cR6wZ3yH5dJ0gS"], ["argument 1"]],
    [["--header", "Authorization: Bearer abcdef123456"], ["--header"]],
    [["--url=https://user:pa55word@host/x"], ["--url"]],
    [["postgres://me:pa55word@db/x"], ["argument 1"]],
    [["--key=AKIAIOSFODNN7EXAMPLE"], ["--key"]],
    [["--token", `\${TOKEN}`], []],
    [["--token", "$TOKEN"], []],
    [["--token=<your token>"], []],
    [["--header", `Authorization: Bearer \${TOKEN}`], []],
    [["--token-file", "/run/secrets/token"], []],
    [["--max-tokens", "4096"], []],
    [["--token-limit", "10"], []],
    [["--api-key-env", "MY_KEY"], []],
    [["--key", "value"], []],
    [["--token"], []],
    [["--token", "--verbose"], []],
    [["https://example.com:8080/path"], []],
    [["-y", "@scope/server@1.2.3", "/data"], []],
  ])("%j looks secret at %j", (args, expected) => {
    expect(secretArguments(args)).toEqual(expected);
  });
});

describe("entries with a remote server", () => {
  const URL_ = "https://example.com/mcp";
  const told = async (entry: { command?: string; args: string[]; env?: object }, env: object = {}) => {
    const cli = new TestCli();
    cli.program("docker");
    Object.assign(cli.context.env, env);
    put(join(cli.cwd, ".mcp.json"), { mcpServers: { mine: { command: "bir", ...entry } } });
    const found = await complaints(cli);
    expect(cli.stdout).not.toMatch(/s3cret|hunter2/);
    return found;
  };

  test.each<[string, string[], object, object?]>([
    ["nothing more", ["--url", URL_], {}],
    ["headers", ["--url", URL_], { BIR_UPSTREAM_HEADERS: `{"Authorization": "Bearer \${TOKEN}"}` }],
    ["headers that all come from a variable", [`--url=${URL_}`], { BIR_UPSTREAM_HEADERS: `\${HEADERS}` }],
    ["a token in its env", ["--url", URL_, "--bearer-env", "T"], { T: `\${GITHUB_TOKEN}` }],
    ["a token in this shell", ["--url", URL_, "--bearer-env", "T"], {}, { T: "s3cret" }],
    ["a header that is no secret", ["--url", URL_, "--header", `X-Tenant: \${TENANT}`], {}],
    ["an address that is filled in", ["--url", `\${BASE:-https://example.com}/mcp`], {}],
    ["an address that is filled in behind =", [`--url=https://\${HOST}/mcp`, `--header=X-A: \${A}`], {}],
  ])("and %s can work", async (_what, words, env, shell) => {
    expect(await told({ args: ["proxy", ...words], env }, shell)).toEqual([]);
  });

  test.each<[string, string[], object, string, string, string]>([
    [
      "the URL is none",
      ["--url", "example.com"],
      {},
      "error",
      "cannot start: --url needs a whole http or https URL",
      "whole address",
    ],
    [
      "the URL has credentials",
      ["--url", "https://me:hunter2hunter2@example.com"],
      {},
      "error",
      "cannot start: --url must hold no credentials",
      "whole address",
    ],
    [
      "there is a command too",
      ["--url", URL_, "--", "server"],
      {},
      "error",
      "--url and a server command do not go together",
      "no command",
    ],
    [
      "an option is mistyped",
      ["--url", URL_, "--headers", "a: b"],
      {},
      "error",
      'unknown option "--headers"',
      "Did you mean --header?",
    ],
    [
      "a header is given to a command",
      ["--header", "a: b", "--", "server"],
      {},
      "error",
      "--header goes with --url only",
      "server's own command",
    ],
    [
      "the token is not set",
      ["--url", URL_, "--bearer-env", "API_TOKEN"],
      { OTHER: "x" },
      "warning",
      ": API_TOKEN (--bearer-env) is not set",
      "Set it to the token",
    ],
    [
      "the token itself is named",
      ["--url", URL_, "--bearer-env", `\${API_TOKEN}`],
      {},
      "error",
      "--bearer-env takes the name of a variable",
      "whole address",
    ],
    [
      "the headers are no JSON",
      ["--url", URL_],
      { BIR_UPSTREAM_HEADERS: "Authorization: s3cret" },
      "error",
      ": BIR_UPSTREAM_HEADERS holds no JSON object",
      "Write it as",
    ],
    [
      "the headers are an object",
      ["--url", URL_],
      { BIR_UPSTREAM_HEADERS: { A: "s3cret" } },
      "error",
      "sets BIR_UPSTREAM_HEADERS to something that is no string",
      "as one string",
    ],
    [
      "a header cannot be sent",
      ["--url", URL_, "--header", "Host: s3cret"],
      {},
      "error",
      ": the header Host (--header) is set by bir itself",
      "Leave it out",
    ],
    [
      "a secret is in a header's line",
      ["--url", URL_, "--header", "Authorization: Bearer hunter2hunter2"],
      {},
      "warning",
      "a secret in its arguments (--header)",
      "BIR_UPSTREAM_HEADERS, or in",
    ],
    [
      "a host would put one there",
      ["--url", URL_, "--header", `X-API-Key: \${API_KEY}`],
      {},
      "warning",
      "a secret in its arguments (--header)",
      "BIR_UPSTREAM_HEADERS, or in",
    ],
    [
      "a host would put one into the URL",
      ["--url", `${URL_}?api_key=\${API_KEY}`],
      {},
      "warning",
      "a secret in its arguments (--url)",
      "BIR_UPSTREAM_HEADERS, or in",
    ],
  ])("are complained of where %s", async (_what, words, env, severity, message, hint) => {
    const found = (await told({ args: ["proxy", ...words], env })).filter((one) => one.message.includes(message));
    expect(found).toMatchObject([{ check: "mcp-entries", severity, hint: expect.stringContaining(hint) }]);
    expect(found[0]?.message).toContain('server "mine" in ');
  });

  test("that is started elsewhere has an environment that is not known", async () => {
    const words = ["run", "image", "bir", "proxy", "--url", URL_];
    expect(await told({ command: "docker", args: [...words, "--bearer-env", "API_TOKEN"] })).toEqual([]);
    expect(await told({ command: "docker", args: [...words, "--header", "Host: x"] })).toHaveLength(1);
  });
});

function hintMatching(found: { hint: RegExp }): object {
  return { ...found, hint: expect.stringMatching(found.hint) };
}
