import { log } from "../../kit/log.ts";
import { isProcessAlive, isProcessThere } from "../../kit/process-identity.ts";
import type { Journal } from "../../record/journal.ts";
import { pruneStore } from "../../store/retention.ts";
import type { Followed } from "./followed-sessions.ts";
import type { SessionRecorder } from "./session-recorder.ts";

/**
 * What has to be done when nothing asks: what hosts wrote down meanwhile, calls that nobody told more of, hosts and proxies
 * that died, sessions that are over, the store's log and its age.
 */

const LOOK_EVERY_MS = 2_000;
const PROCESSES_EVERY_MS = 5_000;
const CHECKPOINT_EVERY_MS = 15_000;
const PRUNE_EVERY_MS = 60 * 60_000;
/** A call on the wire waits this long for the host's word, and a hook's for the wire's. */
const WORD_MS = 10_000;
/** A session that nothing was heard of for so long is put away; it comes back when it is named. */
const QUIET_MS = 60_000;
/** Where a host's process is not known, its session is over after this time of silence. */
const SILENT_MS = 12 * 60 * 60_000;

const DAY_MS = 24 * 60 * 60_000;
/** What is kept: so many days, and so many bytes. */
const KEPT_MS = 90 * DAY_MS;
const KEPT_BYTES = 5 * 1024 ** 3;

export class Housekeeping {
  readonly #recorder: SessionRecorder;
  readonly #store: { journal: Pick<Journal, "checkpoint">; path: string };
  readonly #due = new Map<string, number>();

  constructor(recorder: SessionRecorder, store: { journal: Pick<Journal, "checkpoint">; path: string }) {
    this.#recorder = recorder;
    this.#store = store;
    this.#due.set("prune", Date.now() + 30_000);
  }

  tick(now: number): void {
    if (this.#isDue("look", LOOK_EVERY_MS, now)) this.#look(now);
    if (this.#isDue("processes", PROCESSES_EVERY_MS, now)) this.#processes(now);
    if (this.#isDue("checkpoint", CHECKPOINT_EVERY_MS, now)) this.#store.journal.checkpoint();
    if (this.#isDue("prune", PRUNE_EVERY_MS, now)) this.#prune(now);
  }

  #isDue(what: string, everyMs: number, now: number): boolean {
    if (now < (this.#due.get(what) ?? 0)) return false;
    this.#due.set(what, now + everyMs);
    return true;
  }

  #look(now: number): void {
    const { correlation, sessions } = this.#recorder;
    for (const followed of sessions.all) {
      const { session } = followed;
      if (session.openRuns.length > 0) {
        this.#inTurn(followed, async () => {
          await this.#recorder.readOn(followed);
          for (const run of session.openRuns) run.settleCalls(now - WORD_MS);
        });
      } else if (now - session.lastAt > QUIET_MS && session.isClean) {
        session.retire(now - QUIET_MS);
        if (!session.isEnded) continue;
        correlation.forget(session);
        sessions.forget(followed);
      }
    }
    for (const held of correlation.held.all) {
      const isRunning = held.step.status === "running" && this.#recorder.proxies.get(held.proxy.id) !== undefined;
      if (!isRunning && now - held.since > WORD_MS) correlation.placeAlone(held, now);
    }
    this.#commit();
  }

  #processes(now: number): void {
    for (const proxy of this.#recorder.proxies.all) {
      if (!isProcessThere(proxy.pid)) this.#recorder.proxyGone(proxy);
    }
    for (const followed of this.#recorder.sessions.all) {
      const { session } = followed;
      if (session.isEnded || !session.isHooked) continue;
      const { hostPid, hostStartedAt } = session;
      const isGone =
        hostPid === null || hostStartedAt === null
          ? now - session.lastAt > SILENT_MS
          : !isProcessThere(hostPid) || !isProcessAlive(hostPid, hostStartedAt);
      if (!isGone) continue;
      this.#inTurn(followed, async () => {
        await this.#recorder.readOn(followed);
        this.#recorder.correlation.placeHeldOf(session, now);
        session.end(now, "abandoned");
        this.#recorder.sessions.changed(followed);
      });
    }
    this.#commit();
  }

  #prune(now: number): void {
    try {
      pruneStore(this.#store.path, { before: now - KEPT_MS, maxBytes: KEPT_BYTES, reportsBefore: now - DAY_MS });
    } catch (cause) {
      log(`old recordings could not be removed (${cause instanceof Error ? cause.name : "unknown"})`);
    }
  }

  #inTurn(followed: Followed, work: () => Promise<void>): void {
    void this.#recorder.sessions
      .inTurn(followed, async () => {
        await work();
        this.#recorder.commit();
      })
      .catch(() => {
        // The store does not take it: it is kept, and tried again.
      });
  }

  #commit(): void {
    try {
      this.#recorder.commit();
    } catch {
      // As above.
    }
  }
}
