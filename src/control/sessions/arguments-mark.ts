import type { RedactedJson } from "../../core/redacted.ts";

/**
 * What tells arguments apart without keeping them: equal for equal JSON values, whatever their spelling and the order of
 * their keys. For this process only; says nothing about a value that nested too deeply to be read.
 */
export function markOf(json: RedactedJson | null): string | null {
  if (json === null) return null;
  try {
    return Bun.hash(JSON.stringify(JSON.parse(json), sortedKeys)).toString(36);
  } catch {
    return Bun.hash(json).toString(36);
  }
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
