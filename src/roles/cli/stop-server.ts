import { downSwitchPath } from "../../kit/paths.ts";
import { createPrivateFile, makePrivateDirectory } from "../../kit/private-files.ts";
import { type Ending, endProcess } from "../../kit/process-end.ts";
import type { CliContext } from "./context.ts";
import { asHomeProblem } from "./home-problem.ts";
import { serverState } from "./server-state.ts";

/**
 * Stopping the control server: a switch that keeps it from being started, and the end of the one that is there. Ends no process
 * but one that has just proven to be that server.
 */

/** What `bir down --json` prints. */
export interface Stopped {
  /** `stopped` by this command; `none` was there; `silent`: one is there that does not answer, and it goes once it can. */
  server: "stopped" | "none" | "silent";
  /** The process that was, or is, the server. */
  pid: number | null;
  /** It did not go by itself in time, and was killed: what it had acknowledged is safe. */
  killed: boolean;
}

/** Written before anything is stopped: a server that is just starting sees it and goes by itself. */
export function switchDown(home: string): void {
  asHomeProblem(home, () => {
    makePrivateDirectory(home);
    try {
      createPrivateFile(downSwitchPath(home), "");
    } catch (cause) {
      if ((cause as { code?: string }).code !== "EEXIST") throw cause;
    }
  });
}

/** Ends the server of a home, if one answers. */
export async function stopServer({ home, isAlive }: CliContext): Promise<Stopped> {
  const found = await serverState(home, isAlive);
  if (found.state === "absent") return { server: "none", pid: null, killed: false };
  const { pid, processStartedAt } = found.discovery;
  if (found.state === "silent") return { server: "silent", pid, killed: false };
  const ending: Ending = await endProcess(pid, () => isAlive(pid, processStartedAt));
  return { server: ending === "stays" ? "silent" : "stopped", pid, killed: ending === "killed" };
}
