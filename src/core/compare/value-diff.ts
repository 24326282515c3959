import { commonOrder, type Pair } from "./common-order.ts";
import { jsonHash } from "./json-hash.ts";
import { isMembers, sameJson } from "./same-json.ts";

/**
 * In what two JSON values differ, value by value with its path (`args.files[2].name`). Items of arrays are found again where they
 * only moved along. Pure; linear in what is the same, and what is nested deeper than 100 is one value.
 */

export type ValueChange =
  | { kind: "added"; path: string; right: unknown }
  | { kind: "removed"; path: string; left: unknown }
  | { kind: "changed"; path: string; left: unknown; right: unknown };

const DEPTH = 100;

/** The first `limit` differences, and how many there are beyond them; `path` is what the values themselves are called. */
export function valueChanges(
  left: unknown,
  right: unknown,
  path: string,
  limit = 1_000,
): { changes: ValueChange[]; more: number } {
  const changes: ValueChange[] = [];
  let more = 0;
  compare(left, right, path, 0, (change) => {
    if (changes.length < limit) changes.push(change);
    else more++;
  });
  return { changes, more };
}

/** The path of a member: `args.name`, `args["first name"]`. */
export function memberPath(path: string, key: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

type Tell = (change: ValueChange) => void;

function compare(left: unknown, right: unknown, path: string, depth: number, tell: Tell): void {
  if (depth < DEPTH && isMembers(left) && isMembers(right)) compareMembers(left, right, path, depth + 1, tell);
  else if (depth < DEPTH && Array.isArray(left) && Array.isArray(right)) {
    compareItems(left, right, path, depth + 1, tell);
  } else if (!sameJson(left, right)) tell({ kind: "changed", path, left, right });
}

function compareMembers(
  left: Record<string, unknown>,
  right: Record<string, unknown>,
  path: string,
  depth: number,
  tell: Tell,
): void {
  for (const key of Object.keys(left)) {
    const at = memberPath(path, key);
    if (Object.hasOwn(right, key)) compare(left[key], right[key], at, depth, tell);
    else tell({ kind: "removed", path: at, left: left[key] });
  }
  for (const key of Object.keys(right)) {
    if (!Object.hasOwn(left, key)) tell({ kind: "added", path: memberPath(path, key), right: right[key] });
  }
}

function compareItems(left: unknown[], right: unknown[], path: string, depth: number, tell: Tell): void {
  const hashes = (items: unknown[]) => items.map((item) => jsonHash(item));
  const end: Pair = [left.length, right.length];
  let [l, r] = [0, 0];
  for (const [nextL, nextR] of [...commonOrder(hashes(left), hashes(right)), end]) {
    // What stands between two items that are the same is told one against the other.
    for (; l < nextL && r < nextR; l++, r++) compare(left[l], right[r], `${path}[${r}]`, depth, tell);
    for (; l < nextL; l++) tell({ kind: "removed", path: `${path}[${l}]`, left: left[l] });
    for (; r < nextR; r++) tell({ kind: "added", path: `${path}[${r}]`, right: right[r] });
    if (l < left.length && r < right.length) compare(left[l], right[r], `${path}[${r}]`, depth, tell);
    l = nextL + 1;
    r = nextR + 1;
  }
}
