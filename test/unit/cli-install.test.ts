import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { problemSchema } from "../../src/core/schema/answers.ts";
import { codex } from "../../src/hosts/known/codex.ts";
import { cursor } from "../../src/hosts/known/cursor.ts";
import { geminiCli } from "../../src/hosts/known/gemini-cli.ts";
import { goose } from "../../src/hosts/known/goose.ts";
import { needs } from "../harness/requirement.ts";
import { CODEX, GEMINI, InstallCli, SECRET, SHARED, told } from "./cli-install-fixture.ts";

describe("bir install", () => {
  test("wraps the servers of every host that is there, says so once each, and is done after once", async () => {
    const cli = new InstallCli().withHosts();
    expect(told(await cli.install())).toEqual([
      "codex files wrapped",
      "gemini-cli search wrapped",
      "cursor db wrapped",
      "goose web wrapped",
    ]);
    const bir = join(cli.programs, "bir");
    expect(cli.text("~/.codex/config.toml")).toContain(
      `args = ["proxy", "--server-name", "files", "--scope", "user", "--restart", "--", "npx", "-y", "server"]`,
    );
    expect(cli.text("~/.gemini/settings.json")).toContain(`"command": "${bir}"`);
    const before = cli.snapshot();
    expect(told(await cli.install())).toEqual([
      "codex files already",
      "gemini-cli search already",
      "cursor db already",
      "goose web already",
    ]);
    expect(cli.snapshot()).toEqual(before);
    expect(await cli.run("install")).toBe(0);
    expect(cli.stdout).toContain("  · files  already  ~/.codex/config.toml:2");
    expect(cli.stdout).toContain("Nothing is new.");
  });

  test("says for a person what was done, where, and what comes next", async () => {
    const cli = new InstallCli().withHosts();
    expect(await cli.run("install")).toBe(0);
    expect(cli.stdout).not.toContain(SECRET);
    expect(cli.stdout).toBe(`Codex
  ✓ files  wrapped  ~/.codex/config.toml:2

Gemini CLI
  ✓ search  wrapped  ~/.gemini/settings.json:3

Cursor (unverified: from its documentation only)
  ✓ db     wrapped  ~/.cursor/mcp.json:1

Goose (unverified: from its documentation only)
  ✓ web    wrapped  ~/.config/goose/config.yaml:3

Next
  Codex: ${codex.reload}
  Gemini CLI: ${geminiCli.reload}
  Cursor: ${cursor.reload}
  Goose: ${goose.reload}
  Then use it as ever: \`bir view\` shows in a browser what was recorded, \`bir run show\` the latest run right here.
  Recorded is what you do in ${cli.cwd} and below (\`--user\`: everywhere). With Goose it is what you do anywhere, since all directories share its servers. \`bir uninstall\` takes all of this back.
`);
  });

  test("three times, and taken back, leaves every file as it was", async () => {
    const cli = new InstallCli().withHosts().withClaude();
    const before = cli.snapshot();
    for (let i = 0; i < 3; i++) expect(await cli.run("install")).toBe(0);
    expect(cli.snapshot()).not.toEqual(before);
    expect(told(await cli.uninstall())).toEqual(
      expect.arrayContaining([
        "claude-code both unwrapped copy",
        "claude-code hooks unhooked",
        "codex files unwrapped",
      ]),
    );
    expect(cli.snapshot()).toEqual(before);
    expect(told(await cli.uninstall())).toEqual([]);
    expect(cli.snapshot()).toEqual(before);
  });

  test("with --dry-run writes nothing, and shows differences without a value", async () => {
    const cli = new InstallCli().withHosts().withClaude();
    const before = cli.snapshot();
    const { dryRun, diffs, changed } = await cli.install("--dry-run");
    expect(dryRun).toBe(true);
    expect(cli.snapshot()).toEqual(before);
    expect(diffs?.map(({ file }) => file).sort()).toEqual([...changed].sort());
    const codex = diffs?.find(({ file }) => file.endsWith("config.toml"))?.diff ?? "";
    expect(codex).toContain(`-args = ["***", "***"]`);
    expect(codex).toContain(
      `+args = ["proxy", "--server-name", "files", "--scope", "user", "--restart", "--", "***", "***", "***"]`,
    );
    expect(cli.stdout).not.toContain(SECRET);
    expect(await cli.run("install", "--dry-run")).toBe(0);
    expect(cli.stdout).toContain("  ✓ files  would be wrapped");
    expect(cli.stdout).toContain("Nothing was changed.");
  });

  test("where no host is there, says which were looked for and where", async () => {
    const cli = new InstallCli();
    expect(await cli.run("install")).toBe(0);
    expect(cli.stdout).toMatch(
      /^No application .*\nLooked for \d\d applications:\n {2}Claude Code, .*,\n(?: {2}.*,\n)* {2}.*\w\n/,
    );
    expect(cli.stdout.trimEnd().split("\n").length).toBeLessThan(10);
    expect(cli.stdout).toContain("bir install --config PATH");
    expect((await cli.install()).missing.length).toBeGreaterThan(20);
    expect(await cli.run("install", "--host", "codex")).toBe(0);
    expect(cli.stdout).toContain("is here:\n  Codex  ~/.codex/config.toml\n\n");
  });

  test("a .mcp.json that no application here reads is told of, and changed where that is asked for", async () => {
    const told1 =
      "`.mcp.json` is here, but no application that reads it was found: `bir install --mcp-json` changes it";
    for (const how of [["--mcp-json"], ["--config", ".mcp.json"]]) {
      const cli = new InstallCli().put(".mcp.json", SHARED);
      await cli.run("install");
      expect(cli.stdout).toContain(told1);
      cli.put("~/.codex/config.toml", CODEX);
      await cli.run("install");
      expect(cli.stdout).toContain(told1);
      expect(cli.text(".mcp.json")).toBe(SHARED);
      await cli.run("install", ...how);
      expect(cli.stdout).not.toContain(told1);
      expect(cli.stdout).toContain(
        "The servers of .mcp.json are recorded whichever application starts them. `bir uninstall`",
      );
      const { mcpServers } = JSON.parse(cli.text(".mcp.json"));
      expect(mcpServers.both.args, how.join(" ")).toContain("proxy");
      expect(mcpServers.new.args).toContain("proxy");
      await cli.uninstall();
      expect(cli.text(".mcp.json")).toBe(SHARED);
    }
  });

  test("a .mcp.json that is named is changed where it is", async () => {
    const cli = new InstallCli().withClaude();
    expect(told(await cli.install("--config", ".mcp.json"))).toContain("claude-code both wrapped");
    expect(JSON.parse(cli.text(".mcp.json")).mcpServers.both.args).toContain("proxy");
  });

  test("a .mcp.json that does not parse stops no host", async () => {
    const cli = new InstallCli().withHosts().put(".mcp.json", "{");
    const report = await cli.install("--mcp-json");
    expect(report.problems).toHaveLength(1);
    expect(told(report)).toContain("codex files wrapped");
  });

  test("where hosts have no server, says so", async () => {
    const cli = new InstallCli().put("~/.codex/config.toml", 'model = "x"\n');
    expect(await cli.run("install")).toBe(0);
    expect(cli.stdout).toContain("No MCP server is configured here: looked at what Codex read.");
  });

  test("only for the hosts and servers that are named", async () => {
    const cli = new InstallCli().withHosts();
    expect(told(await cli.install("--host", "codex", "--host", "Cursor"))).toEqual([
      "codex files wrapped",
      "cursor db wrapped",
    ]);
    expect(told(await cli.install("--server", "search"))).toEqual(["gemini-cli search wrapped"]);
    expect(cli.text("~/.config/goose/config.yaml")).toContain("cmd: web");
    expect(told(await cli.uninstall("--server", "db"))).toEqual(["cursor db unwrapped"]);
    expect(told(await cli.uninstall("--host", "codex"))).toEqual(["codex files unwrapped"]);
    expect(cli.text("~/.codex/config.toml")).toBe(CODEX);
    expect(cli.text("~/.gemini/settings.json")).not.toBe(GEMINI);
  });

  test.each([
    [["install", "--host", "codx"], "unknown-host", "Did you mean codex?"],
    [["install", "--host", "vscod"], "unknown-host", "Did you mean vs-code?"],
    [["uninstall", "--host", "nothing-like-it"], "unknown-host", "It knows claude-code, codex, "],
    [["install", "--server", "fils"], "unknown-server", 'Did you mean "files"?'],
    [["install", "--server", "zzzzzz"], "unknown-server", 'There are "db", "files", "search", "web".'],
    [["uninstall", "--server", "files"], "unknown-server", "No server was found at all."],
    [["install", "--config", "nope.json"], "no-such-file", "Name one that is there."],
  ])("%j is refused with what was meant", async (argv, code, hint) => {
    const cli = new InstallCli().withHosts();
    expect(await cli.run(...argv)).toBe(2);
    const { error } = problemSchema.parse(await cli.json(...argv));
    expect(error).toMatchObject({ code, hint: expect.stringContaining(hint) });
  });

  test("tells of what still runs bir though no install has written it, and fails where everything was to go", async () => {
    const cli = new InstallCli().withHosts();
    await cli.install();
    cli.put("~/.cursor/mcp.json", cli.text("~/.cursor/mcp.json").replace('"db"', '"renamed"'));
    expect(await cli.run("uninstall", "--all")).toBe(1);
    expect(cli.stdout).toMatch(/! renamed {2}stays: it still runs bir.* bir uninstall --server "renamed"/);
    expect(await cli.run("uninstall", "--server", "renamed")).toBe(0);
    expect(cli.text("~/.cursor/mcp.json")).not.toContain("proxy");
    expect(await cli.run("uninstall", "--all")).toBe(0);
  });

  test("leaves what Codex puts together from two files, key by key", async () => {
    const cli = new InstallCli();
    cli.put("~/.codex/config.toml", '[mcp_servers.files]\ncommand = "npx"\n\n[mcp_servers.own]\ncommand = "npx"\n');
    cli.put(".codex/config.toml", '[mcp_servers.files]\nargs = ["-y", "server"]\n');
    expect(told(await cli.install())).toEqual(expect.arrayContaining(["codex files left", "codex own wrapped"]));
    expect(cli.text(".codex/config.toml")).toBe('[mcp_servers.files]\nargs = ["-y", "server"]\n');
  });

  test("a file that does not parse is left, with the place, and stops no other", async () => {
    const cli = new InstallCli().withHosts().put("~/.gemini/settings.json", '{\n  "mcpServers": {,}\n}');
    expect(await cli.run("install")).toBe(1);
    expect(cli.stdout).toMatch(/✗ .*\.gemini\/settings\.json:2:\d+: /);
    expect(cli.stdout).toContain("  ✓ files  wrapped");
    expect(cli.text("~/.gemini/settings.json")).toBe('{\n  "mcpServers": {,}\n}');
    const { problems } = await cli.install();
    expect(problems).toMatchObject([{ code: "config-syntax", file: cli.path("~/.gemini/settings.json") }]);
  });

  test("a file that may not be written is left, and said", async () => {
    const cli = new InstallCli().withHosts();
    chmodSync(cli.path("~/.cursor/mcp.json"), 0o444);
    const { problems } = await cli.install();
    expect(problems).toMatchObject([
      { file: cli.path("~/.cursor/mcp.json"), message: expect.stringContaining("read-only") },
    ]);
    expect(told(await cli.uninstall())).not.toContain("cursor db unwrapped");
  });

  test("a link stays a link, and modes stay", async () => {
    const cli = new InstallCli().withHosts();
    const [link, kept] = [cli.path("~/.codex/config.toml"), cli.path("~/kept.toml")];
    renameSync(link, kept);
    chmodSync(kept, 0o640);
    symlinkSync(kept, link);
    await cli.install();
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(kept, "utf8")).toContain("--server-name");
    await cli.uninstall();
    expect([readFileSync(kept, "utf8"), lstatSync(kept).mode & 0o777]).toEqual([CODEX, 0o640]);
  });

  test("what a person changes in an entry afterwards is kept, and told", async () => {
    const cli = new InstallCli().withHosts();
    await cli.install();
    cli.put("~/.gemini/settings.json", cli.text("~/.gemini/settings.json").replace('"timeout": 5', '"timeout": 60'));
    expect(told(await cli.uninstall())).toContain("gemini-cli search taken-out");
    expect(cli.text("~/.gemini/settings.json")).toBe(GEMINI.replace('"timeout": 5', '"timeout": 60'));
  });

  test("an entry that a person took out is not put back, and told", async () => {
    const cli = new InstallCli().withHosts();
    await cli.install();
    cli.put("~/.cursor/mcp.json", "{}\n");
    expect(told(await cli.uninstall())).toContain("cursor db gone");
    expect(cli.text("~/.cursor/mcp.json")).toBe("{}\n");
  });

  test("an entry that the ledger does not know is taken apart only where it is named", async () => {
    const cli = new InstallCli().withHosts();
    await cli.install();
    rmSync(join(cli.home, "installed.json"));
    expect(told(await cli.uninstall())).toEqual([
      "codex files unknown",
      "gemini-cli search unknown",
      "cursor db unknown",
      "goose web unknown",
    ]);
    expect(told(await cli.uninstall("--server", "files"))).toEqual(["codex files taken-out"]);
    expect(cli.text("~/.codex/config.toml")).toBe(CODEX);
    expect(cli.text("~/.gemini/settings.json")).toContain("--server-name");
  });

  test("a ledger that is damaged stops both, and says what to do", async () => {
    const cli = new InstallCli().withHosts();
    await cli.install();
    writeFileSync(join(cli.home, "installed.json"), "{");
    const before = cli.snapshot();
    for (const command of ["install", "uninstall"]) {
      expect(await cli.run(command)).toBe(1);
      expect(cli.stderr).toContain("is not a list of what was installed. Move it away;");
    }
    expect(cli.snapshot()).toEqual(before);
  });

  test("writes the home of recordings into entries where it is not the default", async () => {
    const cli = new InstallCli().withHosts().withClaude();
    cli.context.env.BIR_HOME = cli.home;
    await cli.install();
    expect(cli.text("~/.codex/config.toml")).toContain(`BIR_HOME = "${cli.home}"`);
    expect(cli.text(".claude/settings.local.json")).toContain(`export BIR_HOME='${cli.home}'`);
    await cli.uninstall();
    expect(cli.text("~/.codex/config.toml")).toBe(CODEX);
  });
});

