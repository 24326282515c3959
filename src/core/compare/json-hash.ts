import { isMembers, worthOf } from "./same-json.ts";

/**
 * A number that is the same for equal JSON values (as `sameJson` tells them) and differs for nearly all others. Only ever used
 * to find candidates: what is said to be the same was compared.
 */
export function jsonHash(value: unknown, depth = 0): number {
  // What is nested deeper counts as equal here, so that no value is too deep for the stack.
  if (depth > 200) return 1;
  if (typeof value === "string") return textHash(value, 2);
  if (Array.isArray(value)) {
    let hash = 3;
    for (const item of value) hash = mixed(hash, jsonHash(item, depth + 1));
    return hash;
  }
  if (isMembers(value)) {
    // A sum, so that the order of the keys is no part of it.
    let sum = 5;
    for (const key of Object.keys(value)) sum += mixed(textHash(key, 7), jsonHash(value[key], depth + 1));
    return mixed(sum, 11);
  }
  return textHash(worthOf(value) ?? String(value), 13);
}

/** Of a text; `seed` tells kinds of text apart. Below 2^52. */
export function textHash(text: string, seed: number): number {
  let a = seed | 0;
  let b = ~seed | 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995) ^ (b >>> 13);
  }
  return joined(a, b);
}

function mixed(hash: number, next: number): number {
  const low = (hash % 0x100000000) | 0;
  const high = (hash / 0x100000000) | 0;
  const nextLow = (next % 0x100000000) | 0;
  const nextHigh = (next / 0x100000000) | 0;
  const a = Math.imul(low ^ nextLow, 0x85ebca6b) ^ Math.imul(nextHigh, 0x27d4eb2f) ^ (high << 7);
  const b = Math.imul(high ^ nextHigh, 0xc2b2ae35) + Math.imul(low, 0x165667b1) + (nextLow >>> 5);
  return joined(a ^ (a >>> 15), b ^ (b >>> 13));
}

function joined(a: number, b: number): number {
  return (b & 0xfffff) * 0x100000000 + (a >>> 0);
}
