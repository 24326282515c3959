import { isHookCommand } from "../../../hooks/settings/hook-command.ts";

/** Which values a diff shows: only words of our own, which hold no secret of anybody. */

const PLAIN = new Set([
  ..."proxy hooks -- --server-name --scope user --restart --no-correlation --url --transport http sse --bearer-env".split(
    " ",
  ),
  ..."stdio local command * mcp__.*".split(" "),
]);

/** `known`: names of servers, the executable, the home of recordings. */
export function mayShowWord(known: readonly string[]): (value: string) => boolean {
  const plain = new Set([...PLAIN, ...known]);
  return (value) => plain.has(value) || isHookCommand(value);
}
