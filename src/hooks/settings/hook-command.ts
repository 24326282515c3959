import { shellWord } from "../../kit/shell-word.ts";

/**
 * The shell command of a hook. Silent and successful whatever becomes of the executable it names, because a host shows its user
 * every other end at every call: deleted, replaced by something that cannot run, crashed. Pure.
 */

/**
 * Starts the receiver without its just-in-time compiler: it lives for milliseconds, and compiling takes a fifth of them. A
 * runtime that does not know the variable any more ends at once, and the second try is without it.
 */
const WITHOUT_COMPILER = "BUN_JSC_useJIT=0";

/** The command that hands a hook to `executable`: an absolute path, or a name to be looked up when it runs. */
export function hookCommand(executable: string): string {
  const program = shellWord(executable);
  const isThere = /[\\/]/.test(executable) ? `[ -x ${program} ]` : `command -v ${program} >/dev/null`;
  // A link of that name is the receiver by itself.
  const receiver = /(?:^|[\\/])bir-hooks(?:\.exe)?$/i.test(executable) ? program : `${program} hooks`;
  return `${isThere} || exit 0; { ${WITHOUT_COMPILER} ${receiver} || ${receiver}; } 2>/dev/null || :`;
}
