import type { ProxyRegistration } from "../../core/control-wire.ts";
import type { RedactedText } from "../../core/redacted.ts";

/**
 * The proxies that report to this server: which process, which server of whose host. Forgets those that have left or whose
 * process is gone.
 */

export interface ProxyPeer extends ProxyRegistration {
  readonly id: string;
  /** The run that took its last call, by session and run. */
  last: { sessionKey: string; runId: RedactedText } | null;
  /** What it told before there was a run to tell it in. */
  hostHookCalls: number;
}

export class Proxies {
  readonly #byId = new Map<string, ProxyPeer>();

  register(registration: ProxyRegistration): ProxyPeer {
    const { pid, processStartedAt } = registration;
    // It asks again when it took this server for a new one.
    for (const known of this.#byId.values()) {
      if (known.pid === pid && known.processStartedAt === processStartedAt) return Object.assign(known, registration);
    }
    const proxy: ProxyPeer = { ...registration, id: `proxy_${crypto.randomUUID()}`, last: null, hostHookCalls: 0 };
    this.#byId.set(proxy.id, proxy);
    return proxy;
  }

  get(id: string): ProxyPeer | undefined {
    return this.#byId.get(id);
  }

  remove(proxy: ProxyPeer): void {
    this.#byId.delete(proxy.id);
  }

  get all(): ProxyPeer[] {
    return [...this.#byId.values()];
  }
}

/** A key that is the same when the proxy registers with another server. */
export function proxyKey({ pid, processStartedAt }: Pick<ProxyRegistration, "pid" | "processStartedAt">): string {
  return `proxy:${pid}:${processStartedAt}`;
}

/** Server names as hosts spell them in the names of tools. */
export function spelled(server: string): string {
  return server.replace(/[^A-Za-z0-9_-]/g, "_");
}
