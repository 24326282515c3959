import type { ConfigDocument, ConfigFormat, ConfigPath, TextEdit } from "../edit/config-text.ts";
import { isPlainObject, nodeAt, setOwn } from "../edit/text-place.ts";

/**
 * One change of a configuration, told apart from the text it is made in: the same list of changes is made in a text by
 * ranges and in a value, and the two must agree. Pure.
 */

export type EntryChange =
  | { kind: "replace"; path: ConfigPath; value: unknown }
  /** A member; behind the one named `after`, else at the end. */
  | { kind: "add"; path: ConfigPath; key: string; value: unknown; after?: string }
  /** A member gets another key and another value, where it stands: what is around it stays. For the formats of JSON. */
  | { kind: "rekey"; path: ConfigPath; key: string; value: unknown }
  | { kind: "remove"; path: ConfigPath }
  /** Elements, before the one at `index`. */
  | { kind: "insert"; path: ConfigPath; index: number; values: readonly unknown[] }
  | { kind: "take"; path: ConfigPath; index: number; count: number };

/** The edits that make one change in a text, `at` being the path that the change's own path goes on from. */
export function editsOf(
  format: ConfigFormat,
  document: ConfigDocument,
  at: ConfigPath,
  change: EntryChange,
): TextEdit[] {
  const path = [...at, ...change.path];
  switch (change.kind) {
    case "replace":
      return format.replaceValue(document, path, change.value);
    case "rekey":
      return [keyEdit(document, path, change.key), ...format.replaceValue(document, path, change.value)];
    case "add":
      return change.after === undefined
        ? format.insertMember(document, path, change.key, change.value)
        : format.insertMember(document, path, change.key, change.value, change.after);
    case "remove":
      return format.removeMember(document, path);
    case "insert":
      return format.insertElements(document, path, change.index, change.values);
    case "take":
      return format.removeElements(document, path, change.index, change.count);
  }
}

/** The edit that gives a member of JSON text another key. */
function keyEdit(document: ConfigDocument, path: ConfigPath, key: string): TextEdit {
  const parent = nodeAt(document.root, path.slice(0, -1));
  const member = parent?.members.find((one) => one.key === path.at(-1));
  const literal = member === undefined ? null : JSON_STRING.exec(document.text.slice(member.start, member.value.start));
  if (member === undefined || literal === null) throw new RangeError("there is no such key");
  return { offset: member.start, length: literal[0].length, text: JSON.stringify(key) };
}

const JSON_STRING = /^"(?:[^"\\]|\\.)*"/;

/** The value with all changes made in it; the one given stays as it is. */
export function changeValue(value: unknown, changes: readonly EntryChange[]): unknown {
  const holder = { value: structuredClone(value) };
  for (const change of changes) changeIn(holder, change);
  return holder.value;
}

function changeIn(holder: { value: unknown }, change: EntryChange): void {
  switch (change.kind) {
    case "replace":
      set(holder, change.path, structuredClone(change.value));
      return;
    case "rekey":
    case "remove": {
      const parent = get(holder, change.path.slice(0, -1));
      const key = change.path.at(-1);
      if (isPlainObject(parent) && key !== undefined) delete parent[String(key)];
      if (change.kind === "rekey" && isPlainObject(parent)) setOwn(parent, change.key, structuredClone(change.value));
      return;
    }
    case "add": {
      let parent = get(holder, change.path);
      if (parent === undefined) {
        parent = {};
        set(holder, change.path, parent);
      }
      if (isPlainObject(parent)) setOwn(parent, change.key, structuredClone(change.value));
      return;
    }
    case "insert": {
      const list = get(holder, change.path);
      if (Array.isArray(list)) list.splice(change.index, 0, ...structuredClone(change.values));
      return;
    }
    case "take": {
      const list = get(holder, change.path);
      if (Array.isArray(list)) list.splice(change.index, change.count);
    }
  }
}

function get(holder: { value: unknown }, path: ConfigPath): unknown {
  let value = holder.value;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isPlainObject(value) && Object.hasOwn(value, step)) value = value[String(step)];
    else return undefined;
  }
  return value;
}

/** Makes the objects that are missing on the way. */
function set(holder: { value: unknown }, path: ConfigPath, value: unknown): void {
  const last = path.at(-1);
  if (last === undefined) {
    holder.value = value;
    return;
  }
  let parent = get(holder, path.slice(0, -1));
  if (parent === undefined) {
    parent = {};
    set(holder, path.slice(0, -1), parent);
  }
  if (Array.isArray(parent)) parent[Number(last)] = value;
  else if (isPlainObject(parent)) setOwn(parent, String(last), value);
}
