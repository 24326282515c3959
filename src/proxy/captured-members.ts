import { closingMembers, eachMember } from "../jsonrpc/json-span.ts";
import type { Span } from "../jsonrpc/message.ts";

/**
 * The members of an object in a message that may have been captured in part: its start, and the end of its line.
 */

/** What to do with the value of each key that is asked for; `end` is -1 where the text was cut off inside it. */
type Takes = Readonly<Record<string, (start: number, end: number) => void>>;

/**
 * As `members`; where the text was cut off inside the object, its last members are read from `tail`, in whose message the
 * object stands `depth` levels deep. `take` is told which text the positions are in.
 */
export function eachCaptured(
  text: string,
  span: Span | null,
  tail: string | null,
  depth: number,
  take: (from: string) => Takes,
): number {
  const end = members(text, span, take(text));
  const closing = span !== null && span.end < 0 && tail !== null ? closingMembers(tail, depth) : null;
  if (closing !== null) members(closing, { start: 0, end: -1 }, take(closing));
  return end;
}

/** Calls `take[key]` for the members that are asked for; answers the end of the object, or -1. */
export function members(text: string, span: Span | null, take: Takes): number {
  if (span === null) return -1;
  return eachMember(text, span.start, (key, start, end) => {
    if (Object.hasOwn(take, key)) take[key]?.(start, end);
  });
}

/** The sorted keys of an object, as one comparable text. */
export function keysOf(text: string, at: number): string {
  const keys: string[] = [];
  eachMember(text, at, (key) => keys.push(key));
  return JSON.stringify(keys.sort());
}

/** Raw text of one member of the object at `span`, e.g. `7` or `"7"`. */
export function memberText(text: string, span: Span | null, name: string): string | null {
  let found: string | null = null;
  if (span !== null) {
    eachMember(text, span.start, (key, start, end) => {
      if (key === name && end > 0) found = text.slice(start, end);
    });
  }
  return found;
}
