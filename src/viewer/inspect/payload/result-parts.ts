import { hunkLines } from "../diff/patch-text.ts";
import { isObject, kindOf, memberOf, parseContainer, textOf } from "../json/value.ts";
import { checklistOf } from "./checklist.ts";
import { contentParts, isContent, mediaOf } from "./content-parts.ts";
import { isWorthParts, Members, type Part, valuePart, valueParts } from "./part.ts";
import { saysTheSame } from "./same-value.ts";

/** The result of a call as a person reads it, told by its shape. Empty where JSON says it best. Pure. */

export function resultParts(result: unknown, args: unknown): Part[] {
  if (result === null || result === undefined) return [];
  const cut = cutPart(result);
  if (cut !== null) return [cut];
  if (typeof result === "string") return textParts(result);
  if (isContent(result)) return contentParts(result);
  if (!isObject(result)) {
    const part = valuePart(result);
    return part.kind === "table" ? [part] : [];
  }
  if (Array.isArray(result.content) && isContent(result.content)) return mcpParts(result, args);
  return (
    terminalParts(result) ?? fileParts(result) ?? patchParts(result) ?? listParts(result) ?? answerParts(result) ?? []
  );
}

/** What is there of a payload that was too large to keep; null for any other. */
export function cutPart(payload: unknown): Part | null {
  if (!isObject(payload) || payload.truncated !== true || typeof payload.head !== "string") return null;
  return {
    kind: "cut",
    originalBytes: Number(payload.originalBytes),
    head: payload.head,
    tail: textOf(payload, "tail") ?? "",
  };
}

function textParts(text: string): Part[] {
  return text === "" ? [{ kind: "note", text: "An empty text." }] : [{ kind: "text", text }];
}

/** A tool's result as MCP has it; the host's own agents answer in the same form. */
function mcpParts(result: Record<string, unknown>, args: unknown): Part[] {
  const members = new Members(result);
  const content = members.take("content") as unknown[];
  const structured = members.take("structuredContent");
  members.drop("isError", "resultType", "_meta");
  if (members.peek("prompt") === memberOf(args, "prompt")) members.drop("prompt");
  const texts = content.flatMap((block) => (textOf(block, "type") === "text" ? [textOf(block, "text") ?? ""] : []));
  const parts: Part[] = [];
  if (structured === undefined) parts.push(...contentParts(content));
  else if (repeats(texts, structured)) {
    // Once, in the form that can be read.
    parts.push(...valueParts(structured), ...contentParts(content.filter((block) => textOf(block, "type") !== "text")));
    parts.push({ kind: "note", text: "The text of the result says the same." });
  } else parts.push(...contentParts(content), ...valueParts(structured, "Structured content"));
  if (parts.length === 0) parts.push({ kind: "note", text: "A result without content." });
  return [...parts, ...members.rest()];
}

/** True when a text is the same value as JSON, or the one value in it. */
function repeats(texts: readonly string[], structured: unknown): boolean {
  const members = isObject(structured) ? Object.values(structured) : [];
  const same = [structured, ...(members.length === 1 ? members : [])];
  return [...texts, texts.join("\n")].some((text) => {
    const parsed = parseContainer(text);
    return same.some((value) => value === text || (parsed !== undefined && saysTheSame(value, parsed)));
  });
}

/** `stdout` and `stderr` of a command. */
function terminalParts(result: Record<string, unknown>): Part[] | null {
  const members = new Members(result);
  const output = members.takeText("stdout");
  if (output === null) return null;
  const errors = members.takeText("stderr") ?? "";
  const parts: Part[] = [];
  if (output !== "") parts.push({ kind: "text", text: output, hint: "terminal", title: "Output" });
  if (errors !== "") parts.push({ kind: "text", text: errors, hint: "terminal", title: "Error output" });
  if (parts.length === 0) parts.push({ kind: "note", text: "It printed nothing." });
  return [...parts, ...members.rest()];
}

/** A file that was read, as Claude Code reports it. */
function fileParts(result: Record<string, unknown>): Part[] | null {
  const { file } = result;
  if (!isObject(file)) return null;
  const members = new Members(file);
  const text = members.takeText("content");
  const title = members.takeText("filePath") ?? undefined;
  const named = title === undefined ? {} : { title };
  if (text !== null) {
    const first = members.take("startLine");
    return [{ kind: "file", text, firstLine: typeof first === "number" ? first : 1, ...named }, ...members.rest()];
  }
  const media = mediaOf(file, textOf(result, "type") ?? "file");
  return media === null ? null : [{ kind: "media", media, ...named }];
}

/** A file that was written or changed. */
function patchParts(result: Record<string, unknown>): Part[] | null {
  const path = textOf(result, "filePath");
  if (path === null || !Array.isArray(result.structuredPatch)) return null;
  const lines = hunkLines(result.structuredPatch);
  if (lines !== null) return [{ kind: "diff", lines, title: path }];
  const content = textOf(result, "content");
  if (textOf(result, "type") !== "create" || content === null) return null;
  return [{ kind: "file", text: content, firstLine: 1, title: `${path} (created)` }];
}

function listParts(result: Record<string, unknown>): Part[] | null {
  const members = new Members(result);
  const items = checklistOf(members.peek("newTodos"));
  if (items !== null) return [{ kind: "checklist", items }];
  const names = members.peek("filenames");
  if (!Array.isArray(names) || !names.every((name) => kindOf(name) === "string")) return null;
  members.drop("filenames");
  const found = members.takeText("content");
  const parts: Part[] = [];
  if (found !== null && found !== "") parts.push({ kind: "text", text: found });
  if (names.length > 0) parts.push({ kind: "text", text: names.join("\n"), title: "Files" });
  if (parts.length === 0) parts.push({ kind: "note", text: "Nothing was found." });
  return [...parts, ...members.rest()];
}

/** What another model or a page answered. */
function answerParts(result: Record<string, unknown>): Part[] | null {
  const members = new Members(result);
  const answer = members.takeText("result", "plan");
  if (answer !== null && answer !== "") return [{ kind: "text", text: answer, hint: "markdown" }, ...members.rest()];
  return isWorthParts(result) ? new Members(result).rest() : null;
}
