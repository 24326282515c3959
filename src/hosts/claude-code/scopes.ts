import type { HostVersion } from "../../core/host-version.ts";
import type { LeftCode } from "../entry/left.ts";
import type { ServerEntry } from "../entry/server-entry.ts";
import type { Host, Place, ServerList } from "../host.ts";

/**
 * What a host says beside `Host` that reads its servers from several scopes at once and has rules about them: which entry
 * counts, which may not be touched, where a change is made instead. For planning; types only.
 */

/** What is asked about one entry: its name, and what it starts or connects to. */
export type EntryFacts = Pick<ServerEntry, "name" | "command" | "args" | "url" | "transport">;

/** Why an entry is left. The sentence is a closer one than the code has: it may name files, but no value of an entry. */
export interface HostReason {
  code: LeftCode;
  /** The end of a sentence such as "files is left: …", without a final stop. */
  why: string;
}

/** One list with the host's rules for its entries. */
export interface ScopedList {
  list: ServerList;
  /**
   * Why an entry is left as it is; null where it may be wrapped. `wrapped` are the words of the entry once it is wrapped, the
   * executable first. Not for entries that run bir already.
   */
  leave(entry: EntryFacts, wrapped: readonly string[]): HostReason | null;
  /**
   * The list that gets a wrapped copy of the entry, under the same name, in place of a change in `list`: the host then uses
   * the copy. Null: the entry itself is changed.
   */
  shadowIn: ServerList | null;
  /** A directory that the host makes while it writes the file, and that keeps it from writing as long as it is there. */
  lock: string | null;
}

/** A server that the host has from elsewhere and that cannot be recorded. */
export interface ForeignServer {
  /** As the host names it. */
  name: string;
  /** The file that it comes from. */
  file: string;
  /** Why it is left, one sentence without its final stop. */
  reason: string;
}

export interface ScopeOptions {
  /** Entries of files that are shared with others are changed where they are. */
  inPlace: boolean;
  /** Of the installed host; null where it is not known. */
  version: HostVersion | null;
  /** Where the machine's administrator has put rules; the host's own directory for it when not given. */
  managedDirectory?: string;
}

/** A settings file that takes hooks. */
export interface HookFile {
  /** Absolute; need not exist. */
  file: string;
  format: "json";
  scope: "user" | "local";
}

/** A host with scopes and with hooks in its settings. */
export interface ScopedHost extends Host {
  /** Every list that it reads here, the one that wins first. */
  scopedLists(place: Place, options: ScopeOptions): ScopedList[];
  /** Servers that it has and that are in none of the lists. */
  foreignServers(place: Place, options: ScopeOptions): ForeignServer[];
  /** Where hooks go for this directory, or for everything this person does with the host. */
  hookFiles(place: Place, scope: "user" | "local", version: HostVersion | null): HookFile[];
  /** Why hooks in these files would not run, one sentence without its final stop; null where nothing is known against it. */
  hooksRefused(place: Place, options: ScopeOptions): string | null;
  /** True where git would show a change of a settings file to the person. */
  isSeenByGit(place: Place, file: string): Promise<boolean>;
  /** The version that is installed, the oldest of several; null where none is found or none answers. May take seconds. */
  installedVersion(place: Place): Promise<HostVersion | null>;
}
