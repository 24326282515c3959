/**
 * The proxy's command line. Read by a table and a loop: this runs before the server is started, and a library's import
 * alone would cost as much as all the rest of the start.
 */

export interface ProxyCommandLine {
  serverName: string;
  command: string[];
  record: boolean;
  restart: boolean;
  stayUp: boolean;
  standalone: boolean;
  userScope: boolean;
  correlation: boolean;
}

/** A command line that cannot be followed: says what is wrong and what to write instead. */
export class UsageError extends Error {}

const SWITCHES = new Set(["--standalone", "--no-record", "--restart", "--stay-up", "--no-correlation"]);
const VALUES = new Set(["--server-name", "--scope"]);
/** Ends every message about a wrong command line. */
const HELP = "See: bir proxy --help";

/** Reads the words after `bir proxy`. Throws `UsageError`. */
export function readProxyOptions(words: readonly string[]): ProxyCommandLine {
  const given = new Map<string, string>();
  let i = 0;
  for (; i < words.length && words[i] !== "--"; i++) {
    const word = words[i] ?? "";
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const name = equals < 0 ? word : word.slice(0, equals);
    if (SWITCHES.has(name)) {
      if (equals >= 0) throw new UsageError(`${name} takes no value. ${HELP}`);
      given.set(name, "");
    } else if (VALUES.has(name)) {
      const value = equals < 0 ? words[++i] : word.slice(equals + 1);
      if (value === undefined || value === "" || (equals < 0 && value.startsWith("--"))) {
        throw new UsageError(`${name} needs a value. ${HELP}`);
      }
      given.set(name, value);
    } else if (name.startsWith("-")) throw new UsageError(`unknown option ${JSON.stringify(name)}. ${HELP}`);
    else throw new UsageError(`unexpected ${JSON.stringify(word)}: the server's command goes after "--". ${HELP}`);
  }
  const command = words.slice(i + 1);
  const [program = ""] = command;
  if (program === "") {
    throw new UsageError(`no server command: write it after "--", as in: bir proxy --server-name files -- npx server`);
  }
  const scope = given.get("--scope");
  if (scope !== undefined && scope !== "user") throw new UsageError(`--scope can only be "user". ${HELP}`);
  return {
    serverName: given.get("--server-name") ?? baseName(program),
    command,
    record: !given.has("--no-record"),
    restart: given.has("--restart"),
    stayUp: given.has("--stay-up"),
    standalone: given.has("--standalone"),
    userScope: scope === "user",
    correlation: !given.has("--no-correlation"),
  };
}

function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return name.replace(/\.(?:exe|cmd|bat)$/i, "") || path;
}
