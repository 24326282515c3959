import type { RunStatus } from "../../../core/run.ts";
import type { ProxyTold } from "../../recorder.ts";
import type { BoundRun } from "../bound-run.ts";
import type { Session } from "../session.ts";
import { candidates, type SessionDirectory } from "./candidates.ts";
import { isSameProcess, type Proxies, type ProxyIdentity, type ProxyPeer } from "./proxies.ts";
import type { WireCalls } from "./wire-calls.ts";

/** What a proxy tells, put where it belongs: its calls into their steps, everything else into the run it served last. */

export class ProxyTales {
  readonly #directory: SessionDirectory;
  readonly #wire: WireCalls;
  readonly #proxies: Proxies;

  constructor(directory: SessionDirectory, wire: WireCalls, proxies: Proxies) {
    this.#directory = directory;
    this.#wire = wire;
    this.#proxies = proxies;
  }

  /** Answers the session that it changed something of, where no run of it was written to. */
  take(proxy: ProxyPeer, told: ProxyTold, now: number): Session | null {
    switch (told.kind) {
      case "step":
        this.#wire.place(proxy, told, now);
        return null;
      case "client":
        proxy.client = { name: told.name, version: told.version };
        return null;
      case "host-hook-calls": {
        const run = this.#lastRun(proxy, told.at);
        run?.countHostHookCalls(told.count, told.at);
        if (run !== null) return null;
        const session = this.#sessionOf(proxy, told.at);
        session.untold.hostHookCalls += told.count;
        return session;
      }
      case "gap":
        this.#someRun(proxy, told.at).writer.gap(told.at, told.reason, told.lost);
        return null;
      case "warning":
        this.#someRun(proxy, told.at).note(told.at, { kind: "warning", text: told.text, agentId: null });
        return null;
      case "left":
        this.#wire.placeOf(proxy);
        this.#proxies.remove(proxy);
        for (const session of this.#directory.inMemory()) this.#left(session, proxy, told.at, told.how);
        return null;
    }
  }

  /** A proxy's process is gone without a word. */
  gone(process: ProxyIdentity, at: number): void {
    for (const proxy of this.#proxies.all) {
      if (!isSameProcess(proxy, process)) continue;
      this.#wire.placeOf(proxy);
      this.#proxies.remove(proxy);
    }
    for (const session of this.#directory.inMemory()) this.#left(session, process, at, "gone");
  }

  /** With the last proxy of a session without hooks ends its run. */
  #left(session: Session, process: ProxyIdentity, at: number, how: "ended" | "failed" | "gone"): void {
    const { about } = session;
    const left = about.proxies.filter((each) => !isSameProcess(each, process));
    if (left.length === about.proxies.length) return;
    about.proxies = left;
    if (about.isHooked || left.length > 0) return;
    // When a process went that said nothing is not known.
    for (const run of session.openRuns) run.close(statusOf(run, how), how === "gone" ? run.seenAt : at);
    about.endedAt = how === "gone" ? about.lastAt : at;
  }

  #lastRun(proxy: ProxyPeer, at: number): BoundRun | null {
    const { last } = proxy;
    const session = last === null ? undefined : this.#directory.byId(last.sessionKey);
    if (last !== null && session !== undefined) return session.runById(last.runId);
    // Another server was told of what it served.
    const served = this.#directory
      .inMemory()
      .find(({ about }) => about.proxies.some((each) => isSameProcess(each, proxy)));
    return served?.runAt(at) ?? null;
  }

  /** A loss must be told even where nothing else was kept. */
  #someRun(proxy: ProxyPeer, at: number): BoundRun {
    const last = this.#lastRun(proxy, at);
    if (last !== null) return last;
    const session = this.#sessionOf(proxy, at);
    return session.runAt(at) ?? session.openRun(at, { promptId: null, input: null });
  }

  #sessionOf(proxy: ProxyPeer, at: number): Session {
    const [only, ...others] = candidates(this.#directory, proxy, null);
    return only !== undefined && others.length === 0 ? only : this.#directory.unhooked(proxy, null, at);
  }
}

function statusOf(run: BoundRun, how: "ended" | "failed" | "gone"): RunStatus {
  if (how === "failed") return "failed";
  if (how === "gone") return "abandoned";
  return run.runningCalls() === 0 ? "completed" : "interrupted";
}
