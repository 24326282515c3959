import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { visible } from "../../../core/text/visible.ts";
import { counted } from "../../../core/text/when.ts";
import { downSwitchPath } from "../../../kit/paths.ts";
import { removeFile } from "../../../kit/private-files.ts";
import { startServer } from "../../../kit/start-server.ts";
import { recordingProblem } from "../../../store/recording-problem.ts";
import type { CliContext } from "../context.ts";
import { asHomeProblem } from "../home-problem.ts";
import { printJson } from "../json-output.ts";
import { type ServerState, serverState } from "../server-state.ts";

/** `bir up`: lets the control server be started again, starts it if none answers, and says where it is. */

export interface UpFlags {
  json: boolean;
}

/** What `bir up --json` prints: with `url` and `token`, a program can tell the server of its own calls. */
export interface Up {
  url: string;
  token: string;
  pid: number;
  /** Epoch ms. */
  startedAt: number;
  version: string;
  alreadyRunning: boolean;
}

type Running = ServerState & { state: "running" };

const START_MS = 5000;
const LOOK_AGAIN_MS = 25;

export async function up(context: CliContext, flags: UpFlags): Promise<ExitCode> {
  const problem = recordingProblem(context.home);
  if (problem !== null) throw problem;
  asHomeProblem(context.home, () => removeFile(downSwitchPath(context.home)));
  const found = await serverState(context.home, context.isAlive);
  if (found.state === "silent") throw silentProblem(found.discovery.pid);
  const { discovery, health } = found.state === "running" ? found : await start(context);
  const { url, token, pid, startedAt } = discovery;
  const alreadyRunning = found.state === "running";
  const result: Up = { url, token, pid, startedAt, version: health.version, alreadyRunning };
  if (flags.json) await printJson(context, result);
  else await context.print(`${sentence(result, health.occupation)}\n`);
  return EXIT.ok;
}

async function start(context: CliContext): Promise<Running> {
  startServer(context.home, true);
  const end = performance.now() + START_MS;
  for (;;) {
    const found = await serverState(context.home, context.isAlive);
    if (found.state === "running") return found;
    if (performance.now() >= end) break;
    await Bun.sleep(LOOK_AGAIN_MS);
  }
  throw new Problem(
    "server-not-started",
    "the control server did not answer within 5 seconds",
    "`bir hooks serve` runs it in this terminal and says what is in its way.",
    EXIT.notSetUp,
  );
}

function sentence({ url, pid, alreadyRunning }: Up, occupation: Running["health"]["occupation"]): string {
  const { sessions, proxies } = occupation;
  const doing = `${counted(sessions, "session")}, ${counted(proxies, "proxy", "proxies")}`;
  return alreadyRunning
    ? `The control server is running already at ${visible(url)} (pid ${pid}): ${doing}.`
    : `The control server is running at ${visible(url)} (pid ${pid}). It leaves by itself when nothing uses it.`;
}

function silentProblem(pid: number): Problem {
  return new Problem(
    "server-silent",
    `the control server (pid ${pid}) does not answer`,
    `Let it go on with \`kill -CONT ${pid}\`, or end it with \`kill -KILL ${pid}\`: what it has acknowledged is safe.`,
  );
}
