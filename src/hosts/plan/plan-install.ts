import type { ConfigDocument, ConfigPath } from "../edit/config-text.ts";
import { lineAndColumn, nodeAt } from "../edit/text-place.ts";
import { type Left, left } from "../entry/left.ts";
import { readEntries, type ServerEntry } from "../entry/server-entry.ts";
import { unwrapExactly } from "../entry/unwrap-entry.ts";
import { wrapEntries } from "../entry/wrap-entry.ts";
import type { WrapOrder } from "../entry/wrap-order.ts";
import { wrappedWords } from "../entry/wrapped-words.ts";
import type { Host, ServerList } from "../host.ts";
import type { EntryRow } from "../ledger.ts";
import { entryRowsOf, programsOf, rowsFor, samePath, traceOf } from "./entry-rows.ts";
import type { FilePlan, FileTask, Outcome, What } from "./outcome.ts";

/**
 * What install does to each file that hosts keep their servers in: which entries are wrapped, which are left and why. One
 * file is one task, however many hosts read it. Pure.
 */

/** A list of servers and the host that reads it. */
export interface Target {
  host: Host;
  list: ServerList;
}

export interface InstallOptions {
  /** How the executable is started: its absolute path, and words behind it where there are any. */
  executableWords: readonly [string, ...string[]];
  /** Null where it is the default. */
  birHome: string | null;
  /** Only these; null: all. */
  servers: readonly string[] | null;
  /** False: `--no-correlation` is written into the entries. */
  correlation: boolean;
  /** Two paths are one file when this gives the same for both. */
  identify?: (file: string) => string;
  /**
   * What else says that an entry is to be left, such as a host's policy. `wrapped` is the command line that it would get, the
   * executable first; empty where it cannot be wrapped.
   */
  veto?: (entry: ServerEntry, hosts: readonly Host[], wrapped: readonly string[]) => Left | null;
}

/** A list that may be one and the same for several hosts. */
interface SharedList {
  list: ServerList;
  hosts: Host[];
}

interface Found {
  shared: SharedList;
  entry: ServerEntry;
}

/** One task for each file. */
export function planInstall(targets: readonly Target[], options: InstallOptions): FileTask[] {
  const identify = options.identify ?? ((file: string) => file);
  const files = new Map<string, SharedList[]>();
  for (const { host, list } of targets) {
    const file = identify(list.file);
    const lists = files.get(file) ?? [];
    files.set(file, lists);
    const same = lists.find((one) => samePath(one.list.path, list.path));
    if (same === undefined) lists.push({ list, hosts: [host] });
    else if (!same.hosts.includes(host)) same.hosts.push(host);
  }
  return [...files.values()].flatMap((lists) => {
    const [first] = lists;
    if (first === undefined) return [];
    const { file, format } = first.list;
    return [{ file, format, plan: (document, rows) => planFile(document, lists, entryRowsOf(rows), options) }];
  });
}

