import type { ConfigDocument, ConfigMember, ConfigNode, TextEdit } from "./config-text.ts";
import { lineEndNear } from "./layout.ts";
import {
  breakBeforeLine,
  breakLength,
  isBlank,
  isPlainObject,
  lineStart,
  nextBreak,
  skipBlanks,
} from "./text-place.ts";
import { isUnwritten, yamlOf } from "./yaml-tree.ts";
import { writeBehindColon, writeFlow, writeList, writeMap, writePair, type YamlLayout } from "./yaml-write.ts";

/**
 * YAML's maps and lists as lines: where lines go in and which are taken out. Each form of insertion has its way back, to the byte. Comments
 * that are deeper than an item and follow it at once are the item's; others stay.
 */

/** Where a map or list hangs on the colon of its key. */
export interface Hanging {
  parent: ConfigNode;
  member: ConfigMember;
  colonEnd: number;
}

export function addMember(
  document: ConfigDocument,
  map: ConfigNode,
  key: string,
  value: unknown,
  after: string | null,
): TextEdit[] {
  const { text } = document;
  const layout = yamlLayout(document);
  const [first] = map.members;
  if (first === undefined) return addFirst(text, writePair(key, value, 0, layout), layout);
  const column = columnOf(text, first.start);
  const member = map.members.find((one) => one.key === after) ?? map.members.at(-1) ?? first;
  const pair = writePair(key, value, column, layout);
  return [insertion(itemEnd(text, member.end, column), layout.eol + " ".repeat(column) + pair)];
}

/** Writes a value behind a key that has none, or an empty one in brackets. */
export function hang(document: ConfigDocument, { parent, member, colonEnd }: Hanging, value: unknown): TextEdit[] {
  const { text } = document;
  const column = columnOf(text, parent.members[0]?.start ?? member.start);
  const lines = writeBehindColon(value, column, yamlLayout(document));
  const indent = /^[\r\n]+( *)/.exec(lines)?.[1];
  const at = indent === undefined ? member.end : itemEnd(text, member.end, indent.length);
  const added = insertion(at, lines);
  return isUnwritten(member.value) ? [added] : joined(removal(colonEnd, member.end), added);
}

