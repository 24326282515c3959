import { homedir } from "node:os";
import { lastingCommand } from "../../kit/lasting-command.ts";
import { print, printError } from "../../kit/output.ts";
import { birHome } from "../../kit/paths.ts";
import { isProcessAlive } from "../../kit/process-identity.ts";
import { readShortInput } from "../../kit/stdin.ts";
import { ask, terminalOf } from "../../kit/terminal.ts";
import type { CliContext } from "./context.ts";

/** The context of a command that runs as this process. */
export function processContext(): CliContext {
  return {
    home: birHome(),
    cwd: process.cwd(),
    userHome: homedir(),
    env: process.env,
    executableWords: lastingCommand(),
    terminal: terminalOf(),
    now: Date.now,
    timeZone: undefined,
    isAlive: isProcessAlive,
    print,
    printError,
    readInput: readShortInput,
    ask,
  };
}
