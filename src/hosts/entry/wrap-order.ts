import type { Expansion } from "../host.ts";
import type { EntryChange } from "./entry-change.ts";
import { memberOf } from "./nodes.ts";
import type { ServerEntry } from "./server-entry.ts";

/**
 * How entries are to be wrapped, what wrapping has made in one, and the parts that entries of every kind share. Pure.
 */

export interface WrapOrder {
  /** How the executable is started: its absolute path, and words behind it where there are any. */
  executableWords: readonly [string, ...string[]];
  /** Options of the proxy beside the name, such as `--scope user`. */
  flags: readonly string[];
  /** Only where it is not the default: goes into the entry's variables. */
  birHome: string | null;
  /** The person asked for this very server. */
  isNamed: boolean;
  /** As the host has them; see `Host`. */
  passesVariables: { listKey: string } | null;
  expansion: Expansion | null;
}

/** What was put in beside the command, and what it takes to find back without the text that was there. */
export interface Made {
  args: boolean;
  env: boolean;
  /** Names of the variables that were added. */
  variables: string[];
  /** A name that was added to the host's list of variables to pass on; `list`: the list itself too. */
  passed: { key: string; name: string; list: boolean } | null;
  remote: MadeRemote | null;
}

export interface MadeRemote {
  urlKey: string;
  /** What stood under the type's key; null where nothing did. */
  type: string | null;
  headers: boolean;
  bearer: boolean;
}

export interface WrapChanges {
  changes: EntryChange[];
  made: Made;
}

/** `proxy --server-name NAME` and options. */
export function proxyWords(name: string, flags: readonly string[]): string[] {
  return ["proxy", ...(name.startsWith("--") ? [`--server-name=${name}`] : ["--server-name", name]), ...flags];
}

export function nothingMade(): Made {
  return { args: false, env: false, variables: [], passed: null, remote: null };
}

/** Adds variables that the entry does not have; one that is there is the person's. */
export function addVariables(
  entry: ServerEntry,
  variables: readonly (readonly [string, string])[],
  after: string,
  changes: EntryChange[],
  made: Made,
): void {
  const missing = variables.filter(([name]) => !Object.hasOwn(entry.env, name));
  if (missing.length === 0) return;
  const { env } = entry.list.shape;
  made.variables.push(...missing.map(([name]) => name));
  made.env = memberOf(entry.node, env) === null;
  if (made.env) changes.push({ kind: "add", path: [], key: env, value: Object.fromEntries(missing), after });
  else for (const [key, value] of missing) changes.push({ kind: "add", path: [env], key, value });
}
