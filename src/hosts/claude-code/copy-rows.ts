import type { ConfigDocument, ConfigPath } from "../edit/config-text.ts";
import { applyEdits, formatOf } from "../edit/formats.ts";
import { nodeAt } from "../edit/text-place.ts";
import { makeChanges } from "../entry/make-changes.ts";
import { makeUndo, undoEdits } from "../entry/undo.ts";
import type { ServerList } from "../host.ts";
import { type AddedRow, type LedgerRow, rowKey } from "../ledger.ts";

/**
 * Wrapped copies of servers in a list that wins over the one they are from, as text: put in, and taken out again. The ledger
 * knows them by where they are and by a hash, never by a value. Pure.
 */

export interface CopyRow extends AddedRow {
  /** SHA-256 of the copy's value: a host that writes its file anew may set it differently. */
  valueSha256: string;
  /** Where the server is that the copy stands in for. */
  source: { file: string; path: ConfigPath };
}

export interface Copy {
  name: string;
  value: unknown;
  source: CopyRow["source"];
}

export function copyRowsOf(rows: readonly LedgerRow[], list?: Pick<ServerList, "path">): CopyRow[] {
  const copies = rows.filter((row): row is CopyRow => row.kind === "added" && "valueSha256" in row && "source" in row);
  return list === undefined ? copies : copies.filter(({ path }) => Bun.deepEquals(path, list.path));
}

/** What a row says of the file as it is: nothing of that name, the copy as it was written, or something else. */
export function stateOf(document: ConfigDocument, row: CopyRow): "gone" | "as-written" | "changed" {
  const node = nodeAt(document.root, [...row.path, row.name]);
  if (node === null) return "gone";
  return valueHash(node.value) === row.valueSha256 ? "as-written" : "changed";
}

/** Of rows for one and the same copy the last: there are several while a change is under way. */
export function lastOfEach(rows: readonly CopyRow[]): CopyRow[] {
  return rows.filter((row, index) => rows.findLastIndex((other) => rowKey(other) === rowKey(row)) === index);
}

export function valueHash(value: unknown): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(value)).digest("hex");
}

/** Adds copies at the end of their list. Throws what the format throws where that cannot be done. */
export function putCopies(
  document: ConfigDocument,
  list: ServerList,
  copies: readonly Copy[],
  hosts: string[],
): { document: ConfigDocument; rows: CopyRow[] } {
  const { scope, directory, file, format, path } = list;
  const rows: CopyRow[] = [];
  let now = document;
  for (const { name, value, source } of copies) {
    const made = path.map((_, index) => path.slice(0, index + 1)).filter((above) => nodeAt(now.root, above) === null);
    const changed = makeChanges(now, [{ at: [], changes: [{ kind: "add", path, key: name, value }] }]);
    const undo = makeUndo({
      before: now,
      after: changed.document,
      anchor: (made[0] ?? [...path, name]).slice(0, -1),
      gaps: changed.rewrite.gaps(),
      isWhole: false,
      plainWords: [],
    });
    const place = { hosts, scope, directory, file, format, path: [...path], name };
    rows.push({ kind: "added", ...place, state: "pending", undo, made, valueSha256: valueHash(value), source });
    now = changed.document;
  }
  return { document: now, rows };
}

/** Takes out the copies of these rows, the last first, and what was made for them where it is empty then. */
export function takeOutCopies(
  document: ConfigDocument,
  rows: readonly CopyRow[],
): { document: ConfigDocument; inexact: CopyRow[] } {
  const format = formatOf(document.format);
  const inexact: CopyRow[] = [];
  let now = document;
  for (const row of rows.toReversed()) {
    const at = [...row.path, row.name];
    const edits = row.undo === null ? null : undoEdits(now, row.undo);
    const back = edits === null ? null : format.parse(applyEdits(now.text, edits));
    if (back !== null && nodeAt(back.root, at) === null) now = back;
    else if (nodeAt(now.root, at) !== null) {
      inexact.push(row);
      now = format.parse(applyEdits(now.text, format.removeMember(now, at)));
    }
  }
  const made = rows.flatMap((row) => row.made).sort((a, b) => b.length - a.length);
  for (const path of made) {
    const node = nodeAt(now.root, path);
    if (node?.kind !== "object" || node.members.length > 0) continue;
    now = format.parse(applyEdits(now.text, format.removeMember(now, path)));
  }
  return { document: now, inexact };
}
