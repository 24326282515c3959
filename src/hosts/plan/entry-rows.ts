import type { ConfigPath } from "../edit/config-text.ts";
import type { Trace } from "../entry/unwrap-entry.ts";
import type { ServerList } from "../host.ts";
import type { EntryRow, LedgerRow } from "../ledger.ts";

/** The ledger's rows of servers, as plans look at them. Pure. */

export function entryRowsOf(rows: readonly LedgerRow[]): EntryRow[] {
  return rows.filter((row): row is EntryRow => row.kind === "entry");
}

/** The rows of one server: more than one where a change may not have been made. */
export function rowsFor(rows: readonly EntryRow[], path: ConfigPath, name: string): EntryRow[] {
  return rows.filter((row) => row.name === name && samePath(row.path, path));
}

/** The list that a row's server was in. */
export function listOf({ scope, file, format, path, shape, directory }: EntryRow): ServerList {
  return { scope, file, format, path, shape, directory };
}

export function traceOf({ undo, made, executableWords }: EntryRow): Trace {
  return { undo, made, executableWords };
}

/** Every way to start the executable that entries may have been written with. */
export function programsOf(rows: readonly EntryRow[]): string[][] {
  return rows.map((row) => row.executableWords);
}

export function samePath(a: ConfigPath, b: ConfigPath): boolean {
  return a.length === b.length && a.every((step, i) => step === b[i]);
}
