import { type DiffLine, diffOf } from "../diff/line-diff.ts";
import { isPatch, patchLines } from "../diff/patch-text.ts";
import { isObject, textOf } from "../json/value.ts";
import { checklistOf } from "./checklist.ts";
import { flatFacts, isWorthParts, Members, type Part } from "./part.ts";
import { cutPart } from "./result-parts.ts";

/**
 * The arguments of a call as a person reads them. Told by their shape, not by the tool's name: an edit is an edit whoever
 * makes it. Empty where JSON says it best. Pure.
 */

const PATHS = ["file_path", "filePath", "path", "notebook_path", "absolute_path"] as const;

export function argumentParts(args: unknown): Part[] {
  const cut = cutPart(args);
  if (cut !== null) return [cut];
  if (typeof args === "string") return [{ kind: "text", text: args }];
  if (!isObject(args)) return [];
  const members = new Members(args);
  const parts = commandParts(members) ?? editParts(members) ?? checklistParts(members) ?? promptParts(members);
  if (parts !== null) return [...parts, ...members.rest()];
  if (isWorthParts(args)) return members.rest();
  const facts = flatFacts(args);
  return facts === null ? [] : [facts];
}

/** `command`: as a shell takes it, or as words (`["bash", "-lc", "ls"]`). */
function commandParts(members: Members): Part[] | null {
  for (const name of ["command", "cmd", "script"]) {
    const command = members.peek(name);
    const words = Array.isArray(command) && command.every((word) => typeof word === "string") ? command : null;
    if (typeof command !== "string" && words === null) continue;
    members.drop(name);
    const said = members.takeText("description");
    const text = words === null ? String(command) : shellText(words as string[]);
    return [{ kind: "command", text, ...(said === null ? {} : { title: said }) }];
  }
  return null;
}

function shellText(words: readonly string[]): string {
  const [shell, option, script] = words;
  if (words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(shell ?? "") && /^-l?c$/.test(option ?? ""))
    return script ?? "";
  return words.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

function editParts(members: Members): Part[] | null {
  const edit = editOf((name) => members.peek(name));
  if (edit !== null) {
    members.drop(...edit.names);
    return [diffPart(edit.lines, members.takeText(...PATHS))];
  }
  const edits = members.peek("edits");
  if (Array.isArray(edits) && edits.length > 0) {
    const each = edits.map((one: unknown) => (isObject(one) ? editOf((name) => textOf(one, name)) : null));
    if (each.every((one) => one !== null)) {
      members.drop("edits");
      const path = members.takeText(...PATHS);
      const several = each.length > 1;
      return each.map((one, index) =>
        diffPart(one.lines, several ? `${path ?? "Edit"} (${index + 1} of ${each.length})` : path),
      );
    }
  }
  for (const name of ["patch", "input", "diff"]) {
    const text = members.peek(name);
    if (typeof text !== "string" || !isPatch(text)) continue;
    members.drop(name);
    return [{ kind: "diff", lines: patchLines(text) }];
  }
  const path = PATHS.find((name) => typeof members.peek(name) === "string");
  const content = ["content", "file_text", "contents", "new_source"].find(
    (name) => typeof members.peek(name) === "string",
  );
  if (path === undefined || content === undefined) return null;
  const text = String(members.take(content));
  return [{ kind: "file", text, firstLine: 1, title: String(members.take(path)) }];
}

const OLD_AND_NEW = [
  ["old_string", "new_string"],
  ["old_str", "new_str"],
  ["oldText", "newText"],
  ["oldString", "newString"],
] as const;

function editOf(get: (name: string) => unknown): { names: readonly string[]; lines: DiffLine[] } | null {
  for (const names of OLD_AND_NEW) {
    const [before, after] = names.map(get);
    if (typeof before !== "string" || typeof after !== "string") continue;
    // Where in the file the text stands is not told: lines without numbers.
    return { names, lines: diffOf(before, after).map((line) => ({ ...line, old: null, new: null })) };
  }
  return null;
}

function diffPart(lines: DiffLine[], path: string | null): Part {
  return { kind: "diff", lines, ...(path === null ? {} : { title: path }) };
}

function checklistParts(members: Members): Part[] | null {
  for (const name of ["todos", "plan", "tasks"]) {
    const items = checklistOf(members.peek(name));
    if (items === null) continue;
    members.drop(name);
    return [{ kind: "checklist", items }];
  }
  return null;
}

/** What is said to another model. */
function promptParts(members: Members): Part[] | null {
  const prompt = members.takeText("prompt", "plan");
  if (prompt === null) return null;
  const said = members.takeText("description");
  return [{ kind: "text", text: prompt, hint: "markdown", title: said ?? "Prompt" }];
}
