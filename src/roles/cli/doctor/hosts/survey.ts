import { Problem } from "../../../../core/problem.ts";
import { ConfigSyntaxError } from "../../../../hosts/edit/config-text.ts";
import { formatOf } from "../../../../hosts/edit/formats.ts";
import { lineAndColumn } from "../../../../hosts/edit/text-place.ts";
import { readEntries, type ServerEntry } from "../../../../hosts/entry/server-entry.ts";
import type { Host, Place, ServerList } from "../../../../hosts/host.ts";
import { HOSTS } from "../../../../hosts/hosts.ts";
import { Ledger, type LedgerRow, ledgerPath } from "../../../../hosts/ledger.ts";
import { readState } from "../../../../hosts/safe-write.ts";
import { type Installed, install } from "../../install/install.ts";
import { readersOfFile, SOME_HOST } from "../../install/other-file.ts";
import { identify, placeOf } from "../../install/place.ts";
import { shortPath } from "../../install/short-path.ts";
import type { DoctorInput } from "../check.ts";

/** Hosts and their servers as they are here and now: looked at once for all checks of one run. Changes nothing. */

export interface SurveyedServer {
  host: Host;
  list: ServerList;
  entry: ServerEntry;
  /** For messages: the name and the place. */
  where: string;
  /** What install has put in; null where it has not. */
  row: LedgerRow | null;
}

export interface Survey {
  place: Place;
  hosts: readonly Host[];
  /** In the order of precedence within a host. */
  servers: readonly SurveyedServer[];
  /** What install would do. */
  outlook: Installed;
  /** Of the ledger, without those that were taken back. */
  rows: readonly LedgerRow[];
}

const surveys = new WeakMap<DoctorInput, Promise<Survey>>();

/** The survey of one run of the doctor. Throws a `Problem` for a ledger that cannot be read. */
export function surveyFor(input: DoctorInput): Promise<Survey> {
  const known = surveys.get(input);
  if (known !== undefined) return known;
  const survey = lookAround(input);
  surveys.set(input, survey);
  return survey;
}

async function lookAround({ context }: DoctorInput): Promise<Survey> {
  const place = placeOf(context);
  const rows = Ledger.read(ledgerPath(context.home)).rows.filter(({ state }) => state !== "undone");
  const hosts = HOSTS.filter((host) => host.isThere(place));
  const known = hosts.flatMap((host) => host.lists(place).map((list) => ({ host, list })));
  const lists = [...known, ...(await namedLists(rows, place))];
  const servers = lists.flatMap(({ host, list }) =>
    entriesIn(list, rows).map(({ entry, line }): SurveyedServer => {
      const where = `server ${JSON.stringify(entry.name)} in ${shortPath(list.file, context)}:${line}`;
      return { host, list, entry, where, row: rowOf(rows, list, entry) };
    }),
  );
  const outlook = await install(context, {
    hosts: undefined,
    servers: undefined,
    config: undefined,
    user: false,
    mcpJson: false,
    hooks: true,
    correlation: true,
    dryRun: true,
  });
  return { place, hosts, servers, outlook, rows };
}

/** Of files that install has changed because they were named, and that no application here is known to read. */
async function namedLists(rows: readonly LedgerRow[], place: Place): Promise<{ host: Host; list: ServerList }[]> {
  const isMeant = ({ directory }: LedgerRow) => directory === null || identify(directory) === identify(place.cwd);
  const named = rows.filter((row) => row.kind === "entry" && row.hosts.includes(SOME_HOST.id) && isMeant(row));
  const found: { host: Host; list: ServerList }[] = [];
  for (const file of new Set(named.map((row) => row.file))) {
    try {
      const readers = await readersOfFile(file, [], HOSTS, place);
      found.push(...readers.flatMap(({ lists }) => lists.map(({ list }) => ({ host: SOME_HOST, list }))));
    } catch (cause) {
      // It is gone, or holds no list any more: told where rows are looked at.
      if (!(cause instanceof Problem || cause instanceof ConfigSyntaxError)) throw cause;
    }
  }
  return found;
}

/** None of a file that cannot be read: that is told elsewhere. */
function entriesIn(list: ServerList, rows: readonly LedgerRow[]): { entry: ServerEntry; line: number }[] {
  const programs = rows.flatMap((row) => (row.kind === "entry" ? [row.executableWords] : []));
  try {
    const state = readState(list.file);
    if (state.bytes === null) return [];
    const document = formatOf(list.format).parse(state.text);
    return readEntries(list, document, programs).map((entry) => {
      return { entry, line: lineAndColumn(document.text, entry.node.start).line };
    });
  } catch (cause) {
    if (cause instanceof Problem || cause instanceof ConfigSyntaxError) return [];
    throw cause;
  }
}

function rowOf(rows: readonly LedgerRow[], { file, path }: ServerList, { name }: ServerEntry): LedgerRow | null {
  const isIt = (row: LedgerRow) => row.file === file && row.name === name && Bun.deepEquals(row.path, path);
  return rows.find((row) => row.kind !== "hooks" && isIt(row)) ?? null;
}
