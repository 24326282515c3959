import type { ProxyTold } from "../recorder.ts";
import type { BoundRun } from "./bound-run.ts";
import type { Correlation, SessionDirectory } from "./correlation.ts";
import type { Proxies, ProxyPeer } from "./proxies.ts";

/** What a proxy tells, put where it belongs: its calls into their steps, everything else into the run it served last. */

export type LeavingProxy = ProxyPeer;

export class ProxyTales {
  readonly #sessions: SessionDirectory;
  readonly #correlation: Correlation;
  readonly #proxies: Proxies;

  constructor(sessions: SessionDirectory, correlation: Correlation, proxies: Proxies) {
    this.#sessions = sessions;
    this.#correlation = correlation;
    this.#proxies = proxies;
  }

  take(proxy: ProxyPeer, told: ProxyTold, now: number): void {
    switch (told.kind) {
      case "step":
        this.#correlation.place(proxy, told, now);
        return;
      case "client":
        proxy.client = { name: told.name, version: told.version };
        return;
      case "host-hook-calls": {
        const run = this.#lastRun(proxy);
        if (run === null) proxy.hostHookCalls += told.count;
        else run.countHostHookCalls(told.count, told.at);
        return;
      }
      case "gap":
        this.#someRun(proxy, told.at).writer.gap(told.at, told.reason, told.lost);
        return;
      case "warning":
        this.#someRun(proxy, told.at).note(told.at, { kind: "warning", text: told.text, agentId: null });
        return;
      case "left":
        this.left(proxy, told.at, told.how);
        return;
    }
  }

  /** A proxy ends; with the last one of a session without hooks ends its run. */
  left(proxy: ProxyPeer, at: number, how: "ended" | "failed"): void {
    this.#proxies.remove(proxy);
    const session = proxy.last === null ? undefined : this.#sessions.byId(proxy.last.sessionKey);
    if (session === undefined || session.isHooked) return;
    if (this.#proxies.all.some((other) => other.last?.sessionKey === session.key)) return;
    for (const run of session.openRuns) {
      const isWhole = run.runningCalls() === 0;
      run.close(how === "failed" ? "failed" : isWhole ? "completed" : "interrupted", at);
    }
    session.isEnded = true;
  }

  #lastRun({ last }: ProxyPeer): BoundRun | null {
    return last === null ? null : (this.#sessions.byId(last.sessionKey)?.runById(last.runId) ?? null);
  }

  /** A loss must be told even where nothing else was kept. */
  #someRun(proxy: ProxyPeer, at: number): BoundRun {
    const last = this.#lastRun(proxy);
    if (last !== null) return last;
    const [only, ...others] = this.#correlation.candidates(proxy, null);
    const session = only !== undefined && others.length === 0 ? only : this.#sessions.unhooked(proxy, null, at);
    return session.latest ?? session.openRun(at, { promptId: null, input: null });
  }
}
