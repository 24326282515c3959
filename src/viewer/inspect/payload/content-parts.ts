import { isObject, memberOf, textOf } from "../json/value.ts";
import type { Media, Part } from "./part.ts";

/** The content blocks of a result, one part each. Media are told by type, size and hash; nothing is ever loaded. Pure. */

const TYPES = ["text", "image", "audio", "resource", "resource_link", "tool_reference", "document"];

/** True for a list of content blocks. */
export function isContent(value: unknown): value is unknown[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((block: unknown) => TYPES.includes(textOf(block, "type") ?? ""))
  );
}

export function contentParts(content: readonly unknown[]): Part[] {
  return content.map(blockPart);
}

function blockPart(block: unknown): Part {
  const type = textOf(block, "type");
  const text = textOf(block, "text");
  if (type === "text" && text !== null) {
    return text === "" ? { kind: "note", text: "An empty text." } : { kind: "text", text };
  }
  const resource = memberOf(block, "resource");
  if (type === "resource" && isObject(resource)) {
    const inner = textOf(resource, "text");
    const uri = textOf(resource, "uri");
    if (inner !== null) return { kind: "text", text: inner, ...(uri === null ? {} : { title: uri }) };
    return { kind: "media", media: mediaOf(resource, "resource") ?? unknownMedia("resource", resource) };
  }
  if (isObject(block) && (type === "image" || type === "audio" || type === "document")) {
    const source = memberOf(block, "source");
    return { kind: "media", media: mediaOf(isObject(source) ? source : block, type) ?? unknownMedia(type, block) };
  }
  if (isObject(block) && type === "resource_link") {
    return { kind: "media", media: { ...unknownMedia("link to a resource", block), uri: textOf(block, "uri") } };
  }
  return { kind: "json", value: block };
}

/** What stands for bytes that were not kept; null for anything else. */
export function mediaOf(value: Record<string, unknown>, what: string): Media | null {
  const { sizeBytes, sha256 } = value;
  if (typeof sizeBytes !== "number" || typeof sha256 !== "string") return null;
  return { ...unknownMedia(what, value), sizeBytes, sha256 };
}

function unknownMedia(what: string, value: Record<string, unknown>): Media {
  const type = textOf(value, "mimeType") ?? textOf(value, "media_type");
  const inner = textOf(value, "type");
  return {
    what,
    type: type ?? (inner?.includes("/") === true ? inner : null),
    sizeBytes: null,
    sha256: null,
    uri: textOf(value, "uri") ?? textOf(value, "name"),
  };
}
