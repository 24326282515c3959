import { isAbsolute, resolve } from "node:path";
import { EXIT, type ExitCode } from "../core/exit-codes.ts";
import { isOlder, readHostVersion } from "../core/host-version.ts";
import { claudeCodeHooks, type SettingsOrder } from "../hooks/settings/claude-code-settings.ts";
import { OLDEST_HOST_VERSION } from "../hooks/settings/claude-code-versions.ts";
import { printError } from "../kit/output.ts";
import { hooksUsage, printOrTell } from "./hooks-usage.ts";

/**
 * `bir hooks print-settings`: the hooks for a version of Claude Code, as JSON to put into its settings. Changes nothing and
 * asks nobody.
 */

const HELP = "See: bir hooks --help";

/** Answers the exit status: 2 for a wrong command line, 1 for a version that is too old. */
export async function printSettingsRole(words: readonly string[]): Promise<ExitCode> {
  if (words.includes("--help") || words.includes("-h")) return await hooksUsage("--help");
  const order = readOrder(words);
  if (typeof order === "string") {
    await printError(`bir: ${order}. ${HELP}`);
    return EXIT.usage;
  }
  if (order.version !== null && isOlder(order.version, OLDEST_HOST_VERSION)) {
    const oldest = OLDEST_HOST_VERSION.join(".");
    await printError(
      `bir: Claude Code ${order.version.join(".")} is too old: its hooks are known from ${oldest} on. Update it.`,
    );
    return EXIT.failed;
  }
  return await printOrTell(`${JSON.stringify({ hooks: claudeCodeHooks(order) }, null, 2)}\n`);
}

/** The order that the words make; else what is wrong with them. */
function readOrder(words: readonly string[]): SettingsOrder | string {
  const order: SettingsOrder = { version: null, executable: process.execPath, correlation: false };
  for (let i = 0; i < words.length; i++) {
    const [name = "", given] = splitAtEquals(words[i] ?? "");
    if (name === "--correlation") {
      if (given !== undefined) return "--correlation takes no value";
      order.correlation = true;
      continue;
    }
    if (!["--host-version", "--host", "--command"].includes(name)) return `unknown word ${JSON.stringify(words[i])}`;
    const value = given ?? words[++i];
    if (value === undefined || value === "") return `${name} needs a value`;
    if (name === "--host-version") {
      order.version = readHostVersion(value);
      if (order.version === null) return "--host-version needs a version such as 2.1.332";
    } else if (name === "--host") {
      if (value !== "claude-code") return `--host can only be "claude-code"`;
    } else {
      const executable = /[\\/]/.test(value) && !isAbsolute(value) ? resolve(value) : value;
      if (executable.startsWith("-")) return "--command needs the path or the name of an executable";
      order.executable = executable;
    }
  }
  return order;
}

function splitAtEquals(word: string): [string, string?] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
