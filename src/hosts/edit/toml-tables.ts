import type { ConfigDocument, ConfigPath, TextEdit } from "./config-text.ts";
import { lineEndNear } from "./layout.ts";
import {
  breakBeforeLine,
  breakLength,
  indentAt,
  isPlainObject,
  lineStart,
  type MemberPlace,
  nextBreak,
  skipBlanks,
  syntaxError,
} from "./text-place.ts";
import { type TomlBlock, type TomlLine, tomlFileOf } from "./toml-tree.ts";
import { writePairs, writeToml, writeTomlKey } from "./toml-write.ts";

/**
 * TOML's tables as lines and sections: where a new line or section goes and which text one takes with it. Each form of insertion has its
 * way back, to the byte.
 */

/** Adds a member to a table that is not between brackets. */
export function addToTable(document: ConfigDocument, place: MemberPlace): TextEdit[] {
  const { path, value } = place;
  return writing(document, () => {
    const { blocks } = tomlFileOf(document);
    const block = blocks.find((one) => isSamePath(one.path, path));
    const dotted = blocks
      .filter((one) => one.path.length < path.length)
      .flatMap((one) => one.lines)
      .filter((line) => isInside(line.path, path) && line.path.length > path.length);
    const holdsLines =
      path.length > 0 && ((block?.lines.length ?? 0) > 0 || (block === undefined && dotted.length > 0));
    if (isPlainObject(value) && !holdsLines) return addSection(document, place, value);
    if (block !== undefined) return addLine(document, place, block);
    const last = dotted.at(-1);
    if (last !== undefined) return addDotted(document, place, last);
    return addSection(
      document,
      { ...place, path: path.slice(0, -1), key: String(path.at(-1)), after: null },
      {
        [place.key]: value,
      },
    );
  });
}

/** True where nothing but longer headers and dotted keys says that a table is there. */
export function isImplied(document: ConfigDocument, path: ConfigPath): boolean {
  return !tomlFileOf(document).blocks.some((block) => isSamePath(block.path, path));
}

/** Takes out all lines and sections of a member. */
export function removeFromTables(document: ConfigDocument, path: ConfigPath): TextEdit[] {
  const { blocks } = tomlFileOf(document);
  const sections = blocks.filter((block) => isInside(block.path, path));
  const lines = blocks.filter((block) => !sections.includes(block)).flatMap((block) => linesOf(document, block, path));
  return merged([...sections.map((block) => sectionRange(document.text, block)), ...lines]);
}

/** Adds tables to an array of tables, as sections behind the one before. */
export function insertTableElements(
  document: ConfigDocument,
  path: ConfigPath,
  index: number,
  values: readonly unknown[],
): TextEdit[] {
  const { text } = document;
  const before = tomlFileOf(document).blocks.filter((block) => isInside(block.path, [...path, index - 1]));
  const [first] = before;
  const last = before.at(-1);
  if (first?.header == null || last === undefined) {
    throw syntaxError(text, 0, "a first table of an array of tables cannot be added");
  }
  const at = sectionEnd(text, last);
  const eol = lineEndNear(text, at);
  const name = text.slice(first.header.range[0], nextBreak(text, first.header.range[0])).replace(/\]\].*$/, "]]");
  return writing(document, () => {
    const sections = values.map((value) => [name, ...writePairs(isPlainObject(value) ? value : {})].join(eol));
    return [{ offset: at, length: 0, text: sections.map((section) => eol + eol + section).join("") }];
  });
}

export function removeTableElements(
  document: ConfigDocument,
  path: ConfigPath,
  index: number,
  count: number,
): TextEdit[] {
  const { blocks } = tomlFileOf(document);
  const gone = blocks.filter((block) => {
    const element = block.path[path.length];
    return isInside(block.path, path) && typeof element === "number" && element >= index && element < index + count;
  });
  return merged(gone.map((block) => sectionRange(document.text, block)));
}

