import type { RedactedText } from "../../../core/redacted.ts";
import type { Session } from "../session.ts";
import type { ProxyPeer } from "./proxies.ts";

/**
 * Which sessions a call on the wire can belong to, by what its proxy knows: from the host's own ids where there are any, then
 * from the process that started both, and from the directory only where nothing speaks against it.
 */

export interface SessionDirectory {
  /** Sessions in memory. */
  inMemory(): Session[];
  byId(sessionId: string): Session | undefined;
  /** The session of a proxy whose host runs no hooks, as far as is known. */
  unhooked(proxy: ProxyPeer, sessionId: RedactedText | null, at: number): Session;
}

/**
 * The sessions whose hooks may tell of a call of this proxy, the newest first. `sessionId`: the one that the call names; `at`:
 * when it was made (epoch ms), since what is told of it may come when its session is over.
 */
export function candidates(
  directory: SessionDirectory,
  proxy: ProxyPeer,
  sessionId: RedactedText | null,
  at = Number.POSITIVE_INFINITY,
): Session[] {
  const named = sessionId === null ? undefined : directory.byId(sessionId);
  if (named?.about.isHooked) return [named];
  const own = inheritedSession(directory, proxy);
  if (own !== null && !own.isEnded) return [own];
  const hooked = directory.inMemory().filter((each) => each.about.isHooked && isSameApp(proxy, each));
  hooked.sort((a, b) => b.about.lastAt - a.about.lastAt);
  // What the environment says is stale once the host has begun another session in the same process.
  const pids = new Set([proxy.hostPid, own?.about.hostPid ?? null]);
  const sameHost = hooked.filter(({ about: { hostPid } }) => hostPid !== null && pids.has(hostPid));
  const open = sameHost.filter(({ isEnded }) => !isEnded);
  if (open.length > 0) return open;
  if (own !== null) return [own];
  if (sameHost.length > 0) return sameHost.slice(0, 1);
  const near = hooked.filter((each) => isInDirectory(proxy, each) && !isOtherProcess(proxy, each));
  return near.filter(({ about: { endedAt } }) => endedAt === null || at <= endedAt);
}

/** The session that the proxy's environment names, where hooks of it were heard. */
function inheritedSession(directory: SessionDirectory, proxy: ProxyPeer): Session | null {
  const named = proxy.sessionId === null ? undefined : directory.byId(proxy.sessionId);
  return named?.about.isHooked && isSameApp(proxy, named) ? named : null;
}

/** False where another application has started the proxy: inside a session of this one, as a rule. */
export function isSameApp({ client }: ProxyPeer, { about }: Session): boolean {
  return client === null || about.app === null || client.name === about.app;
}

function isOtherProcess({ hostPid }: ProxyPeer, { about }: Session): boolean {
  return hostPid !== null && about.hostPid !== null && hostPid !== about.hostPid;
}

function isInDirectory(proxy: ProxyPeer, { about }: Session): boolean {
  const places = new Set<string | null>([about.cwd, about.firstCwd, about.projectDir]);
  places.delete(null);
  return places.has(proxy.cwd) || places.has(proxy.projectDir);
}
