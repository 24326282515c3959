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
      '// mine\n{ "mcpServers": { "a": { "command": "bir", /* x */ "env": { "BUN_BE_BUN": "1", }, }, }, }',
    ],
    ["a byte order mark", '\ufeff{"mcpServers":{"a":{"command":"/opt/bir-proxy","env":{"BUN_BE_BUN":"1"}}}}'],
  ])("with %s are read", async (_what, content) => {
    const cli = new TestCli();
    put(join(cli.cwd, ".mcp.json"), content);
    expect(await complaints(cli)).toMatchObject([{ check: "mcp-entries", severity: "warning" }]);
  });

  test.each([
    ["a missing bracket", '{"mcpServers": {'],
    ["nothing", ""],
    ["an array", "[]"],
    ["nesting without end", "[".repeat(200_000)],
    ["another format", "<xml/>"],
  ])("in a file of %s are a complaint and no crash", async (_what, content) => {
    const cli = new TestCli();
    const path = put(join(cli.cwd, ".mcp.json"), content);
    expect(await complaints(cli)).toMatchObject([{ check: "mcp-entries", message: `${path} cannot be read as JSON` }]);
    expect(await cli.run("doctor")).toBe(0);
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

function hintMatching(found: { hint: RegExp }): object {
  return { ...found, hint: expect.stringMatching(found.hint) };
}
