import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { downSwitchPath } from "../../../kit/paths.ts";
import { createPrivateFile, makePrivateDirectory } from "../../../kit/private-files.ts";
import { type Ending, endProcess } from "../../../kit/process-end.ts";
import type { CliContext } from "../context.ts";
import { asHomeProblem } from "../home-problem.ts";
import { printJson } from "../json-output.ts";
import { serverState } from "../server-state.ts";

/**
 * `bir down`: switches the control server down, so that nothing starts one until `bir up`, and stops the one that is there.
 * Ends no process but one that has just proven to be that server.
 */

export interface DownFlags {
  json: boolean;
}

/** What `bir down --json` prints. */
export interface Down {
  /** `stopped` by this command; `none` was there; `silent`: one is there that does not answer, and it goes once it can. */
  server: "stopped" | "none" | "silent";
  /** The process that was, or is, the server. */
  pid: number | null;
  /** It did not go by itself in time, and was killed: what it had acknowledged is safe. */
  killed: boolean;
}

export async function down(context: CliContext, flags: DownFlags): Promise<ExitCode> {
  switchDown(context.home);
  const result = await stopServer(context);
  if (flags.json) await printJson(context, result);
  else await context.print(`${sentences(result).join("\n")}\n`);
  return EXIT.ok;
}

/** Written before anything is stopped: a server that is just starting sees it and goes by itself. */
function switchDown(home: string): void {
  asHomeProblem(home, () => {
    makePrivateDirectory(home);
    try {
      createPrivateFile(downSwitchPath(home), "");
    } catch (cause) {
      if ((cause as { code?: string }).code !== "EEXIST") throw cause;
    }
  });
}

async function stopServer({ home, isAlive }: CliContext): Promise<Down> {
  const found = await serverState(home, isAlive);
  if (found.state === "absent") return { server: "none", pid: null, killed: false };
  const { pid, processStartedAt } = found.discovery;
  if (found.state === "silent") return { server: "silent", pid, killed: false };
  const ending: Ending = await endProcess(pid, () => isAlive(pid, processStartedAt));
  return { server: ending === "stays" ? "silent" : "stopped", pid, killed: ending === "killed" };
}

function sentences({ server, pid, killed }: Down): string[] {
  const after = "Proxies record by themselves until `bir up`; what hooks tell waits for it.";
  if (server === "none") return ["The control server was not running; nothing starts it now.", after];
  if (server === "silent") {
    return [
      `The control server (pid ${pid}) does not answer, so it was not stopped; it goes by itself once it can.`,
      `If it never does: kill -KILL ${pid}. What it has acknowledged is safe.`,
      after,
    ];
  }
  const how = killed ? "did not go in time and was killed; what it had acknowledged is safe" : "is stopped";
  return [`The control server (pid ${pid}) ${how}.`, after];
}
