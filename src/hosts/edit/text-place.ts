import { type ConfigDocument, type ConfigNode, type ConfigPath, ConfigSyntaxError } from "./config-text.ts";

/**
 * Places in a text and in its tree: lines and columns, line ends, the node at a path. Knows no format. What it refuses, it refuses as
 * `ConfigSyntaxError`, and it never quotes the text: there may be secrets in it.
 */

/** Counted from 1; the column in UTF-16 units. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = nextBreak(text, 0); at < offset && at < text.length; at = nextBreak(text, start)) {
    start = at + breakLength(text, at);
    if (start > offset) break;
    line++;
  }
  return { line, column: Math.max(offset - start, 0) + 1 };
}

/** An error about the place `offset` of `text`. */
export function syntaxError(text: string, offset: number, message: string): ConfigSyntaxError {
  const { line, column } = lineAndColumn(text, offset);
  return new ConfigSyntaxError(message, line, column);
}

/** Deeper than any configuration, and not too deep for what goes through a tree call by call. */
const MAX_DEPTH = 1000;

/** Throws what `withinDepth` takes for too deep. */
export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new RangeError("nested too deep");
}

/** Runs a parser; a text that is nested beyond what it follows is an error of the text. */
export function withinDepth<T>(text: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (cause instanceof RangeError) throw syntaxError(text, 0, "it is nested too deep to be read");
    throw cause;
  }
}

export function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}

export function isBreak(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x0a || code === 0x0d;
}

/** Of the line end at `at`: 2 for CRLF, 0 where there is none. */
export function breakLength(text: string, at: number): number {
  if (!isBreak(text, at)) return 0;
  return text.charCodeAt(at) === 0x0d && text.charCodeAt(at + 1) === 0x0a ? 2 : 1;
}

/** The first line end at or behind `at`, else the text's end. */
export function nextBreak(text: string, at: number): number {
  let end = at;
  while (end < text.length && !isBreak(text, end)) end++;
  return end;
}

export function skipBlanks(text: string, at: number): number {
  let end = at;
  while (isBlank(text, end)) end++;
  return end;
}

export function lineStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && !isBreak(text, start - 1)) start--;
  return start;
}

/** Where the line end before a line's first character begins; -1 for the first line. */
export function breakBeforeLine(text: string, start: number): number {
  if (start === 0) return -1;
  return start >= 2 && text.startsWith("\r\n", start - 2) ? start - 2 : start - 1;
}

/** The white space before the first character of the line that `at` is in. */
export function indentAt(text: string, at: number): string {
  const start = lineStart(text, at);
  return text.slice(start, Math.min(skipBlanks(text, start), at));
}

/** The value at a path, null where there is none. Of equal keys the last one counts, as for a program that reads the file. */
export function nodeAt(root: ConfigNode, path: ConfigPath): ConfigNode | null {
  let node = root;
  for (const step of path) {
    const next =
      typeof step === "number" ? node.elements[step] : node.members.findLast((member) => member.key === step)?.value;
    if (next === undefined) return null;
    node = next;
  }
  return node;
}

/** The value at a path that is to be changed: there, and every key on the way only once. */
export function editableAt(document: ConfigDocument, path: ConfigPath): ConfigNode {
  let node = document.root;
  for (const step of path) {
    refuseTwice(document, node, step);
    const next = nodeAt(node, [step]);
    if (next === null)
      throw syntaxError(document.text, node.start, "there is nothing at the place that is to be changed");
    node = next;
  }
  return node;
}

/** As `editableAt`; and it is an array with elements where they are meant to be. */
export function editableArrayAt(document: ConfigDocument, path: ConfigPath, index: number, count: number): ConfigNode {
  const node = editableAt(document, path);
  if (node.kind !== "array") throw syntaxError(document.text, node.start, "this is not a list");
  if (index < 0 || index + count > node.elements.length) {
    throw syntaxError(document.text, node.start, "the list has no such elements");
  }
  return node;
}

/** Where a member goes: the object that is there, and what is left of the path, to be made with the member. */
export interface MemberPlace {
  path: ConfigPath;
  object: ConfigNode;
  key: string;
  value: unknown;
  /** Null: at the end. */
  after: string | null;
}

/** `isMissing`: what else counts as not there, though it has a place. */
export function memberPlace(
  document: ConfigDocument,
  path: ConfigPath,
  key: string,
  value: unknown,
  after: string | undefined,
  isMissing: (node: ConfigNode) => boolean = () => false,
): MemberPlace {
  let depth = 0;
  let object = document.root;
  for (; depth < path.length; depth++) {
    const step = path[depth] ?? "";
    refuseTwice(document, object, step);
    const next = nodeAt(object, [step]);
    if (next === null || isMissing(next)) break;
    object = next;
  }
  if (object.kind !== "object") throw syntaxError(document.text, object.start, "this is not an object");
  const [first, ...inner] = [...path.slice(depth), key];
  if (typeof first !== "string" || inner.some((step) => typeof step !== "string")) {
    throw syntaxError(document.text, object.start, "there is no such list element");
  }
  const present = nodeAt(object, [first]);
  if (present !== null && (inner.length === 0 || !isMissing(present))) {
    throw syntaxError(document.text, present.start, "there is something already at the place that is to be added");
  }
  const made = inner.reduceRight<unknown>((nested, step) => ({ [step]: nested }), value);
  return {
    path: path.slice(0, depth),
    object,
    key: first,
    value: made,
    after: inner.length === 0 ? (after ?? null) : null,
  };
}

/** An object's members do not tell which of two equal keys a change is for. */
function refuseTwice(document: ConfigDocument, node: ConfigNode, step: string | number): void {
  const equal = node.members.filter((member) => member.key === step);
  if (equal[1] !== undefined) throw syntaxError(document.text, equal[1].start, "this key is there twice");
}

/** Sets a member as JSON.parse does: `__proto__` is a key like any other. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
