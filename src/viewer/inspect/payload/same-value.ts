import { isContainer, isExact, isObject } from "../json/value.ts";

/** True for two JSON values that say the same: order of names and the spelling of numbers aside. Without recursion. Pure. */
export function saysTheSame(left: unknown, right: unknown): boolean {
  const pairs: [unknown, unknown][] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair;
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      for (let index = 0; index < a.length; index++) pairs.push([a[index], b[index]]);
    } else if (isObject(a) && isObject(b)) {
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false;
        pairs.push([a[key], b[key]]);
      }
    } else if (isContainer(a) || isContainer(b) || !isSameScalar(a, b)) return false;
  }
  return true;
}

function isSameScalar(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const [first, second] = [a, b].map((one) =>
    isExact(one) ? one.rawJSON : typeof one === "number" ? String(one) : null,
  );
  if (first == null || second == null) return false;
  return first.replace(/\.0{1,99}$/, "") === second.replace(/\.0{1,99}$/, "");
}
