import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { readSwitches, switchOn, switchSentences } from "../switches.ts";

/** `bir on`: turns recording on, and says what is in force then. */

export interface OnFlags {
  here: boolean;
  json: boolean;
}

export async function turnOn(context: CliContext, flags: OnFlags): Promise<ExitCode> {
  switchOn(context, flags.here);
  const switches = readSwitches(context);
  if (flags.json) await printJson(context, switches);
  else await context.print(`${switchSentences(switches).join("\n")}\n`);
  return EXIT.ok;
}
