import type { ScopedHost, ScopedList, ScopeOptions } from "../../../hosts/claude-code/scopes.ts";
import { leftReason } from "../../../hosts/entry/left.ts";
import type { Host, Place, ServerList } from "../../../hosts/host.ts";
import { serverNames } from "./server-names.ts";

/** Which host reads which lists of servers here, and what is to be asked before an entry is changed. */

export interface Reader {
  host: Host;
  /** The one that wins first. */
  lists: ScopedList[];
}

export function readersOf(hosts: readonly Host[], place: Place, options: ScopeOptions): Reader[] {
  return hosts.map((host) => ({ host, lists: listsOf(host, place, options) }));
}

function listsOf(host: Host, place: Place, options: ScopeOptions): ScopedList[] {
  if (isScoped(host)) return host.scopedLists(place, options);
  const lists = host.lists(place);
  return lists.map((list) => {
    const others = host.mergesEntries === true ? lists.filter((one) => one !== list) : [];
    return plain(list, options, new Set(serverNames(others)));
  });
}

/** Files and the locks that their host takes while it changes them. */
export function locksIn(readers: readonly Reader[]): Map<string, string> {
  const locks = new Map<string, string>();
  for (const { list, shadowIn, lock } of readers.flatMap(({ lists }) => lists)) {
    if (lock !== null) locks.set((shadowIn ?? list).file, lock);
  }
  return locks;
}

export function isScoped(host: Host): host is ScopedHost {
  return "scopedLists" in host;
}

/**
 * A list of a host without rules of its own: what is shared with others is left unless a person asks for it, and so is what has a part in
 * another file.
 */
function plain(list: ServerList, { inPlace }: ScopeOptions, elsewhere: ReadonlySet<string>): ScopedList {
  const isShared = list.shared === true && !inPlace;
  const leave: ScopedList["leave"] = ({ name }) => {
    if (!isShared && !elsewhere.has(name)) return null;
    const code = isShared ? "shared-file" : "merged";
    return { code, why: leftReason(code) };
  };
  return { list, leave, shadowIn: null, lock: null };
}
