import { isExactNumber } from "../../../core/exact-json.ts";
import { parseJson } from "../../data/json.ts";

/** What a recorded JSON value is. An exact number (core/exact-json.ts) is a number here, and never an object. Pure. */

export type ValueKind = "object" | "array" | "string" | "number" | "boolean" | "null";

const KEEPS_NUMBERS = "isRawJSON" in JSON;

/** True for a number that was kept as its text; never in a browser that cannot keep one. */
export function isExact(value: unknown): value is { rawJSON: string } {
  return KEEPS_NUMBERS && typeof value === "object" && value !== null && isExactNumber(value);
}

export function kindOf(value: unknown): ValueKind {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return isExact(value) ? "number" : "object";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return typeof value as "string" | "number" | "boolean";
  }
  return "null";
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExact(value);
}

export function isContainer(value: unknown): value is Record<string, unknown> | readonly unknown[] {
  return Array.isArray(value) || isObject(value);
}

/** The value of an object's own member; nothing that an object has by nature. */
export function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The same where it is text. */
export function textOf(value: unknown, key: string): string | null {
  const member = memberOf(value, key);
  return typeof member === "string" ? member : null;
}

/** A value that holds no others, as JSON text. */
export function scalarText(value: unknown): string {
  if (isExact(value)) return value.rawJSON;
  if (Object.is(value, -0)) return "-0";
  return JSON.stringify(value) ?? "null";
}

/** JSON text within a string, as its value; undefined where the text is none, or only a scalar. */
export function parseContainer(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value = parseJson(text);
    return isContainer(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
