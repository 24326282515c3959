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

/**
 * The command that hands a hook to `executable`: an absolute path, or a name to be looked up when it runs. `home`: where
 * recordings are, if not where they are by default.
 */
export function hookCommand(executable: string, home: string | null = null): string {
  const program = shellWord(executable);
  const isThere = /[\\/]/.test(executable) ? `[ -x ${program} ]` : `command -v ${program} >/dev/null`;
  // A link of that name is the receiver by itself.
  const receiver = /(?:^|[\\/])bir-hooks(?:\.exe)?$/i.test(executable) ? program : `${program} hooks`;
  const where = home === null ? "" : `export BIR_HOME=${shellWord(home)}; `;
  return `${isThere} || exit 0; ${where}{ ${WITHOUT_COMPILER} ${receiver} || ${receiver}; } 2>/dev/null || :`;
}

const WORD = "'(?:[^']|'\\\\'')*'";
const OWN = new RegExp(
  String.raw`^(?:\[ -x ${WORD} \]|command -v ${WORD} >/dev/null) \|\| exit 0; (?:export BIR_HOME=${WORD}; )?` +
    String.raw`\{ ${WITHOUT_COMPILER} (${WORD}(?: hooks)?) \|\| \1; \} 2>/dev/null \|\| :$`,
);

/** True for a command of this form, whichever executable it names. */
export function isHookCommand(command: string): boolean {
  return OWN.test(command);
}

/** The executable that a command of this form names; null for any other. */
export function hookExecutable(command: string): string | null {
  const word = OWN.exec(command)?.[1]?.replace(/ hooks$/, "");
  return word === undefined ? null : word.slice(1, -1).replaceAll(`'\\''`, "'");
}
