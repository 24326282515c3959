import { isBrief } from "../../../core/brief.ts";
import { stringifyExact } from "../../../core/exact-json.ts";
import { argumentLine } from "../../../core/text/argument-line.ts";
import { isObject } from "../../../core/text/payload-text.ts";
import { visible } from "../../../core/text/visible.ts";

/**
 * The arguments of a call in one short line, safe to show: what the call is about first and bare (`npm test`, a path), the
 * others behind it with their names. Pure; takes whole payloads and those in brief.
 */

/** Names under which tools take what they are about, the most telling first. */
const SUBJECTS = [
  "command",
  "cmd",
  "pattern",
  "query",
  "file_path",
  "notebook_path",
  "path",
  "url",
  "uri",
  "description",
  "prompt",
  "message",
  "text",
  "name",
  "id",
];

const LINE_LENGTH = 400;
const VALUE_LENGTH = 60;
const SUBJECT_LENGTH = 240;

export function callLine(args: unknown): string {
  if (args === null || args === undefined) return "";
  const members = membersOf(args);
  if (members === null)
    return isBrief(args) ? cut(visible(args.head), LINE_LENGTH) : cut(argumentLine(args), LINE_LENGTH);
  const subject = SUBJECTS.find((name) => members.get(name)?.startsWith('"') === true);
  const parts: string[] = [];
  if (subject !== undefined) {
    parts.push(cut(visible(bare(members.get(subject) ?? "")), SUBJECT_LENGTH));
    members.delete(subject);
  }
  let length = parts[0]?.length ?? 0;
  for (const [name, json] of members) {
    const room = members.size === 1 ? SUBJECT_LENGTH : VALUE_LENGTH;
    const part = `${visible(name)}: ${cut(visible(json), room)}`;
    parts.push(part);
    length += part.length;
    if (length > LINE_LENGTH) break;
  }
  return cut(parts.join("  "), LINE_LENGTH);
}

/** Each member's value as JSON text, or as much of it as there is; null for what is no object. */
function membersOf(args: unknown): Map<string, string> | null {
  if (isBrief(args)) return briefMembers(args.head);
  if (!isObject(args) || args.truncated === true) return null;
  const members = new Map<string, string>();
  let length = 0;
  for (const [name, value] of Object.entries(args)) {
    if (length > LINE_LENGTH && !SUBJECTS.includes(name)) continue;
    const json = typeof value === "string" ? JSON.stringify(value.slice(0, SUBJECT_LENGTH + 1)) : stringifyExact(value);
    members.set(name, json);
    length += name.length + json.length;
  }
  return members;
}

/** The members of an object at the beginning of its JSON text; null where that is no object. */
function briefMembers(head: string): Map<string, string> | null {
  if (!head.startsWith("{")) return null;
  const members = new Map<string, string>();
  let at = 1;
  while (head[at] === '"') {
    const nameEnd = stringEnd(head, at);
    const valueStart = nameEnd + 1;
    if (head[nameEnd] !== ":") break;
    const valueEnd = valueEndOf(head, valueStart);
    members.set(bare(head.slice(at, nameEnd)), head.slice(valueStart, valueEnd));
    at = valueEnd + 1;
  }
  return members;
}

/** Behind the string that begins at a place, or the end of the text. */
function stringEnd(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === "\\") at++;
    else if (json[at] === '"') return at + 1;
  }
  return json.length;
}

/** Behind the value that begins at a place, or the end of the text. */
function valueEndOf(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const char = json[at];
    if (char === '"') at = stringEnd(json, at) - 1;
    else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") {
      if (depth === 0) return at;
      depth--;
    } else if (char === "," && depth === 0) return at;
  }
  return json.length;
}

/** The text of a JSON string, also of one that was cut off. */
function bare(json: string): string {
  for (const text of [json, `${json}"`, `${json.replace(/\\[^\\]{0,5}$/, "")}"`]) {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "string") return value;
    } catch {
      // It was cut off somewhere else.
    }
  }
  return json;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
