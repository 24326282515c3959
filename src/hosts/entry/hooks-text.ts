import type { ConfigDocument, ConfigNode } from "../edit/config-text.ts";
import { applyEdits, formatOf } from "../edit/formats.ts";
import { nodeAt } from "../edit/text-place.ts";
import type { EntryChange } from "./entry-change.ts";
import { type Left, left } from "./left.ts";
import { makeChanges } from "./make-changes.ts";
import { memberOf } from "./nodes.ts";
import { makeUndo, type Undo, undoEdits } from "./undo.ts";
import { undoAll } from "./wrap-entry.ts";

/**
 * Hooks in settings of the shape `{hooks: {EVENT: [{matcher?, hooks: [{type, command, …}]}]}}`, as text: ours are appended
 * beside those of others, and only ours are taken out again. Which hooks, and which are ours, is for the caller to say. Pure.
 */

/** What to put in: groups by event, as they are to stand there. */
export type HookGroups = Readonly<Record<string, readonly unknown[]>>;

/** Tells a handler of ours by its value. */
export type IsOurHook = (handler: Readonly<Record<string, unknown>>) => boolean;

/** What was made beside the groups: `hooks` itself, and the lists of events that had none. */
export interface MadeLists {
  hooks: boolean;
  events: string[];
}

export interface InsertedHooks {
  document: ConfigDocument;
  made: MadeLists;
  /** Null where the exact text cannot be given back; `removeHooks` still finds what is ours. */
  undo: Undo | null;
}

export interface RemovedHooks {
  document: ConfigDocument;
  isExact: boolean;
  /** Handlers that were taken out; 0 when there were none of ours. */
  count: number;
}

/** Puts groups behind those that are there. What is ours already has to be removed first. */
export function insertHooks(document: ConfigDocument, groups: HookGroups): InsertedHooks | Left {
  if (document.root.kind !== "object") return left("hooks-form");
  const hooks = memberOf(document.root, "hooks");
  const made: MadeLists = { hooks: hooks === null, events: [] };
  const changes: EntryChange[] = [];
  if (hooks === null) {
    made.events = Object.keys(groups);
    changes.push({ kind: "add", path: [], key: "hooks", value: groups });
  } else if (hooks.kind !== "object") return left("hooks-form");
  else {
    for (const [event, values] of Object.entries(groups)) {
      const list = memberOf(hooks, event);
      if (list === null) {
        made.events.push(event);
        changes.push({ kind: "add", path: ["hooks"], key: event, value: values });
      } else if (list.kind !== "array") return left("hooks-form");
      else changes.push({ kind: "insert", path: ["hooks", event], index: list.elements.length, values });
    }
  }
  if (changes.length === 0) return { document, made, undo: null };
  try {
    const changed = makeChanges(document, [{ at: [], changes }]);
    const undo = makeUndo({
      before: document,
      after: changed.document,
      anchor: [],
      gaps: changed.rewrite.gaps(),
      isWhole: false,
      plainWords: [],
    });
    const isProven = undo !== null && undoAll(changed.document, [undo]) === document.text;
    return { document: changed.document, made, undo: isProven ? undo : null };
  } catch {
    return left("round-trip");
  }
}

/** Takes out every handler of ours, and what was made for them and is empty now. Without `made` nobody else's list is empty. */
export function removeHooks(
  document: ConfigDocument,
  isOurs: IsOurHook,
  known: { made: MadeLists; undo: Undo | null } | null,
): RemovedHooks | Left {
  const count = countOurs(document, isOurs);
  if (count === 0) return { document, isExact: false, count };
  const exact = known === null || known.undo === null ? null : undoEdits(document, known.undo);
  if (exact !== null) {
    const back = formatOf(document.format).parse(applyEdits(document.text, exact));
    if (countOurs(back, isOurs) === 0) return { document: back, isExact: true, count };
  }
  try {
    const changes = removals(document.root, isOurs, known?.made ?? null);
    return { document: makeChanges(document, [{ at: [], changes }]).document, isExact: false, count };
  } catch {
    return left("round-trip");
  }
}

export function countOurs(document: ConfigDocument, isOurs: IsOurHook): number {
  const hooks = nodeAt(document.root, ["hooks"]);
  let count = 0;
  for (const { value: list } of hooks?.members ?? []) {
    for (const group of list.elements) count += oursIn(group, isOurs).length;
  }
  return count;
}

/** From the last to the first, so that each stands where it stood when its turn comes. */
function removals(root: ConfigNode, isOurs: IsOurHook, made: MadeLists | null): EntryChange[] {
  const hooks = memberOf(root, "hooks");
  if (hooks === null) return [];
  const changes: EntryChange[] = [];
  let eventsLeft = hooks.members.length;
  for (const { key: event, value: list } of hooks.members) {
    const found: EntryChange[] = [];
    let groupsLeft = list.elements.length;
    for (const [index, group] of [...list.elements.entries()].reverse()) {
      const ours = oursIn(group, isOurs);
      if (ours.length === 0) continue;
      if (ours.length === memberOf(group, "hooks")?.elements.length) {
        found.push({ kind: "take", path: ["hooks", event], index, count: 1 });
        groupsLeft--;
      } else {
        for (const at of ours.reverse()) {
          found.push({ kind: "take", path: ["hooks", event, index, "hooks"], index: at, count: 1 });
        }
      }
    }
    if (found.length > 0 && groupsLeft === 0 && (made === null || made.events.includes(event))) {
      changes.push({ kind: "remove", path: ["hooks", event] });
      eventsLeft--;
    } else changes.push(...found);
  }
  return eventsLeft === 0 && (made === null || made.hooks) ? [{ kind: "remove", path: ["hooks"] }] : changes;
}

/** Indices of our handlers in a group. */
function oursIn(group: ConfigNode, isOurs: IsOurHook): number[] {
  const found: number[] = [];
  for (const [index, { kind, value }] of (memberOf(group, "hooks")?.elements ?? []).entries()) {
    if (kind === "object" && isOurs(value as Record<string, unknown>)) found.push(index);
  }
  return found;
}
