import type { ConfigDocument } from "../edit/config-text.ts";
import { lineAndColumn, nodeAt } from "../edit/text-place.ts";
import { type LeftCode, left } from "../entry/left.ts";
import { readEntries, readWords, type ServerEntry } from "../entry/server-entry.ts";
import { wrapEntries } from "../entry/wrap-entry.ts";
import type { Host, ServerList } from "../host.ts";
import { rowKey } from "../ledger.ts";
import type { FilePlan, FileTask, Outcome, What } from "../plan/outcome.ts";
import type { InstallOptions } from "../plan/plan-install.ts";
import {
  type Copy,
  type CopyRow,
  copyRowsOf,
  lastOfEach,
  putCopies,
  stateOf,
  takeOutCopies,
  valueHash,
} from "./copy-rows.ts";
import type { ScopedList } from "./scopes.ts";

/**
 * What install does about servers that are shared with others: a wrapped copy of each goes into the list that wins. Copies of
 * servers that are no longer there, or no longer approved, go out again. One task for the list that they go into. Pure.
 */

/** A list of shared servers as it was read; `document` is null where there is no file. */
export interface CopySource {
  scoped: ScopedList;
  document: ConfigDocument | null;
}

export type CopyOptions = Pick<InstallOptions, "executableWords" | "birHome" | "servers" | "correlation">;

interface Judged {
  copies: Copy[];
  outcomes: (Outcome & { what: "left" })[];
}

interface Order {
  host: Host;
  target: ServerList;
  judged: Judged;
  executableWords: readonly string[];
}

/** `sources` come in the order of their precedence; all are for copies in `target`. */
export function planCopies(
  host: Host,
  target: ServerList,
  sources: readonly CopySource[],
  options: CopyOptions,
): FileTask {
  const judged = judge(host, sources, options);
  const { executableWords } = options;
  const files = sources.map(({ scoped }) => scoped.list.file);
  const isMeant = ({ name, source }: CopyRow) =>
    files.includes(source.file) && (options.servers === null || options.servers.includes(name));
  return {
    file: target.file,
    format: target.format,
    plan: (document, rows) =>
      planFile({ host, target, judged, executableWords }, document, copyRowsOf(rows, target).filter(isMeant)),
  };
}

function planFile(
  { host, target, judged, executableWords }: Order,
  document: ConfigDocument | null,
  rows: readonly CopyRow[],
): FilePlan {
  const say = (copy: Pick<Copy, "name">, what: What, why: LeftCode | null = null) =>
    outcomeOf(host, target, document, copy.name, what, why);
  const outcomes: Outcome[] = [...judged.outcomes];
  if (document === null) {
    // The host has never run here, so nobody has approved anything in it.
    outcomes.push(...judged.copies.map((copy) => say(copy, "left", "not-approved")));
    return { after: null, outcomes, rows: [], retire: [] };
  }
  const known = lastOfEach(rows.filter((row) => stateOf(document, row) === "as-written"));
  const cleared = takeOutCopies(document, known).document;
  // What is still there is not as we wrote it: the person's own, or one of ours that they have changed since.
  const others = readEntries(target, cleared, [executableWords]);
  const wanted: Copy[] = [];
  for (const copy of judged.copies) {
    const other = others.find(({ name }) => name === copy.name);
    if (other === undefined) wanted.push(copy);
    else outcomes.push(other.isOurs ? say(copy, "already") : say(copy, "left", "hidden"));
  }
  const isWanted = (row: CopyRow) => judged.copies.some(({ name }) => name === row.name);
  const gone = lastOfEach(rows.filter((row) => stateOf(document, row) === "gone" && !isWanted(row)));
  outcomes.push(...gone.filter(({ state }) => state !== "undone").map((row) => say(row, "gone")));
  const unchanged = (list: Outcome[], kept: CopyRow[]): FilePlan => {
    return { after: document.text, outcomes: list, rows: kept, retire: gone.map(rowKey) };
  };
  const same = (copy: Copy) =>
    known.some(({ name, valueSha256 }) => name === copy.name && valueSha256 === valueHash(copy.value));
  const stale = known.filter((row) => !wanted.some(({ name }) => name === row.name));
  if (stale.length === 0 && wanted.every(same)) {
    return unchanged([...outcomes, ...wanted.map((copy) => say(copy, "already"))], known);
  }
  try {
    const put = putCopies(cleared, target, wanted, [host.id]);
    if (takeOutCopies(put.document, put.rows).document.text !== cleared.text) throw new RangeError("not to be undone");
    for (const copy of wanted) {
      const isKnown = known.some(({ name }) => name === copy.name);
      outcomes.push(say(copy, same(copy) ? "already" : isKnown ? "renewed" : "wrapped"));
    }
    outcomes.push(...stale.map((row) => say(row, "unwrapped")));
    return { after: put.document.text, outcomes, rows: put.rows, retire: [...gone, ...stale].map(rowKey) };
  } catch {
    return unchanged([...outcomes, ...wanted.map((copy) => say(copy, "left", left("round-trip").left))], known);
  }
}

/** What is to be copied, and what is left and why: of a name the nearest counts. */
function judge(host: Host, sources: readonly CopySource[], options: CopyOptions): Judged {
  const judged: Judged = { copies: [], outcomes: [] };
  for (const { scoped, document } of sources) {
    if (document === null) continue;
    for (const entry of readEntries(scoped.list, document, [options.executableWords])) {
      if (options.servers !== null && !options.servers.includes(entry.name)) continue;
      // One that runs bir where it is needs no copy.
      if (entry.isOurs) continue;
      const copy = copyOf(host, scoped, document, entry, options);
      if (typeof copy !== "string") judged.copies.push(copy);
      else {
        const outcome = outcomeOf(host, scoped.list, document, entry.name, "left", copy);
        judged.outcomes.push({ ...outcome, what: "left" });
      }
    }
  }
  return judged;
}

function copyOf(
  host: Host,
  { list, leave }: ScopedList,
  document: ConfigDocument,
  entry: ServerEntry,
  options: CopyOptions,
): Copy | LeftCode {
  const order = {
    executableWords: options.executableWords,
    flags: options.correlation ? [] : ["--no-correlation"],
    birHome: options.birHome,
    isNamed: options.servers?.includes(entry.name) === true,
    passesVariables: host.passesVariables,
    expansion: host.expansion,
  };
  const done = wrapEntries(document, [{ entry, order }]);
  const node = nodeAt(done.document.root, entry.path);
  const words = node === null ? null : readWords(list.shape, node);
  const [kept] = done.left;
  const reason = leave(entry, words ?? []);
  if (reason !== null) return reason.code;
  if (kept !== undefined) return kept.why.left;
  if (node === null || words === null) return left("round-trip").left;
  return { name: entry.name, value: node.value, source: { file: list.file, path: entry.path } };
}

function outcomeOf(
  host: Host,
  { scope, directory, file, path }: ServerList,
  document: ConfigDocument | null,
  server: string,
  what: What,
  why: LeftCode | null,
): Outcome {
  const node = document === null ? null : nodeAt(document.root, [...path, server]);
  const line = node === null || document === null ? null : lineAndColumn(document.text, node.start).line;
  return { what, hosts: [host.id], scope, directory, file, server, line, why };
}
