import type { ConfigFormatId, ConfigPath } from "./edit/config-text.ts";
import type { EntryShape, Place, ServerList } from "./host.ts";
import { joinIn } from "./place-paths.ts";

/** Builds the lists of a host. Looks at nothing. */

/** What the lists of one host have in common. */
export interface ListKind {
  format: ConfigFormatId;
  path: ConfigPath;
  shape: EntryShape;
}

/** A list for the whole user. */
export function userList(kind: ListKind, file: string): ServerList {
  return { scope: "user", file, ...kind, directory: null };
}

/** A list for a directory: the file's path is given below it. */
export function projectList(kind: ListKind, place: Place, directory: string, ...file: string[]): ServerList {
  return { scope: "project", file: joinIn(place, directory, ...file), ...kind, directory };
}

/** The same without those of a file that stood there before: a project's file is the user's own where the project is the home. */
export function withoutRepeats(place: Place, lists: readonly ServerList[]): ServerList[] {
  const fold = (file: string) => (place.platform === "win32" ? file.toLowerCase() : file);
  const keyOf = ({ file, path }: ServerList) => JSON.stringify([fold(file), path]);
  const users = new Set(lists.filter(({ scope }) => scope === "user").map(keyOf));
  const seen = new Set<string>();
  return lists.filter((list) => {
    const key = keyOf(list);
    if (seen.has(key) || (list.scope !== "user" && users.has(key))) return false;
    seen.add(key);
    return true;
  });
}
