import { isContainer, scalarText } from "./value.ts";

/**
 * JSON text of any recorded value, however deeply nested: JSON.stringify gives up at some thousand levels, this one never.
 * Numbers are written as they were recorded. Pure.
 */

interface Open {
  value: Record<string, unknown> | readonly unknown[];
  /** Null for an array. */
  keys: readonly string[] | null;
  next: number;
}

/** Deeper than this nothing is indented further: the text would grow with the square of the depth. */
const DEEPEST_INDENT = 32;

/** `indent` spaces a level; 0 for one line. */
export function jsonText(value: unknown, indent = 2): string {
  if (!isContainer(value)) return scalarText(value);
  const parts: string[] = [];
  const stack: Open[] = [opened(value)];
  parts.push(stack[0]?.keys === null ? "[" : "{");
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const size = top.keys === null ? (top.value as readonly unknown[]).length : top.keys.length;
    if (top.next === size) {
      stack.pop();
      if (size > 0) parts.push(lineBreak(indent, stack.length));
      parts.push(top.keys === null ? "]" : "}");
      continue;
    }
    if (top.next > 0) parts.push(",");
    parts.push(lineBreak(indent, stack.length));
    const key = top.keys?.[top.next];
    const member =
      key === undefined ? (top.value as readonly unknown[])[top.next] : (top.value as Record<string, unknown>)[key];
    top.next += 1;
    if (key !== undefined) parts.push(JSON.stringify(key), indent > 0 ? ": " : ":");
    if (!isContainer(member)) {
      parts.push(scalarText(member));
      continue;
    }
    const open = opened(member);
    parts.push(open.keys === null ? "[" : "{");
    stack.push(open);
  }
  return parts.join("");
}

function opened(value: Open["value"]): Open {
  return { value, keys: Array.isArray(value) ? null : Object.keys(value), next: 0 };
}

function lineBreak(indent: number, depth: number): string {
  return indent === 0 ? "" : `\n${" ".repeat(indent * Math.min(depth, DEEPEST_INDENT))}`;
}
