import { fileFacts } from "../../kit/file-facts.ts";
import { asArray, asObject, asStrings, type JsonObject, member } from "./json-file.ts";
import type { EntryFacts, HostReason } from "./scopes.ts";
import { elementsOf, type Settings, settingsWith } from "./settings.ts";

/**
 * Rules of an organisation, or of the person, about which servers may run. They are about commands and URLs, so a server that
 * is allowed may not be once it is wrapped, and one that is forbidden might be: neither is touched. Reads, never writes.
 */

/** One that starts a program, or one that is connected to. */
type Target = { words: readonly string[]; url: null } | { words: null; url: string };

const FORBIDDEN: HostReason = { code: "forbidden", why: "the settings of Claude Code do not let it run" };
const FORBIDDEN_WRAPPED: HostReason = {
  code: "forbidden-wrapped",
  why: 'the settings of Claude Code would not let it run once it is wrapped ("allowedMcpServers" or "deniedMcpServers")',
};

export interface Policies {
  /** Why nothing of this person's own is used at all; null where it is. */
  refusesAll: string | null;
  /** Why an entry is left; null where neither it nor its wrapped form is kept from running. */
  leave(entry: EntryFacts, wrapped: readonly string[]): HostReason | null;
}

/** `managedServers`: the file with which an administrator gives all servers. `env`: what forms in rules are filled in from. */
export function policiesOf(
  settings: readonly Settings[],
  managedServers: string,
  env: Readonly<Record<string, string | undefined>>,
): Policies {
  const managedSettings = settings.filter(({ source }) => source === "managed");
  const isManagedOnly = settingsWith(managedSettings, "allowManagedMcpServersOnly", true) !== undefined;
  const allowing = isManagedOnly ? managedSettings : settings;
  const hasAllowList = allowing.some(({ values }) => Array.isArray(member(values, "allowedMcpServers")));
  const rules = (from: readonly Settings[], key: string) => elementsOf(from, key).map(asObject);
  const allowed = hasAllowList ? rules(allowing, "allowedMcpServers") : null;
  const denied = rules(settings, "deniedMcpServers");
  const admits = (name: string, target: Target) =>
    !denied.some((rule) => isNamed(rule, name) || isMet(rule, target, env)) &&
    (allowed === null || isAllowed(allowed, name, target, env));
  return {
    refusesAll: refusesAll(managedSettings, managedServers),
    leave: (entry, wrapped) => {
      const { name } = entry;
      const target = targetOf(entry);
      if (target !== null && !admits(name, target)) return FORBIDDEN;
      return admits(name, { words: wrapped, url: null }) ? null : FORBIDDEN_WRAPPED;
    },
  };
}

function refusesAll(managedSettings: readonly Settings[], managedServers: string): string | null {
  if (isThere(managedServers)) return `only the servers of ${managedServers} are used on this machine`;
  const strict = managedSettings.find(({ values }) => isStrict(member(values, "strictPluginOnlyCustomization")));
  return strict === undefined ? null : `${strict.file} lets only plugins bring servers`;
}

function isStrict(value: unknown): boolean {
  return value === true || asStrings(value).includes("mcp");
}

function targetOf({ command, args, url }: EntryFacts): Target | null {
  if (command !== null) return { words: [command, ...args], url: null };
  return url === null ? null : { words: null, url };
}

/** Where any rule of the list is about commands, a program must meet one of those; so with URLs; else the name decides. */
function isAllowed(
  allowed: readonly JsonObject[],
  name: string,
  target: Target,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const key = target.words === null ? "serverUrl" : "serverCommand";
  const isAbout = allowed.some((rule) => member(rule, key) !== undefined);
  return allowed.some((rule) => (isAbout ? isMet(rule, target, env) : isNamed(rule, name)));
}

function isNamed(rule: JsonObject, name: string): boolean {
  return member(rule, "serverName") === name;
}

function isMet(rule: JsonObject, target: Target, env: Readonly<Record<string, string | undefined>>): boolean {
  if (target.words !== null) {
    const command = member(rule, "serverCommand");
    if (!Array.isArray(command)) return false;
    const wanted = asArray(command).map((word) => filled(String(word), env));
    return (
      wanted.length === target.words.length && wanted.every((word, i) => word === filled(target.words[i] ?? "", env))
    );
  }
  const pattern = member(rule, "serverUrl");
  return typeof pattern === "string" && matches(filled(pattern, env), filled(target.url, env));
}

/** `*` stands for anything. */
function matches(pattern: string, url: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return (
    new RegExp(`^${parts.join(".*")}$`, "s").test(url) || (url.endsWith("/") && matches(pattern, url.slice(0, -1)))
  );
}

/** With `${VAR}` and `${VAR:-default}` filled in as the host does; what is not set stays. */
function filled(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) => {
    return env[name] ?? otherwise ?? whole;
  });
}

function isThere(path: string): boolean {
  try {
    return fileFacts(path) !== null;
  } catch {
    return true;
  }
}
