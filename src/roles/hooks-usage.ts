import { EXIT, type ExitCode } from "../core/exit-codes.ts";
import { Problem } from "../core/problem.ts";
import { print, printError } from "../kit/output.ts";

/** What `bir hooks` says of its own command line. Apart from the role, so that a hook that runs does not load it. */

/** What `bir hooks --help` prints. */
export const HOOKS_USAGE = `Usage: bir hooks
       bir hooks serve
       bir hooks print-settings [--host-version X.Y.Z] [--command PATH] [--correlation]

Without a word: receives one hook of Claude Code, its JSON on stdin, and tells it to the control server. Prints nothing,
decides nothing, and ends with 0 within 2 seconds.

  serve            the control server itself; a hook or a proxy that finds none starts it in the background
  print-settings   the hooks to put into Claude Code's settings, as JSON
`;

/** Answers a word that is not one of the commands: help, or what is wrong with it. */
export async function hooksUsage(word: string): Promise<ExitCode> {
  if (word !== "--help" && word !== "-h") {
    await printError(`bir: unknown word ${JSON.stringify(word)} after "bir hooks". See: bir hooks --help`);
    return EXIT.usage;
  }
  return await printOrTell(HOOKS_USAGE);
}

/** Prints a text and answers the exit status; what keeps it from being printed is told in one line. */
export async function printOrTell(text: string): Promise<ExitCode> {
  try {
    await print(text);
    return EXIT.ok;
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    await printError(`bir: ${cause.message}. ${cause.hint}`);
    return cause.exitCode;
  }
}
