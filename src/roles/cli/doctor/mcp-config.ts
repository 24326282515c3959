import { type ParseError, parse } from "jsonc-parser";
import { readTextIfThere } from "../../../kit/file-facts.ts";
import { joinPath } from "../../../kit/paths.ts";
import { systemCode } from "../../../kit/system-reason.ts";
import type { CliContext } from "../context.ts";

/** MCP servers as hosts' configuration files list them. Reads, never writes; gives no value it does not have to. */

export interface McpEntry {
  /** The file, and where in it. */
  place: string;
  name: string;
  command: string;
  args: string[];
  env: Record<string, unknown>;
}

export interface McpConfig {
  path: string;
  /** Those that are not `read` come with no entries. */
  state: "read" | "missing" | "not-json" | "no-object" | "unreadable";
  entries: McpEntry[];
}

/** The configuration files that hosts look for, from this directory and this person. */
export function usualConfigPaths({ cwd, userHome }: CliContext): string[] {
  return [
    joinPath(cwd, ".mcp.json"),
    joinPath(userHome, ".claude.json"),
    joinPath(userHome, ".cursor", "mcp.json"),
    joinPath(cwd, ".cursor", "mcp.json"),
    joinPath(cwd, ".vscode", "mcp.json"),
  ];
}

/** The servers in a configuration file: `mcpServers`, VS Code's `servers`, and Claude Code's per-project ones. */
export function readMcpConfig(path: string, cwd: string): McpConfig {
  let root: unknown;
  try {
    const text = readTextIfThere(path);
    if (text === null) return { path, state: "missing", entries: [] };
    const errors: ParseError[] = [];
    root = parse(text.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
    if (errors.length > 0) return { path, state: "not-json", entries: [] };
    if (!isObject(root)) return { path, state: "no-object", entries: [] };
  } catch (cause) {
    // Not to be read, or nested beyond what a parser follows.
    return { path, state: systemCode(cause) === null ? "not-json" : "unreadable", entries: [] };
  }
  const project = isObject(root.projects) ? root.projects[cwd] : undefined;
  const entries = [
    ...entriesOf(root.mcpServers, path),
    ...entriesOf(root.servers, path),
    ...entriesOf(isObject(project) ? project.mcpServers : undefined, `${path} (project ${cwd})`),
  ];
  return { path, state: "read", entries };
}

const BIR = /(?:^|[/\\])bir(?:-proxy|-hooks)?(?:\.exe)?$/i;

/** True when an entry starts this program, whatever stands before it. */
export function runsBir(entry: McpEntry): boolean {
  return BIR.test(entry.command) || birAt(entry) >= 0 || hasWholeCommandLine(entry);
}

/** Which of an entry's arguments is this program; -1 where its command is, or none. */
export function birAt({ command, args }: McpEntry): number {
  if (BIR.test(command)) return -1;
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).findIndex((word) => BIR.test(word));
}

/** True where words that belong into `args` stand in `command`: no program has that name. */
export function hasWholeCommandLine({ command }: McpEntry): boolean {
  return /^(?:\S*[/\\])?bir(?:-proxy)?(?:\.exe)?\s+\S/i.test(command);
}

function entriesOf(servers: unknown, place: string): McpEntry[] {
  if (!isObject(servers)) return [];
  return Object.entries(servers).flatMap(([name, server]) => {
    if (!isObject(server) || typeof server.command !== "string") return [];
    const args = Array.isArray(server.args) ? server.args.filter((arg) => typeof arg === "string") : [];
    return [{ place, name, command: server.command, args, env: isObject(server.env) ? server.env : {} }];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
