import { askHealth, type Health } from "../../control/health.ts";
import type { Discovery } from "../../core/control-wire.ts";
import { readDiscovery } from "../../kit/discovery.ts";
import { serverDiscoveryPath } from "../../kit/paths.ts";
import { isProcessAlive } from "../../kit/process-identity.ts";

/**
 * Whether the control server of a home is there, found out by asking it. A file that names a process is no proof: it may be
 * left from one that was killed, and its pid and port may be others' by now.
 */

export type ServerState =
  | { state: "running"; discovery: Discovery; health: Health }
  /** The process is there and does not answer: it is stopped, or the machine is very busy. */
  | { state: "silent"; discovery: Discovery }
  | { state: "absent" };

/** A server on this machine that is well answers within a few milliseconds. */
const ANSWER_MS = 1500;

/** Looks for the server and asks it. Never throws. */
export async function serverState(
  home: string,
  isAlive: (pid: number, startedAt: string) => boolean = isProcessAlive,
): Promise<ServerState> {
  const discovery = wholeDiscovery(home);
  if (discovery === null) return { state: "absent" };
  const answer = await askHealth(discovery, ANSWER_MS);
  if (answer.kind === "here") return { state: "running", discovery, health: answer.health };
  const isThere = answer.kind === "silent" && isAlive(discovery.pid, discovery.processStartedAt);
  return isThere ? { state: "silent", discovery } : { state: "absent" };
}

/** Whether a server answers. */
export async function isServed(home: string): Promise<boolean> {
  return (await serverState(home)).state === "running";
}

/** The server's own discovery file; null where there is none that is whole. */
function wholeDiscovery(home: string): Discovery | null {
  const { url, token, pid, startedAt, processStartedAt } = readDiscovery(serverDiscoveryPath(home)) ?? {};
  if (typeof url !== "string" || typeof token !== "string" || typeof processStartedAt !== "string") return null;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0 || typeof startedAt !== "number") return null;
  return { url, token, pid, startedAt, processStartedAt, sessionId: null };
}
