import { VERSION } from "../../version.ts";
import { proposals, runArgv } from "./args.ts";
import { COMMANDS } from "./commands.ts";
import { COMPLETE_WORD } from "./completion-scripts.ts";
import type { CliContext } from "./context.ts";
import { processContext } from "./process-context.ts";
import { reportFailure } from "./report.ts";

/** The command line for people: runs one command to its end and answers the exit code. Never ends the process. */

/** Runs as this process; `argv` is without the executable. */
export async function runCli(argv: readonly string[]): Promise<number> {
  return await runCliIn(processContext(), argv);
}

/** Runs in a given context: what tests call. */
export async function runCliIn(context: CliContext, argv: readonly string[]): Promise<number> {
  try {
    const [first, ...rest] = argv;
    if (first === "--version" || first === "-v") {
      await context.print(`${VERSION}\n`);
      return 0;
    }
    if (first === COMPLETE_WORD) return await complete(context, rest);
    const words = first === "help" ? [...rest, "--help"] : argv;
    if (words[0] === "proxy") return await proxyHelp(context);
    return await runArgv(COMMANDS, words, context);
  } catch (cause) {
    return await reportFailure(context, cause, asksForJson(argv));
  }
}

/** The proxy has a role of its own; only a question about it ends up here. */
async function proxyHelp(context: CliContext): Promise<number> {
  const { PROXY_USAGE } = await import("../proxy-usage.ts");
  await context.print(PROXY_USAGE);
  return 0;
}

/** Shells ask at every key: whatever goes wrong, there is just nothing to propose. */
async function complete(context: CliContext, words: readonly string[]): Promise<number> {
  try {
    const found = await proposals(COMMANDS, words, context);
    await context.print(found.map(({ word, brief }) => `${word}\t${brief}\n`).join(""));
  } catch {
    // Not the place to tell it.
  }
  return 0;
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes("--json");
}
