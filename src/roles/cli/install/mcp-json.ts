import type { Place, ServerList } from "../../../hosts/host.ts";
import { HOSTS } from "../../../hosts/hosts.ts";
import { joinPath } from "../../../kit/paths.ts";
import { SOME_HOST } from "./other-file.ts";
import { identify } from "./place.ts";
import type { Reader } from "./readers.ts";

/** The shared `.mcp.json` of a project, where no host that is known to read it is on this machine. Reads and writes no file. */

/** Its list of servers; null where there is no such file, or a host that is here reads it. */
export function unreadMcpJson(place: Place): ServerList | null {
  const file = joinPath(place.cwd, ".mcp.json");
  if (!place.files.exists(file)) return null;
  const isIt = (list: ServerList) => identify(list.file) === identify(file);
  if (HOSTS.some((host) => host.isThere(place) && host.lists(place).some(isIt))) return null;
  return HOSTS.flatMap((host) => host.lists(place)).find(isIt) ?? null;
}

/** Who reads it all the same: the file is meant, so nobody's rules are asked. */
export function readersOfMcpJson(place: Place): Reader[] {
  const list = unreadMcpJson(place);
  return list === null ? [] : [{ host: SOME_HOST, lists: [{ list, leave: () => null, shadowIn: null, lock: null }] }];
}
