/**
 * Install and uninstall as a person runs them: a home with hosts of every format is the same, file by file, afterwards; in between
 * what hosts start is recorded, and only where that was set up.
 */

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { doctorSchema, installSchema } from "../../src/core/schema/answers.ts";
import { BIR } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { listRuns } from "../harness/recorded-runs.ts";
import type { Sandbox } from "../harness/sandbox.ts";

/** Recordings are elsewhere: a home is to be the same to its last file. */
const env = (box: Sandbox) => ({ BIR_HOME: join(box.directory, "bir") });

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

/** As people have them: tabs, comments, CRLF, byte order marks, no final newline, links, modes. */
function furnish({ home, cwd }: Sandbox): void {
  put(join(home, ".config", "Code", "User", "settings.json"), "{}");
  put(join(cwd, ".git", "HEAD"), "ref: refs/heads/main\n");
  put(join(cwd, ".mcp.json"), '{"mcpServers": {"shared": {"command": "shared"}}}');
  put(join(cwd, ".claude", "settings.local.json"), '{\r\n\t"enableAllProjectMcpServers": true\r\n}', 0o600);
  put(
    join(cwd, ".vscode", "mcp.json"),
    '{\n  // mine\n  "servers": { "a.b c": { "command": "x", "args": ["y",], }, },\n}\n',
  );
  put(join(cwd, ".codex", "config.toml"), '[mcp_servers]\n"ünï" = { command = "x" }\n');
  const trusted = { hasTrustDialogAccepted: true, mcpServers: { near: { command: "near", args: [] } } };
  const state = {
    numStartups: 1,
    mcpServers: { mine: { type: "stdio", command: "mine" } },
    projects: { [cwd]: trusted },
  };
  put(join(home, ".claude.json"), JSON.stringify(state, null, 2), 0o600);
  put(
    join(home, ".codex", "config.toml"),
    '# mine\n[mcp_servers.files]\ncommand = "npx" # runs\nargs = [\n  "-y",\n]\n',
    0o600,
  );
  put(
    join(home, ".gemini", "settings.json"),
    '\ufeff{\n\t"mcpServers": {\n\t\t"g": { "command": "g" } // last\n\t}\n}',
  );
  put(join(home, ".qwen", "settings.json"), "");
  put(join(home, ".config", "opencode", "opencode.jsonc"), '{"mcp":{"o":{"type":"local","command":["o","-x"]}},}');
  put(join(home, "kept", "mcp.json"), '{"mcpServers":{"c":{"command":"c","env":{"K":"v"}}}}\n', 0o640);
  mkdirSync(join(home, ".cursor"));
  symlinkSync(join("..", "kept", "mcp.json"), join(home, ".cursor", "mcp.json"));
  put(
    join(home, ".config", "zed", "settings.json"),
    '// z\n{ "context_servers": { "z": { "source": "custom", "command": "z", "args": [] } } }\n',
  );
  put(join(home, ".config", "goose", "config.yaml"), "extensions:\n  w: {type: stdio, cmd: w, args: []}\n");
  put(join(home, ".continue", "config.yaml"), 'name: x\nmcpServers:\n  # one\n  - name: "y"\n    command: y\n');
}

test("a home with hosts of every format is the same afterwards", async ({ box }) => {
  furnish(box);
  const copies = [box.home, box.cwd].map((path) => [path, `${path}-before`] as const);
  for (const [path, copy] of copies) cpSync(path, copy, { recursive: true, verbatimSymlinks: true });
  const modes = modesIn(box);

  for (const round of [1, 2, 3]) {
    const { code, stdout, stderr } = await box.bir(["install", "--json"], { env: env(box) });
    expect({ round, code, stderr }, stdout).toEqual({ round, code: 0, stderr: "" });
    const { hosts, problems } = installSchema.parse(JSON.parse(stdout));
    expect(problems).toEqual([]);
    const whats = hosts.flatMap(({ servers }) => servers.map(({ name, what }) => `${name} ${what}`));
    const what = round === 1 ? "wrapped" : "already";
    const names = ["mine", "near", "shared", "files", "ünï", "g", "o", "c", "a.b c", "z", "w", "y"];
    expect(whats.filter((one) => one.endsWith(what)).sort()).toEqual(names.map((name) => `${name} ${what}`).sort());
  }
  expect(readFileSync(join(box.cwd, ".claude", "settings.local.json"), "utf8")).toContain(`'${BIR}' hooks`);

  const { code, stdout } = await box.bir(["uninstall"], { env: env(box) });
  expect(code, stdout).toBe(0);
  for (const [path, copy] of copies) {
    const [program = "", ...words] = "diff -r --no-dereference".split(" ");
    const diff = spawnSync(program, [...words, copy, path], { encoding: "utf8" });
    expect({ status: diff.status, stdout: diff.stdout }).toEqual({ status: 0, stdout: "" });
  }
  expect(modesIn(box)).toEqual(modes);
  expect((await box.bir(["uninstall", "--all"], { env: env(box) })).code).toBe(0);
});

