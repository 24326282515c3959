import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import type { CliContext } from "../context.ts";
import { readyEntry } from "../install/ready-entry.ts";
import { printJson } from "../json-output.ts";

/** `bir wrap`: prints an entry, and on stderr where it goes. */

export interface WrapFlags {
  "server-name": string | undefined;
  host: string | undefined;
  url: string | undefined;
  json: boolean;
}

export async function runWrap(context: CliContext, flags: WrapFlags, ...words: string[]): Promise<ExitCode> {
  const entry = readyEntry(context, { name: flags["server-name"], host: flags.host, url: flags.url, words });
  if (flags.json) await printJson(context, entry);
  else {
    await context.print(entry.text);
    await context.printError(entry.advice);
  }
  return EXIT.ok;
}
