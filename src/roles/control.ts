import { isAbsolute, resolve } from "node:path";
import { isSwitchedDown } from "../control/life.ts";
import { makeControlDirectory, serve } from "../control/serve.ts";
import { takeServerLock } from "../control/server-lock.ts";
import { openRecorder } from "../control/sessions/open-recorder.ts";
import { EXIT } from "../core/exit-codes.ts";
import { Problem } from "../core/problem.ts";
import { openTranscript } from "../hooks/open-transcript.ts";
import { openServerLog, type ServerLog } from "../http-server/server-log.ts";
import { sendLogTo } from "../kit/log.ts";
import { print, printError } from "../kit/output.ts";
import { birHome } from "../kit/paths.ts";
import { systemReason } from "../kit/system-reason.ts";
import { SinkRunner } from "../sinks/open-sink.ts";
import { recordingProblem } from "../store/recording-problem.ts";
import { isServed } from "./cli/server-state.ts";
import { leaveSignal, surviveFaults } from "./server-process.ts";

/**
 * `bir hooks serve`: wires the control server together and lives as long as it does. Started by hooks, proxies and `bir up`
 * without a terminal, and by people who want to look at it.
 */

const USAGE = `bir hooks serve [--idle-ms N]

Runs the control server: it records the sessions whose hooks and proxies tell it of them. Hooks, proxies and \`bir up\` start
it when they need it; one is enough for a home, and another one just ends.

  --idle-ms N   Leaves when nothing has used it for so many milliseconds (300000 by default)

\`bir status\` shows it, \`bir down\` stops it, and it stays down until \`bir up\`.
`;

const IDLE_MS = 5 * 60_000;

/** Answers the exit code once the server has left: 0, 2 for a wrong command line, 3 where it cannot work. */
export async function controlRole(words: readonly string[]): Promise<number> {
  if (words[0] === "--help" || words[0] === "-h") {
    await print(USAGE);
    return EXIT.ok;
  }
  const idleMs = readIdleMs(words);
  if (idleMs === null) {
    await printError("bir: `bir hooks serve` takes nothing but --idle-ms N, a number of milliseconds.");
    return EXIT.usage;
  }
  const home = isAbsolute(birHome()) ? birHome() : resolve(birHome());
  // A path from the directory that is left behind would lead elsewhere.
  process.env.BIR_HOME = home;
  const log = openServerLog(home);
  try {
    return await run(home, idleMs, log);
  } catch (cause) {
    const problem = problemOf(cause, home);
    if (problem === null) {
      log.fault("starting", cause);
      throw cause;
    }
    log.say(`cannot serve: ${problem.message}`);
    await printError(`bir: the control server cannot start: ${problem.message}. ${problem.hint}`);
    return problem.exitCode;
  }
}

async function run(home: string, idleMs: number, log: ServerLog): Promise<number> {
  if (isSwitchedDown(home)) return await quietly("the control server is switched down: `bir up` starts it");
  makeControlDirectory(home);
  const leave = leaveSignal();
  const lock = await takeServerLock(home, () => isServed(home));
  if (lock === null) return await quietly("a control server is there already");
  try {
    // Whoever started it may want to remove or unmount the directory that it was started in.
    process.chdir(home);
    surviveFaults(log);
    sendLogTo((line) => log.say(line));
    const recorder = openRecorder(home, openTranscript);
    const forwarding = new SinkRunner({ home, env: process.env, say: (line) => log.say(line) });
    const onReady = ({ url }: { url: string }) => void printError(`bir: serving at ${url}. Ctrl-C stops it.`);
    await serve({ home, lock, recorder, forwarding, log, idleMs, leave, onReady });
  } finally {
    lock.release();
  }
  return EXIT.ok;
}

async function quietly(line: string): Promise<number> {
  await printError(`bir: ${line}.`);
  return EXIT.ok;
}

function readIdleMs(words: readonly string[]): number | null {
  const [first, ...rest] = words.flatMap((word) => {
    const [, name, value] = /^(--idle-ms)=(.*)$/.exec(word) ?? [];
    return name === undefined || value === undefined ? [word] : [name, value];
  });
  if (first === undefined) return IDLE_MS;
  const [value = ""] = rest;
  if (first !== "--idle-ms" || rest.length !== 1 || !/^\d{1,12}$/.test(value)) return null;
  return Number(value);
}

/** What the system refused, in words for people (exit 3); null for a fault of ours. */
function problemOf(cause: unknown, home: string): Problem | null {
  if (cause instanceof Problem) return cause;
  const { code } = (cause ?? {}) as { code?: unknown };
  if (typeof code !== "string" || !/^(?:E[A-Z0-9]+|SQLITE_[A-Z_]+)$/.test(code)) return null;
  const hint = "See that it is a directory of yours with room on its disk, or set BIR_HOME to another one.";
  return (
    recordingProblem(home) ??
    new Problem("home-unusable", `${home} cannot be used: ${systemReason(code)}`, hint, EXIT.notSetUp)
  );
}
