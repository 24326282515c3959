import { unexpandedVariable } from "../core/unexpanded-variable.ts";

/**
 * The proxy's command line. Read by a table and a loop: this runs before the server is started, and a library's import
 * alone would cost as much as all the rest of the start. Never says a URL or a header again: they may hold secrets.
 */

export type ProxyCommandLine = CommonOptions & ServerChoice;

interface CommonOptions {
  serverName: string;
  record: boolean;
  restart: boolean;
  stayUp: boolean;
  standalone: boolean;
  userScope: boolean;
  correlation: boolean;
}

/** One of the two, never both. */
type ServerChoice = { command: string[]; remote: null } | { command: null; remote: RemoteCommandLine };

/** A remote server as the command line names it. */
export interface RemoteCommandLine {
  /** Absolute, http or https, without credentials and fragment. */
  url: URL;
  /** Null: found out. */
  transport: "http" | "sse" | null;
  /** `NAME: VALUE` each, in the order given; not looked at yet. */
  headerLines: string[];
  /** The variable whose value is the bearer token: a name, not checked to be set. */
  bearerVariable: string | null;
}

/** A command line that cannot be followed: says what is wrong and what to write instead. */
export class UsageError extends Error {}

const SWITCHES = new Set(["--standalone", "--no-record", "--restart", "--stay-up", "--no-correlation"]);
const VALUES = new Set(["--server-name", "--scope", "--url", "--transport", "--header", "--bearer-env"]);
const ONLY_WITH_URL = ["--transport", "--header", "--bearer-env"];
/** Ends every message about a wrong command line. */
const HELP = "See: bir proxy --help";
const HTTP = /^https?:\/\//i;

/** Reads the words after `bir proxy`. Of an option given twice the last counts; `--header` adds up. Throws `UsageError`. */
export function readProxyOptions(words: readonly string[]): ProxyCommandLine {
  const given = new Map<string, string>();
  const headerLines: string[] = [];
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
      if (name === "--header") headerLines.push(value);
    } else if (name.startsWith("-")) throw new UsageError(`unknown option ${JSON.stringify(name)}. ${HELP}`);
    else if (HTTP.test(word)) throw new UsageError(`a remote server's URL goes after --url. ${HELP}`);
    else throw new UsageError(`unexpected ${JSON.stringify(word)}: the server's command goes after "--". ${HELP}`);
  }
  const scope = given.get("--scope");
  if (scope !== undefined && scope !== "user") throw new UsageError(`--scope can only be "user". ${HELP}`);
  const choice = readServer(words.slice(i + 1), given, headerLines);
  return {
    serverName: given.get("--server-name") ?? choice.remote?.url.hostname ?? baseName(choice.command?.[0] ?? ""),
    ...choice,
    record: !given.has("--no-record"),
    restart: given.has("--restart"),
    stayUp: given.has("--stay-up"),
    standalone: given.has("--standalone"),
    userScope: scope === "user",
    correlation: !given.has("--no-correlation"),
  };
}

function readServer(command: string[], given: ReadonlyMap<string, string>, headerLines: string[]): ServerChoice {
  const address = given.get("--url");
  if (address !== undefined) {
    if (command.length > 0) {
      throw new UsageError(
        `--url and a server command do not go together: leave out the one that is not meant. ${HELP}`,
      );
    }
    return { command: null, remote: readRemote(address, given, headerLines) };
  }
  const [program = ""] = command;
  if (program === "") {
    throw new UsageError(
      `no server command and no --url: write the command after "--", as in: bir proxy --server-name files -- npx server`,
    );
  }
  // A pattern's first use would cost more than all the rest of this.
  if (program.startsWith("http") && HTTP.test(program)) {
    throw new UsageError(`a remote server's URL goes after --url, without "--". ${HELP}`);
  }
  for (const name of ONLY_WITH_URL) {
    if (!given.has(name)) continue;
    throw new UsageError(`${name} goes with --url only, and here bir starts a server by its command. ${HELP}`);
  }
  return { command, remote: null };
}

function readRemote(address: string, given: ReadonlyMap<string, string>, headerLines: string[]): RemoteCommandLine {
  const url = readUrl(address);
  const transport = given.get("--transport") ?? null;
  if (transport !== null && transport !== "http" && transport !== "sse") {
    throw new UsageError(`--transport can only be "http" or "sse"; without it bir finds out. ${HELP}`);
  }
  const bearerVariable = given.get("--bearer-env") ?? null;
  if (bearerVariable !== null && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(bearerVariable)) {
    throw new UsageError(`--bearer-env takes the name of a variable, such as API_TOKEN, not what is in it. ${HELP}`);
  }
  if (given.has("--restart")) {
    throw new UsageError(`--restart is for a server that bir starts: leave it out with --url. ${HELP}`);
  }
  return { url, transport, headerLines, bearerVariable };
}

function readUrl(address: string): URL {
  const unfilled = unexpandedVariable(address);
  if (unfilled !== null) {
    throw new UsageError(`the host left ${unfilled} in --url as it is: set that variable, or write its value. ${HELP}`);
  }
  if (!HTTP.test(address) || !URL.canParse(address)) {
    throw new UsageError(`--url needs a whole http or https URL, such as https://example.com/mcp. ${HELP}`);
  }
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(
      `--url must hold no credentials: every user of this machine can see them. Use BIR_UPSTREAM_HEADERS or --bearer-env. ${HELP}`,
    );
  }
  if (address.includes("#")) throw new UsageError(`--url must hold no "#" and nothing after it. ${HELP}`);
  return url;
}

function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return name.replace(/\.(?:exe|cmd|bat)$/i, "") || path;
}
