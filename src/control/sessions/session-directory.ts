import type { RedactedText } from "../../core/redacted.ts";
import { trustedText } from "../../redact/redact.ts";
import { isSameApp, type SessionDirectory } from "./calls/candidates.ts";
import { isSameProcess, type ProxyPeer, proxyKey } from "./calls/proxies.ts";
import type { FollowedSessions } from "./followed-sessions.ts";
import type { Session } from "./session.ts";

/** Finds the session of a proxy among those that are followed, and begins one where there is none. */
export class KnownSessions implements SessionDirectory {
  readonly #followed: () => FollowedSessions;

  constructor(followed: () => FollowedSessions) {
    this.#followed = followed;
  }

  inMemory(): Session[] {
    return this.#followed().all.map(({ session }) => session);
  }

  byId(sessionId: string): Session | undefined {
    return this.#followed().find(sessionId)?.session;
  }

  /** By the id that its host told; a proxy of which nothing is told, or which is none of that session's, has one of its own. */
  unhooked(proxy: ProxyPeer, sessionId: RedactedText | null, at: number): Session {
    const id = sessionId ?? proxy.sessionId;
    const named = id === null ? undefined : this.byId(id);
    const isOfOther = named?.about.isHooked || (named !== undefined && !isSameApp(proxy, named));
    const session = this.#begin(proxy, id === null || isOfOther ? null : trustedText(id), at);
    const { about } = session;
    about.lastAt = Math.max(about.lastAt, at);
    about.endedAt = null;
    if (!about.proxies.some((each) => isSameProcess(each, proxy))) {
      about.proxies = [...about.proxies, { pid: proxy.pid, processStartedAt: proxy.processStartedAt }];
    }
    const { client } = proxy;
    if (client !== null) {
      session.learnHost(trustedText(client.name), client.version === null ? null : trustedText(client.version), at);
    }
    return session;
  }

  #begin(proxy: ProxyPeer, sessionId: RedactedText | null, at: number): Session {
    return this.#followed().follow(sessionId ?? proxyKey(proxy), sessionId, proxy.cwd, at).session;
  }
}
