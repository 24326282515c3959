import { resolve } from "node:path";
import type { CopyRow } from "../../../hosts/claude-code/copy-rows.ts";
import { CLAUDE_CODE } from "../../../hosts/claude-code/host.ts";
import { planCopiesRemoval } from "../../../hosts/claude-code/plan-copies-removal.ts";
import { leftReason } from "../../../hosts/entry/left.ts";
import type { Place } from "../../../hosts/host.ts";
import { HOSTS } from "../../../hosts/hosts.ts";
import { Ledger, type LedgerRow, ledgerPath, type SetUp } from "../../../hosts/ledger.ts";
import { changeLedger } from "../../../hosts/plan/apply.ts";
import { entryRowsOf, programsOf } from "../../../hosts/plan/entry-rows.ts";
import { planHooksRemoval } from "../../../hosts/plan/plan-hooks.ts";
import { planUninstall } from "../../../hosts/plan/plan-uninstall.ts";
import { planUnknown } from "../../../hosts/plan/plan-unknown.ts";
import type { CliContext } from "../context.ts";
import { namedHosts } from "./host-choice.ts";
import { homeForEntries } from "./install.ts";
import { type Job, runJobs } from "./jobs.ts";
import { SOME_HOST } from "./other-file.ts";
import { isOwnHook } from "./own-hooks.ts";
import { identify, placeOf } from "./place.ts";
import { locksIn, type Reader, readersOf } from "./readers.ts";
import { type Report, reportOf, type ServerReport } from "./report.ts";
import { otherDirectories, setUpDirectory, withoutPlace } from "./scope-setup.ts";
import { checkServerNames, ownEntries, serverNames } from "./server-names.ts";
import { mayShowWord } from "./shown-words.ts";

/**
 * `bir uninstall` as a use case: takes back what the ledger knows. Without `all` that is what an install in this directory
 * would touch, and of that nothing which other directories need. Prints nothing.
 */

export interface UninstallOrder {
  all: boolean;
  hosts: readonly string[] | undefined;
  servers: readonly string[] | undefined;
  config: string | undefined;
  dryRun: boolean;
}

export interface Uninstalled extends Report {
  /** Files elsewhere that have something of ours. */
  elsewhere: number;
}

export async function uninstall(context: CliContext, order: UninstallOrder): Promise<Uninstalled> {
  const place = placeOf(context);
  const ledger = Ledger.read(ledgerPath(context.home));
  const choice = new Choice(context, place, order, ledger.setUp);
  const known = ledger.rows.filter((row) => row.name !== "" && row.state !== "undone" && choice.isOfHost(row));
  const readers = readersOf(
    namedHosts(order.hosts).filter((host) => host.isThere(place)),
    place,
    { inPlace: true, version: null },
  );
  const names = order.servers === undefined ? [] : unknownNames(readers);
  checkServerNames(order.servers ?? null, [...new Set([...known.map(({ name }) => name), ...names])].sort());
  const jobs = (rows: readonly LedgerRow[]) => [...jobsFor(rows, choice, place), ...unknownJobs(readers, order, place)];
  const done = await runJobs(jobs, {
    home: context.home,
    isDryRun: order.dryRun,
    locks: locksIn(readersOf([CLAUDE_CODE], place, { inPlace: false, version: null })),
    mayShow: mayShowWord([...context.executableWords, homeForEntries(context) ?? "", ...wordsOf(ledger.rows)]),
  });
  if (!order.dryRun && !choice.isNarrow) {
    await changeLedger((now) => {
      now.setUp = order.all ? { everywhere: false, directories: [] } : withoutPlace(now.setUp, setUpDirectory(place));
    }, context.home);
  }
  const report = reportOf([...HOSTS, SOME_HOST], done, order.dryRun, ({ why }) =>
    why === null ? null : leftReason(why),
  );
  const live = ledger.rows.filter(({ state }) => state !== "undone");
  for (const row of live.filter((one) => choice.isKept(one))) {
    for (const host of report.hosts) if (row.hosts.includes(host.id)) host.servers.push(keptReport(row, choice.others));
  }
  if (!choice.isNarrow) tellUnknown(report, readers, context.home);
  const rest = live.filter((row) => !choice.isMeant(row) && !choice.isKept(row));
  return {
    ...report,
    hosts: report.hosts.filter(({ servers, hooks }) => servers.length + hooks.length > 0),
    elsewhere: choice.isNarrow ? 0 : new Set(rest.map(({ file }) => file)).size,
  };
}

function jobsFor(rows: readonly LedgerRow[], choice: Choice, place: Place): Job[] {
  const isMeant = (row: LedgerRow) => choice.isMeant(row);
  const [list] = CLAUDE_CODE.lists(place);
  // Last in, first out: then each finds its text as it was written.
  return [
    ...(list === undefined ? [] : planCopiesRemoval(rows, list.shape, isMeant)).map(
      (task): Job => ({ kind: "copies", task }),
    ),
    ...planUninstall(rows, { hosts: null, servers: null, file: null, isMeant }).map(
      (task): Job => ({ kind: "entries", task }),
    ),
    ...planHooksRemoval(rows, isOwnHook, isMeant).map((task): Job => ({ kind: "hooks", task })),
  ];
}

