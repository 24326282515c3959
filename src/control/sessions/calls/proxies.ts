import type { ProxyRegistration } from "../../../core/control-wire.ts";
import type { RedactedText } from "../../../core/redacted.ts";

/**
 * The proxies that report to this server: which process, which server of whose host. Forgets those that have left or whose
 * process is gone.
 */

export interface ProxyPeer extends ProxyRegistration {
  readonly id: string;
  /** The run that took its last call, by session and run. */
  last: { sessionKey: string; runId: RedactedText } | null;
}

/** Which process a proxy is: the same when it registers with another server. */
export type ProxyIdentity = Pick<ProxyRegistration, "pid" | "processStartedAt">;

export class Proxies {
  readonly #byId = new Map<string, ProxyPeer>();

  register(registration: ProxyRegistration): ProxyPeer {
    // It asks again when it took this server for a new one.
    for (const known of this.#byId.values()) {
      if (isSameProcess(known, registration)) return Object.assign(known, registration);
    }
    const proxy: ProxyPeer = { ...registration, id: `proxy_${crypto.randomUUID()}`, last: null };
    this.#byId.set(proxy.id, proxy);
    return proxy;
  }

  get(id: string): ProxyPeer | undefined {
    return this.#byId.get(id);
  }

  has(process: ProxyIdentity): boolean {
    return this.all.some((proxy) => isSameProcess(proxy, process));
  }

  remove(proxy: ProxyPeer): void {
    this.#byId.delete(proxy.id);
  }

  get all(): ProxyPeer[] {
    return [...this.#byId.values()];
  }
}

export function isSameProcess(a: ProxyIdentity, b: ProxyIdentity): boolean {
  return a.pid === b.pid && a.processStartedAt === b.processStartedAt;
}

/** The key of the session of a proxy that nothing else says a session of. */
export function proxyKey({ pid, processStartedAt }: ProxyIdentity): string {
  return `proxy:${pid}:${processStartedAt}`;
}
