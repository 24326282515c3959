import { meantState } from "../../core/run-query.ts";

/**
 * The text of a search as the page handles it while somebody writes: its parts, putting a part in, and taking it out. What
 * the parts mean is told by the service. Pure.
 */

/** `tool:"my tool"` or a free word; offsets in UTF-16 units, the end excluded. */
export interface QueryPart {
  start: number;
  end: number;
  /** In lower case; null for a free word. */
  key: string | null;
  value: string;
}

const PART = /(?:([a-z]+):)?(?:"([^"]*)"?|(\S*))/giy;

export function queryParts(text: string): QueryPart[] {
  const parts: QueryPart[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    PART.lastIndex = at;
    const [whole = "", key, quoted, plain = quoted ?? ""] = PART.exec(text) ?? [];
    const end = at + Math.max(1, whole.length);
    parts.push({ start: at, end, key: key?.toLowerCase() ?? null, value: plain });
    at = end;
  }
  return parts;
}

/** The free words and phrases of it. */
export function freeWords(text: string): string[] {
  return queryParts(text).flatMap(({ key, value }) => (key === null && value !== "" ? [value] : []));
}

/** `tool:search`, in quotes where it needs them. A quote in a name cannot be written; it matches without. */
export function partText(key: string, value: string): string {
  return /^[^\s"]+$/.test(value) ? `${key}:${value}` : `${key}:"${value.replaceAll('"', "")}"`;
}

/** True when the text asks for exactly this, among others. */
export function hasPart(text: string, key: string, value: string): boolean {
  return queryParts(text).some((part) => isSame(part, key, value));
}

/** The text with this part put at its end, or taken out where it was. */
export function togglePart(text: string, key: string, value: string): string {
  const parts = queryParts(text);
  const kept = parts.filter((part) => !isSame(part, key, value)).map(({ start, end }) => text.slice(start, end));
  if (kept.length === parts.length) kept.push(partText(key, value));
  return kept.join(" ");
}

function isSame(part: QueryPart, key: string, value: string): boolean {
  return part.key === key && meantState(part.value) === meantState(value);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? "")) at += 1;
  return at;
}
