import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { COMPLETION_SCRIPTS, type Shell } from "../completion-scripts.ts";
import type { CliContext } from "../context.ts";

/** `bir completions SHELL`: a script that makes a shell complete our command lines. */
export async function completions(context: CliContext, _flags: object, shell: Shell): Promise<ExitCode> {
  await context.print(COMPLETION_SCRIPTS[shell]);
  return EXIT.ok;
}
