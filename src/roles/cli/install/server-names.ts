import { EXIT } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { ConfigSyntaxError } from "../../../hosts/edit/config-text.ts";
import { formatOf } from "../../../hosts/edit/formats.ts";
import { lineAndColumn } from "../../../hosts/edit/text-place.ts";
import { readEntries, type ServerEntry } from "../../../hosts/entry/server-entry.ts";
import type { ServerList } from "../../../hosts/host.ts";
import { readState } from "../../../hosts/safe-write.ts";
import { closest } from "../text/closest.ts";

/** Servers as a person names them on the command line. */

/** Throws a `Problem` for a name that none of the known ones is. */
export function checkServerNames(wanted: readonly string[] | null, known: readonly string[]): void {
  for (const name of wanted ?? []) {
    if (known.includes(name)) continue;
    const near = closest(name, known) ?? known.find((one) => one.toLowerCase() === name.toLowerCase()) ?? null;
    throw new Problem("unknown-server", `there is no server ${JSON.stringify(name)}`, hintFor(near, known), EXIT.usage);
  }
}

function hintFor(near: string | null, known: readonly string[]): string {
  if (near !== null) return `Did you mean ${JSON.stringify(near)}?`;
  return known.length === 0
    ? "No server was found at all."
    : `There are ${known.map((one) => JSON.stringify(one)).join(", ")}.`;
}

/** The names of all servers in these lists, or of those that are `meant`; of files that cannot be read, none. */
export function serverNames(
  lists: readonly ServerList[],
  meant: (entry: ServerEntry) => boolean = () => true,
): string[] {
  return [...new Set(lists.flatMap((list) => namesIn(list, meant)))].sort();
}

/** The entries of a list that run bir, and where they begin; of a file that cannot be read, none. */
export function ownEntries(list: ServerList, programs: readonly string[][]): { name: string; line: number }[] {
  return entriesIn(list, programs)
    .filter(({ entry }) => entry.isOurs)
    .map(({ entry, text }) => ({ name: entry.name, line: lineAndColumn(text, entry.node.start).line }));
}

function namesIn(list: ServerList, meant: (entry: ServerEntry) => boolean): string[] {
  return entriesIn(list, [])
    .filter(({ entry }) => meant(entry))
    .map(({ entry }) => entry.name);
}

function entriesIn(list: ServerList, programs: readonly string[][]): { entry: ServerEntry; text: string }[] {
  try {
    const { text } = readState(list.file);
    const document = formatOf(list.format).parse(text);
    return readEntries(list, document, programs).map((entry) => ({ entry, text: document.text }));
  } catch (cause) {
    if (cause instanceof Problem || cause instanceof ConfigSyntaxError) return [];
    throw cause;
  }
}
