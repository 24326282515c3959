import { eachMember, skipSpace } from "../jsonrpc/json-span.ts";

/**
 * The arguments of a call as a host wrote them in a hook's text, not redacted: to hash them, and to give them back to the host
 * with an id in them. They are for nothing else. Loaded only where one of the two is to be done.
 */

/** The text of `tool_input`; null where it is no object that came whole. */
export function rawInput(text: string): string | null {
  let input: string | null = null;
  eachMember(text, skipSpace(text, 0), (key, start, end) => {
    // The last of equal keys wins, as with JSON.parse.
    if (key === "tool_input") input = end < 0 || text[start] !== "{" ? null : text.slice(start, end);
  });
  return input;
}
