/** Finds the installed hosts and a Node that can run them, or says what is missing. Installs nothing. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = join(dirname(fileURLToPath(import.meta.url)), "node_modules");
const LAUNCHER = join(MODULES, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js");
const CONFORMANCE = join(MODULES, "@modelcontextprotocol", "conformance", "dist", "index.js");
const INSTALL = "run: bun test/hosts/install.ts";

/** What the Inspector asks for in its `engines`. */
const NODE_MAJOR = 22;
const NODE_MINOR = 19;

/** The Claude Codes of package.json: the newest one, and one from before they came as executables. */
export const CLAUDE_VERSIONS = ["2.1.332", "2.0.76"] as const;
export type ClaudeVersion = (typeof CLAUDE_VERSIONS)[number];

export interface Installed {
  /** The command that runs it. */
  command: readonly string[];
  /** Why it cannot run; undefined when it can. */
  lack: string | undefined;
}

/** The Inspector's command line, run by the Node that is installed beside it or by a new enough one of this machine. */
export function inspector(): Installed {
  return script(LAUNCHER, "the MCP Inspector");
}

/** The official conformance suite. */
export function conformance(): Installed {
  return script(CONFORMANCE, "the conformance suite");
}

/** Claude Code, in exactly this version. No install script of it is needed: what it would copy is run where it is. */
export function claudeCode(version: ClaudeVersion): Installed {
  const name = `Claude Code ${version}`;
  if (version === "2.0.76") return script(join(MODULES, `claude-code-${version}`, "cli.js"), name);
  const places = [`${process.platform}-${process.arch}`, `${process.platform}-${process.arch}-musl`].map((platform) =>
    join(MODULES, "@anthropic-ai", `claude-code-${platform}`, process.platform === "win32" ? "claude.exe" : "claude"),
  );
  const executable = places.find(existsSync);
  if (executable === undefined) return { command: [], lack: `${name} is not installed (${INSTALL})` };
  return { command: [executable], lack: undefined };
}

/** A script for Node. */
function script(path: string, name: string): Installed {
  if (!existsSync(path)) return { command: [], lack: `${name} is not installed (${INSTALL})` };
  const node = [join(MODULES, `node-${process.platform}-${process.arch}`, "bin", "node"), "node"].find(newEnough);
  if (node === undefined) return { command: [], lack: `no Node >= ${NODE_MAJOR}.${NODE_MINOR} (${INSTALL})` };
  return { command: [node, path], lack: undefined };
}

function newEnough(node: string): boolean {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  const [, major = "0", minor = "0"] = /^v(\d+)\.(\d+)/.exec(stdout ?? "") ?? [];
  return Number(major) > NODE_MAJOR || (Number(major) === NODE_MAJOR && Number(minor) >= NODE_MINOR);
}
