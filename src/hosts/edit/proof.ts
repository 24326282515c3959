import type { ConfigDocument, ConfigFormat, ConfigPath, TextEdit } from "./config-text.ts";
import { applyEdits } from "./text-edits.ts";
import { isPlainObject, setOwn, syntaxError } from "./text-place.ts";

/**
 * The proof that edits do what is meant, for formats where a place alone does not tell what a change of it means: the edited text is read
 * again and has to be the old tree with that one change.
 */

/** Makes the change in a copy of a tree's value. */
export type Change = (root: unknown) => void;

/** The edits; refused where the text would not read as meant. */
export function proven(format: ConfigFormat, document: ConfigDocument, edits: TextEdit[], change: Change): TextEdit[] {
  const meant = structuredClone(document.root.value);
  change(meant);
  if (!isSame(valueAfter(format, document, edits), meant)) {
    throw syntaxError(
      document.text,
      edits[0]?.offset ?? 0,
      "this part is written in a way that cannot be changed safely",
    );
  }
  return edits;
}

/** Undefined where it does not read any more. */
function valueAfter(format: ConfigFormat, document: ConfigDocument, edits: TextEdit[]): unknown {
  try {
    return format.parse(applyEdits(document.text, edits)).root.value;
  } catch {
    return undefined;
  }
}

export function withValue(path: ConfigPath, value: unknown): Change {
  return (root) => {
    const last = path.at(-1) ?? "";
    put(at(root, path.slice(0, -1)), last, value);
  };
}

export function withMember(path: ConfigPath, key: string, value: unknown): Change {
  return (root) => {
    let object = root;
    for (const step of path) {
      const next = at(object, [step]);
      if (next === undefined || next === null) put(object, step, {});
      object = at(object, [step]);
    }
    put(object, key, value);
  };
}

export function withoutMember(path: ConfigPath): Change {
  return (root) => {
    const object = at(root, path.slice(0, -1));
    if (isPlainObject(object)) delete object[path.at(-1) ?? ""];
  };
}

export function withElements(path: ConfigPath, index: number, values: readonly unknown[]): Change {
  return (root) => {
    const array = at(root, path);
    if (Array.isArray(array)) array.splice(index, 0, ...values);
  };
}

export function withoutElements(path: ConfigPath, index: number, count: number): Change {
  return (root) => {
    const array = at(root, path);
    if (Array.isArray(array)) array.splice(index, count);
  };
}

export function isEmptyAt(root: unknown, path: ConfigPath): boolean {
  const value = at(root, path);
  return isPlainObject(value) && Object.keys(value).length === 0;
}

function at(root: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)];
    return isPlainObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, root);
}

function put(container: unknown, step: string | number, value: unknown): void {
  if (Array.isArray(container)) container[Number(step)] = value;
  else if (isPlainObject(container)) setOwn(container, String(step), value);
}

/** Undefined members do not count: no format writes them. The order of keys does not count. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((value, at) => isSame(value, other[at]));
  }
  if (!isPlainObject(one) || !isPlainObject(other)) return Object.is(one, other) || one === other;
  const keys = definedKeys(one);
  return (
    keys.length === definedKeys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}

function definedKeys(object: Record<string, unknown>): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined);
}
