/** Finds the installed hosts and a Node that can run them, or says what is missing. Installs nothing. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = join(dirname(fileURLToPath(import.meta.url)), "node_modules");
const LAUNCHER = join(MODULES, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js");

/** What the Inspector asks for in its `engines`. */
const NODE_MAJOR = 22;
const NODE_MINOR = 19;

export interface Installed {
  /** The command that runs it. */
  command: readonly string[];
  /** Why it cannot run; undefined when it can. */
  lack: string | undefined;
}

/** The Inspector's command line, run by the Node that is installed beside it or by a new enough one of this machine. */
export function inspector(): Installed {
  const node = [join(MODULES, `node-${process.platform}-${process.arch}`, "bin", "node"), "node"].find(newEnough);
  const install = "run: bun test/hosts/install.ts";
  if (!existsSync(LAUNCHER)) return { command: [], lack: `the MCP Inspector is not installed (${install})` };
  if (node === undefined) return { command: [], lack: `no Node >= ${NODE_MAJOR}.${NODE_MINOR} (${install})` };
  return { command: [node, LAUNCHER], lack: undefined };
}

function newEnough(node: string): boolean {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  const [, major = "0", minor = "0"] = /^v(\d+)\.(\d+)/.exec(stdout ?? "") ?? [];
  return Number(major) > NODE_MAJOR || (Number(major) === NODE_MAJOR && Number(minor) >= NODE_MINOR);
}
