/**
 * Token-like strings made at run time, so that the repository itself holds none. Deterministic: the same seed gives the same
 * string.
 */

const ALPHABETS = {
  base62: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  hex: "0123456789abcdef",
  capitals: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  base64: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  password: "ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789!#%^*-_=+.?",
  digits: "0123456789",
} as const;

export type Alphabet = keyof typeof ALPHABETS;

/** `length` characters; always with a digit, and with both cases where the alphabet has them. */
export function filler(seed: string, length: number, alphabet: Alphabet = "base62"): string {
  let state = 2166136261;
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 16777619) >>> 0;
  const letters = ALPHABETS[alphabet];
  let out = "";
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + i + 1) >>> 0;
    out += letters[(state >>> 9) % letters.length];
  }
  if (alphabet === "base62" && length >= 4) out = `${out.slice(0, -3)}k7Q`;
  if (alphabet === "hex" && length >= 4) out = `${out.slice(0, -2)}a9`;
  return out;
}

/** Expands the `sample` of a token rule: `{36}` letters and digits, `{h32}` hexadecimal, `{A16}` capitals, `{basic}` a pair. */
export function expand(sample: string, seed: string): string {
  let part = 0;
  return sample.replace(/\{([hA]?)(\d+)\}|\{basic\}/g, (_, kind: string | undefined, length: string | undefined) => {
    part++;
    if (length === undefined) return btoa(`robot:${filler(seed, 14)}`);
    return filler(`${seed}${part}`, Number(length), kind === "h" ? "hex" : kind === "A" ? "capitals" : "base62");
  });
}

/** A line that begins or ends a PEM or PGP block; put together here, so that no file has one that scanners know. */
export function pemLine(edge: "BEGIN" | "END", label = "PRIVATE KEY"): string {
  return `-----${edge} ${label}-----`;
}
