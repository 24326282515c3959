/**
 * Recognises a command line that runs `bir proxy`, whoever wrote it, and says where the server's own command begins in
 * it. Looks at words only, never at the disk. Pure.
 */

export interface ProxyWords {
  /** Words before `proxy`: how the executable is started. */
  program: readonly string[];
  /** Index of the server's own first word, behind `--`; null for a remote server. */
  commandAt: number | null;
  url: string | null;
  transport: "http" | "sse" | null;
  bearerVariable: string | null;
  /** Headers stand among the words, where wrapping never puts any. */
  hasHeaders: boolean;
}

/** Options of the proxy that take a value as the next word. */
const VALUES = new Set(["--server-name", "--scope", "--url", "--transport", "--header", "--bearer-env", "--trace"]);
/** How many words may start the executable, as in `npx -y NAME@VERSION`. */
const MOST_PROGRAM_WORDS = 6;
const EXECUTABLE_NAME = /^bir(?:[-_.].*)?$/i;

/** True for words that start `bir proxy`. `known` are ways to start it beside an executable of its name. */
export function runsBir(words: readonly string[], known: readonly (readonly string[])[] = []): boolean {
  return proxyAt(words, known) !== null;
}

/** What the words run; null when that is not bir, or no whole command line of it. */
export function findProxy(words: readonly string[], known: readonly (readonly string[])[] = []): ProxyWords | null {
  const at = proxyAt(words, known);
  return at === null ? null : readOptions(words, at + 1, words.slice(0, at));
}

function proxyAt(words: readonly string[], known: readonly (readonly string[])[]): number | null {
  const at = words.slice(0, MOST_PROGRAM_WORDS).indexOf("proxy", 1);
  if (at < 1) return null;
  const program = words.slice(0, at);
  return isExecutable(program) || known.some((one) => isSame(one, program)) ? at : null;
}

function readOptions(words: readonly string[], from: number, program: readonly string[]): ProxyWords | null {
  const given = new Map<string, string>();
  let i = from;
  for (; i < words.length && words[i] !== "--"; i++) {
    const word = words[i] ?? "";
    if (!word.startsWith("--")) return null;
    const equals = word.indexOf("=");
    const name = equals < 0 ? word : word.slice(0, equals);
    if (equals >= 0) given.set(name, word.slice(equals + 1));
    else if (VALUES.has(name)) given.set(name, words[++i] ?? "");
  }
  const url = given.get("--url") ?? null;
  const commandAt = i + 1 < words.length ? i + 1 : null;
  if ((url === null) === (commandAt === null)) return null;
  const transport = given.get("--transport");
  return {
    program,
    commandAt,
    url,
    transport: transport === "http" || transport === "sse" ? transport : null,
    bearerVariable: given.get("--bearer-env") ?? null,
    hasHeaders: given.has("--header"),
  };
}

function isExecutable(program: readonly string[]): boolean {
  const last = program.at(-1) ?? "";
  return EXECUTABLE_NAME.test(last.slice(Math.max(last.lastIndexOf("/"), last.lastIndexOf("\\")) + 1));
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}
