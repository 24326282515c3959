/**
 * The fingerprint of a call's arguments: what a hook and a proxy can both compute of the raw value without telling it. Keyed,
 * since short arguments could be found by trying; never stored.
 */

/** HMAC-SHA-256 in hex of the arguments, whatever the order of their keys, or null where `json` is no JSON. */
export function argumentsHash(json: string, key: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  return new Bun.CryptoHasher("sha256", key).update(JSON.stringify(value, sortedKeys)).digest("hex");
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
