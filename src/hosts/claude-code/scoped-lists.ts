import type { EntryShape, Place, ServerList } from "../host.ts";
import { COMMAND_AND_ARGS, TRANSPORT_WORDS, URL_AND_HEADERS } from "../shapes.ts";
import { rememberedOf } from "./approvals.ts";
import { commonReason, type RuleContext, type SharedFile, sharedReason } from "./entry-rules.ts";
import { asObject, type JsonObject, member, readJsonObject } from "./json-file.ts";
import { managedDirectory, pathsOf, stateFile } from "./places.ts";
import { pluginServers } from "./plugin-servers.ts";
import { policiesOf } from "./policies.ts";
import { above, projectOf } from "./repository.ts";
import type { ScopedList, ScopeOptions } from "./scopes.ts";
import { settingsOf } from "./settings.ts";

/** The lists of servers that Claude Code reads in a directory, the one that wins first. Reads, never writes. */

const SHAPE: EntryShape = {
  ...COMMAND_AND_ARGS,
  remote: {
    ...URL_AND_HEADERS,
    types: { http: TRANSPORT_WORDS.http, "streamable-http": TRANSPORT_WORDS.http, sse: TRANSPORT_WORDS.sse },
    signIn: ["oauth", "headersHelper"],
  },
};

/** The lists without the rules. */
export function serverLists(place: Place): ServerList[] {
  return scopedLists(place, { inPlace: true, version: null }).map(({ list }) => list);
}

/** Every list with the rules for its entries. */
export function scopedLists(place: Place, options: ScopeOptions): ScopedList[] {
  const project = projectOf(place, options.version);
  const managed = options.managedDirectory ?? managedDirectory(place);
  const settings = settingsOf(place, project, managed);
  const file = stateFile(place);
  const state = readJsonObject(file);
  const projects = asObject(member(state, "projects"));
  const remembered = rememberedOf(projects, keyIn(place, projects, project.key));
  const context: RuleContext = {
    place,
    project,
    policies: policiesOf(settings, pathsOf(place).join(managed, "managed-mcp.json"), place.env),
    plugins: pluginServers(place, settings),
    approvals: { settings, remembered },
    local: asObject(member(remembered, "mcpServers")),
  };
  // Only old versions look at the worktree's own.
  const others = [project.mainRoot, project.root].filter((root) => root !== project.key);
  const known = others.map((root) => keyIn(place, projects, root)).filter((key) => member(projects, key) !== undefined);
  const keys = [keyIn(place, projects, project.key), ...new Set(known)];
  const locals = keys.map((key) => localList(file, key));
  const user: ServerList = { ...STATE, scope: "user", file, path: ["mcpServers"], directory: null };
  const inState = (list: ServerList): ScopedList => ({
    list,
    leave: (entry, wrapped) => commonReason(context, entry, wrapped),
    shadowIn: null,
    lock: lockOf(file),
  });
  const target = options.inPlace ? null : (locals[0] ?? null);
  return [...locals.map(inState), ...sharedLists(context, target), inState(user)];
}

const STATE = { format: "json", shape: SHAPE } as const;

function localList(file: string, key: string): ServerList {
  return { ...STATE, scope: "local", file, path: ["projects", key, "mcpServers"], directory: key };
}

/** Of the directory and each one above it, but not of the root of the file system. */
function sharedLists(context: RuleContext, target: ServerList | null): ScopedList[] {
  const { place, project } = context;
  const directories = [project.cwd, ...above(place, project.cwd)].slice(0, -1);
  const files: SharedFile[] = [];
  for (const directory of directories) {
    const file = pathsOf(place).join(directory, ".mcp.json");
    if (directory !== project.cwd && !place.files.exists(file)) continue;
    files.push({ directory, file, servers: serversIn(readJsonObject(file)) });
  }
  return files.map((file, index) => {
    const how = { file, nearer: files.slice(0, index), isCopied: target !== null };
    return {
      list: {
        ...STATE,
        scope: "project",
        file: file.file,
        path: ["mcpServers"],
        directory: file.directory,
        shared: true,
      },
      leave: (entry, wrapped) => commonReason(context, entry, wrapped) ?? sharedReason(context, entry, how),
      shadowIn: target,
      lock: target === null ? null : lockOf(target.file),
    };
  });
}

function serversIn(content: JsonObject): JsonObject {
  return asObject(member(content, "mcpServers"));
}

/** A project's name in the state file. On Windows both kinds of slashes have been in use. */
function keyIn({ platform }: Place, projects: JsonObject, directory: string): string {
  const forward = directory.replaceAll("\\", "/");
  return platform !== "win32" || member(projects, directory) !== undefined ? directory : forward;
}

/** What the host makes while it writes its state. */
function lockOf(file: string): string {
  return `${file}.lock`;
}