describe("bir install --config", () => {
  test("wraps the servers of any other file, by its keys, and of no other", async () => {
    const cli = new InstallCli().withHosts();
    const files = {
      "a.json": '{ "mcpServers": { "x": { "command": "x" } }, }',
      "b.json": '{"servers":{"x":{"command":"x"}}}',
      "c.toml": '[mcp_servers.x]\ncommand = "x"\n',
      "d.yaml": "mcpServers:\n  - name: x\n    command: x\n",
      "e.jsonc": '{ "mcp": { "x": { "type": "local", "command": ["x"] } } } // mine',
      "f.json": '{"context_servers":{"x":{"command":"x","args":[]}}}',
    };
    for (const [name, text] of Object.entries(files)) {
      cli.put(name, text);
      const report = await cli.install("--config", name);
      expect(told(report), name).toEqual(["file x wrapped"]);
      expect(cli.text(name)).toContain("--server-name");
    }
    expect(cli.text("~/.codex/config.toml")).toBe(CODEX);
    expect(told(await cli.uninstall("--config", "a.json"))).toEqual(["file x unwrapped"]);
    expect(cli.text("a.json")).toBe(files["a.json"]);
    await cli.uninstall();
    for (const [name, text] of Object.entries(files)) expect(cli.text(name)).toBe(text);
  });

  test("reads a known host's own file as that host does", async () => {
    const cli = new InstallCli().withHosts();
    expect(told(await cli.install("--config", cli.path("~/.codex/config.toml")))).toEqual(["codex files wrapped"]);
    expect(cli.text("~/.codex/config.toml")).toContain('"--scope", "user"');
  });

  test("refuses a file without servers, and says what it looks for", async () => {
    const cli = new InstallCli().put("x.json", '{"a":1}');
    expect(await cli.run("install", "--config", "x.json")).toBe(1);
    expect(cli.stderr).toContain("It looks for one under mcpServers, ");
  });
});

