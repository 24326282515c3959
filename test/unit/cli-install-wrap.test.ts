import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { wrapSchema } from "../../src/core/schema/answers.ts";
import { HOSTS } from "../../src/hosts/hosts.ts";
import { InstallCli } from "./cli-install-fixture.ts";

describe("bir wrap", () => {
  test("prints an entry in the form that most hosts have, and on stderr where it goes", async () => {
    const cli = new InstallCli();
    expect(await cli.run("wrap", "--", "npx", "-y", "server", "--flag")).toBe(0);
    expect(JSON.parse(cli.stdout)).toEqual({
      mcpServers: {
        npx: {
          type: "stdio",
          command: join(cli.programs, "bir"),
          args: ["proxy", "--server-name", "npx", "--restart", "--", "npx", "-y", "server", "--flag"],
        },
      },
    });
    expect(cli.stderr).toContain('under "mcpServers"');
  });

  test("prints it as a named host has it", async () => {
    const cli = new InstallCli();
    await cli.run("wrap", "--host", "codex", "--server-name", "my files", "--", "srv");
    expect(cli.stdout).toBe(
      `[mcp_servers."my files"]\ncommand = "${join(cli.programs, "bir")}"\nargs = ["proxy", "--server-name", "my files", "--restart", "--", "srv"]\n`,
    );
    expect(cli.stderr).toBe('For Codex: under "mcp_servers" in ~/.codex/config.toml. Start Codex again.\n');
    await cli.run("wrap", "--host", "continue", "--server-name", "x", "--", "srv");
    expect(cli.stdout).toMatch(/^mcpServers:\n {2}- name: x\n {4}type: stdio\n/);
  });

  test.each(HOSTS.map(({ id }) => [id]))("of %s is an entry that install finds wrapped", async (id) => {
    const cli = new InstallCli();
    await cli.run("wrap", "--json", "--host", id, "--server-name", "x", "--", "srv", "-a");
    const made = wrapSchema.parse(JSON.parse(cli.stdout));
    const name = { toml: "x.toml", yaml: "x.yaml" }[made.format as string] ?? "x.json";
    cli.put(name, made.text);
    const { hosts } = await cli.install("--config", name, "--host", id);
    expect(hosts.flatMap(({ servers }) => servers.map(({ what }) => what))).toEqual(["already"]);
    expect(cli.text(name)).toBe(made.text);
  });

  test("of a remote server names its URL", async () => {
    const cli = new InstallCli();
    const { entry } = wrapSchema.parse(await cli.json("wrap", "--url", "https://example.com/mcp"));
    expect(entry).toMatchObject({
      args: ["proxy", "--server-name", "example.com", "--url", "https://example.com/mcp"],
    });
  });

  test.each([
    [[], "no server command and no --url"],
    [["--url", "https://a:b@x.io/mcp"], "--url must hold no credentials"],
    [["--url", "https://x.io/mcp", "--", "srv"], "do not go together"],
    [["--host", "claude-desktop", "--url", "https://x.io/mcp"], "takes no remote servers"],
    [["--host", "gose", "--", "srv"], "bir knows no host"],
  ])("refuses %j", async (argv, message) => {
    const cli = new InstallCli();
    expect(await cli.run("wrap", ...argv)).toBe(2);
    expect(cli.stderr).toContain(message);
    expect(cli.stderr).not.toContain("a:b");
  });
});
