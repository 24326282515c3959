import type { ConfigDocument, ConfigNode, ConfigPath } from "./config-text.ts";
import { breakLength, indentAt, isBlank, isBreak, nextBreak, nodeAt, skipBlanks } from "./text-place.ts";

/**
 * How a file is laid out around a place: what is written there is to look as if the same hand had written it. The nearest example counts;
 * how far it looks is bounded, so that a large file costs no more than a small one.
 */

/** Of values between brackets: JSON and TOML's and YAML's one-line forms. */
export interface Layout {
  eol: string;
  unit: string;
  /** Objects an entry a line: the one written, and those inside of it. */
  objects: boolean;
  innerObjects: boolean;
  arrays: boolean;
  trailingComma: boolean;
  /** Inside the braces of an object in one line. */
  pad: string;
  /** Behind a comma in one line. */
  separator: string;
  /** Behind the colon of a member. */
  colon: string;
}

const EXAMPLES = 400;

/** As the file has it around what is at `path`, an object or array that is there. */
export function layoutAt(document: ConfigDocument, path: ConfigPath): Layout {
  const { text } = document;
  const chain = path.map((_, depth) => nodeAt(document.root, path.slice(0, path.length - depth)));
  const [target = document.root, ...around] = [...chain, document.root].filter((node) => node !== null);
  const near = [...examples(target), ...[target, ...around].flatMap((node) => [node, ...examples(node)])];
  const filled = near.filter((node) => childrenOf(node).length > 0);
  const open = filled.filter((node) => isMultiline(text, node));
  const closed = filled.filter((node) => !isMultiline(text, node));

  const siblings = target.members.map((member) => member.value).filter(isFilledObject);
  const home = [target, ...around].find((node) => childrenOf(node).length > 0);
  const fallback = home === undefined || isMultiline(text, home);
  const objects = siblings[0] === undefined ? fallback : isMultiline(text, siblings[0]);
  const inner = siblings.flatMap((node) => node.members.map((member) => member.value)).find(isFilledObject);
  const array = filled.find((node) => node.kind === "array");
  const oneLineObject = closed.find((node) => node.kind === "object");
  const colon = firstOf(
    filled.flatMap((node) => node.members.slice(0, 1)),
    (member) => blanksBefore(text, member.value.start),
  );
  const separator = firstOf(closed, (node) => {
    const second = childrenOf(node)[1];
    return second === undefined ? null : blanksBefore(text, second.start);
  });
  return {
    eol: lineEndNear(text, target.start),
    unit: firstOf(open, (node) => unitIn(text, node)) ?? (/^\t/m.test(text.slice(0, 65_536)) ? "\t" : "  "),
    objects,
    innerObjects: objects && (inner === undefined || isMultiline(text, inner)),
    arrays: array !== undefined && isMultiline(text, array),
    trailingComma: open[0] !== undefined && hasTrailingComma(text, open[0]),
    pad: oneLineObject === undefined ? (colon ?? " ") && " " : blanksBehind(text, oneLineObject.start + 1),
    separator: separator ?? (colon === "" ? "" : " "),
    colon: colon ?? " ",
  };
}

/** The line end that is used next to a place; `\n` in a text of one line. */
export function lineEndNear(text: string, at: number): string {
  let end = at;
  while (end > 0 && !isBreak(text, end - 1)) end--;
  const found = end > 0 ? (text.startsWith("\r\n", end - 2) ? end - 2 : end - 1) : nextBreak(text, at);
  return text.slice(found, found + breakLength(text, found)) || "\n";
}

/** True where the first thing in the brackets is on another line than the bracket. */
export function isMultiline(text: string, node: ConfigNode): boolean {
  const first = childrenOf(node)[0];
  return first !== undefined && /[\r\n]/.test(text.slice(node.start, first.start));
}

export function childrenOf(node: ConfigNode): readonly { start: number; end: number }[] {
  return node.kind === "array" ? node.elements : node.members;
}

/** What is inside of a node, in the order of the text, as far as an example may be. */
function examples(node: ConfigNode): ConfigNode[] {
  const found: ConfigNode[] = [];
  const waiting = [node];
  while (found.length < EXAMPLES) {
    const next = waiting.pop();
    if (next === undefined) break;
    if (next !== node) found.push(next);
    const inner = next.kind === "array" ? next.elements : next.members.slice(0, EXAMPLES).map((member) => member.value);
    for (const child of inner.slice(0, EXAMPLES).reverse()) {
      if (child.kind === "object" || child.kind === "array") waiting.push(child);
    }
  }
  return found;
}

function isFilledObject(node: ConfigNode): boolean {
  return node.kind === "object" && node.members.length > 0;
}

function unitIn(text: string, node: ConfigNode): string | null {
  const child = childrenOf(node)[0];
  if (child === undefined) return null;
  const outer = indentAt(text, node.start);
  const inner = indentAt(text, child.start);
  return inner.length > outer.length && inner.startsWith(outer) ? inner.slice(outer.length) : null;
}

function hasTrailingComma(text: string, node: ConfigNode): boolean {
  const last = childrenOf(node).at(-1);
  return last !== undefined && text[skipBlanks(text, last.end)] === ",";
}

/** Null where something else than a blank stands before: no example. */
function blanksBefore(text: string, at: number): string | null {
  let start = at;
  while (start > 0 && isBlank(text, start - 1)) start--;
  return start === 0 || /[:,=]/.test(text[start - 1] ?? "") ? text.slice(start, at) : null;
}

function blanksBehind(text: string, at: number): string {
  return text.slice(at, skipBlanks(text, at));
}

function firstOf<T, R>(list: readonly T[], read: (item: T) => R | null): R | null {
  for (const item of list) {
    const value = read(item);
    if (value !== null) return value;
  }
  return null;
}