describe("Claude Code", () => {
  test("gets wrapped copies of shared servers, and hooks; what is shared stays as it is", async () => {
    const cli = new InstallCli().withClaude();
    const report = await cli.install();
    expect(told(report).sort()).toEqual([
      "claude-code both wrapped copy",
      "claude-code hooks hooked",
      "claude-code mine wrapped",
      "claude-code near wrapped",
      "claude-code new left",
    ]);
    expect(cli.text(".mcp.json")).toBe(SHARED);
    const { projects } = JSON.parse(cli.text("~/.claude.json"));
    expect(projects[cli.cwd].mcpServers.both).toMatchObject({
      args: ["proxy", "--server-name", "both", "--", "both"],
      env: { A: expect.stringMatching(/^\$\{A\}$/) },
    });
    const { enabledMcpjsonServers, hooks } = JSON.parse(cli.text(".claude/settings.local.json"));
    expect(enabledMcpjsonServers).toEqual(["both"]);
    expect(hooks.SessionStart[0].hooks[0].command).toContain(`'${join(cli.programs, "bir")}' hooks`);
    expect(hooks.PreToolUse).toBeUndefined();
    expect(await cli.run("install")).toBe(0);
    expect(cli.stdout).toContain("  – new    left: it is not approved yet");
  });

  test.each([
    ["--mcp-json", (cli: InstallCli) => cli.install("--mcp-json")],
    [
      "BIR_WRAP_MCP_JSON",
      (cli: InstallCli) => {
        cli.context.env.BIR_WRAP_MCP_JSON = "1";
        return cli.install();
      },
    ],
  ])("with %s its shared servers are wrapped where they are, and earlier copies go", async (_how, install) => {
    const cli = new InstallCli().withClaude();
    const before = cli.snapshot();
    await cli.install();
    const report = await install(cli);
    expect(told(report)).toEqual(
      expect.arrayContaining(["claude-code both wrapped", "claude-code both unwrapped copy"]),
    );
    expect(JSON.parse(cli.text(".mcp.json")).mcpServers.both.args).toContain("--server-name");
    expect(JSON.parse(cli.text("~/.claude.json")).projects[cli.cwd].mcpServers).not.toHaveProperty("both");
    await cli.uninstall();
    expect(cli.snapshot()).toEqual(before);
  });

  test("hooks of others stay beside ours, and stay alone afterwards", async () => {
    const cli = new InstallCli().withClaude();
    const text = '{\n  "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ] }\n}\n';
    cli.put(".claude/settings.local.json", text);
    await cli.install();
    expect(JSON.parse(cli.text(".claude/settings.local.json")).hooks.Stop).toHaveLength(2);
    await cli.uninstall();
    expect(cli.text(".claude/settings.local.json")).toBe(text);
  });

  test("a settings file that is made for hooks goes with them", async () => {
    const cli = new InstallCli().withClaude();
    rmSync(cli.path(".claude"), { recursive: true });
    await cli.install();
    expect(cli.has(".claude/settings.local.json")).toBe(true);
    await cli.uninstall();
    expect(cli.has(".claude")).toBe(false);
  });

  test.each([
    [["--no-hooks"], ".claude/settings.local.json"],
    [["--server", "mine"], ".claude/settings.local.json"],
    [["--user"], ".claude/settings.local.json"],
  ])("with %j has no hooks for the project", async (flags, file) => {
    const cli = new InstallCli().withClaude();
    const before = cli.text(file);
    await cli.install(...flags);
    expect(cli.text(file)).toBe(before);
    expect(cli.has("~/.claude/settings.json")).toBe(flags.includes("--user"));
    await cli.uninstall();
    expect(cli.has("~/.claude")).toBe(false);
  });

  test("is asked to put ids into calls only where that is wanted", async () => {
    const cli = new InstallCli().withClaude();
    cli.context.env.BIR_CORRELATION_DECISION = "none";
    await cli.install();
    expect(JSON.parse(cli.text(".claude/settings.local.json")).hooks).toHaveProperty("PreToolUse");
    await cli.install("--no-correlation");
    expect(JSON.parse(cli.text(".claude/settings.local.json")).hooks).not.toHaveProperty("PreToolUse");
    expect(JSON.parse(cli.text("~/.claude.json")).mcpServers.mine.args).toContain("--no-correlation");
  });

  test("whose settings switch hooks off gets none, and its servers all the same", async () => {
    const cli = new InstallCli().withClaude().put("~/.claude/settings.json", '{"disableAllHooks":true}');
    const { hosts } = await cli.install();
    expect(hosts[0]?.hooks).toMatchObject([{ what: "skipped", reason: expect.stringContaining("disableAllHooks") }]);
    expect(hosts[0]?.servers.map(({ what }) => what)).toContain("wrapped");
  });

  test("hooks for the version that answers: an old one gets no event that it does not know", async () => {
    const cli = new InstallCli().withClaude();
    writeFileSync(cli.program("claude"), "#!/bin/sh\necho '2.0.20 (Claude Code)'\n");
    await cli.install();
    const { hooks } = JSON.parse(cli.text(".claude/settings.local.json"));
    expect(Object.keys(hooks)).not.toContain("StopFailure");
    writeFileSync(cli.program("claude"), "#!/bin/sh\necho '1.0.0 (Claude Code)'\n");
    expect((await cli.install()).hosts[0]?.hooks).toMatchObject([
      { what: "skipped", reason: expect.stringContaining("too old") },
    ]);
  });
});