function addSection(document: ConfigDocument, place: MemberPlace, value: Record<string, unknown>): TextEdit[] {
  const { text } = document;
  const { blocks } = tomlFileOf(document);
  const own = blocks.filter((block) => block.header !== null && isInside(block.path, place.path));
  const after =
    place.after === null ? [] : own.filter((block) => isInside(block.path, [...place.path, place.after ?? ""]));
  const last = after.at(-1) ?? (place.path.length > 0 ? own.at(-1) : undefined);
  const at = last === undefined ? contentEnd(text) : sectionEnd(text, last);
  const eol = lineEndNear(text, at);
  const names = [...place.path.filter((step) => typeof step === "string"), place.key];
  const content = innermost(names, value);
  const like = own.at(-1);
  const indent = like?.header ? indentAt(text, like.header.range[0]) : "";
  const line = like?.lines[0];
  const lineIndent = line === undefined ? indent : indentAt(text, line.pair.range[0]);
  const section = [
    `${indent}[${names.map(writeTomlKey).join(".")}]`,
    ...writePairs(content).map((pair) => lineIndent + pair),
  ].join(eol);
  return [{ offset: at, length: 0, text: at === 0 ? section + eol : eol + eol + section }];
}

/** Tables that hold nothing but one table need no header of their own; `names` gets theirs. */
function innermost(names: string[], value: Record<string, unknown>): Record<string, unknown> {
  const [only, ...others] = Object.entries(value);
  if (only === undefined || others.length > 0 || !isPlainObject(only[1])) return value;
  names.push(only[0]);
  return innermost(names, only[1]);
}

function addLine(document: ConfigDocument, place: MemberPlace, block: TomlBlock): TextEdit[] {
  const { text } = document;
  const depth = block.path.length;
  const line = block.lines.findLast((one) => one.path[depth] === place.after) ?? block.lines.at(-1);
  const pair = `${writeTomlKey(place.key)} = ${writeToml(place.value)}`;
  const from = line?.pair ?? block.header;
  if (from !== null) {
    const at = lineEnd(text, from.range[1]);
    return [{ offset: at, length: 0, text: lineEndNear(text, from.range[0]) + indentAt(text, from.range[0]) + pair }];
  }
  const header = tomlFileOf(document).blocks[1]?.header;
  if (header) {
    const at = startWithComments(text, lineStart(text, header.range[0]));
    const eol = lineEndNear(text, at);
    return [{ offset: at, length: 0, text: pair + eol + eol }];
  }
  const at = contentEnd(text);
  const eol = lineEndNear(text, at);
  return [{ offset: at, length: 0, text: at === 0 ? pair + eol : eol + pair }];
}

/** Beside the dotted keys that the table is made of. */
function addDotted(document: ConfigDocument, place: MemberPlace, beside: TomlLine): TextEdit[] {
  const { text } = document;
  const { keys } = beside.pair.key;
  const names = keys.length - (beside.path.length - place.path.length);
  const last = keys[names - 1];
  if (last === undefined) throw syntaxError(text, beside.pair.range[0], "this table cannot be added to");
  const prefix = text.slice(beside.pair.range[0], last.range[1]);
  const at = lineEnd(text, beside.pair.range[1]);
  const pair = `${prefix}.${writeTomlKey(place.key)} = ${writeToml(place.value)}`;
  return [{ offset: at, length: 0, text: lineEndNear(text, at) + indentAt(text, beside.pair.range[0]) + pair }];
}

function linesOf(document: ConfigDocument, block: TomlBlock, path: ConfigPath): TextEdit[] {
  const { blocks } = tomlFileOf(document);
  const gone = block.lines.filter((line) => isInside(line.path, path));
  // A header that was only made to hold a line, behind the tables that implied its own.
  const below = blocks.filter((one) => one !== block && isInside(one.path, block.path));
  const isMade =
    block.header !== null && below.length > 0 && below.every((one) => blocks.indexOf(one) < blocks.indexOf(block));
  if (isMade && gone.length > 0 && gone.length === block.lines.length) return [sectionRange(document.text, block)];
  return gone.map((line) => lineRange(document, line, block, gone.length === block.lines.length));
}

