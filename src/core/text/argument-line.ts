import { stringifyExact } from "../exact-json.ts";
import { isObject, isTruncated } from "./payload-text.ts";
import { visible } from "./visible.ts";
import { size } from "./when.ts";

/** The arguments of a call in one short line, safe to show: `path: "/tmp/a", limit: 10`. */

const VALUE_LENGTH = 60;

export function argumentLine(args: unknown): string {
  if (args === null) return "";
  if (isTruncated(args)) return `(arguments of ${size(Number(args.originalBytes))})`;
  if (!isObject(args)) return short(args);
  return Object.entries(args)
    .map(([key, value]) => `${visible(key)}: ${short(value)}`)
    .join(", ");
}

function short(value: unknown): string {
  const text = stringifyExact(value);
  return visible(text.length <= VALUE_LENGTH ? text : `${text.slice(0, VALUE_LENGTH - 1)}…`);
}
