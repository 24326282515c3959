/**
 * Every environment variable that is ours: one table, from which the reference page is generated. Names are final. The
 * proxy removes all of them from the environment of the server it starts. Never holds a value.
 */

export interface EnvVariable {
  name: string;
  /** What the value looks like, e.g. `1`, `PATH`, `milliseconds`. */
  value: string;
  default: string | null;
  meaning: string;
}

export const ENV_VARIABLES = [
  {
    name: "BIR_HOME",
    value: "directory",
    default: "~/.baseinstrunner",
    meaning: "Where recordings, settings and switches live.",
  },
  { name: "BIR_OFF", value: "1", default: null, meaning: "Records nothing; a stdio proxy becomes the real server." },
  {
    name: "BIR_PROXY_STAY_UP",
    value: "1",
    default: null,
    meaning: "Like `--stay-up`: after its server has ended, a proxy answers every request that it is not available.",
  },
  {
    name: "BIR_CONTROL_URL",
    value: "URL",
    default: null,
    meaning: "Where the control server listens, with `BIR_CONTROL_TOKEN`: asked before the one that files lead to.",
  },
  {
    name: "BIR_CONTROL_TOKEN",
    value: "token",
    default: null,
    meaning: "What the control server at `BIR_CONTROL_URL` lets pass.",
  },
  {
    name: "BIR_NO_CORRELATION",
    value: "1",
    default: null,
    meaning: "Never puts an id into a call's arguments, whatever `BIR_CORRELATION_DECISION` says.",
  },
  {
    name: "BIR_CORRELATION_DECISION",
    value: "allow|ask|none",
    default: null,
    meaning:
      "Puts an id into the arguments of MCP calls that a host gives none, and takes it out again in front of the server. " +
      "What the host is told beside that: to allow the call, to ask, or nothing.",
  },
  {
    name: "BIR_UPSTREAM_HEADERS",
    value: "JSON object",
    default: null,
    meaning:
      'Headers for a remote server (`--url`), as in `{"Authorization": "Bearer …"}`; every value a string. Read once at the ' +
      "start; `--bearer-env` and `--header` win over it.",
  },
  {
    name: "BIR_UPSTREAM_CONNECT_TIMEOUT_MS",
    value: "milliseconds",
    default: "10000",
    meaning: "How long connecting to a remote server may take, TLS included. Nothing that comes after is bounded.",
  },
  {
    name: "BIR_UPSTREAM_MAX_MESSAGE_BYTES",
    value: "bytes",
    default: "134217728",
    meaning:
      "How long a message may be that has to be held whole: every one of a remote server and to it, and of others a call " +
      "out of which an id is taken.",
  },
  {
    name: "BIR_WRAP_MCP_JSON",
    value: "1",
    default: null,
    meaning: "Like `bir install --mcp-json`: entries of a shared `.mcp.json` are wrapped where they are.",
  },
  {
    name: "BIR_REDACT_LEGACY_KEYS",
    value: "1",
    default: null,
    meaning: "Also masks values under any key that merely contains a secret's name, such as `max_tokens`.",
  },
  {
    name: "BIR_BASE_URL",
    value: "URL or directory",
    default: null,
    meaning:
      "A release to install and to update from: an `https://` URL, or a folder that `bun run build --all` has made. For the " +
      "install script and `bir self update`, which else goes where the executable came from.",
  },
  {
    name: "BIR_VERSION",
    value: "version",
    default: null,
    meaning: "For the install script: this version and no other, out of the release's `v<VERSION>/`.",
  },
  {
    name: "BIR_INSTALL_DIR",
    value: "directory",
    default: "~/.local/bin",
    meaning: "For the install script: where the executable goes.",
  },
  {
    name: "BIR_NO_MODIFY_PATH",
    value: "1",
    default: null,
    meaning: "For the install script: leaves the shell's settings, and on Windows the user's `Path`, as they are.",
  },
  {
    name: "BIR_DOWNLOAD_TIMEOUT_MS",
    value: "milliseconds",
    default: "30000",
    meaning:
      "For the install script and `bir self update`: how long connecting may take, and how long a server may send nothing.",
  },
  {
    name: "BIR_DEBUG",
    value: "area,…",
    default: null,
    meaning: "Says on stderr what the named areas do (`proxy`, `record`, `hooks`, or `all`). Never payloads.",
  },
] as const satisfies readonly EnvVariable[];

export type EnvName = (typeof ENV_VARIABLES)[number]["name"];

type Environment = Readonly<Record<string, string | undefined>>;

/** The value of one of our variables; undefined when unset or empty. */
export function readEnv(name: EnvName, env: Environment = process.env): string | undefined {
  return env[name] || undefined;
}

/** True when a switch variable is set to anything but `0` or nothing. */
export function isSet(name: EnvName, env?: Environment): boolean {
  const value = readEnv(name, env);
  return value !== undefined && value !== "0";
}

/** Names among the variables of this process that are ours, known or not: what a started server must not inherit. */
export function ownVariables(env: Environment = process.env): string[] {
  return Object.keys(env).filter((name) => name.startsWith("BIR_"));
}
