/**
 * The readable text of a payload for the search, taken from its JSON text without parsing it: keys, strings and numbers in
 * order, as far as a bound. Works on what is no sound JSON, too. Pure.
 */

/** Of a longer payload only the beginning is searched. UTF-16 units of JSON text. */
export const SEARCHED_LENGTH = 32_768;

/** A string (with the colon behind it where it is a key), a number or a literal. A string may be cut at the end. */
const PART = /"[^"\\]*(?:\\.[^"\\]*)*"?(?:\s*:)?|-?\d[\d.eE+-]*|true|false|null/gs;

/** Keys of MCP's own around what a tool says: they are in every result, and tell nothing. */
const ENVELOPE = new Set(["content", "type", "text", "isError", "structuredContent", "mimeType"]);

/** What those blocks are called. */
const KINDS = new Set(['"text"', '"image"', '"audio"', '"resource"', '"resource_link"']);

/** The text of arguments, or of an error. */
export function jsonText(json: string): string {
  return textOf(json, null);
}

/** The text of a result of a tool: what the tool said, not how it is wrapped. */
export function resultText(json: string): string {
  return textOf(json, ENVELOPE);
}

function textOf(json: string, hidden: ReadonlySet<string> | null): string {
  const parts = json.slice(0, SEARCHED_LENGTH).match(PART) ?? [];
  let text = "";
  let key = "";
  for (const part of parts) {
    if (!part.startsWith('"')) {
      text += ` ${part}`;
    } else if (part.endsWith(":") && part.lastIndexOf('"') > 0) {
      key = stringOf(part.slice(0, part.lastIndexOf('"') + 1));
      if (hidden?.has(key)) continue;
      text += ` ${key}:`;
    } else if (hidden === null || key !== "type" || !KINDS.has(part)) text += ` ${stringOf(part)}`;
    key = "";
  }
  return text;
}

function stringOf(literal: string): string {
  const isWhole = literal.length > 1 && literal.endsWith('"');
  if (!literal.includes("\\")) return literal.slice(1, isWhole ? -1 : undefined);
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal.slice(1, isWhole ? -1 : undefined).replace(/\\(?:u[0-9a-fA-F]{0,4}|.?)/gs, " ");
  }
}
