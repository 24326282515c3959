import { isExactNumber, stringifyExact } from "../../../core/exact-json.ts";
import type { Step, TruncatedPayload } from "../../../core/run.ts";
import { size } from "../text/when.ts";

/**
 * What a person reads of a payload: an MCP result as its text, with images and the like described; anything else as
 * indented JSON. Gives text as it was recorded: whoever shows it makes it safe (text/visible.ts).
 */

/** The answer of a call in words; empty when there is none. `whole` also tells what the text usually repeats. */
export function resultText(step: Step, whole: boolean): string {
  if (step.rpcError !== null && step.rpcError !== undefined) return rpcErrorText(step.rpcError, step.error);
  if (step.result !== null) return payloadText(step.result, whole);
  return step.error ?? "";
}

/** A payload in words. */
export function payloadText(payload: unknown, whole: boolean): string {
  if (isTruncated(payload)) return truncatedText(payload);
  if (!isObject(payload)) return typeof payload === "string" ? payload : stringifyExact(payload, 2);
  if (!Array.isArray(payload.content)) return stringifyExact(payload, 2);
  const parts = payload.content.map(blockText);
  const hasText = payload.content.some((block) => isObject(block) && block.type === "text");
  if (payload.structuredContent !== undefined && (whole || !hasText)) {
    parts.push(stringifyExact(payload.structuredContent, 2));
  }
  return parts.length > 0 ? parts.join("\n") : stringifyExact(payload, 2);
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
  const lines = [`${said} (JSON-RPC error ${stringifyExact(code)})`];
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
