import { ByteSink } from "../kit/byte-sink.ts";
import { ownVariables } from "../kit/env.ts";
import { exitStatus } from "./exit-status.ts";
import type { Upstream } from "./upstream.ts";
import { windowsCommand } from "./windows-command.ts";

/**
 * A server as a child process: started without a shell, in a process group of its own, with our own variables taken out
 * of its environment. Starting one imports nothing, so that it happens first.
 */

const IS_WINDOWS = process.platform === "win32";
const GROUP_CHECK_MS = 10;

/** Why a server could not be started, in words for a person. */
export class StartFailure extends Error {}

/**
 * Starts a server; throws `StartFailure`. It is gone when its process is: others may still hold its pipes. Signals go to the process and
 * all it has started that did not leave its group, and so does the end of what it leaves behind: TERM, then KILL.
 */
export function startProcess(command: readonly string[]): Upstream {
  const [file = ""] = command;
  let child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  try {
    child = IS_WINDOWS ? spawnOnWindows(command) : spawnOnPosix(command);
  } catch (cause) {
    throw new StartFailure(describeStartFailure(file, cause));
  }
  const { pid } = child;
  const stdin = new ByteSink(child.stdin);
  return {
    label: `process ${pid}`,
    write: (bytes) => stdin.write(bytes),
    get isDeaf() {
      return stdin.broken;
    },
    end: () => stdin.end(),
    output: child.stdout,
    diagnostics: child.stderr,
    gone: child.exited.then((code) => exitStatus(code, child.signalCode)),
    signal(signal) {
      if (IS_WINDOWS) killTree(pid, signal);
      else signalPosixGroup(pid, signal);
    },
    async endRest(graceMs) {
      if (!IS_WINDOWS) await endPosixGroup(pid, graceMs);
    },
  };
}

const PIPES = { stdin: "pipe", stdout: "pipe", stderr: "pipe" } as const;

function spawnOnPosix(command: readonly string[]): Bun.Subprocess<"pipe", "pipe", "pipe"> {
  const own = ownVariables();
  // Not given an environment, a child gets ours byte for byte, also where it is not valid UTF-8.
  if (own.length === 0) return Bun.spawn([...command], { ...PIPES, detached: true });
  const env = withoutOwnVariables(own);
  if (!hasLossyValue(env)) {
    return Bun.spawn([...command], { ...PIPES, detached: true, env });
  }
  // A value that is no valid UTF-8 would not survive being listed; env(1) removes variables without touching others.
  const unset = own.flatMap((name) => ["-u", name]);
  return Bun.spawn(["/usr/bin/env", ...unset, ...command], { ...PIPES, detached: true });
}

function spawnOnWindows(command: readonly string[]): Bun.Subprocess<"pipe", "pipe", "pipe"> {
  const env = withoutOwnVariables(ownVariables());
  const { file, args, verbatim } = windowsCommand(command, process.env, (name) => Bun.which(name));
  return Bun.spawn([file, ...args], { ...PIPES, env, windowsHide: true, windowsVerbatimArguments: verbatim });
}

/** True when a variable's value is not valid UTF-8: listed in our words, it would not be the same. */
export function hasLossyValue(env: Readonly<Record<string, string | undefined>>): boolean {
  return Object.values(env).some((value) => value?.includes("\uFFFD"));
}

/** This process's environment without our own variables. */
export function withoutOwnVariables(own: readonly string[] = ownVariables()): Record<string, string | undefined> {
  const env = { ...process.env };
  for (const name of own) delete env[name];
  return env;
}

/** Why a server could not be started and what to look at, in one line. */
export function describeStartFailure(file: string, cause: unknown): string {
  const { code = "", message = "" } = cause as { code?: string; message?: string };
  const reasons: Record<string, string> = {
    EINVAL: message,
    ENOENT: "it was not found; check the command and PATH",
    EACCES: "it may not be executed; check its permissions",
    ENOEXEC: "it is no executable; a script needs a first line such as #!/usr/bin/env node",
  };
  return `cannot start ${JSON.stringify(file)}: ${reasons[code] || code || "the system refused"}`;
}

function signalPosixGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: nobody of the group is left. EPERM: what is left has become another user's.
  }
}

async function endPosixGroup(pid: number, graceMs: number): Promise<void> {
  if (!posixGroupIsAlive(pid)) return;
  signalPosixGroup(pid, "SIGTERM");
  for (let waitedMs = 0; waitedMs < graceMs; waitedMs += GROUP_CHECK_MS) {
    await Bun.sleep(GROUP_CHECK_MS);
    if (!posixGroupIsAlive(pid)) return;
  }
  signalPosixGroup(pid, "SIGKILL");
}

function posixGroupIsAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Windows has no groups to signal: the tree is ended by its own tool, gently first only where the server may notice. */
function killTree(pid: number, signal: string): void {
  const force = signal === "SIGKILL" ? ["/F"] : [];
  try {
    Bun.spawn(["taskkill", "/T", ...force, "/PID", String(pid)], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
  } catch {
    // Without taskkill only the pipes tell the server to end.
  }
}
