/** Ending another process: asked first, made to go only if it does not. */

/** `gone` by itself or because it was asked; `killed`; `stays`: even that did not help, or was not permitted. */
export type Ending = "gone" | "killed" | "stays";

const GO_MS = 5000;
const KILLED_MS = 2000;
const LOOK_AGAIN_MS = 20;

/**
 * Asks the process with this pid to go, and kills it if it is there after five seconds. `isStillIt` tells whether the pid is
 * still that process; it is asked before each signal.
 */
export async function endProcess(pid: number, isStillIt: () => boolean): Promise<Ending> {
  if (!signal(pid, "SIGTERM", isStillIt)) return isStillIt() ? "stays" : "gone";
  if (await untilGone(isStillIt, GO_MS)) return "gone";
  if (!signal(pid, "SIGKILL", isStillIt)) return isStillIt() ? "stays" : "gone";
  return (await untilGone(isStillIt, KILLED_MS)) ? "killed" : "stays";
}

function signal(pid: number, name: NodeJS.Signals, isStillIt: () => boolean): boolean {
  if (!isStillIt()) return false;
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

async function untilGone(isStillIt: () => boolean, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (isStillIt()) {
    if (performance.now() >= end) return false;
    await Bun.sleep(LOOK_AGAIN_MS);
  }
  return true;
}