/** `keep`: entries of ours that cannot be written anew, as paths. */
function planFile(
  document: ConfigDocument | null,
  lists: readonly SharedList[],
  rows: readonly EntryRow[],
  options: InstallOptions,
  keep: readonly ConfigPath[] = [],
): FilePlan {
  if (document === null) return { after: null, outcomes: [], rows: [], retire: [] };
  const outcomes: Outcome[] = [];
  const programs = [[...options.executableWords], ...programsOf(rows)];
  const read = (shared: SharedList, from: ConfigDocument) => readEntries(shared.list, from, programs);
  const say = ({ shared, entry }: Found, what: What, why: Left | null = null) =>
    outcomes.push(outcomeOf(document, shared, entry, what, why));

  const fresh: Found[] = [];
  const ours: (Found & { rows: EntryRow[] })[] = [];
  for (const shared of lists) {
    for (const entry of read(shared, document)) {
      if (options.servers !== null && !options.servers.includes(entry.name)) continue;
      const found = { shared, entry };
      const why = entry.isOurs ? null : reasonBefore(found, options);
      if (why !== null) say(found, "left", why);
      else if (!entry.isOurs) fresh.push(found);
      else ours.push({ ...found, rows: rowsFor(rows, shared.list.path, entry.name) });
    }
  }
  // One of ours that is as it was written is taken back and wrapped anew: where nothing is different, to the same text.
  const renewable = ours.filter((one) => one.rows.length > 0 && !keep.some((path) => samePath(path, one.entry.path)));
  const back = unwrapExactly(
    document,
    renewable.map((one) => ({ entry: one.entry, traces: one.rows.map(traceOf) })),
  );
  const renewing = renewable.filter((one) => back.unwrapped.includes(one.entry));
  for (const one of ours) if (!renewing.includes(one)) say(one, "already");

  const wanted = [...renewing, ...fresh].flatMap((found) => {
    const entry = read(found.shared, back.document).find((one) => samePath(one.path, found.entry.path));
    return entry === undefined ? [] : [{ found, entry, order: orderFor(found, options) }];
  });
  const done = wrapEntries(back.document, wanted);
  const lost = renewing.filter((one) => done.left.some(({ entry }) => samePath(entry.path, one.entry.path)));
  if (lost.length > 0) {
    return planFile(document, lists, rows, options, [...keep, ...lost.map((one) => one.entry.path)]);
  }
  const result: FilePlan = { after: done.document.text, outcomes, rows: [], retire: [] };
  for (const { found, entry } of wanted) {
    const why = done.left.find((one) => one.entry === entry)?.why ?? null;
    const wrapped = done.wrapped.find((one) => one.entry === entry);
    if (wrapped === undefined) say(found, "left", why);
    else {
      const { scope, directory, file, format, path, shape } = found.shared.list;
      const { undo, made } = wrapped;
      const hosts = found.shared.hosts.map((host) => host.id);
      const where = { hosts, scope, directory, file, format, path, name: entry.name };
      const executableWords = [...options.executableWords];
      result.rows.push({ kind: "entry", ...where, state: "pending", shape, executableWords, made, undo });
      say(found, whatBecame(found.entry, done.document));
    }
  }
  return result;
}

function whatBecame(entry: ServerEntry, after: ConfigDocument): What {
  if (!entry.isOurs) return "wrapped";
  return Bun.deepEquals(entry.node.value, nodeAt(after.root, entry.path)?.value) ? "already" : "renewed";
}

function reasonBefore({ shared, entry }: Found, options: InstallOptions): Left | null {
  if (shared.hosts.every((host) => host.reservedNames.includes(entry.name))) return left("reserved-name");
  if (options.veto === undefined) return null;
  return options.veto(entry, shared.hosts, wrappedWords(entry, orderFor({ shared, entry }, options)));
}

function orderFor({ shared, entry }: Found, options: InstallOptions): WrapOrder {
  const { list, hosts } = shared;
  const flags: string[] = [];
  if (list.scope === "user" && hosts.some((host) => host.hasProjectLists)) flags.push("--scope", "user");
  if (hosts.some((host) => !host.restartsServers)) flags.push("--restart");
  if (!options.correlation) flags.push("--no-correlation");
  const expansions = hosts.map((host) => host.expansion);
  return {
    executableWords: options.executableWords,
    flags,
    birHome: options.birHome,
    // One that runs bir already was asked for then.
    isNamed: entry.isOurs || options.servers?.includes(entry.name) === true,
    passesVariables: hosts.map((host) => host.passesVariables).find((one) => one !== null) ?? null,
    expansion: expansions.find((one) => one?.inEnv === false) ?? expansions.find((one) => one !== null) ?? null,
  };
}

function outcomeOf(
  document: ConfigDocument,
  { list, hosts }: SharedList,
  entry: ServerEntry,
  what: What,
  why: Left | null,
): Outcome {
  return {
    what,
    hosts: hosts.map((host) => host.id),
    scope: list.scope,
    directory: list.directory,
    file: list.file,
    server: entry.name,
    line: lineAndColumn(document.text, entry.node.start).line,
    why: why?.left ?? null,
  };
}
