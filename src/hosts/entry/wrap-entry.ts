import type { ConfigDocument, ConfigPath } from "../edit/config-text.ts";
import { applyEdits } from "../edit/formats.ts";
import { nodeAt } from "../edit/text-place.ts";
import type { EntryShape } from "../host.ts";
import { changeValue, type EntryChange } from "./entry-change.ts";
import { isLeft, type Left, left } from "./left.ts";
import { type Changed, makeChanges } from "./make-changes.ts";
import type { Gap, Rewrite } from "./rewrite.ts";
import type { ServerEntry } from "./server-entry.ts";
import { makeUndo, type Undo, undoEdits } from "./undo.ts";
import { wrapChanges } from "./wrap-changes.ts";
import type { Made, WrapOrder } from "./wrap-order.ts";

/**
 * Wraps entries in the text of their file, and proves at once that this can be taken back byte for byte: an entry for which
 * it cannot is left. The proof is made with nothing but what the ledger will hold. Pure.
 */

/** One entry that was wrapped. */
export interface Wrapped {
  entry: ServerEntry;
  made: Made;
  undo: Undo;
}

export interface WrappedText {
  document: ConfigDocument;
  wrapped: Wrapped[];
  left: { entry: ServerEntry; why: Left }[];
}

interface Job {
  entry: ServerEntry;
  at: ConfigPath;
  changes: EntryChange[];
  made: Made;
}

/** Wraps all entries that can be, each as its order says. */
export function wrapEntries(
  document: ConfigDocument,
  wanted: readonly { entry: ServerEntry; order: WrapOrder }[],
): WrappedText {
  const jobs: Job[] = [];
  const kept: WrappedText["left"] = [];
  for (const { entry, order } of wanted) {
    const found = wrapChanges(entry, order);
    if (isLeft(found)) kept.push({ entry, why: found });
    else jobs.push({ entry, at: entry.path, ...found });
  }
  if (jobs.length === 0) return { document, wrapped: [], left: kept };
  const together = attempt(document, jobs);
  if (!isLeft(together)) return { ...together, left: kept };
  // Something in one of them cannot be given back: each is tried by itself, then all that can.
  const good: Job[] = [];
  for (const job of jobs) {
    const alone = attempt(document, [job]);
    if (isLeft(alone)) kept.push({ entry: job.entry, why: alone });
    else good.push(job);
  }
  const rest = good.length === 0 ? { document, wrapped: [] } : attempt(document, good);
  if (!isLeft(rest)) return { ...rest, left: kept };
  // Each can be, and all together cannot: so none is.
  return { document, wrapped: [], left: [...kept, ...good.map(({ entry }) => ({ entry, why: rest }))] };
}

function attempt(
  document: ConfigDocument,
  jobs: readonly Job[],
): { document: ConfigDocument; wrapped: Wrapped[] } | Left {
  let changed: Changed;
  try {
    changed = makeChanges(document, jobs);
  } catch {
    return left("round-trip");
  }
  if (!isAsMeant(document, changed.document, jobs)) return left("round-trip");
  const gaps = gapsByOwner(changed.rewrite, jobs.length);
  if (gaps === null) return left("round-trip");
  const wrapped: Wrapped[] = [];
  for (const [index, { entry, made, at }] of jobs.entries()) {
    const undo = makeUndo({
      before: document,
      after: changed.document,
      anchor: at,
      gaps: gaps[index] ?? [],
      isWhole: true,
      plainWords: typeWords(entry.list.shape),
    });
    if (undo === null) return left("comment-in-the-way");
    wrapped.push({ entry, made, undo });
  }
  const back = undoAll(
    changed.document,
    wrapped.map(({ undo }) => undo),
  );
  return back === document.text ? { document: changed.document, wrapped } : left("round-trip");
}

/** The text with everything taken back; null where that cannot be done exactly. */
export function undoAll(document: ConfigDocument, undos: readonly Undo[]): string | null {
  const edits = [];
  for (const undo of undos) {
    const found = undoEdits(document, undo);
    if (found === null) return null;
    edits.push(...found);
  }
  try {
    return applyEdits(document.text, edits);
  } catch {
    return null;
  }
}

/** What a program reads is what was meant, in the entries and everywhere else. */
function isAsMeant(before: ConfigDocument, after: ConfigDocument, jobs: readonly Job[]): boolean {
  const placed: EntryChange[] = jobs.map(({ at, changes }) => ({
    kind: "replace",
    path: at,
    value: changeValue(nodeAt(before.root, at)?.value, changes),
  }));
  return Bun.deepEquals(changeValue(before.root.value, placed), after.root.value, true);
}

function gapsByOwner(rewrite: Rewrite, count: number): Gap[][] | null {
  const found: Gap[][] = Array.from({ length: count }, () => []);
  for (const gap of rewrite.gaps()) {
    const mine = gap.owner === null ? undefined : found[gap.owner];
    if (mine === undefined) return null;
    mine.push(gap);
  }
  return found;
}

/** Words that a type may be: known ones are no secret. */
function typeWords({ type, remote }: EntryShape): string[] {
  return type === null ? [] : [type.stdio, "stdio", "local", ...Object.keys(remote?.types ?? {})];
}
