import { fileFacts, findProgram } from "../../../kit/file-facts.ts";
import { shellWord } from "../../../kit/shell-word.ts";
import { redactJson } from "../../../redact/redact.ts";
import { type ProxyCommandLine, readProxyOptions, UsageError } from "../../proxy-options.ts";
import { PROXY_OPTIONS } from "../../proxy-usage.ts";
import type { CliContext } from "../context.ts";
import { closest } from "../text/closest.ts";
import type { Finding } from "./check.ts";
import { birAt, hasWholeCommandLine, type McpEntry } from "./mcp-config.ts";
import { headerFindings, isRemote, withPlacesFilled } from "./remote-entry.ts";

/**
 * Whether a host can start what an entry says: bir is there, it can follow its arguments, and the server behind it is
 * there, or can be reached with what is configured. Starts nothing, and says no argument that looks like a secret.
 */

/** Commands that start another one on this machine, with the same PATH. */
const STARTERS = /(?:^|[/\\])(?:env|cmd)(?:\.exe)?$/i;
/** What a host puts values into before it starts anything: what comes out is not known here. */
const PLACEHOLDER = /\$\{?\w|%\w+%/;
const HELP_POINTER = " See: bir proxy --help";

/** What keeps an entry that runs bir from working. `where` names it. */
export function commandFindings(entry: McpEntry, where: string, context: CliContext): Finding[] {
  if (hasWholeCommandLine(entry)) {
    const hint = 'Write only bir in "command", and each word after it as one of "args".';
    return [error(`${where} has a whole command line in "command"`, hint)];
  }
  const at = birAt(entry);
  const isLocal = at < 0 || STARTERS.test(entry.command);
  const programs = at < 0 ? [entry.command] : isLocal ? [entry.command, entry.args[at] ?? ""] : [entry.command];
  const found = programs.flatMap((program) => programFindings(program, entry, context, `${where} starts`, "error"));
  const masked: string[] = JSON.parse(redactJson(JSON.stringify(entry.args)));
  const program = entry.args[at] ?? entry.command;
  const { line, findings } = readWords(program, masked.slice(at + 1), where);
  found.push(...findings);
  if (line?.remote) found.push(...headerFindings(line.remote, entry, where, context, isLocal));
  const [server] = line?.command ?? [];
  if (server === undefined || !isLocal) return found;
  return [...found, ...programFindings(server, entry, context, `${where} wraps`, "warning")];
}

/** The command line that bir would follow; null with findings where it cannot. */
function readWords(
  bir: string,
  words: string[],
  where: string,
): { line: ProxyCommandLine | null; findings: Finding[] } {
  const none = (message: string, hint: string) => ({ line: null, findings: [error(message, hint)] });
  if (/-hooks(?:\.exe)?$/i.test(bir)) return { line: null, findings: [] };
  let options = words;
  if (!/-proxy(?:\.exe)?$/i.test(bir)) {
    const [role, ...rest] = words;
    if (role !== "proxy") {
      const hint = 'Write in "args", as a list: "proxy", the options, "--", and the server\'s own command.';
      return role === undefined
        ? none(`${where} runs bir without saying what to do`, hint)
        : none(`${where} runs bir with ${JSON.stringify(role)} first`, 'Write "proxy" as the first of "args".');
    }
    options = rest;
  }
  try {
    return { line: readProxyOptions(isRemote(options) ? withPlacesFilled(options) : options), findings: [] };
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    return none(
      `${where} cannot start: ${cause.message.replace(HELP_POINTER, "").replace(/\.$/, "")}`,
      hintFor(options),
    );
  }
}

/** What to write in place of words that `bir proxy` cannot follow. */
function hintFor(words: readonly string[]): string {
  const end = words.includes("--") ? -1 : serverBegin(words);
  if (end >= 0) return `Write "--" before ${JSON.stringify(words[end])} in "args".`;
  const names = PROXY_OPTIONS.map(({ name }) => /--[a-z-]+/.exec(name)?.[0] ?? name);
  const options = words.slice(0, words.includes("--") ? words.indexOf("--") : words.length);
  const unknown = options
    .map((word) => word.replace(/=.*/s, ""))
    .find((word) => word.startsWith("-") && !names.includes(word));
  if (unknown === undefined) {
    return isRemote(words)
      ? 'Write "--url", then the server\'s whole address in "args", and no command.'
      : 'Write the options, then "--", then the server\'s own command in "args".';
  }
  const near = closest(unknown, names);
  return near === null
    ? "Take it out: `bir proxy --help` lists the options. What the server is to get goes after its command."
    : `Did you mean ${near}?`;
}

/** Where the server's command begins in words without a `--`; -1 where none is. */
function serverBegin(words: readonly string[]): number {
  for (let at = words.length - 1; at >= 0; at--) {
    if (words[at]?.startsWith("-")) continue;
    try {
      readProxyOptions([...words.slice(0, at), "--", ...words.slice(at)]);
      return at;
    } catch {
      // Not all before it are options.
    }
  }
  return -1;
}

function programFindings(
  program: string,
  entry: McpEntry,
  { env, cwd, userHome }: CliContext,
  where: string,
  severity: "warning" | "error",
): Finding[] {
  const ownPath = entry.env.PATH;
  const path = typeof ownPath === "string" ? ownPath : (env.PATH ?? env.Path ?? "");
  if (PLACEHOLDER.test(program) || (!/[/\\]/.test(program) && PLACEHOLDER.test(path))) return [];
  if (findProgram(program, path, cwd) !== null) return [];
  const name = JSON.stringify(program);
  const finding = (message: string, hint: string) => [{ severity, message: `${where} ${name}, ${message}`, hint }];
  if (/^~[/\\]/.test(program)) {
    return finding("and hosts do not know what ~ is", `Write the whole path: ${userHome}${program.slice(1)}`);
  }
  if (!/[/\\]/.test(program)) {
    const whose = typeof ownPath === "string" ? "the entry's own PATH" : "this shell's PATH";
    return finding(
      `which is not found on ${whose}`,
      `Install it, or write its whole path, as \`command -v ${program}\` shows it where it is found.`,
    );
  }
  const facts = factsOf(program);
  if (facts === null) return finding("which is not there", "Write the whole path of a program that is.");
  if (facts.isDirectory) return finding("which is a directory", "Write the path of the program in it.");
  return finding("which this user may not run", `Allow it with \`chmod u+x ${shellWord(program)}\`.`);
}

function factsOf(path: string): ReturnType<typeof fileFacts> {
  try {
    return fileFacts(path);
  } catch {
    return null;
  }
}

function error(message: string, hint: string): Finding {
  return { severity: "error", message, hint };
}
