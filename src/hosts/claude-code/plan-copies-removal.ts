import type { ConfigDocument } from "../edit/config-text.ts";
import { lineAndColumn, nodeAt } from "../edit/text-place.ts";
import type { LeftCode } from "../entry/left.ts";
import { readEntries } from "../entry/server-entry.ts";
import { unwrapEntries } from "../entry/unwrap-entry.ts";
import type { EntryShape } from "../host.ts";
import { type LedgerRow, rowKey } from "../ledger.ts";
import type { FilePlan, FileTask, Outcome, What } from "../plan/outcome.ts";
import { type CopyRow, copyRowsOf, lastOfEach, stateOf, takeOutCopies } from "./copy-rows.ts";

/**
 * What uninstall does about copies: one that is as it was written goes, one that somebody has changed since stays where it is
 * without the proxy. Pure.
 */

/** One task for each file that the ledger names. */
export function planCopiesRemoval(
  rows: readonly LedgerRow[],
  shape: EntryShape,
  isMeant: (row: CopyRow) => boolean = () => true,
): FileTask[] {
  const files = new Map(
    copyRowsOf(rows)
      .filter(isMeant)
      .map((row) => [row.file, row]),
  );
  return [...files.values()].map(({ file, format }) => ({
    file,
    format,
    plan: (document, now) => planFile(document, copyRowsOf(now).filter(isMeant), shape),
  }));
}

function planFile(document: ConfigDocument | null, rows: readonly CopyRow[], shape: EntryShape): FilePlan {
  const retire = rows.map(rowKey);
  const say = (row: CopyRow, what: What, why: LeftCode | null = null) => outcomeOf(document, row, what, why);
  // What was taken out before is no news.
  const gone = (row: CopyRow) => (row.state === "undone" ? [] : [say(row, "gone")]);
  if (document === null) return { after: null, outcomes: rows.flatMap(gone), rows: [], retire };
  const isWritten = (row: CopyRow) => stateOf(document, row) === "as-written";
  const out = lastOfEach(rows.filter(isWritten));
  const others = lastOfEach(rows).filter((row) => !out.some((one) => rowKey(one) === rowKey(row)));
  const outcomes = out.map((row) => say(row, "unwrapped"));
  let now = takeOutCopies(document, out).document;
  const conflicts: CopyRow[] = [];
  for (const row of others) {
    const list = { ...row, shape };
    const entry = readEntries(list, now, []).find(({ name }) => name === row.name);
    if (entry === undefined || !entry.isOurs) {
      outcomes.push(...gone(row));
      continue;
    }
    const back = unwrapEntries(now, [{ entry, traces: [] }]);
    const [kept] = back.left;
    if (kept !== undefined) conflicts.push(row);
    now = back.document;
    outcomes.push(kept === undefined ? say(row, "taken-out") : say(row, "conflict", kept.why.left));
  }
  const isConflict = (key: string) => conflicts.some((row) => rowKey(row) === key);
  return { after: now.text, outcomes, rows: [], retire: retire.filter((key) => !isConflict(key)) };
}

function outcomeOf(document: ConfigDocument | null, row: CopyRow, what: What, why: LeftCode | null): Outcome {
  const { hosts, scope, directory, file, path, name } = row;
  const node = document === null ? null : nodeAt(document.root, [...path, name]);
  const line = node === null || document === null ? null : lineAndColumn(document.text, node.start).line;
  return { what, hosts, scope, directory, file, server: name, line, why };
}
