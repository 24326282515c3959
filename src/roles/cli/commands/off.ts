import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { readSwitches, switchOff, switchSentences } from "../switches.ts";

/** `bir off`: turns recording off, and says what is in force then. */

export interface OffFlags {
  here: boolean;
  json: boolean;
}

export async function turnOff(context: CliContext, flags: OffFlags): Promise<ExitCode> {
  switchOff(context, flags.here);
  const switches = readSwitches(context);
  if (flags.json) await printJson(context, switches);
  else await context.print(`${switchSentences(switches).join("\n")}\n`);
  return EXIT.ok;
}
