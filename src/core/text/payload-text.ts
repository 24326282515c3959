import { isExactNumber, parsePayload, stringifyExact } from "../exact-json.ts";
import type { Step, TruncatedPayload } from "../run.ts";
import { size } from "./when.ts";

/**
 * What a person reads of a payload: an MCP result as its text, with images and the like described; anything else as
 * indented JSON. Gives text as it was recorded: whoever shows it makes it safe (text/visible.ts).
 */

/** The answer of a call in words; empty when there is none. What `structuredText` tells is not in it. */
export function resultText(step: Step): string {
  if (step.rpcError !== null && step.rpcError !== undefined) return rpcErrorText(step.rpcError, step.error);
  if (step.result !== null) return contentText(step.result);
  return step.error ?? "";
}

/** The arguments of a call, whole. */
export function argumentsText(args: unknown): string {
  if (isTruncated(args)) return truncatedText(args);
  return typeof args === "string" ? args : stringifyExact(args, 2);
}

/** What a result says in structured form and not in its text as well; empty when there is nothing. */
export function structuredText({ result }: Step): string {
  if (!isObject(result) || isTruncated(result) || !Array.isArray(result.content)) return "";
  const texts = textsIn(result.content);
  if (result.structuredContent === undefined || texts.length === 0) return "";
  return repeats(texts, result.structuredContent) ? "" : stringifyExact(result.structuredContent, 2);
}

function contentText(payload: unknown): string {
  if (isTruncated(payload)) return truncatedText(payload);
  if (!isObject(payload)) return typeof payload === "string" ? payload : stringifyExact(payload, 2);
  if (!Array.isArray(payload.content)) return stringifyExact(payload, 2);
  const parts = payload.content.map(blockText);
  if (payload.structuredContent !== undefined && textsIn(payload.content).length === 0) {
    parts.push(stringifyExact(payload.structuredContent, 2));
  }
  return parts.length > 0 ? parts.join("\n") : stringifyExact(payload, 2);
}

function textsIn(content: readonly unknown[]): string[] {
  return content.flatMap((block) =>
    isObject(block) && block.type === "text" && typeof block.text === "string" ? [block.text] : [],
  );
}

/** True when a text is the same value as JSON, or the one value in it. */
function repeats(texts: readonly string[], structured: unknown): boolean {
  const members = isObject(structured) ? Object.values(structured) : [];
  const same = [structured, ...(members.length === 1 ? members : [])];
  const known = new Set(same.map(canonical));
  return [...texts, texts.join("\n")].some((text) => same.includes(text) || known.has(canonical(parsePayload(text))));
}

/** JSON text that is the same for equal values: keys in order, `1.0` as `1`. */
function canonical(value: unknown): string {
  if (isExactNumber(value)) return value.rawJSON.replace(/^(-?\d+)\.0+$/, "$1");
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return stringifyExact(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.sort().join()}}`;
}

/** True for what stands in for a payload over the capture bound. */
export function isTruncated(payload: unknown): payload is TruncatedPayload {
  return isObject(payload) && payload.truncated === true && typeof payload.head === "string";
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

function truncatedText({ originalBytes, head, tail }: TruncatedPayload): string {
  const note = `[${size(Number(originalBytes))} in all; only the beginning and the end were kept]`;
  return [head, note, tail].filter((part) => part !== "").join("\n");
}

function rpcErrorText(error: unknown, message: string | null): string {
  if (!isObject(error)) return message ?? stringifyExact(error, 2);
  const { code, data } = error;
  const said = typeof error.message === "string" ? error.message : (message ?? "");
  // Of one that was too long or too deep to be kept there is only what it said.
  const lines = [code === undefined ? said : `${said} (JSON-RPC error ${stringifyExact(code)})`];
  if (data !== undefined) lines.push(stringifyExact(data, 2));
  return lines.join("\n");
}

function blockText(block: unknown): string {
  if (!isObject(block)) return stringifyExact(block, 2);
  if (block.type === "text" && typeof block.text === "string") return block.text;
  if (block.type === "image" || block.type === "audio") return mediaText(block.type, block);
  if (block.type === "resource_link") return `[resource ${text(block.uri)}]`;
  if (block.type === "resource" && isObject(block.resource)) {
    const { uri, text: content } = block.resource;
    return typeof content === "string" ? `[resource ${text(uri)}]\n${content}` : mediaText("resource", block.resource);
  }
  return stringifyExact(block, 2);
}

function mediaText(kind: string, block: Record<string, unknown>): string {
  const { mimeType, sizeBytes, sha256, uri } = block;
  const parts = [kind, text(uri), text(mimeType)];
  if (typeof sizeBytes === "number") parts.push(size(sizeBytes));
  if (typeof sha256 === "string") parts.push(`sha256 ${sha256.slice(0, 12)}…`);
  return `[${parts.filter((part) => part !== "").join(" ")}]`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
