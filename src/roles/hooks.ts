import { EXIT } from "../core/exit-codes.ts";
import { receiveHook } from "../hooks/receive.ts";
import { debug, logWritten } from "../kit/log.ts";

/**
 * `bir hooks`: what a host starts for its hooks. Ends with 0 whatever happens, in time and in silence: a host shows its user
 * every other end. `serve` and `print-settings` are commands of their own, loaded only when they are asked for.
 */

/** How long the host may take to write what it tells, from the start of this process. */
const INPUT_MS = 1400;
/** When this process ends at the latest, from its start. */
const END_MS = 1900;

/** Answers the exit status: 0; 2 for a wrong command line. */
export async function hooksRole(words: readonly string[]): Promise<number> {
  const [command, ...rest] = words;
  if (command !== undefined) return await namedCommand(command, rest);
  // Whatever is written from here on is for its owner alone.
  process.umask(0o077);
  const { promise: late, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, Math.max(0, END_MS - performance.now()));
  await Promise.race([receive(), late]);
  return EXIT.ok;
}

async function receive(): Promise<void> {
  try {
    await receiveHook(Math.max(0, INPUT_MS - performance.now()));
  } catch (fault) {
    debug("hooks", () => `fault: ${fault instanceof Error ? fault.name : "unknown"}`);
  }
  await logWritten();
}

async function namedCommand(command: string, words: readonly string[]): Promise<number> {
  if (command === "serve") return (await import("./control.ts")).controlRole(words);
  if (command === "print-settings") return (await import("./print-settings.ts")).printSettingsRole(words);
  return (await import("./hooks-usage.ts")).hooksUsage(command);
}
