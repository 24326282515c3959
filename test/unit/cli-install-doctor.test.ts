import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { doctorSchema } from "../../src/core/schema/answers.ts";
import { VERSION } from "../../src/version.ts";
import { FAKE_UPSTREAM } from "../harness/locations.ts";
import { InstallCli, SECRET } from "./cli-install-fixture.ts";

type Found = { check: string; severity: string; message: string; hint: string | null };

async function findings(cli: InstallCli, check: string): Promise<Found[]> {
  return doctorSchema.parse(await cli.json("doctor")).findings.filter((one) => one.check === check);
}

/** Passes everything on and records nothing: enough to be asked whether the server behind it is there. */
const RELAY = `#!/bin/sh
[ "$1" = --version ] && { echo ${VERSION}; exit; }
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`;

/** A machine whose Codex has one server that works. */
function machine(args: readonly string[] = [FAKE_UPSTREAM, "--quiet"], command = process.execPath): InstallCli {
  const cli = new InstallCli();
  writeFileSync(cli.program("bir"), RELAY);
  const line = `[mcp_servers.fake]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
  return cli.put("~/.codex/config.toml", line);
}

describe("bir doctor, host by host", () => {
  test("tells what is not recorded before an install, and that it is after one", async () => {
    const cli = machine();
    expect(await findings(cli, "hosts")).toMatchObject([
      { severity: "info", message: "Codex: 0 of 1 server runs behind bir" },
      { severity: "info", message: expect.stringContaining("fake in ~/.codex/config.toml:1 is not recorded") },
    ]);
    await cli.install();
    expect(await findings(cli, "hosts")).toMatchObject([
      { severity: "ok", message: "Codex: 1 of 1 server runs behind bir: fake" },
    ]);
    expect(await findings(cli, "executable")).toMatchObject([{ severity: "ok" }]);
    expect(await findings(cli, "servers")).toMatchObject([
      { severity: "ok", message: expect.stringMatching(/^server "fake" in .* answers through bir: \d+ tools$/) },
    ]);
    expect(await cli.run("doctor")).toBe(0);
  });

  test("asks the servers of a file that install changed because it was named", async () => {
    for (const how of [["--mcp-json"], ["--config", "servers.json"]]) {
      const cli = new InstallCli();
      writeFileSync(cli.program("bir"), RELAY);
      const name = how[1] ?? ".mcp.json";
      const entry = { command: process.execPath, args: [FAKE_UPSTREAM, "--quiet"] };
      cli.put(name, JSON.stringify({ mcpServers: { fake: entry } }));
      await cli.install(...how);
      expect(await findings(cli, "servers")).toMatchObject([
        { severity: "ok", message: expect.stringMatching(/^server "fake" in .* answers through bir: \d+ tools$/) },
      ]);
      expect(await findings(cli, "mcp-entries")).toMatchObject([
        { severity: "ok", message: "nothing is wrong with the 1 MCP server entry that runs bir" },
      ]);
      await cli.run("status");
      expect(cli.stdout).toContain("Wrapped         Another application: fake\n");
    }
  });

  test("tells of a server that came after the install, and of hosts that nobody has run", async () => {
    const cli = machine();
    await cli.install();
    cli.put("~/.cursor/mcp.json", '{"mcpServers":{"late":{"command":"late"}}}');
    expect(await findings(cli, "hosts")).toContainEqual(
      expect.objectContaining({ severity: "warning", hint: "Have it recorded: bir install --host cursor" }),
    );
    expect(await findings(cli, "hosts")).toContainEqual(
      expect.objectContaining({ message: "Cursor (unverified): 0 of 1 server runs behind bir" }),
    );
  });

  test("a directory that is not set up, where entries of the whole user record nothing", async () => {
    const cli = machine();
    await cli.install();
    const unset = expect.objectContaining({
      severity: "warning",
      message: "this directory is not set up, so entries of the whole user record nothing here",
      hint: "`bir install` here, or `bir install --user` for everywhere",
    });
    expect(await findings(cli, "hosts")).not.toContainEqual(unset);
    const other = join(cli.userHome, "other");
    mkdirSync(other);
    cli.context.cwd = other;
    expect(await findings(cli, "hosts")).toContainEqual(unset);
    await cli.install("--user");
    expect(await findings(cli, "hosts")).not.toContainEqual(unset);
  });

  test.each([
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: hosts fill them in
    ["${VAR:-none}", "ok"],
    ["${VAR:-}", "ok"],
    ["Bearer ${VAR:-nothing-at-all}", "ok"],
    ["{env:VAR}", "ok"],
    ["${{ secrets.VAR }}", "ok"],
    ["${input:my-key}", "ok"],
    ["${VAR}q8Zk3vT9xLm2Rw7Yp4Hc", "warning"],
    [`\${VAR:-${SECRET}}`, "warning"],
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: hosts fill them in
  ])("a value %s that others may read is %s", async (value, severity) => {
    const cli = machine();
    const entry = { command: "srv", env: { API_KEY: value, AUTHORIZATION: value } };
    cli.put("~/.cursor/mcp.json", JSON.stringify({ mcpServers: { db: entry } }));
    chmodSync(cli.path("~/.cursor/mcp.json"), 0o644);
    expect(await findings(cli, "host-files")).toMatchObject([{ severity }]);
  });

  test("tells the version of a host that says it", async () => {
    const cli = machine();
    writeFileSync(cli.program("codex"), "#!/bin/sh\necho codex-cli 0.171.0\n");
    expect((await findings(cli, "hosts"))[0]?.message).toContain("Codex 0.171.0: ");
  });

  test("why a server is left", async () => {
    const cli = machine().put("~/.cursor/mcp.json", '{"mcpServers":{"far":{"url":"https://example.com/mcp"}}}');
    expect(await findings(cli, "hosts")).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/far in .* is left as it is: it has no credential/) }),
    );
  });

  test("an executable that is gone, and one of another version", async () => {
    const cli = machine();
    await cli.install();
    writeFileSync(cli.program("bir"), RELAY.replace(VERSION, "0.0.1"));
    expect(await findings(cli, "executable")).toMatchObject([
      { severity: "warning", message: expect.stringContaining("0.0.1") },
    ]);
    rmSync(join(cli.programs, "bir"));
    expect(await findings(cli, "executable")).toMatchObject([
      { severity: "error", hint: expect.stringContaining("bir uninstall --all") },
    ]);
    expect(await cli.run("doctor")).toBe(1);
  });

  test("a server that answers only without bir is broken", async () => {
    const cli = machine();
    await cli.install();
    writeFileSync(cli.program("bir"), RELAY.replace('exec "$@"', "exit 3"));
    expect(await findings(cli, "servers")).toMatchObject([
      { severity: "error", message: expect.stringMatching(/ends with 3 before it answers, and does without bir$/) },
    ]);
  });

  test("a server that does not answer either way is not bir's to put right", async () => {
    const cli = machine(["-e", "process.exit(4)"]);
    await cli.install();
    expect(await findings(cli, "servers")).toMatchObject([
      { severity: "warning", message: expect.stringMatching(/ends with 4 before it answers, with or without bir$/) },
    ]);
    expect(await cli.run("doctor")).toBe(0);
  });

  test("what only the host can fill in is not tried", async () => {
    const cli = new InstallCli();
    writeFileSync(cli.program("bir"), RELAY);
    cli.put(".git/HEAD", "x").put("~/.config/Code/User/settings.json", "{}");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the host fills it in
    cli.put(".vscode/mcp.json", '{"servers":{"in":{"command":"srv","args":["${input:key}"]}}}');
    await cli.install();
    expect(await findings(cli, "servers")).toMatchObject([
      { severity: "info", message: expect.stringMatching(/only its host knows \$\{input:key\}$/) },
    ]);
  });

  test("a secret in the arguments of a server, recorded or not, without the secret", async () => {
    const cli = machine(["--api-key", "hunter2hunter2hunter2"], "server");
    expect(await findings(cli, "arguments")).toMatchObject([
      { severity: "warning", message: expect.stringContaining("(--api-key)") },
    ]);
    expect(cli.stdout).not.toContain("hunter2");
  });

  test("a file with a secret that others may read", async () => {
    const cli = machine();
    const path = cli.path("~/.codex/config.toml");
    cli.put("~/.codex/config.toml", `${cli.text("~/.codex/config.toml")}env = { API_KEY = "q8Zk3vT9xLm2Rw7Yp4Hc" }\n`);
    chmodSync(path, 0o644);
    expect(await findings(cli, "host-files")).toMatchObject([
      { severity: "warning", hint: `Close it: chmod go-rwx '${path}'` },
    ]);
    chmodSync(path, 0o600);
    expect(await findings(cli, "host-files")).toMatchObject([{ severity: "ok" }]);
  });

  test("a file that cannot be read as what it is", async () => {
    const cli = machine().put("~/.gemini/settings.json", '{ "mcpServers": {}, }');
    expect(await findings(cli, "host-files")).toMatchObject([
      { severity: "warning", message: expect.stringMatching(/settings\.json:1:\d+: /) },
    ]);
  });

  test("a server that is hidden by another of its name", async () => {
    const cli = machine();
    await cli.install();
    cli.put(".git/HEAD", "x").put(".codex/config.toml", '[mcp_servers.fake]\ncommand = "other"\n');
    expect(await findings(cli, "shadowing")).toMatchObject([
      { severity: "warning", message: expect.stringContaining("the first is used, and it is not recorded") },
    ]);
  });

  test("hooks: none, ours, ours for an executable that is gone", async () => {
    const cli = new InstallCli().withClaude();
    writeFileSync(cli.program("bir"), RELAY);
    expect(await findings(cli, "hooks")).toMatchObject([
      { severity: "info", hint: expect.stringContaining("bir install") },
    ]);
    await cli.install();
    expect(await findings(cli, "hooks")).toMatchObject([{ severity: "ok" }]);
    expect(await findings(cli, "leftovers")).toMatchObject([{ severity: "ok" }]);
    rmSync(join(cli.programs, "bir"));
    expect(await findings(cli, "leftovers")).toMatchObject([
      { severity: "warning", message: expect.stringContaining("which is not there: they do nothing") },
    ]);
  });

  test("an entry that a person took out", async () => {
    const cli = machine();
    await cli.install();
    cli.put("~/.codex/config.toml", "");
    expect(await findings(cli, "leftovers")).toMatchObject([
      { severity: "info", message: "Codex: fake in ~/.codex/config.toml does not run bir any more" },
    ]);
  });
});
