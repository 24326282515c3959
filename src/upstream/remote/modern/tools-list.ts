import { eachElement, eachMember, skipSpace, stringValue } from "../../../jsonrpc/json-span.ts";
import { readMessage, type Span } from "../../../jsonrpc/message.ts";
import { type HeaderAnnotations, headerAnnotations } from "./header-annotations.ts";

/**
 * The answer to a modern `tools/list`, read from its text: what each tool declares for headers, and the same text without the tools whose
 * declarations are invalid, as every client over HTTP must leave them out. No other byte of a server's answer is changed.
 */

export interface ListedTool {
  /** Null where the server gave none. */
  name: string | null;
  annotations: HeaderAnnotations;
  /** Where it stands in the text. */
  span: Span;
}

export interface ToolsList {
  tools: ListedTool[];
  /** How long the server means it to be fresh, in milliseconds; 0 where it does not say (2026-07-28, "Caching"). */
  ttlMs: number;
}

export interface DroppedTool {
  name: string | null;
  reason: string;
}

/** Reads the answer to a `tools/list`; null for an error, and for what is not well formed up to its end. */
export function readToolsList(text: string): ToolsList | null {
  const result = readMessage(text, 0, null)?.result ?? null;
  if (result === null) return null;
  const found: { tools: ListedTool[] | null; ttlMs: number } = { tools: null, ttlMs: 0 };
  const end = eachMember(text, result.start, (key, from, to) => {
    if (key === "tools") found.tools = readTools(text, from);
    else if (key === "ttlMs") found.ttlMs = milliseconds(text.slice(from, to));
  });
  const { tools, ttlMs } = found;
  return end < 0 || tools === null ? null : { tools, ttlMs };
}

function readTools(text: string, at: number): ListedTool[] | null {
  const tools: ListedTool[] = [];
  const end = eachElement(text, at, (_key, start, to) => {
    if (to < 0) return;
    const { name, schema } = readTool(text, start);
    tools.push({ name, annotations: headerAnnotations(schema), span: { start, end: to } });
  });
  return end < 0 ? null : tools;
}

function readTool(text: string, at: number): { name: string | null; schema: string } {
  const tool: { name: string | null; schema: string } = { name: null, schema: "" };
  eachMember(text, at, (key, start, end) => {
    if (key === "name") tool.name = stringValue(text, start, end);
    else if (key === "inputSchema") tool.schema = text.slice(start, end);
  });
  return tool;
}

function milliseconds(raw: string): number {
  const number = /^[0-9]/.test(raw) ? Number(raw) : 0;
  return Number.isFinite(number) ? number : 0;
}

/** `text` without the tools whose annotations are invalid, each with one comma; the same string when there is none such. */
export function withoutInvalidTools(text: string, list: ToolsList): { text: string; dropped: DroppedTool[] } {
  const dropped: DroppedTool[] = [];
  const kept: string[] = [];
  let from = 0;
  const cut = (start: number, end: number): void => {
    kept.push(text.slice(from, start));
    from = end;
  };
  let hasKept = false;
  list.tools.forEach(({ name, annotations, span }, i) => {
    const next = list.tools[i + 1];
    if (annotations.fault === null) {
      hasKept = true;
      return;
    }
    dropped.push({ name, reason: annotations.fault });
    const previous = list.tools[i - 1];
    if (hasKept && previous !== undefined) {
      const comma = skipSpace(text, previous.span.end);
      cut(comma, comma + 1);
    }
    cut(span.start, span.end);
    if (!hasKept && next !== undefined) {
      const comma = skipSpace(text, span.end);
      cut(comma, comma + 1);
    }
  });
  return dropped.length === 0 ? { text, dropped } : { text: kept.join("") + text.slice(from), dropped };
}
