import { canonicalJson } from "./canonical-json.ts";

/**
 * The fingerprint of a call's arguments: what a hook and a proxy can both compute of the raw value without telling it. Keyed,
 * since short arguments could be found by trying; never stored.
 */

/** HMAC-SHA-256 in hex of the arguments, whatever the order of their keys, or null where `json` is no JSON. */
export function argumentsHash(json: string, key: string): string | null {
  const canonical = canonicalJson(json);
  return canonical === null ? null : new Bun.CryptoHasher("sha256", key).update(canonical).digest("hex");
}
