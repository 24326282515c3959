import { VERSION } from "../../version.ts";
import { type Command, type CommandGroup, type Proposal, proposals, runArgv } from "./args.ts";
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
    if (first === "--version" || first === "-v" || first === "version") {
      await context.print(`${VERSION}\n`);
      return 0;
    }
    if (first === COMPLETE_WORD) return await complete(context, rest);
    const words = withoutHelpWord(argv);
    if (words[0] === "proxy") return await proxyHelp(context);
    if (words[0] === "hooks") return await hooksHelp(context);
    return await runArgv(COMMANDS, words, context);
  } catch (cause) {
    return await reportFailure(context, cause, asksForJson(argv));
  }
}

/** `help`, first or behind a group of commands, asks what `--help` at the end does. */
function withoutHelpWord(argv: readonly string[]): readonly string[] {
  let group: Command | CommandGroup | undefined = COMMANDS;
  for (const [index, word] of argv.entries()) {
    if (group?.kind !== "group") return argv;
    if (word === "help") return [...argv.slice(0, index), ...argv.slice(index + 1), "--help"];
    group = Object.hasOwn(group.commands, word) ? group.commands[word] : undefined;
  }
  return argv;
}

/** Hooks have a role of their own, too. */
async function hooksHelp(context: CliContext): Promise<number> {
  const { HOOKS_USAGE } = await import("../hooks-usage.ts");
  await context.print(HOOKS_USAGE);
  return 0;
}

/** The proxy has a role of its own; only a question about it ends up here. */
async function proxyHelp(context: CliContext): Promise<number> {
  const { PROXY_USAGE } = await import("../proxy-usage.ts");
  await context.print(PROXY_USAGE);
  return 0;
}

/** What may stand in place of the last word behind `bir proxy`; nothing of ours once the server's command has begun. */
async function proxyProposals(words: readonly string[]): Promise<Proposal[]> {
  const { PROXY_OPTIONS } = await import("../proxy-usage.ts");
  const [partial = "", before = ""] = words.toReversed();
  if (words.slice(0, -1).includes("--")) return [];
  if (before === "--scope") return [{ word: "user", brief: "The whole user" }];
  if (before === "--transport") {
    return [
      { word: "http", brief: "Streamable HTTP" },
      { word: "sse", brief: "HTTP with SSE, of 2024-11-05" },
    ].filter(({ word }) => word.startsWith(partial));
  }
  if (["--server-name", "--url", "--header", "--bearer-env"].includes(before)) return [];
  const options = PROXY_OPTIONS.map(({ name, brief }) => ({
    word: /--[a-z-]+/.exec(name)?.[0] ?? name,
    brief,
  }));
  options.push({ word: "--", brief: "the server's own command follows" });
  return options.filter(({ word }) => word.startsWith(partial));
}

/** What may stand in place of the last word behind `bir hooks`. */
function hooksProposals(words: readonly string[]): Proposal[] {
  if (words.length !== 1) return [];
  return [
    { word: "print-settings", brief: "The hooks to put into Claude Code's settings" },
    { word: "serve", brief: "The control server itself" },
  ].filter(({ word }) => word.startsWith(words[0] ?? ""));
}

/** Shells ask at every key: whatever goes wrong, there is just nothing to propose. */
async function complete(context: CliContext, words: readonly string[]): Promise<number> {
  try {
    const [first, ...rest] = words;
    const isOfRole = rest.length > 0 && (first === "proxy" || first === "hooks");
    const proposed = !isOfRole
      ? await proposals(COMMANDS, words, context)
      : first === "proxy"
        ? await proxyProposals(rest)
        : hooksProposals(rest);
    await context.print(proposed.map(({ word, brief }) => `${word}\t${brief}\n`).join(""));
  } catch {
    // Not the place to tell it.
  }
  return 0;
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes("--json");
}
