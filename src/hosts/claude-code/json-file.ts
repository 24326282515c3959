import { readTextIfThere } from "../../kit/file-facts.ts";

/**
 * Reads a file of Claude Code to know what it says. One that cannot be read, or that Claude Code itself would not take
 * (comments, half a file), says nothing. Never writes.
 */

export type JsonObject = Record<string, unknown>;

/** The object in a file; an empty one where there is none. */
export function readJsonObject(path: string): JsonObject {
  try {
    return asObject(JSON.parse(readTextIfThere(path)?.replace(/^\uFEFF/, "") ?? "{}"));
  } catch {
    return {};
  }
}

/** A value that is an object; an empty one in place of anything else. */
export function asObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The member of that name, never an inherited one. */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function asStrings(value: unknown): string[] {
  return asArray(value).filter((one): one is string => typeof one === "string");
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
