import { foldCase } from "../find/find-text.ts";
import type { TreeNode } from "./tree-node.ts";
import { isLongText, STRING_LENGTH } from "./tree-rows.ts";
import { isContainer, kindOf, scalarText, type ValueKind } from "./value.ts";

/** What one row of a JSON tree says of its node. Pure. */

export interface RowText {
  kind: ValueKind | "range";
  /** Before the colon; null for the root, and for JSON within a string. */
  key: string | null;
  value: string;
  /** How much there is that the row does not show. */
  size: string;
}

const PREVIEW_LENGTH = 90;
const LONGEST_KEY = 200;

export function rowText(node: TreeNode, needle: string | null): RowText {
  const { value, range } = node;
  if (range !== null) {
    const unit = Array.isArray(value) ? "item" : "member";
    const shown = `[${range.from} … ${range.to - 1}]`;
    return { kind: "range", key: null, value: shown, size: counted(node.memberCount, unit) };
  }
  const key = node.key === null ? null : cut(String(node.key), LONGEST_KEY);
  if (isContainer(value)) {
    const isArray = Array.isArray(value);
    const size = counted(node.memberCount, isArray ? "item" : "member");
    return { kind: isArray ? "array" : "object", key, value: node.isOpen ? "" : previewOf(value), size };
  }
  if (typeof value !== "string") return { kind: kindOf(value), key, value: scalarText(value), size: "" };
  const size = isLongText(value) ? textSize(value) : "";
  if (node.isOpen) return { kind: "string", key, value: "", size };
  return { kind: "string", key, value: `"${excerpt(value, needle)}"`, size };
}

function counted(count: number, unit: string): string {
  return `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`;
}

/** `12,345 characters, 40 lines`. */
function textSize(text: string): string {
  const characters = `${text.length.toLocaleString("en")} characters`;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines > 1 ? `${characters}, ${lines.toLocaleString("en")} lines` : characters;
}

/** The beginning of a text in one line, or the part in which what is looked for first is. */
function excerpt(text: string, needle: string | null): string {
  let from = 0;
  if (needle !== null && text.length > STRING_LENGTH) {
    const at = foldCase(text).indexOf(needle);
    if (at > STRING_LENGTH - needle.length) from = Math.max(0, at - 30);
  }
  const part = text.slice(from, from + STRING_LENGTH).toWellFormed();
  const line = part.replaceAll("\r\n", " ⏎ ").replaceAll("\n", " ⏎ ").replaceAll("\t", " ⇥ ");
  return `${from > 0 ? "…" : ""}${line}${from + STRING_LENGTH < text.length ? "…" : ""}`;
}

/** The first members of a container in one line. */
function previewOf(value: Record<string, unknown> | readonly unknown[]): string {
  const isArray = Array.isArray(value);
  const parts: string[] = [];
  let length = 0;
  let isWhole = true;
  const add = (key: string | null, member: unknown) => {
    const text = isContainer(member)
      ? Array.isArray(member)
        ? member.length === 0
          ? "[]"
          : "[…]"
        : "{…}"
      : cut(typeof member === "string" ? `"${excerpt(cut(member, 40), null)}"` : scalarText(member), 40);
    parts.push(key === null ? text : `${cut(key, 40)}: ${text}`);
    length += parts.at(-1)?.length ?? 0;
    return length < PREVIEW_LENGTH;
  };
  if (isArray) isWhole = value.every((member, index) => index < 8 && add(null, member));
  else {
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      isWhole = parts.length < 8 && add(key, (value as Record<string, unknown>)[key]);
      if (!isWhole) break;
    }
  }
  const inner = `${parts.join(", ")}${isWhole ? "" : ", …"}`;
  if (isArray) return `[${inner}]`;
  return inner === "" ? "{}" : `{ ${inner} }`;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
