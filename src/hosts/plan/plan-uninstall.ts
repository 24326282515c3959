import type { ConfigDocument } from "../edit/config-text.ts";
import { lineAndColumn } from "../edit/text-place.ts";
import { readEntries, type ServerEntry } from "../entry/server-entry.ts";
import { unwrapEntries } from "../entry/unwrap-entry.ts";
import { type EntryRow, type LedgerRow, rowKey } from "../ledger.ts";
import { entryRowsOf, listOf, programsOf, traceOf } from "./entry-rows.ts";
import type { FilePlan, FileTask, Outcome, What } from "./outcome.ts";

/**
 * What uninstall does to each file that the ledger names: gives back the text that was there, or takes out what is ours of
 * what somebody has changed since. Entries that the ledger does not know are not touched. Pure.
 */

export interface UninstallOptions {
  /** Ids; null: all. */
  hosts: readonly string[] | null;
  /** Only these; null: all. */
  servers: readonly string[] | null;
  /** Only this file; null: all. */
  file: string | null;
  /** What else has to be true of a row. */
  isMeant?: (row: EntryRow) => boolean;
}

/** One task for each file. */
export function planUninstall(rows: readonly LedgerRow[], options: UninstallOptions): FileTask[] {
  const files = new Map<string, EntryRow>();
  for (const row of entryRowsOf(rows)) if (isMeant(row, options)) files.set(row.file, row);
  return [...files.values()].map(({ file, format }) => ({
    file,
    format,
    plan: (document, now) =>
      planFile(
        document,
        entryRowsOf(now).filter((row) => isMeant(row, options)),
      ),
  }));
}

function isMeant(row: EntryRow, { hosts, servers, file, isMeant: also }: UninstallOptions): boolean {
  return (
    also?.(row) !== false &&
    (hosts === null || row.hosts.some((id) => hosts.includes(id))) &&
    (servers === null || servers.includes(row.name)) &&
    (file === null || row.file === file)
  );
}

function planFile(document: ConfigDocument | null, rows: readonly EntryRow[]): FilePlan {
  const outcomes: Outcome[] = [];
  const retire: string[] = [];
  const found: { entry: ServerEntry; rows: EntryRow[] }[] = [];
  for (const known of byPlace(rows).values()) {
    const [row] = known;
    if (row === undefined) continue;
    const entries = document === null ? [] : readEntries(listOf(row), document, programsOf(known));
    const entry = entries.findLast((one) => one.name === row.name && one.isOurs);
    if (entry !== undefined) found.push({ entry, rows: known });
    else {
      // What was taken back before is no news.
      if (known.some((one) => one.state !== "undone")) outcomes.push(outcomeOf(row, document, null, "gone"));
      retire.push(rowKey(row));
    }
  }
  if (document === null) return { after: null, outcomes, rows: [], retire };
  const back = unwrapEntries(
    document,
    found.map(({ entry, rows: known }) => ({ entry, traces: known.map(traceOf) })),
  );
  for (const { entry, rows: known } of found) {
    const [row] = known;
    if (row === undefined) continue;
    const kept = back.left.find((one) => one.entry === entry);
    const done = back.unwrapped.find((one) => one.entry === entry);
    if (done === undefined) {
      outcomes.push({ ...outcomeOf(row, document, entry, "conflict"), why: kept?.why.left ?? null });
    } else {
      outcomes.push(outcomeOf(row, document, entry, done.isExact ? "unwrapped" : "taken-out"));
      retire.push(rowKey(row));
    }
  }
  return { after: back.document.text, outcomes, rows: [], retire };
}

function byPlace(rows: readonly EntryRow[]): Map<string, EntryRow[]> {
  const places = new Map<string, EntryRow[]>();
  for (const row of rows) places.set(rowKey(row), [...(places.get(rowKey(row)) ?? []), row]);
  return places;
}

function outcomeOf(row: EntryRow, document: ConfigDocument | null, entry: ServerEntry | null, what: What): Outcome {
  return {
    what,
    hosts: row.hosts,
    scope: row.scope,
    directory: row.directory,
    file: row.file,
    server: row.name,
    line: entry === null || document === null ? null : lineAndColumn(document.text, entry.node.start).line,
    why: null,
  };
}
