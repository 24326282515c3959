import type { ConfigDocument, ConfigFormatId } from "../edit/config-text.ts";
import { formatOf } from "../edit/formats.ts";
import { type HookGroups, type InsertedHooks, type IsOurHook, insertHooks, removeHooks } from "../entry/hooks-text.ts";
import { isLeft, type Left } from "../entry/left.ts";
import type { Scope } from "../host.ts";
import { type HooksRow, type LedgerRow, rowKey } from "../ledger.ts";
import type { FilePlan, FileTask, Outcome } from "./outcome.ts";

/** Hooks in a settings file as a task: put in beside those of others, and taken out again. Which ones, the caller says. Pure. */

export interface HooksOrder {
  /** Ids. */
  hosts: string[];
  scope: Scope;
  directory: string | null;
  file: string;
  format: ConfigFormatId;
  groups: HookGroups;
  isOurs: IsOurHook;
  /** Directories above the file that are to be made, the innermost first. */
  missingDirectories: string[];
}

/** Puts the hooks in; older ones of ours give way to them. */
export function planHooks(order: HooksOrder): FileTask {
  const { file, format } = order;
  return { file, format, plan: (document, rows) => planFile(document, hooksRowsOf(rows), order) };
}

/** Takes the hooks out of every file that the ledger names for these hosts. */
export function planHooksRemoval(
  rows: readonly LedgerRow[],
  isOurs: IsOurHook,
  isMeant: (row: HooksRow) => boolean = () => true,
): FileTask[] {
  const files = new Map(
    hooksRowsOf(rows)
      .filter(isMeant)
      .map((row) => [row.file, row]),
  );
  return [...files.values()].map(({ file, format }) => ({
    file,
    format,
    plan: (document, now) => planRemoval(document, hooksRowsOf(now).filter(isMeant), isOurs),
  }));
}

function planFile(document: ConfigDocument | null, rows: readonly HooksRow[], order: HooksOrder): FilePlan {
  const { hosts, scope, directory, file, format, groups, isOurs } = order;
  const say = (what: Outcome["what"], why: Left | null = null): Outcome => ({
    what,
    hosts,
    scope,
    directory,
    file,
    server: "",
    line: null,
    why: why?.left ?? null,
  });
  const now = document ?? formatOf(format).parse("");
  const unchanged = (outcome: Outcome): FilePlan => ({
    after: document?.text ?? null,
    outcomes: [outcome],
    rows: [],
    retire: [],
  });
  const cleared = takeOut(now, rows, isOurs);
  if (isLeft(cleared)) return unchanged(say("left", cleared));
  const put = insertHooks(cleared.document, groups);
  if (isLeft(put)) return unchanged(say("left", put));
  const isSame = cleared.count > 0 && Bun.deepEquals(put.document.root.value, now.root.value, true);
  if (isSame && !cleared.isExact) return unchanged(say("already"));
  const row: HooksRow = {
    kind: "hooks",
    hosts,
    scope,
    directory,
    file,
    format,
    path: ["hooks"],
    name: "",
    state: "pending",
    undo: put.undo,
    made: madeOf(document === null, put, cleared.isExact ? null : (rows.at(-1) ?? null), rows.at(-1) ?? null, order),
  };
  return { after: put.document.text, outcomes: [say(isSame ? "already" : "hooked")], rows: [row], retire: [] };
}

/** `kept`: the row of hooks whose lists are still there; `earlier`: of the file, which may have been made then. */
function madeOf(
  isNewFile: boolean,
  put: InsertedHooks,
  kept: HooksRow | null,
  earlier: HooksRow | null,
  order: HooksOrder,
): HooksRow["made"] {
  return {
    file: isNewFile || earlier?.made.file === true,
    directories: isNewFile ? order.missingDirectories : (earlier?.made.directories ?? []),
    hooks: put.made.hooks || kept?.made.hooks === true,
    events: [...new Set([...put.made.events, ...(kept?.made.events ?? [])])],
  };
}

function planRemoval(document: ConfigDocument | null, rows: readonly HooksRow[], isOurs: IsOurHook): FilePlan {
  const row = rows.at(-1);
  const retire = rows.map(rowKey);
  if (row === undefined) return { after: document?.text ?? null, outcomes: [], rows: [], retire: [] };
  const { hosts, scope, directory, file } = row;
  const say = (what: Outcome["what"], why: Left | null = null): Outcome[] => [
    { what, hosts, scope, directory, file, server: "", line: null, why: why?.left ?? null },
  ];
  const { directories } = row.made;
  const isUndone = rows.every((one) => one.state === "undone");
  if (document === null) return { after: null, outcomes: isUndone ? [] : say("gone"), rows: [], retire, directories };
  const cleared = takeOut(document, rows, isOurs);
  if (isLeft(cleared)) return { after: document.text, outcomes: say("conflict", cleared), rows: [], retire: [] };
  const isEmpty = row.made.file && cleared.document.root.members.length === 0 && !/[^\s{}]/.test(cleared.document.text);
  return {
    after: isEmpty ? null : cleared.document.text,
    outcomes: cleared.count > 0 || !isUndone ? say(cleared.count > 0 ? "unhooked" : "gone") : [],
    rows: [],
    retire,
    directories,
  };
}

/** Exactly where one of the rows fits, else by value. */
function takeOut(document: ConfigDocument, rows: readonly HooksRow[], isOurs: IsOurHook) {
  for (const row of rows) {
    const removed = removeHooks(document, isOurs, row);
    if (!isLeft(removed) && removed.isExact) return removed;
  }
  return removeHooks(document, isOurs, rows.at(-1) ?? null);
}

function hooksRowsOf(rows: readonly LedgerRow[]): HooksRow[] {
  return rows.filter((row): row is HooksRow => row.kind === "hooks");
}