/** True where `key: {}` or `key: []` can become lines and come back as it was. */
export function canOpen(text: string, { member, colonEnd }: Hanging): boolean {
  return /^ (?:\{\}|\[\])$/.test(text.slice(colonEnd, member.end)) && /^[ \t]*(?:#|[\r\n]|$)/.test(rest());

  function rest(): string {
    return text.slice(member.end, nextBreak(text, member.end));
  }
}

export function removeMemberLines(
  document: ConfigDocument,
  map: ConfigNode,
  index: number,
  hanging: Hanging | null,
): TextEdit[] {
  const { text } = document;
  const member = map.members[index];
  const [first] = map.members;
  if (member === undefined || first === undefined) return [];
  const column = columnOf(text, first.start);
  const end = itemEnd(text, member.end, column);
  if (map.members.length === 1 && map !== document.root) {
    return empty(text, map, "{}", hanging, member.start, end);
  }
  if (!isFirstOfLine(text, member.start)) return [removal(member.start, nextThing(text, end))];
  const start = lineStart(text, member.start);
  return [start === 0 ? removal(0, end + breakLength(text, end)) : removal(breakBeforeLine(text, start), end)];
}

export function addElements(
  document: ConfigDocument,
  list: ConfigNode,
  index: number,
  values: readonly unknown[],
): TextEdit[] {
  const { text } = document;
  const layout = yamlLayout(document);
  const { marks } = yamlOf(list);
  const first = marks[0] ?? list.start;
  const column = columnOf(text, first);
  const indent = " ".repeat(column);
  const written = writeList(values, column, layout);
  if (index > 0) return [insertion(elementEnd(text, list, index - 1, column), layout.eol + indent + written)];
  if (!isFirstOfLine(text, first)) return [insertion(first, written + layout.eol + indent)];
  let start = lineStart(text, first);
  while (start > 0) {
    const above = lineStart(text, breakBeforeLine(text, start));
    if (!text.startsWith(`${indent}#`, above)) break;
    start = above;
  }
  return [insertion(start, indent + written + layout.eol)];
}

export function removeElementLines(
  document: ConfigDocument,
  list: ConfigNode,
  index: number,
  count: number,
  hanging: Hanging | null,
): TextEdit[] {
  const { text } = document;
  const { marks } = yamlOf(list);
  const first = marks[index];
  if (first === undefined || count === 0) return [];
  const column = columnOf(text, marks[0] ?? first);
  const end = elementEnd(text, list, index + count - 1, column);
  if (count === list.elements.length) return empty(text, list, "[]", hanging, first, end);
  if (!isFirstOfLine(text, first)) return [removal(first, nextThing(text, end))];
  const start = lineStart(text, first);
  return [
    start === 0 || index === 0
      ? removal(start, end + breakLength(text, end))
      : removal(breakBeforeLine(text, start), end),
  ];
}

/** Puts another value in place of lines. */
export function replaceLines(
  document: ConfigDocument,
  node: ConfigNode,
  hanging: Hanging | null,
  value: unknown,
): TextEdit[] {
  const { text } = document;
  const layout = yamlLayout(document);
  const start =
    yamlOf(node).marks.length > 0 && node.kind === "array" ? (yamlOf(node).marks[0] ?? node.start) : node.start;
  const column = columnOf(text, start);
  const written =
    isPlainObject(value) && Object.keys(value).length > 0
      ? writeMap(value, column, layout)
      : Array.isArray(value) && value.length > 0
        ? writeList(value, column, layout)
        : null;
  if (written !== null) return [{ offset: start, length: node.end - start, text: written }];
  return empty(text, node, writeFlow(value), hanging, start, node.end);
}

/** In place of all lines of a map or list: behind the key's colon where it hangs on one. */
function empty(
  text: string,
  node: ConfigNode,
  written: string,
  hanging: Hanging | null,
  first: number,
  end: number,
): TextEdit[] {
  if (hanging === null || !isFirstOfLine(text, first) || lineStart(text, first) <= hanging.colonEnd) {
    return [{ offset: first, length: node.end - first, text: written }];
  }
  return joined(
    insertion(hanging.colonEnd, ` ${written}`),
    removal(breakBeforeLine(text, lineStart(text, first)), end),
  );
}

function addFirst(text: string, pair: string, { eol }: YamlLayout): TextEdit[] {
  const isLineStart = lineStart(text, text.length) === text.length;
  return [insertion(text.length, isLineStart ? pair + eol : eol + pair)];
}

/** The end of an item's last line, with the deeper comments that follow at once. */
function itemEnd(text: string, end: number, column: number): number {
  let last = nextBreak(text, end);
  for (;;) {
    const next = last + breakLength(text, last);
    const first = skipBlanks(text, next);
    if (next === last || text[first] !== "#" || first - next <= column) return last;
    last = nextBreak(text, first);
  }
}

function elementEnd(text: string, list: ConfigNode, index: number, column: number): number {
  const mark = yamlOf(list).marks[index] ?? list.start;
  return itemEnd(text, Math.max(list.elements[index]?.end ?? 0, mark + 1), column);
}

/** The first thing on the line behind a line end. */
function nextThing(text: string, end: number): number {
  return skipBlanks(text, end + breakLength(text, end));
}

function isFirstOfLine(text: string, at: number): boolean {
  let start = at;
  while (start > 0 && isBlank(text, start - 1)) start--;
  return start === lineStart(text, at);
}

function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
}

/** As the file's first maps and lists are. */
function yamlLayout({ text, root }: ConfigDocument): YamlLayout {
  let unit: number | null = null;
  let dash: number | null = null;
  let blockLists: boolean | null = null;
  const waiting = [root];
  for (let seen = 0; seen < 1000; seen++) {
    const node = waiting.pop();
    if (node === undefined || (unit !== null && dash !== null && blockLists !== null)) break;
    const inner = node.members.slice(0, 1000).map((member) => {
      const { value } = member;
      const isBlock = yamlOf(value).form === "block";
      const depth = columnOf(text, value.start) - columnOf(text, node.members[0]?.start ?? 0);
      if (value.kind === "object" && isBlock && lineStart(text, value.start) > member.start) unit ??= depth;
      if (value.kind === "array" && value.elements.length > 0) {
        if (value.elements[0]?.kind !== "object") blockLists ??= isBlock;
        if (isBlock) dash ??= Math.max(depth, 0);
      }
      return value;
    });
    waiting.push(...[...inner, ...node.elements.slice(0, 1000)].reverse());
  }
  const step = Math.max(unit ?? 2, 1);
  return { eol: lineEndNear(text, 0), unit: step, dash: dash ?? step, blockLists: blockLists ?? true };
}

/** Two edits in their order; as one where they touch, so that nothing depends on which is done first. */
function joined(first: TextEdit, second: TextEdit): TextEdit[] {
  if (first.offset + first.length < second.offset) return [first, second];
  return [{ offset: first.offset, length: first.length + second.length, text: first.text + second.text }];
}

function insertion(offset: number, text: string): TextEdit {
  return { offset, length: 0, text };
}

function removal(start: number, end: number): TextEdit {
  return { offset: start, length: end - start, text: "" };
}