describe("directories", () => {
  test("what is for the whole user stays while another directory needs it", async () => {
    const cli = new InstallCli().withHosts().put("other/.git/HEAD", "x").put("here/.git/HEAD", "x");
    const [here, other] = [join(cli.cwd, "here"), join(cli.cwd, "other")];
    const cliIn = (cwd: string) => Object.assign(cli.context, { cwd });
    cliIn(other);
    await cli.install();
    cliIn(here);
    expect((await cli.install()).directory).toBe(here);
    const report = await cli.uninstall();
    expect(told(report)).toContain("codex files kept");
    expect(report.hosts[0]?.servers[0]?.reason).toContain(other);
    expect(await cli.run("uninstall")).toBe(0);
    expect(cli.stdout).toContain("`bir uninstall --all` takes back everything.");
    cliIn(other);
    expect(told(await cli.uninstall())).toContain("codex files unwrapped");
  });

  test("--all takes back what was done for any", async () => {
    const cli = new InstallCli().put("~/.codex/config.toml", "");
    for (const name of ["a", "b"]) {
      cli.put(`${name}/.git/HEAD`, "x").put(`${name}/.codex/config.toml`, CODEX);
      Object.assign(cli.context, { cwd: join(cli.userHome, "..", "project", name) });
      await cli.install();
    }
    const report = await cli.uninstall();
    expect([told(report), report.elsewhere]).toEqual([["codex files unwrapped"], 1]);
    expect(told(await cli.uninstall("--all"))).toEqual(["codex files unwrapped"]);
    for (const name of ["a", "b"]) {
      expect(readFileSync(join(cli.userHome, "..", "project", name, ".codex", "config.toml"), "utf8")).toBe(CODEX);
    }
  });

  test("in the home directory it is for everything", async () => {
    const cli = new InstallCli().withHosts();
    mkdirSync(cli.path("~/.claude"));
    Object.assign(cli.context, { cwd: cli.userHome });
    const { directory, hosts } = await cli.install();
    expect(directory).toBeNull();
    expect(hosts[0]?.hooks).toMatchObject([
      { what: "hooked", scope: "user", file: cli.path("~/.claude/settings.json") },
    ]);
    await cli.uninstall();
    expect(cli.has("~/.claude/settings.json")).toBe(false);
  });

  test("bir status tells what is wrapped", async () => {
    const cli = new InstallCli().withHosts().withClaude();
    await cli.run("status");
    expect(cli.stdout).toContain("Wrapped         nothing yet: bir install");
    await cli.install();
    await cli.run("status");
    expect(cli.stdout).toContain(
      "Wrapped         Claude Code: both, mine, near; hooks\n                Codex: files\n",
    );
    await cli.uninstall();
    expect(await cli.json("status")).toMatchObject({ wrapped: [] });
  });
});

describe("beside hosts", () => {
  test("waits while Claude Code holds the lock of its file, and holds it for no longer than the change", async () => {
    const cli = new InstallCli().withClaude();
    const lock = cli.path("~/.claude.json.lock");
    mkdirSync(lock);
    const before = cli.text("~/.claude.json");
    const done = cli.install();
    await Bun.sleep(50);
    expect(cli.text("~/.claude.json")).toBe(before);
    rmdirSync(lock);
    expect(told(await done)).toContain("claude-code mine wrapped");
    expect(cli.has("~/.claude.json.lock")).toBe(false);
  });

  test("says where git would show a file that is for one person alone", async (context) => {
    const cli = new InstallCli();
    const git = Bun.which("git");
    needs(context, git !== null, "git is not on the PATH");
    spawnSync(git ?? "git", ["init", "-q", cli.cwd]);
    cli.context.env.PATH = `${cli.programs}:${dirname(git ?? "")}`;
    cli.withClaude();
    await cli.run("install");
    expect(cli.stdout).toContain("! git shows this file");
    await cli.run("uninstall");
    cli.put(".gitignore", ".claude/settings.local.json\n");
    await cli.run("install");
    expect(cli.stdout).not.toContain("git shows this file");
  });
});
