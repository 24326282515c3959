import type { ConfigFormatId, ConfigPath } from "./edit/config-text.ts";

/**
 * What is known of one host application: where it keeps its MCP servers, how an entry looks there, and how it behaves. One file a host,
 * listed in hosts.ts; a new host is one such file and a folder of fixtures. Types only.
 */

export type Scope = "user" | "project" | "local";

/** Where a host would look, from this person and this directory. Everything a host file may know of the machine. */
export interface Place {
  platform: NodeJS.Platform;
  userHome: string;
  cwd: string;
  /** Of the person's shell; a host's own variables for its directories are read from it. */
  env: Readonly<Record<string, string | undefined>>;
  files: PlaceFiles;
}

/** What may be asked of the disk. Nothing throws: what cannot be read is not there. */
export interface PlaceFiles {
  exists(path: string): boolean;
  /** Names in a directory, sorted; none where there is no such directory. */
  names(directory: string): readonly string[];
}

/** One list of servers in one file. */
export interface ServerList {
  scope: Scope;
  /** Absolute; need not exist. */
  file: string;
  format: ConfigFormatId;
  /** Where in the file the servers are: an object by name, or a list of entries that hold their name. */
  path: ConfigPath;
  shape: EntryShape;
  /** The directory that a project or local list is for; null for the whole user. */
  directory: string | null;
  /** A `.mcp.json`: it belongs to all who share the project, and to several hosts. Changed only where a person asks for it. */
  shared?: true;
}

/** How the entries of a list look: which key holds what. Keys that are not named here stay as they are. */
export interface EntryShape {
  /** The key of an object in the entry that holds all the keys below; an entry without it holds them itself. */
  nested: string | null;
  /** Servers by key, or a list of entries whose name is under this key. */
  names: "keys" | { nameKey: string };
  /** The program: a string under `command` and words under `args`, or one array of words. */
  command: { kind: "command-and-args"; command: string; args: string } | { kind: "argv"; key: string };
  /** Variables for the program, as an object. */
  env: string;
  /** The kind of an entry: the key and what stands there for a program; null where a host has no such key. */
  type: { key: string; stdio: string } | null;
  /** Remote entries: keys that may hold the URL, the key of the headers, types by transport. Null: the host has none. */
  remote: RemoteShape | null;
}

export interface RemoteShape {
  urlKeys: readonly { key: string; transport: "http" | "sse" | null }[];
  headers: string | null;
  /** Values of the type key that mean a remote server, and by what transport; null: the URL's key says it, or it is found out. */
  types: Readonly<Record<string, "http" | "sse" | null>>;
  /** A key that names a variable whose value is the bearer token. */
  bearerVariable: string | null;
  /** Keys that say, unless they hold `false`, that the host signs in itself: such an entry is left, unless it is named. */
  signIn: readonly string[];
  /** Keys that change how the host connects in a way that the proxy cannot: such an entry is left, always. */
  cannotMove: readonly string[];
}

/** Texts that a host replaces in an entry's values before it uses them, such as `${VAR}`. They stay for the host to replace. */
export interface Expansion {
  /** Global; finds each such text. Use it with `matchAll` only. */
  pattern: RegExp;
  /** In the values of variables too. Where not, a header with such a text cannot become a variable. */
  inEnv: boolean;
}

export interface Host {
  /** Kebab-case; stable; what `--host` takes. */
  id: string;
  /** As people write it. */
  name: string;
  /** Seen with the real application, or only read in its documentation. */
  verified: boolean;
  /** True where something says that this person uses the host. Looks at files only. */
  isThere(place: Place): boolean;
  /** All of them, in the order of the host's own precedence: what comes first wins for a name. No list stands twice. */
  lists(place: Place): ServerList[];
  /** Variables that move its files. */
  movedBy: readonly string[];
  /** Entries of one name in several of its files become one, key by key: one of them alone says nothing of what is run. */
  mergesEntries?: true;
  /** It looks for servers in projects too, so an entry for the whole user has to be told which projects are meant. */
  hasProjectLists: boolean;
  /** Null: it replaces nothing. */
  expansion: Expansion | null;
  /** How it names the tool of a server to its model, e.g. `mcp__files__read`; null where nobody has seen it. */
  toolName: ((server: string, tool: string) => string) | null;
  /** True where it starts a server that died again; else `--restart` is written. */
  restartsServers: boolean;
  /** Only these variables reach a server: others have to be listed under this key. Null: it gives all. */
  passesVariables: { listKey: string } | null;
  /** What a person does for a change to be taken up, one sentence. */
  reload: string;
  /** Names that the host keeps for itself. */
  reservedNames: readonly string[];
  /** What else a person should know, one sentence each; for the page of hosts. */
  notes: readonly string[];
}
