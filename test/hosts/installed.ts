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

const HERE = `${process.platform}-${process.arch}`;
const CODEX_TARGETS: Record<string, string> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-arm64": "aarch64-apple-darwin",
};

/** As bir names them. What a package's launcher would start is run itself: no launcher is installed. */
export const OTHER_HOST_IDS = ["codex", "gemini-cli", "qwen-code", "opencode", "copilot-cli", "cline"] as const;
export type OtherHostId = (typeof OTHER_HOST_IDS)[number];

const OTHER_HOSTS: Record<OtherHostId, { name: string; path: readonly string[]; kind: "executable" | "script" }> = {
  codex: {
    name: "Codex 0.171.0",
    path: ["@openai", `codex-${HERE}`, "vendor", CODEX_TARGETS[HERE] ?? "none", "bin", "codex"],
    kind: "executable",
  },
  "gemini-cli": {
    name: "Gemini CLI 0.61.0",
    path: ["@google", "gemini-cli", "bundle", "gemini.js"],
    kind: "script",
  },
  "qwen-code": { name: "Qwen Code 0.24.4", path: ["@qwen-code", "qwen-code", "cli-entry.js"], kind: "script" },
  opencode: { name: "opencode 1.18.33", path: [`opencode-${HERE}-baseline`, "bin", "opencode"], kind: "executable" },
  "copilot-cli": { name: "Copilot CLI 1.0.102", path: ["@github", `copilot-${HERE}`, "copilot"], kind: "executable" },
  cline: { name: "Cline CLI 3.0.65", path: ["@cline", `cli-${HERE}`, "bin", "cline"], kind: "executable" },
};

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

/** Another host that the tests install, in exactly the version of package.json; `name` tells which. */
export function otherHost(id: OtherHostId): Installed & { name: string } {
  const { name, path, kind } = OTHER_HOSTS[id];
  const place = join(MODULES, ...path);
  if (kind === "script") return { name, ...script(place, name) };
  if (!existsSync(place)) return { name, command: [], lack: `${name} is not installed (${INSTALL})` };
  return { name, command: [place], lack: undefined };
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
