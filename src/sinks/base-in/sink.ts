import type { SinkCursor } from "../../store/sink-cursor.ts";
import { SinkEvents } from "../../store/sink-events.ts";
import type { SinkRun } from "../../store/sink-run.ts";
import { StoreError } from "../../store/store-error.ts";
import { Delivery } from "./delivery.ts";
import { Endings } from "./endings.ts";
import { type Closed, Gate, type GateReason } from "./gate.ts";
import type { DeliveryParts, ServiceLink, SinkClock } from "./parts.ts";
import { Suspects } from "./suspects.ts";

/**
 * What this machine records, on its way to one service: finds runs of which something waits and has each delivered, several side by
 * side. At least once, in order within a run. Nothing of a session waits for it; what it cannot send now waits in the journal.
 */

/** What is told of a sink when nobody runs it. */
export interface SinkState {
  /** Epoch ms. */
  lastSuccessAt: number | null;
  closed: Closed | null;
}

export interface SinkOptions {
  /** The store's cursor for this service; null where there is no store yet. Throws `StoreError`. */
  open: () => SinkCursor | null;
  link: ServiceLink;
  clock: SinkClock;
  /** One line for the log: DEG-21, DEG-22. */
  say: (line: string) => void;
  isAlive: (pid: number, startedAt: string) => boolean;
}

interface OpenStore {
  cursor: SinkCursor;
  events: SinkEvents;
  salt: string;
}

const MOST_AT_ONCE = 4;
const POLL_MS = 250;
const NO_STORE_MS = 1000;
const STORE_TROUBLE_MS = 1000;
const KEEP_STATE_EVERY_MS = 1000;
/** Pages of new events looked at before others get their turn. */
const PAGES_AT_ONCE = 4;
const REMEMBERED_RUNS = 1000;

export class Sink {
  readonly #options: SinkOptions;
  readonly #gate: Gate;
  readonly #suspects = new Suspects();
  readonly #active = new Map<string, Promise<void>>();
  readonly #endings: Endings;
  readonly #parts: DeliveryParts;
  /** Runs of which nothing could be told though something seemed to wait: not looked at again before more comes. */
  readonly #stalled = new Map<string, number>();
  readonly #saidOf = new Set<string>();
  #store: OpenStore | null = null;
  #version = -1;
  #isMore = true;
  #isBir = false;
  #isAsking = false;
  #taken = 0;
  #state: SinkState = { lastSuccessAt: null, closed: null };
  #keptState = "";
  #keptAt = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  #wake = new AbortController();
  #running: Promise<void> | null = null;

