import { isAbsolute, resolve } from "node:path";
import { EXIT } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import type { Host, Place, ServerList } from "../../../hosts/host.ts";
import { HOSTS } from "../../../hosts/hosts.ts";
import { formatOfFile, listInFile } from "../../../hosts/plan/config-file.ts";
import { readSettled } from "../../../hosts/plan/settled-read.ts";
import { UNKNOWN_FORMS } from "../../../hosts/shapes.ts";
import { identify } from "./place.ts";
import type { Reader } from "./readers.ts";

/** A configuration file that a person names: a known host's own, or any other, whose form its keys tell. */

/** Who reads files that no known host is known to read. */
export const SOME_HOST: Host = {
  id: "file",
  name: "Another application",
  verified: false,
  isThere: () => true,
  lists: () => [],
  movedBy: [],
  hasProjectLists: false,
  expansion: UNKNOWN_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Start it again.",
  reservedNames: [],
  notes: [],
};

/** The file as it is read by `hosts`, where one of them reads it here; else by its keys. Throws a `Problem` where that fails. */
export async function readersOfFile(
  typed: string,
  readers: readonly Reader[],
  hosts: readonly Host[],
  place: Place,
): Promise<Reader[]> {
  const file = isAbsolute(typed) ? typed : resolve(place.cwd, typed);
  const known = readers.flatMap(({ host, lists }) => {
    const own = lists.filter(({ list }) => identify(list.file) === identify(file));
    return own.length === 0 ? [] : [{ host, lists: own }];
  });
  const present = known.filter((reader) => reader.host.isThere(place));
  if (present.length > 0) return present;
  // The rules for what is shared are those of hosts that are here; where none is, the file is taken as it is.
  const own = known.filter((reader) => reader.lists.every(({ list }) => list.shared !== true));
  if (own.length > 0) return own;
  const host = hosts.length === 1 ? (hosts[0] ?? SOME_HOST) : SOME_HOST;
  const forms = host === SOME_HOST ? HOSTS : [host];
  const list = await listIn(
    file,
    forms.flatMap((one) => one.lists(place)),
  );
  return [{ host, lists: [{ list, leave: () => null, shadowIn: null, lock: null }] }];
}

async function listIn(file: string, known: readonly ServerList[]): Promise<ServerList> {
  const { document } = await readSettled(file, formatOfFile(file));
  if (document === null) {
    throw new Problem("no-such-file", `there is no file ${file}`, "Name one that is there.", EXIT.usage);
  }
  const list = listInFile(file, document, known);
  if (list !== null) return list;
  const keys = [...new Set(known.map(({ path }) => path.join(".")).filter((key) => !/[/\\]/.test(key)))];
  throw new Problem(
    "no-servers-in-file",
    `${file} has no list of MCP servers that bir knows`,
    `It looks for one under ${keys.join(", ")}.`,
  );
}
