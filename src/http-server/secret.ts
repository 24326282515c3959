import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Secrets that a server of ours makes and compares. A comparison takes the same time for every wrong one, of whatever length it
 * is.
 */

/** 256 random bits as text that may stand anywhere: 43 characters of base64url. */
export function newSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

/** Whether `given` is what is expected. */
export function isSameSecret(given: string, expected: string): boolean {
  return isSecret(expected)(given);
}

/** Answers whether what it is given is `expected`: for one that is asked very often. */
export function isSecret(expected: string): (given: string) => boolean {
  const known = digest(expected);
  // Of equal length whatever came.
  return (given) => timingSafeEqual(digest(given), known);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
