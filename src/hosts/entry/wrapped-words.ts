import { changeValue } from "./entry-change.ts";
import { isLeft } from "./left.ts";
import type { ServerEntry } from "./server-entry.ts";
import { wrapChanges } from "./wrap-changes.ts";
import type { WrapOrder } from "./wrap-order.ts";

/** The command line that an entry will have once it is wrapped, without touching any text. Pure. */

/** The executable first; empty for an entry that cannot be wrapped. */
export function wrappedWords(entry: ServerEntry, order: WrapOrder): string[] {
  const found = wrapChanges(entry, order);
  if (isLeft(found)) return [];
  const value = changeValue(entry.node.value, found.changes) as Record<string, unknown>;
  const { command } = entry.list.shape;
  const words = command.kind === "argv" ? value[command.key] : [value[command.command], ...asList(value[command.args])];
  return asList(words).map(String);
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
