/** JSON text that is the same for equal values, whatever the order of their keys and their spelling; null for no JSON. */
export function canonicalJson(json: string): string | null {
  try {
    return JSON.stringify(JSON.parse(json), sortedKeys);
  } catch {
    return null;
  }
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