test("a server of the whole user is recorded where that was set up, and nowhere else", async ({ box }) => {
  const [command = "", ...args] = box.fake("--quiet");
  const config = join(box.home, ".codex", "config.toml");
  put(config, `[mcp_servers.fake]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`);
  expect((await box.bir(["install"])).code).toBe(0);

  const elsewhere = join(box.directory, "elsewhere");
  mkdirSync(elsewhere);
  await callEcho(box, config, elsewhere);
  expect(await listRuns(box)).toEqual([]);

  const below = join(box.cwd, "some", "part");
  mkdirSync(below, { recursive: true });
  await callEcho(box, config, below);
  expect(await listRuns(box)).toMatchObject([{ cwd: below, wrappedServers: ["fake"], stepCount: 1 }]);

  const { code, stdout } = await box.bir(["doctor", "--json"]);
  const { findings } = doctorSchema.parse(JSON.parse(stdout));
  expect(code, stdout).toBe(0);
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: "servers",
      severity: "ok",
      message: expect.stringContaining("answers through bir"),
    }),
  );
  expect(findings).toContainEqual(expect.objectContaining({ check: "executable", severity: "ok" }));
  // Nobody called a tool.
  expect(await listRuns(box)).toHaveLength(1);
});

test("takes nothing but what it was given: an executable that moved is written anew", async ({ box }) => {
  put(join(box.home, ".cursor", "mcp.json"), '{"mcpServers":{"c":{"command":"c"}}}\n');
  const moved = join(box.directory, "moved-bir");
  cpSync(BIR, moved);
  const old = box.start([moved, "install"]);
  expect((await old.finish()).code).toBe(0);
  expect(readFileSync(join(box.home, ".cursor", "mcp.json"), "utf8")).toContain(moved);
  renameSync(moved, `${moved}-gone`);
  const broken = await box.bir(["doctor"]);
  expect([broken.code, broken.stdout]).toEqual([
    1,
    expect.stringContaining(`${moved}, which wrapped servers start, does not run`),
  ]);
  const { stdout } = await box.bir(["install"]);
  expect(stdout).toContain("✓ c      wrapped anew");
  expect(readFileSync(join(box.home, ".cursor", "mcp.json"), "utf8")).toContain(BIR);
  expect((await box.bir(["uninstall"])).code).toBe(0);
  expect(readFileSync(join(box.home, ".cursor", "mcp.json"), "utf8")).toBe('{"mcpServers":{"c":{"command":"c"}}}\n');
});

test("the ledger is for its owner alone, and holds no value", async ({ box }) => {
  const secret = "hunter2-and-more";
  const entry = { command: "srv", args: ["--password", secret], env: { TOKEN: secret } };
  put(join(box.home, ".cursor", "mcp.json"), JSON.stringify({ mcpServers: { c: entry } }));
  await box.bir(["install"]);
  const ledger = join(box.birHome, "installed.json");
  expect(lstatSync(ledger).mode & 0o777).toBe(0o600);
  expect(readFileSync(ledger, "utf8")).not.toContain(secret);
  expect(existsSync(join(box.cwd, ".claude"))).toBe(false);
});

/** Starts the server as Codex does, and calls it once. */
async function callEcho(box: Sandbox, config: string, cwd: string): Promise<void> {
  const { mcp_servers: servers } = Bun.TOML.parse(readFileSync(config, "utf8")) as {
    mcp_servers: { fake: { command: string; args: string[] } };
  };
  const server = box.start([servers.fake.command, ...servers.fake.args], { cwd });
  await server.request(1, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "codex-mcp-client", version: "1" },
  });
  await server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await server.call(2, "echo", { text: "x" });
  expect((await server.finish()).code).toBe(0);
}

function modesIn({ home, cwd }: Sandbox): string[] {
  return [home, cwd].flatMap((root) =>
    (readdirSync(root, { recursive: true }) as string[])
      .map((name) => `${lstatSync(join(root, name)).mode.toString(8)} ${name}`)
      .sort(),
  );
}
