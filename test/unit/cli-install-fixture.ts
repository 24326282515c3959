/** Hosts' files on a machine of a test, and what is in them afterwards. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { z } from "zod";
import { installSchema, uninstallSchema } from "../../src/core/schema/answers.ts";
import { TestCli } from "./cli-fixture.ts";

export const SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

export const CODEX = `# mine
[mcp_servers.files] # all of them
command = "npx"
args = ["-y", "server"]

[mcp_servers.files.env]
TOKEN = "${SECRET}"
`;

export const GEMINI = `{
\t// my servers
\t"mcpServers": { "search": { "command": "search", "args": ["--all"], "timeout": 5 } }
}`;

export const GOOSE = `extensions:
  web:   # the web
    type: stdio
    cmd: web
    args: []
`;

export const CURSOR = '{"mcpServers":{"db":{"command":"db","env":{"KEY":"v"}}}}\r\n';

/** Claude Code with a server for the user, one for this project, and shared ones of which one is approved. */
export function claudeState(cli: TestCli): string {
  const shown = JSON.stringify(cli.cwd);
  return `{
  "numStartups": 3,
  "mcpServers": { "mine": { "type": "stdio", "command": "mine", "args": [] } },
  "projects": {
    ${shown}: {
      "hasTrustDialogAccepted": true,
      "mcpServers": { "near": { "command": "near" } },
      "history": []
    }
  }
}
`;
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: hosts fill it in
const FORM = "${A}";

export const SHARED =
  '{\n  "mcpServers": {\n    "both": { "command": "both", "env": { "A": "' +
  FORM +
  '" } },\n    "new": { "command": "new" }\n  }\n}\n';

/** A machine with hosts; files are put where they belong, and are read back by the same names. */
export class InstallCli extends TestCli {
  /** `~/…` is below the home, everything else below the project. */
  put(name: string, text: string): this {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return this;
  }

  path(name: string): string {
    return name.startsWith("~/") ? join(this.userHome, name.slice(2)) : join(this.cwd, name);
  }

  text(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  /** A host of every format. */
  withHosts(): this {
    return this.put("~/.codex/config.toml", CODEX)
      .put("~/.gemini/settings.json", GEMINI)
      .put("~/.config/goose/config.yaml", GOOSE)
      .put("~/.cursor/mcp.json", CURSOR);
  }

  withClaude(): this {
    return this.put("~/.claude.json", claudeState(this))
      .put(".mcp.json", SHARED)
      .put(".claude/settings.local.json", '{"enabledMcpjsonServers":["both"]}\n')
      .put(".git/HEAD", "ref: refs/heads/main\n");
  }

  /** Every file of the home and the project by its path, as it is. */
  snapshot(): Record<string, string> {
    const all: Record<string, string> = {};
    for (const root of [this.userHome, this.cwd]) {
      for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        all[relative(dirname(root), path)] = entry.isDirectory() ? "/" : readFileSync(path, "latin1");
      }
    }
    return all;
  }

  async install(...more: string[]): Promise<z.infer<typeof installSchema>> {
    return installSchema.parse(await this.json("install", ...more));
  }

  async uninstall(...more: string[]): Promise<z.infer<typeof uninstallSchema>> {
    return uninstallSchema.parse(await this.json("uninstall", ...more));
  }
}

/** `HOST SERVER what`, of those that have something to tell. */
export function told({ hosts }: Pick<z.infer<typeof uninstallSchema>, "hosts">): string[] {
  return hosts.flatMap(({ id, servers, hooks }) => [
    ...servers.map(({ name, what, copy }) => `${id} ${name} ${what}${copy ? " copy" : ""}`),
    ...hooks.map(({ what }) => `${id} hooks ${what}`),
  ]);
}