/** Entries that run bir and that a person names, whoever wrote them. */
function unknownJobs(readers: readonly Reader[], { servers, config }: UninstallOrder, place: Place): Job[] {
  if (servers === undefined || config !== undefined) return [];
  return readers.flatMap(({ host, lists }) =>
    lists
      .filter(({ list }) => place.files.exists(list.file))
      .map(({ list }): Job => ({ kind: "entries", task: planUnknown(host, list, servers) })),
  );
}

/** Entries that still run bir and that no install has written: they are told of, and left to the person. */
function tellUnknown(report: Report, readers: readonly Reader[], home: string): void {
  const rows = Ledger.read(ledgerPath(home)).rows;
  const programs = programsOf(entryRowsOf(rows));
  const keyOf = (file: string, name: string) => JSON.stringify([identify(file), name]);
  const known = new Set(rows.filter(({ state }) => state !== "undone").map(({ file, name }) => keyOf(file, name)));
  for (const { host, lists } of readers) {
    const told = report.hosts.find(({ id }) => id === host.id)?.servers ?? [];
    for (const { list } of lists) {
      const { scope, directory, file } = list;
      for (const { name, line } of ownEntries(list, programs)) {
        if (known.has(keyOf(file, name))) continue;
        const reason = `it still runs bir, and no install has written it: bir uninstall --server ${JSON.stringify(name)}`;
        told.push({ name, what: "unknown", scope, directory, file, line, copy: false, code: null, reason });
      }
    }
  }
}

function unknownNames(readers: readonly Reader[]): string[] {
  return serverNames(
    readers.flatMap(({ lists }) => lists.map(({ list }) => list)),
    ({ isOurs }) => isOurs,
  );
}

/** Names of servers, and ways to start the executable. */
function wordsOf(rows: readonly LedgerRow[]): string[] {
  return rows.flatMap((row) => [row.name, ...(row.kind === "entry" ? row.executableWords : [])]);
}

/** Which rows are meant. */
class Choice {
  /** Something was named, so it is meant wherever it is needed. */
  readonly isNarrow: boolean;
  /** Other directories in which recording is set up. */
  readonly others: readonly string[];
  readonly #all: boolean;
  readonly #hosts: readonly string[] | null;
  readonly #servers: readonly string[] | null;
  readonly #file: string | null;
  readonly #directories: ReadonlySet<string>;

  constructor({ cwd }: CliContext, place: Place, order: UninstallOrder, setUp: SetUp) {
    const { all, hosts, servers, config } = order;
    this.#all = all;
    this.#hosts = hosts === undefined ? null : namedHosts(hosts).map(({ id }) => id);
    this.#servers = servers ?? null;
    this.#file = config === undefined ? null : identify(resolve(cwd, config));
    this.isNarrow = hosts !== undefined || servers !== undefined || config !== undefined;
    const here = setUpDirectory(place);
    this.others = all ? [] : otherDirectories(setUp, here);
    const lists = HOSTS.flatMap((host) => host.lists(place));
    this.#directories = new Set([here, cwd, ...lists.flatMap(({ directory }) => directory ?? [])]);
  }

  isOfHost(row: LedgerRow): boolean {
    return this.#hosts === null || row.hosts.some((id) => this.#hosts?.includes(id));
  }

  isMeant(row: LedgerRow): boolean {
    return this.#isChosen(row) && !this.isKept(row);
  }

  /** For the whole user, and needed in other directories. */
  isKept(row: LedgerRow): boolean {
    if (this.isNarrow || this.others.length === 0 || row.kind === "hooks") return false;
    return row.scope === "user" && this.#isChosen(row);
  }

  #isChosen(row: LedgerRow): boolean {
    if (!this.isOfHost(row)) return false;
    if (this.#servers !== null && !this.#servers.includes(row.name)) return false;
    if (this.#file !== null) return this.#files(row).some((file) => identify(file) === this.#file);
    return this.#all || row.directory === null || this.#directories.has(row.directory);
  }

  /** What a row is about: of a copy also the file that it is of. */
  #files(row: LedgerRow): string[] {
    return row.kind === "added" && "source" in row ? [row.file, (row as CopyRow).source.file] : [row.file];
  }
}

function keptReport({ name, scope, directory, file }: LedgerRow, others: readonly string[]): ServerReport {
  const [first = ""] = others;
  const more = others.length > 1 ? ` and ${others.length - 1} more` : "";
  const reason = `recording is set up in ${first}${more}, too`;
  return { name, what: "kept", scope, directory, file, line: null, copy: false, code: null, reason };
}
