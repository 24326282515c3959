import type { ConfigDocument, ConfigFormatId, ConfigPath } from "../../src/hosts/edit/config-text.ts";
import { formatOf } from "../../src/hosts/edit/formats.ts";
import type { EntryShape, Host, ServerList } from "../../src/hosts/host.ts";
import type { LedgerRow } from "../../src/hosts/ledger.ts";
import type { FilePlan } from "../../src/hosts/plan/outcome.ts";
import { type InstallOptions, planInstall, type Target } from "../../src/hosts/plan/plan-install.ts";
import { planUninstall } from "../../src/hosts/plan/plan-uninstall.ts";

/** Hosts of every shape, and install and uninstall on texts alone. */

export const EXECUTABLE = "/opt/bir/bin/bir";

const REMOTE = {
  headers: "headers",
  bearerVariable: null,
  signIn: ["oauth", "headersHelper"],
  cannotMove: ["ws"],
};

/** `${NAME}`, which is for the host to replace. */
export function variable(name: string): string {
  return "$".concat("{", name, "}");
}

export const SHAPES = {
  /** As of Claude Code, Cursor and most others. */
  plain: {
    nested: null,
    names: "keys",
    command: { kind: "command-and-args", command: "command", args: "args" },
    env: "env",
    type: { key: "type", stdio: "stdio" },
    remote: {
      ...REMOTE,
      urlKeys: [
        { key: "httpUrl", transport: "http" },
        { key: "url", transport: null },
      ],
      types: { http: "http", "streamable-http": "http", sse: "sse" },
    },
  },
  /** As of opencode. */
  argv: {
    nested: null,
    names: "keys",
    command: { kind: "argv", key: "command" },
    env: "environment",
    type: { key: "type", stdio: "local" },
    remote: { ...REMOTE, urlKeys: [{ key: "url", transport: null }], types: { remote: "http" } },
  },
  /** As of Codex. */
  table: {
    nested: null,
    names: "keys",
    command: { kind: "command-and-args", command: "command", args: "args" },
    env: "env",
    type: null,
    remote: {
      ...REMOTE,
      headers: "http_headers",
      bearerVariable: "bearer_token_env_var",
      urlKeys: [{ key: "url", transport: "http" }],
      types: {},
    },
  },
  /** As of Continue. */
  named: {
    nested: null,
    names: { nameKey: "name" },
    command: { kind: "command-and-args", command: "command", args: "args" },
    env: "env",
    type: { key: "type", stdio: "stdio" },
    remote: {
      ...REMOTE,
      urlKeys: [{ key: "url", transport: null }],
      types: { sse: "sse", "streamable-http": "http" },
    },
  },
} as const satisfies Record<string, EntryShape>;

export type ShapeName = keyof typeof SHAPES;

export function hostOf(id = "example", more: Partial<Host> = {}): Host {
  return {
    id,
    name: id,
    verified: false,
    isThere: () => true,
    lists: () => [],
    hasProjectLists: false,
    expansion: null,
    toolName: (server, tool) => `${server}_${tool}`,
    restartsServers: true,
    passesVariables: null,
    reload: "Start it again.",
    reservedNames: [],
    notes: [],
    ...more,
  } as Host;
}

export function listOf(
  shape: ShapeName,
  format: ConfigFormatId,
  path: ConfigPath = ["mcpServers"],
  more: Partial<ServerList> = {},
): ServerList {
  return { scope: "user", file: "/home/p/config", format, path, shape: SHAPES[shape], directory: null, ...more };
}

export const OPTIONS: InstallOptions = {
  executableWords: [EXECUTABLE],
  birHome: null,
  servers: null,
  correlation: true,
};

export function parse(format: ConfigFormatId, text: string): ConfigDocument {
  return formatOf(format).parse(text);
}

export function target(list: ServerList, host = hostOf()): Target {
  return { host, list };
}

/** Install's plan for one file. */
export function install(
  text: string,
  targets: readonly Target[],
  options: Partial<InstallOptions> = {},
  rows: readonly LedgerRow[] = [],
): FilePlan {
  const [task] = planInstall(targets, { ...OPTIONS, ...options });
  if (task === undefined) throw new Error("no task");
  return task.plan(parse(task.format, text), rows);
}

/** Uninstall's plan for one file, from rows that went through a file as the ledger's do. */
export function uninstall(text: string, rows: readonly LedgerRow[]): FilePlan {
  const kept = JSON.parse(JSON.stringify(rows)) as LedgerRow[];
  const [task] = planUninstall(kept, { hosts: null, servers: null, file: null });
  if (task === undefined) throw new Error("nothing to be taken back");
  return task.plan(parse(task.format, text), kept);
}

export function whatOf(plan: FilePlan): Record<string, string> {
  return Object.fromEntries(
    plan.outcomes.map((one) => [one.server, one.why === null ? one.what : `${one.what}: ${one.why}`]),
  );
}
