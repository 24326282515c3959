import type { Discovery } from "../core/control-wire.ts";
import { VERSION } from "../version.ts";
import type { OwnDiscovery } from "./discovery-files.ts";
import type { Occupation } from "./recorder.ts";

/**
 * What `/health` says, and how it is asked. A discovery file is believed only so far: the server that it names has to know its
 * token and to be the very process, else the file is left over from one that is gone.
 */

export interface Health {
  ok: true;
  version: string;
  pid: number;
  processStartedAt: string;
  /** Epoch ms. */
  startedAt: number;
  occupation: Occupation;
}

/** `here`: it is the one that the discovery names. `silent`: no answer in time. `other`: nobody, or somebody else. */
export type HealthAnswer = { kind: "here"; health: Health } | { kind: "silent" } | { kind: "other" };

/** What the server that is known by `own` says of itself. */
export function healthOf({ pid, processStartedAt, startedAt }: OwnDiscovery, occupation: Occupation): Health {
  return { ok: true, version: VERSION, pid, processStartedAt, startedAt, occupation };
}

/** Asks the server that a discovery names; sends its token nowhere but to this machine. Never throws. */
export async function askHealth(discovery: Discovery, timeoutMs: number): Promise<HealthAnswer> {
  if (!/^http:\/\/127\.0\.0\.1:\d+$/.test(discovery.url)) return { kind: "other" };
  try {
    const answer = await fetch(`${discovery.url}/health`, {
      headers: { authorization: `Bearer ${discovery.token}` },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      ...DIRECT,
    });
    const health = answer.status === 200 ? ((await answer.json()) as unknown) : null;
    return isHealthOf(health, discovery) ? { kind: "here", health } : { kind: "other" };
  } catch (cause) {
    return { kind: (cause as { name?: string }).name === "TimeoutError" ? "silent" : "other" };
  }
}

/** The runtime sends even requests to this machine through the proxy that HTTP_PROXY names, unless it is told not to. */
const DIRECT = { proxy: false, keepalive: false } as unknown as { keepalive: boolean };

function isHealthOf(value: unknown, { pid, processStartedAt, startedAt }: Discovery): value is Health {
  const health = (value ?? {}) as Partial<Health>;
  return (
    health.ok === true &&
    health.pid === pid &&
    health.processStartedAt === processStartedAt &&
    health.startedAt === startedAt &&
    typeof health.version === "string" &&
    isOccupation(health.occupation)
  );
}

function isOccupation(value: unknown): value is Occupation {
  const { sessions, proxies, openRuns } = (value ?? {}) as Record<string, unknown>;
  return [sessions, proxies, openRuns].every((count) => typeof count === "number");
}
