/**
 * What a server is called after whose command starts a package or a script by way of another program: the runner's own name would
 * tell one server from no other. Pure.
 */

const RUNNERS = new Set(["npx", "bunx", "uvx", "pnpx", "dlx"]);
/** Programs whose first words are a command that runs a package. */
const RUN_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  pnpm: ["dlx"],
  yarn: ["dlx"],
  bun: ["x"],
  npm: ["exec", "x"],
  pipx: ["run"],
};
const SCRIPT_RUNNERS = new Set(["node", "bun", "deno", "python", "python3", "tsx"]);
const TAKES_PACKAGE = /^(?:-p|--package|--from)$/;
/** Options of runners whose value is a word of its own. */
const TAKES_VALUE = new Set(["--python", "--with", "--registry", "--index", "--index-url", "-c", "--call"]);

/** The name without scope and version; null where the command is not such a one, or does not say. */
export function packageNameIn(words: readonly string[]): string | null {
  const [program = "", ...rest] = words;
  const runner = programName(program);
  if (RUNNERS.has(runner)) return packageAmong(rest);
  const [first = ""] = rest;
  if (RUN_COMMANDS[runner]?.includes(first) === true) return packageAmong(rest.slice(1));
  if (!SCRIPT_RUNNERS.has(runner)) return null;
  const script = rest.find((word) => !word.startsWith("-") && word !== "run");
  if (script === undefined || !/\.(?:[cm]?[jt]s|py)$/.test(script)) return null;
  return usable(lastPart(script).replace(/\.[a-z]+$/, ""));
}

function packageAmong(words: readonly string[]): string | null {
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (TAKES_PACKAGE.test(word)) return shortName(words[index + 1] ?? "");
    const [, given] = /^--(?:package|from)=(.+)$/.exec(word) ?? [];
    if (given !== undefined) return shortName(given);
    if (TAKES_VALUE.has(word)) index++;
    else if (!word.startsWith("-")) return shortName(word);
  }
  return null;
}

/** `@scope/name@1.2` and `name==1.2` and `name[extra]` are `name`. */
function shortName(spec: string): string | null {
  if (/^[a-z+]+:/.test(spec)) return null;
  return usable(
    spec
      .replace(/^@[^/]*\//, "")
      .replace(/[@=<>~![].*$/, "")
      .replace(/^.*[\\/]/, ""),
  );
}

function programName(word: string): string {
  return lastPart(word)
    .toLowerCase()
    .replace(/\.(?:exe|cmd)$/, "");
}

function lastPart(path: string): string {
  return path.replace(/^.*[\\/]/, "");
}

function usable(name: string): string | null {
  return /^[A-Za-z0-9]/.test(name) ? name : null;
}
