import { log } from "../../kit/log.ts";
import type { Followed } from "./followed-sessions.ts";
import { type SessionRecorder, STRAGGLERS_MS } from "./session-recorder.ts";

/**
 * What has to be done when nothing asks: what hosts wrote down meanwhile, calls that nobody told more of, hosts and proxies
 * that died, sessions that are over, the store's log and its age.
 */

const LOOK_EVERY_MS = 2_000;
const PROCESSES_EVERY_MS = 5_000;
const CHECKPOINT_EVERY_MS = 15_000;
const PRUNE_EVERY_MS = 60 * 60_000;
const FIRST_PRUNE_MS = 30_000;
/** A call on the wire waits this long for the host's word, and a hook's for the wire's. */
const WORD_MS = 10_000;
/** A run that was closed so long ago is put away; it comes back when a late fact names it. */
const CLOSED_MS = 10_000;
/** A session that nothing was heard of for so long is put away; it comes back when it is named. */
const QUIET_MS = 60_000;
/** Where a host's process is not known, its session is over after this time of silence. */
const SILENT_MS = 12 * 60 * 60_000;

const DAY_MS = 24 * 60 * 60_000;
/** What is kept: so many days, and so many bytes. */
const KEPT_MS = 90 * DAY_MS;
const KEPT_BYTES = 5 * 1024 ** 3;

/** Processes of this machine. */
export interface Processes {
  /** Any process has this pid: cheap. */
  isThere(pid: number): boolean;
  /** The process with this pid is the one that was started then. */
  isSame(pid: number, startedAt: string): boolean;
}

/** The store, apart from what is recorded into it. */
export interface StoreCare {
  checkpoint(): void;
  /** Removes what is too old, or too much; false where that needs another pass. Throws what the store throws. */
  prune(limits: { before: number; maxBytes: number; reportsBefore: number }): boolean;
}

export class Housekeeping {
  readonly #recorder: SessionRecorder;
  readonly #store: StoreCare;
  readonly #processes: Processes;
  readonly #due = new Map<string, number>();

  /** `now`: epoch ms. */
  constructor(recorder: SessionRecorder, store: StoreCare, processes: Processes, now: number) {
    this.#recorder = recorder;
    this.#store = store;
    this.#processes = processes;
    this.#due.set("prune", now + FIRST_PRUNE_MS);
  }

  /** Resolves once what was due is done. Never throws. */
  async tick(now: number): Promise<void> {
    const work: Promise<void>[] = [];
    if (this.#isDue("look", LOOK_EVERY_MS, now)) work.push(...this.#look(now));
    if (this.#isDue("processes", PROCESSES_EVERY_MS, now)) work.push(...this.#lookForTheDead(now));
    if (this.#isDue("checkpoint", CHECKPOINT_EVERY_MS, now)) this.#store.checkpoint();
    if (this.#isDue("prune", PRUNE_EVERY_MS, now)) this.#prune(now);
    await Promise.all(work);
  }

  #isDue(what: string, everyMs: number, now: number): boolean {
    if (now < (this.#due.get(what) ?? 0)) return false;
    this.#due.set(what, now + everyMs);
    return true;
  }

  #look(now: number): Promise<void>[] {
    const { wire, proxies, sessions } = this.#recorder;
    wire.placeOverdue(
      now - WORD_MS,
      ({ proxy, step }) => step.durationMs === null && proxies.get(proxy.id) !== undefined,
    );
    const work = sessions.all.map(async (followed) => {
      const { session } = followed;
      const isWaitedFor = session.openRuns.length > 0 || !session.isClean || wire.isHeldFor(session);
      if (isWaitedFor) await this.#lookAfter(followed, now);
      this.#putAway(followed, now);
    });
    return [...work, this.#commit()];
  }

  #lookAfter(followed: Followed, now: number): Promise<void> {
    const { session } = followed;
    return this.#inTurn(followed, async () => {
      await this.#recorder.readOn(followed);
      for (const run of session.runs) run.settle(now - WORD_MS);
      session.closeStopped(now - STRAGGLERS_MS);
      // A row that was read late has opened it.
      if (session.isEnded && session.openRuns.length > 0) session.end(now);
    });
  }

  /** Only what the store holds whole can be brought back. */
  #putAway(followed: Followed, now: number): void {
    const { session } = followed;
    if (followed.turns > 0 || !this.#recorder.isCommitted) return;
    session.retire(now - CLOSED_MS);
    const isOver = session.isEnded && session.runs.length === 0 && session.onWire.size === 0;
    if (!isOver || now - session.about.lastAt <= QUIET_MS) return;
    this.#recorder.wire.injections.forget(session);
    this.#recorder.sessions.forget(followed);
  }

  #lookForTheDead(now: number): Promise<void>[] {
    const { proxies, sessions } = this.#recorder;
    const known = [...proxies.all, ...sessions.all.flatMap(({ session }) => session.about.proxies)];
    for (const { pid, processStartedAt } of known) {
      if (this.#isGone(pid, processStartedAt)) this.#recorder.proxyGone({ pid, processStartedAt });
    }
    const gone = sessions.all.filter((followed) => this.#isHostGone(followed, now));
    const work = gone.map((followed) =>
      this.#inTurn(followed, async () => {
        await this.#recorder.readOn(followed);
        this.#recorder.wire.placeHeldOf(followed.session);
        followed.session.abandon();
      }),
    );
    return [...work, this.#commit()];
  }

  #isHostGone({ session: { about, isEnded } }: Followed, now: number): boolean {
    if (isEnded) return false;
    const silentMs = now - about.lastAt;
    // One without hooks ends with its proxies.
    if (!about.isHooked) return about.proxies.length === 0 && silentMs > QUIET_MS;
    const { hostPid, hostStartedAt } = about;
    if (hostPid === null) return silentMs > SILENT_MS;
    return hostStartedAt === null
      ? !this.#processes.isThere(hostPid) || silentMs > SILENT_MS
      : this.#isGone(hostPid, hostStartedAt);
  }

  #isGone(pid: number, startedAt: string): boolean {
    return !this.#processes.isThere(pid) || !this.#processes.isSame(pid, startedAt);
  }

  #prune(now: number): void {
    try {
      const limits = { before: now - KEPT_MS, maxBytes: KEPT_BYTES, reportsBefore: now - DAY_MS };
      if (!this.#store.prune(limits)) this.#due.set("prune", now);
    } catch (cause) {
      log(`old recordings could not be removed (${cause instanceof Error ? cause.name : "unknown"})`);
    }
  }

  #inTurn(followed: Followed, work: () => Promise<void>): Promise<void> {
    const { sessions } = this.#recorder;
    const done = sessions.inTurn(followed, async () => {
      await work();
      sessions.changed(followed);
      await this.#recorder.commit();
    });
    // Where the store does not take it, it is kept and tried again.
    return done.catch(() => {});
  }

  async #commit(): Promise<void> {
    await this.#recorder.commit().catch(() => {});
  }
}
