import type { ConfigDocument, ConfigPath, TextEdit } from "../edit/config-text.ts";
import { applyEdits, formatOf } from "../edit/formats.ts";
import { changeValue } from "./entry-change.ts";
import { isLeft, type Left, left } from "./left.ts";
import { makeChanges } from "./make-changes.ts";
import type { ServerEntry } from "./server-entry.ts";
import { type Undo, undoEdits } from "./undo.ts";
import { unwrapChanges } from "./unwrap-changes.ts";
import type { Made } from "./wrap-order.ts";

/**
 * Takes the proxy out of entries again: byte for byte where the entry is as it was written, else only what is ours, with all
 * that has been changed since kept. Never touches an entry that does not run bir. Pure.
 */

/** What is known of how an entry came to run bir. */
export interface Trace {
  undo: Undo | null;
  made: Made;
  executableWords: readonly string[];
}

/** An entry and its traces; several where one change may not have been made. */
export interface TracedEntry {
  entry: ServerEntry;
  traces: readonly Trace[];
}

export interface UnwrappedText {
  document: ConfigDocument;
  /** `isExact`: the very text that was there; else what is ours was taken out of a text that somebody has changed. */
  unwrapped: { entry: ServerEntry; isExact: boolean }[];
  left: { entry: ServerEntry; why: Left }[];
}

export function unwrapEntries(document: ConfigDocument, wanted: readonly TracedEntry[]): UnwrappedText {
  const ours = wanted.filter(({ entry }) => entry.isOurs);
  const exact = unwrapExactly(document, ours);
  const result: UnwrappedText = {
    document: exact.document,
    unwrapped: exact.unwrapped.map((entry) => ({ entry, isExact: true })),
    left: wanted.filter(({ entry }) => !entry.isOurs).map(({ entry }) => ({ entry, why: left("not-ours") })),
  };
  for (const { entry, traces } of ours) {
    if (exact.unwrapped.includes(entry)) continue;
    const out = takeOut(result.document, entry, traces);
    if (isLeft(out)) result.left.push({ entry, why: out });
    else {
      result.document = out;
      result.unwrapped.push({ entry, isExact: false });
    }
  }
  return result;
}

/** Only those entries whose text can be given back as it was; the others stay. */
export function unwrapExactly(
  document: ConfigDocument,
  wanted: readonly TracedEntry[],
): { document: ConfigDocument; unwrapped: ServerEntry[] } {
  const unwrapped: ServerEntry[] = [];
  const edits: TextEdit[] = [];
  for (const { entry, traces } of wanted) {
    const found = exactEdits(document, entry.path, traces);
    if (found === null || !isApart(edits, found)) continue;
    edits.push(...found);
    unwrapped.push(entry);
  }
  if (edits.length === 0) return { document, unwrapped };
  const together = edited(document, edits, unwrapped);
  if (together !== null) return { document: together, unwrapped };
  // Something has come between the parts of one of them: those of which that is not so, one after the other.
  return wanted.length === 1 ? { document, unwrapped: [] } : oneByOne(document, wanted);
}

function oneByOne(
  document: ConfigDocument,
  wanted: readonly TracedEntry[],
): { document: ConfigDocument; unwrapped: ServerEntry[] } {
  const unwrapped: ServerEntry[] = [];
  let now = document;
  for (const one of wanted) {
    const alone = unwrapExactly(now, [one]);
    now = alone.document;
    unwrapped.push(...alone.unwrapped);
  }
  return { document: now, unwrapped };
}

/** The document with the edits made; null where that is none, or changes anything but these entries. */
function edited(
  document: ConfigDocument,
  edits: readonly TextEdit[],
  entries: readonly ServerEntry[],
): ConfigDocument | null {
  try {
    const after = formatOf(document.format).parse(applyEdits(document.text, edits));
    const without = ({ root }: ConfigDocument): unknown => {
      return changeValue(
        root.value,
        entries.map(({ path }) => ({ kind: "replace", path, value: null })),
      );
    };
    return Bun.deepEquals(without(document), without(after), true) ? after : null;
  } catch {
    return null;
  }
}

function exactEdits(document: ConfigDocument, at: ConfigPath, traces: readonly Trace[]): TextEdit[] | null {
  for (const { undo } of traces) {
    const edits = undo === null ? null : undoEdits(document, undo, at);
    if (edits !== null) return edits;
  }
  return null;
}

/** Changes of values, for an entry that is not as it was written. */
function takeOut(document: ConfigDocument, entry: ServerEntry, traces: readonly Trace[]): ConfigDocument | Left {
  const changes = unwrapChanges(
    entry,
    traces.at(-1)?.made ?? null,
    traces.map((trace) => trace.executableWords),
  );
  if (isLeft(changes)) return changes;
  try {
    return makeChanges(document, [{ at: entry.path, changes }]).document;
  } catch {
    return left("round-trip");
  }
}

function isApart(edits: readonly TextEdit[], others: readonly TextEdit[]): boolean {
  return edits.every((one) =>
    others.every((other) => one.offset + one.length <= other.offset || other.offset + other.length <= one.offset),
  );
}