function lineRange(document: ConfigDocument, line: TomlLine, block: TomlBlock, isAll: boolean): TextEdit {
  const { text } = document;
  const start = lineStart(text, line.pair.range[0]);
  const end = lineEnd(text, line.pair.range[1]);
  const next = end + breakLength(text, end);
  if (block.header === null && isAll && tomlFileOf(document).blocks.length > 1) {
    return removal(start, next + breakLength(text, next));
  }
  return start === 0 ? removal(0, next) : removal(breakBeforeLine(text, start), end);
}

function sectionRange(text: string, block: TomlBlock): TextEdit {
  const line = lineStart(text, block.header?.range[0] ?? 0);
  const end = sectionEnd(text, block);
  // Comments at the very top are the file's.
  const start = startWithComments(text, line) || line;
  if (start === 0) {
    const next = end + breakLength(text, end);
    const isLast = /^\s*$/.test(text.slice(next));
    return removal(0, isLast ? next : next + breakLength(text, next));
  }
  const before = breakBeforeLine(text, start);
  const isAfterEmptyLine = before > 0 && lineStart(text, before) === before;
  return removal(isAfterEmptyLine ? breakBeforeLine(text, before) : before, end);
}

/** The end of a section's last line, with the comments that follow at once and are not the next header's. */
function sectionEnd(text: string, block: TomlBlock): number {
  const last = block.lines.at(-1)?.pair.range[1] ?? block.header?.range[1] ?? 0;
  const own = lineEnd(text, last);
  let end = own;
  for (;;) {
    const next = end + breakLength(text, end);
    if (next === end || next >= text.length) return end;
    const first = skipBlanks(text, next);
    if (text[first] === "#") end = nextBreak(text, first);
    else return breakLength(text, first) > 0 || first === text.length ? end : own;
  }
}

/** Where a header's line begins with the comments directly above. */
function startWithComments(text: string, start: number): number {
  let at = start;
  while (at > 0) {
    const above = lineStart(text, breakBeforeLine(text, at));
    if (text[skipBlanks(text, above)] !== "#") break;
    at = above;
  }
  return at;
}

/** The end of the last line that holds something; 0 in a text that holds nothing. */
function contentEnd(text: string): number {
  const last = text.length - (/[ \t\r\n]*$/.exec(text)?.[0].length ?? 0);
  return last === 0 ? 0 : nextBreak(text, last);
}

/** The end of a line behind its value: before the line end, with blanks and comment. */
function lineEnd(text: string, at: number): number {
  return nextBreak(text, at);
}

function removal(start: number, end: number): TextEdit {
  return { offset: start, length: end - start, text: "" };
}

/** Removals that touch or overlap, as one. */
function merged(removals: TextEdit[]): TextEdit[] {
  const whole: TextEdit[] = [];
  for (const one of [...removals].sort((a, b) => a.offset - b.offset)) {
    const last = whole.at(-1);
    if (last === undefined || last.offset + last.length < one.offset) whole.push({ ...one });
    else last.length = Math.max(last.length, one.offset + one.length - last.offset);
  }
  return whole;
}

function isSamePath(one: ConfigPath, other: ConfigPath): boolean {
  return one.length === other.length && isInside(one, other);
}

/** True where `path` is `outer` or below it. */
function isInside(path: ConfigPath, outer: ConfigPath): boolean {
  return outer.every((step, depth) => path[depth] === step);
}

function writing(document: ConfigDocument, write: () => TextEdit[]): TextEdit[] {
  try {
    return write();
  } catch (cause) {
    if (!(cause instanceof Error) || cause.constructor !== Error) throw cause;
    throw syntaxError(document.text, 0, cause.message);
  }
}
