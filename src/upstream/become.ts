import { executeWithOwnEnvironment, restoreDefaultSignals } from "../kit/c-library.ts";
import { ownVariables } from "../kit/env.ts";
import { logDegraded, logWritten } from "../kit/log.ts";
import { exitStatus } from "./exit-status.ts";
import { describeStartFailure, hasLossyValue, withoutOwnVariables } from "./stdio-process.ts";
import { windowsCommand } from "./windows-command.ts";

/**
 * Recording is switched off: this process becomes the server, so that nothing of ours is left in the session. Where a
 * process cannot become another program, the server gets our stdin, stdout and stderr and this process only waits.
 */

const FAILED_START_STATUS = 1;
const LOG_PATIENCE_MS = 100;

/** Does not return where the platform can replace a process; else answers the server's exit status, or 1 for none. */
export async function becomeServer(command: readonly string[]): Promise<number> {
  try {
    return process.platform === "win32" ? await waitForServer(command) : await replaceProcess(command);
  } catch (cause) {
    logDegraded("DEG-04", describeStartFailure(command[0] ?? "", cause));
    await Promise.race([logWritten(), Bun.sleep(LOG_PATIENCE_MS)]);
    return FAILED_START_STATUS;
  }
}

async function replaceProcess(command: readonly string[]): Promise<number> {
  const [program = "", ...args] = command;
  const file = program.includes("/") ? program : Bun.which(program);
  if (file === null || process.execve === undefined) return waitForServer(command);
  const env = withoutOwnVariables();
  try {
    restoreDefaultSignals();
    if (hasLossyValue(env)) executeWithOwnEnvironment(file, command, ownVariables());
  } catch {
    // Without the C library the server starts with broken pipes ignored, as under many other launchers.
  }
  const defined = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  // Where it fails, the runtime would add that the function is experimental.
  process.removeAllListeners("warning");
  return process.execve(file, [program, ...args], Object.fromEntries(defined));
}

async function waitForServer(command: readonly string[]): Promise<number> {
  const { file, args, verbatim } =
    process.platform === "win32"
      ? windowsCommand(command, process.env, (name) => Bun.which(name))
      : { file: command[0] ?? "", args: command.slice(1), verbatim: false };
  const child = Bun.spawn([file, ...args], {
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
    env: withoutOwnVariables(),
    windowsVerbatimArguments: verbatim,
  });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return exitStatus(await child.exited, child.signalCode);
}
