import { isExactNumber } from "../exact-json.ts";

/**
 * Whether two recorded values are the same JSON value: the order of keys is no difference, numbers are compared by what they
 * are worth, however they are written (`1.0` and `1`, not rounded to a double). Needs no stack of its own depth.
 */
export function sameJson(left: unknown, right: unknown): boolean {
  const waiting: [unknown, unknown][] = [[left, right]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const [a, b] = pair;
    if (Object.is(a, b)) continue;
    if (isNumber(a) && isNumber(b)) {
      if (worth(a) !== worth(b)) return false;
    } else if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      for (const [index, item] of a.entries()) waiting.push([item, b[index]]);
    } else if (isMembers(a) && isMembers(b)) {
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false;
        waiting.push([a[key], b[key]]);
      }
    } else return false;
  }
  return true;
}

/** True for an object of JSON, which an array and an exact number are not. */
export function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** What a number is worth, as text that is the same for equal numbers; null for what is none. */
export function worthOf(value: unknown): string | null {
  return isNumber(value) ? worth(value) : null;
}

function isNumber(value: unknown): value is number | { readonly rawJSON: string } {
  return typeof value === "number" || isExactNumber(value);
}

function worth(value: number | { readonly rawJSON: string }): string {
  const source = typeof value === "number" ? String(value) : value.rawJSON;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = trimmedZeros(`${whole}${fraction}`);
  if (digits.text === "") return whole === "" ? source : "0";
  return `${sign}${digits.text}e${exponentText(exponent, digits.behind - fraction.length)}`;
}

/** Without zeros before and behind; how many stood behind. Without a pattern: that would take the square of their number. */
function trimmedZeros(digits: string): { text: string; behind: number } {
  let start = 0;
  let end = digits.length;
  while (start < end && digits[start] === "0") start++;
  while (end > start && digits[end - 1] === "0") end--;
  return { text: digits.slice(start, end), behind: digits.length - end };
}

function exponentText(exponent: string, moved: number): string {
  // An exponent is as long as somebody made it; one that no number can use is compared as it is written.
  return exponent.length > 30
    ? `${exponent}${moved < 0 ? "" : "+"}${moved}`
    : String(BigInt(exponent.replace("+", "")) + BigInt(moved));
}
