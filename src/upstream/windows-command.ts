/**
 * How Windows is told to start a server. A program gets its arguments as one string, which each program splits by the C
 * runtime's rules; a `.cmd` or `.bat` file only runs through cmd.exe, which has rules of its own on top. Pure functions.
 */

/** What to start, and whether `args` is already quoted and must be passed on as it is. */
export interface WindowsCommand {
  file: string;
  args: string[];
  verbatim: boolean;
}

/** Looks a program up; answers a full path or null. Given so that this file touches no disk. */
export type FindProgram = (name: string) => string | null;

/** Windows ignores dots and spaces at the end of a file's name. */
const IS_BATCH = /\.(?:cmd|bat)[. ]*$/i;
const DEFAULT_PATHEXT = ".COM;.EXE;.BAT;.CMD";

/** The command for `[program, ...args]`. `env` gives `PATHEXT` and `ComSpec`. */
export function windowsCommand(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  find: FindProgram,
): WindowsCommand {
  const file = resolveProgram(program, env.PATHEXT || DEFAULT_PATHEXT, find) ?? program;
  if (!IS_BATCH.test(file)) return { file, args, verbatim: false };
  // cmd.exe takes a slash in a command's name for the start of an option.
  const line = [escapeForCmd(file.replaceAll("/", "\\")), ...args.map(quoteForBatch)].join(" ");
  return { file: env.ComSpec ?? env.COMSPEC ?? "cmd.exe", args: [...CMD_SWITCHES, `"${line}"`], verbatim: true };
}

/**
 * /d: no AutoRun. /e:on, /v:off: what users may have set otherwise. /s with an outer pair of quotes: cmd strips exactly
 * that pair and leaves the rest alone.
 */
const CMD_SWITCHES = ["/d", "/e:on", "/v:off", "/s", "/c"];

/** A name with an extension is looked up as it is; otherwise each extension of PATHEXT is tried in turn. */
function resolveProgram(program: string, pathExt: string, find: FindProgram): string | null {
  const extensions = pathExt.split(";").filter((extension) => extension !== "");
  const hasExtension = extensions.some((extension) => program.toLowerCase().endsWith(extension.toLowerCase()));
  if (hasExtension) return find(program);
  for (const extension of extensions) {
    const found = find(program + extension.toLowerCase());
    if (found !== null) return found;
  }
  return find(program);
}

/**
 * One argument for a batch file: quoted for the C runtime, then every character that means something to cmd.exe
 * escaped with `^`, quotes included, so that no text of the argument is ever syntax. Twice, because a batch file hands
 * its arguments on in a line that cmd parses again. A line break would end the command: nothing escapes it.
 */
function quoteForBatch(argument: string): string {
  if (/[\r\n\0]/.test(argument)) {
    throw Object.assign(new Error("an argument of a batch file cannot hold a line break"), { code: "EINVAL" });
  }
  return keepPercents(escapeMeta(escapeMeta(quoteForCRuntime(argument))));
}

function escapeForCmd(text: string): string {
  return keepPercents(escapeMeta(text));
}

function escapeMeta(text: string): string {
  return text.replaceAll(/[()[\]!^"`<>&|;, *?]/g, "^$&");
}

/**
 * Variables are put in before anything is escaped, and a `%` cannot be. One that is followed by a variable of which no
 * character is taken stays alone.
 */
function keepPercents(text: string): string {
  return text.replaceAll("%", "%%cd:~,%");
}

/** One argument by the rules of the C runtime: backslashes double only before a quote. */
export function quoteForCRuntime(argument: string): string {
  if (argument !== "" && !/[\s"]/.test(argument)) return argument;
  const escaped = argument.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1");
  return `"${escaped}"`;
}
