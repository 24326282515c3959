import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { wrapSchema } from "../../src/core/schema/answers.ts";
import { HOSTS } from "../../src/hosts/hosts.ts";
import { InstallCli } from "./cli-install-fixture.ts";

async function wrapped(...words: string[]): Promise<unknown> {
  const cli = new InstallCli();
  await cli.run("wrap", "--json", ...words);
  return JSON.parse(cli.stdout);
}

describe("bir wrap", () => {
  test("prints an entry in the form that most hosts have, and on stderr where it goes", async () => {
    const cli = new InstallCli();
    expect(await cli.run("wrap", "--", "npx", "-y", "server", "--flag")).toBe(0);
    expect(JSON.parse(cli.stdout)).toEqual({
      mcpServers: {
        server: {
          type: "stdio",
          command: join(cli.programs, "bir"),
          args: ["proxy", "--server-name", "server", "--restart", "--", "npx", "-y", "server", "--flag"],
        },
      },
    });
    expect(cli.stderr).toContain('under "mcpServers"');
  });

  test.each([
    ["npx -y @scope/server-name --flag", "server-name"],
    ["npx --yes name@1.2.3 x", "name"],
    ["npx -p @a/b run-b", "b"],
    ["/usr/bin/bunx @a/b@latest", "b"],
    ["uvx --python 3.12 mcp-server==1.0", "mcp-server"],
    ["uvx --from=mcp-server[cli]>=1 run", "mcp-server"],
    ["uvx --from git+https://x.io/y z", "uvx"],
    ["pnpm dlx @a/b", "b"],
    ["pnpm start", "pnpm"],
    ["npm exec -- @a/b", "b"],
    ["node path/x.js --flag", "x"],
    ["node --no-warnings build/index.mjs", "index"],
    ["node -e 1", "node"],
    ["/opt/server -a", "server"],
  ])("of `%s` names the server %s", async (line, name) => {
    const { entry } = wrapSchema.parse(await wrapped("--", ...line.split(" ")));
    expect(entry).toMatchObject({
      args: ["proxy", "--server-name", name, ...Array(line.split(" ").length + 2).fill(expect.any(String))],
    });
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