  constructor(options: SinkOptions) {
    this.#options = options;
    this.#endings = new Endings(options.clock, options.isAlive);
    const { link, clock } = options;
    this.#gate = new Gate(clock);
    this.#parts = {
      link,
      clock,
      gate: this.#gate,
      suspects: this.#suspects,
      anew: new Map(),
      isStopping: () => this.#isStopping,
      takesArrays: () => this.#isBir,
      taken: () => this.#taken,
      worked: (isTaken) => this.#worked(isTaken),
      closed: (reason, why, runId, atLeastMs) => this.#closed(reason, why, runId, atLeastMs),
      refused: (runId, status) => this.#refused(runId, status),
    };
  }

  /** True while something is under way, or about to be. */
  get isDelivering(): boolean {
    return this.#active.size > 0 || this.#isMore;
  }

  start(): void {
    this.#running ??= this.#loop();
  }

  /** What is under way is the last; resolves when it is over and written down. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake.abort();
    await this.#running;
    await Promise.allSettled(this.#active.values());
    this.#letGo();
  }

  async #loop(): Promise<void> {
    while (!this.#isStopping) {
      const pauseMs = this.#step();
      if (pauseMs > 0 && !this.#wake.signal.aborted) await this.#options.clock.wait(pauseMs, this.#wake.signal);
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Does what is due; answers how long nothing will be. */
  #step(): number {
    try {
      const store = this.#usableStore();
      if (store === null) {
        this.#isMore = false;
        return NO_STORE_MS;
      }
      this.#lookAtNew(store);
      this.#endings.look(store.cursor, this.#active);
      this.#deliver(store);
      this.#keepState(store.cursor, false);
      return this.#isMore ? 0 : POLL_MS;
    } catch (cause) {
      this.#isMore = false;
      const failure = cause instanceof StoreError ? cause.failure : "a fault of bir";
      if (failure === "busy") return POLL_MS;
      this.#options.say(`what waits for the recordings service cannot be read (${failure}) (DEG-21)`);
      // Whoever still works with it notices, and comes back.
      this.#letGo();
      return STORE_TROUBLE_MS;
    }
  }

  #usableStore(): OpenStore | null {
    if (this.#store?.cursor.isInPlace()) return this.#store;
    // What is under way works with the store that it began with.
    if (this.#active.size > 0) return null;
    this.#letGo();
    const cursor = this.#options.open();
    if (cursor === null) return null;
    const { salt, state } = cursor.facts();
    this.#state = { ...this.#state, lastSuccessAt: this.#state.lastSuccessAt ?? lastSuccessIn(state) };
    this.#store = { cursor, events: new SinkEvents(cursor.db), salt };
    this.#version = -1;
    this.#stalled.clear();
    return this.#store;
  }

  #lookAtNew({ cursor, events }: OpenStore): void {
    const version = events.dataVersion();
    if (version === this.#version && !this.#isMore) return;
    for (let page = 0; page < PAGES_AT_ONCE; page++) {
      this.#isMore = cursor.discover();
      if (!this.#isMore) break;
    }
    this.#version = version;
  }

  #deliver({ cursor, events, salt }: OpenStore): void {
    const now = this.#options.clock.steady();
    const width = this.#gate.width(MOST_AT_ONCE);
    if (this.#active.size >= width) return;
    if (!this.#isBir) void this.#askWhoItIs();
    const isProbing = this.#gate.closed !== null;
    const found = cursor.waiting(width + this.#active.size + this.#suspects.size + this.#stalled.size);
    const ready = found.filter((run) => this.#isReady(run, now));
    // Whoever met trouble before is no good witness for the service.
    if (isProbing) ready.sort((a, b) => Number(this.#isSuspect(a)) - Number(this.#isSuspect(b)));
    for (const run of ready) {
      if (this.#active.size >= width) return;
      const delivery = new Delivery(this.#parts, cursor, events, run, salt);
      this.#active.set(run.runId, this.#during(delivery, run, cursor));
    }
  }

  async #during(delivery: Delivery, before: SinkRun, cursor: SinkCursor): Promise<void> {
    const { runId } = before;
    try {
      if (await delivery.work()) this.#stalled.delete(runId);
      else this.#stalled.set(runId, before.latest);
    } catch (cause) {
      this.#failed(before, cause, cursor);
    } finally {
      this.#active.delete(runId);
      this.#wake.abort();
    }
  }

  /** The store could not be read, or what is in it could not be told: by a fault of ours, or because it is damaged. */
  #failed({ runId, tail }: SinkRun, cause: unknown, cursor: SinkCursor): void {
    const now = this.#options.clock.steady();
    if (cause instanceof StoreError) {
      this.#suspects.doubt(runId, "", now + STORE_TROUBLE_MS, this.#taken);
      return;
    }
    const kind = cause instanceof Error ? cause.name : "unknown";
    this.#options.say(`a run cannot be told to the recordings service, by a fault of bir (${kind}) (DEG-22)`);
    if (!this.#suspects.strike(runId, "", now, this.#taken)) return;
    try {
      cursor.refuse(runId, runId, null, this.#options.clock.now());
      cursor.advance(runId, tail, null);
    } catch {
      // It comes up again.
    }
  }

  #isReady({ runId, latest }: SinkRun, now: number): boolean {
    if (this.#active.has(runId) || this.#suspects.isPaused(runId, now)) return false;
    return this.#stalled.get(runId) !== latest;
  }

  #isSuspect({ runId }: SinkRun): boolean {
    return this.#suspects.get(runId) !== undefined;
  }

  /** Only a bir takes many rows at once. */
  async #askWhoItIs(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const answer = await this.#options.link.ask();
    this.#isBir = answer.kind === "status" && answer.isOfBir;
    // One that is there is asked no more, whatever it is.
    const isThere = answer.kind === "status" && answer.status < 500 && answer.status !== 401 && answer.status !== 403;
    this.#isAsking = isThere;
  }

  #worked(isTaken: boolean): void {
    this.#taken++;
    const before = this.#gate.worked();
    const lastSuccessAt = isTaken ? this.#options.clock.now() : this.#state.lastSuccessAt;
    this.#state = { lastSuccessAt, closed: null };
    if (before !== null) this.#options.say("the recordings service takes what waits again (DEG-21)");
  }

  #closed(reason: GateReason, why: string, runId: string, atLeastMs: number): void {
    const isNews = this.#gate.close(reason, why, atLeastMs);
    this.#state = { ...this.#state, closed: this.#gate.closed };
    if (isNews) this.#sayOnce(runId, `the recordings service: ${why}. What waits is sent later (DEG-21)`);
  }

  #refused(runId: string, status: number | null): void {
    const how = status === null ? "gives no answer to" : `refuses (HTTP ${status})`;
    this.#sayOnce(`${runId} refused`, `the recordings service ${how} a part of ${runId}; the rest goes on (DEG-22)`);
  }

  /** Once about a run. */
  #sayOnce(about: string, line: string): void {
    if (this.#saidOf.has(about)) return;
    if (this.#saidOf.size >= REMEMBERED_RUNS) this.#saidOf.clear();
    this.#saidOf.add(about);
    this.#options.say(line);
  }

  #keepState(cursor: SinkCursor, isLast: boolean): void {
    const now = this.#options.clock.steady();
    const state = JSON.stringify(this.#state);
    if (state === this.#keptState || (!isLast && now - this.#keptAt < KEEP_STATE_EVERY_MS)) return;
    cursor.keepState(state);
    this.#keptState = state;
    this.#keptAt = now;
  }

  #letGo(): void {
    if (this.#store === null) return;
    try {
      if (this.#store.cursor.isInPlace()) this.#keepState(this.#store.cursor, true);
    } catch {
      // It is told again when it changes.
    }
    this.#store.cursor.close();
    this.#store = null;
    this.#keptState = "";
  }
}

function lastSuccessIn(state: string): number | null {
  const { lastSuccessAt } = JSON.parse(state) as Partial<SinkState>;
  return typeof lastSuccessAt === "number" ? lastSuccessAt : null;
}
