import { isPlainObject } from "./text-place.ts";

/** Values and keys as TOML text, in one line. */

/** Throws where TOML has no such value. */
export function writeToml(value: unknown): string {
  if (typeof value === "string") return writeString(value);
  if (typeof value === "number") return writeNumber(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(writeToml).join(", ")}]`;
  if (!isPlainObject(value)) throw new Error("TOML has no value for null");
  const pairs = writePairs(value);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

/** `key = value`, one for each member. */
export function writePairs(value: Record<string, unknown>): string[] {
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${writeTomlKey(key)} = ${writeToml(member)}`);
}

export function writeTomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : writeBasic(key);
}

/** As people write it: a path with backslashes in single quotes. */
function writeString(value: string): string {
  const isLiteral = value.includes("\\") && !value.includes("'") && !hasControl(value) && value.isWellFormed();
  return isLiteral ? `'${value}'` : writeBasic(value);
}

function writeBasic(value: string): string {
  if (!value.isWellFormed()) throw new Error("TOML has no text for half a character");
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}

function hasControl(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function writeNumber(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const text = String(value);
    return text.includes("e") ? text : `${text}.0`;
  }
  return String(value);
}
