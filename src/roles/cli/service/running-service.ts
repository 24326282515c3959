import { type Ending, endProcess } from "../../../kit/process-end.ts";
import { isProcessAlive } from "../../../kit/process-identity.ts";
import { readServiceDiscovery, type ServiceDiscovery } from "../../../service/service-files.ts";
import { knownSecrets } from "../../../service/who/service-secrets.ts";

/**
 * The service that serves a home just now, as another process of its owner finds it. Its token is sent only where the very process
 * that has published the address lives: the port of one that is gone may be anybody's.
 */

const ANSWER_MS = 3000;
/** The runtime sends even requests to this machine through the proxy that HTTP_PROXY names, unless it is told not to. */
const DIRECT = { proxy: false, keepalive: false } as unknown as { keepalive: boolean };

/** Where it is; null where there is none that answers. Never throws. */
export async function runningService(home: string): Promise<ServiceDiscovery | null> {
  const own = readServiceDiscovery(home);
  if (own === null) return null;
  const state = (await ask(home, own, "GET", "/api/service")) as Partial<ServiceDiscovery> | null;
  const isIt = state?.pid === own.pid && state.startedAt === own.startedAt;
  return isIt ? own : null;
}

/** Ends it, and waits for that; deletions that are pending are carried out first. `none`: none was found. Never throws. */
export async function stopService(home: string): Promise<Ending | "none"> {
  const own = await runningService(home);
  return own === null ? "none" : await endProcess(own.pid, () => isProcessAlive(own.pid, own.processStartedAt));
}

/** A code that lets a browser in; null where the service does not answer. Never throws. */
export async function codeOf(home: string, own: ServiceDiscovery): Promise<string | null> {
  const answer = (await ask(home, own, "POST", "/session/codes")) as { code?: unknown } | null;
  return typeof answer?.code === "string" ? answer.code : null;
}

async function ask(home: string, own: ServiceDiscovery, method: string, path: string): Promise<unknown> {
  const token = knownSecrets(home)?.token;
  if (token === undefined || !isProcessAlive(own.pid, own.processStartedAt)) return null;
  try {
    const answer = await fetch(`${own.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_MS),
      ...DIRECT,
    });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}
