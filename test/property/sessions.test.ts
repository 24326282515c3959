/**
 * Whatever becomes of the server, and however late or often things are told: in the end the record says what has happened.
 * Two sessions at once; hooks that nobody waits for come late and in any order, proxies' batches before or after them, the
 * server is killed between any two of them, answers are lost, the store refuses.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProxyTold } from "../../src/control/recorder.ts";
import type { HookReport } from "../../src/core/control-wire.ts";
import { summaryOf } from "../../src/core/fold.ts";
import { StoreReader } from "../../src/store/reader.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import { HostScript } from "../unit/host-script.ts";
import { RecorderDesk } from "../unit/recorder-desk.ts";
import { type Carrier, Decisions, NotYet, readAs, Session, type TrueRun } from "./session-world.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "bir-sessions-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Things are told this late at most: what nobody has told of for longer is given up. */
const LATEST_MS = 4_000;

/** What goes wrong: how often a server is killed or an answer lost, and how often none is there or the store takes nothing. */
interface Weather {
  kills: number;
  refusals: number;
  /** The host writes its sessions down. */
  hasTranscript: boolean;
}

class World implements Carrier {
  readonly desk = new RecorderDesk();
  readonly sessions: Session[];
  readonly #decisions: Decisions;
  readonly #threads: { actions: (() => Promise<void> | void)[] }[];
  /** Hooks on their way, and when they were begun. */
  readonly #onTheirWay: { report: HookReport; since: number }[] = [];
  #spool: HookReport[] = [];
  readonly #queues = new Map<Session, { told: ProxyTold[]; id: string | null; since: number }>();
  /** What was taken; any of it may be told again. */
  readonly #taken: HookReport[] = [];
  #isDown = false;
  #kills: number;
  #refusals: number;

  constructor(decisions: Decisions, { kills, refusals, hasTranscript }: Weather) {
    this.#decisions = decisions;
    this.#kills = kills;
    this.#refusals = refusals;
    const hosts = ["s1", "s2"].map((sessionId, n) => new HostScript(this.desk, { sessionId, pid: 70 + n }));
    this.sessions = hosts.map((host) => new Session(this.desk, host, this, decisions, hasTranscript));
    this.#threads = this.sessions.flatMap((session) => {
      this.#queues.set(session, { told: [], id: null, since: 0 });
      const { main, agent } = session.threads();
      return [{ actions: main }, { actions: agent }];
    });
  }

  async run(): Promise<void> {
    while (this.#threads.some(({ actions }) => actions.length > 0)) {
      this.desk.now += 1 + this.#decisions.below(25);
      await this.#somethingElse();
      await this.#act();
      await this.#deliverOld();
    }
    await this.#comeToAnEnd();
  }

  /** Of one of those who have something to do, the next thing; the others where that has to wait. */
  async #act(): Promise<void> {
    const able = this.#threads.filter(({ actions }) => actions.length > 0);
    const first = this.#decisions.below(able.length);
    for (let n = 0; n < able.length; n++) {
      const thread = able[(first + n) % able.length];
      const [action] = thread?.actions ?? [];
      if (action === undefined || thread === undefined) continue;
      thread.actions.shift();
      try {
        await action();
        return;
      } catch (cause) {
        if (!(cause instanceof NotYet)) throw cause;
        thread.actions.unshift(action);
      }
    }
    throw new Error("everybody waits");
  }

  async #somethingElse(): Promise<void> {
    const { desk } = this;
    const what = this.#decisions.below(24);
    if (what >= 1 && what <= 6) await this.#deliverOne(this.#decisions.below(Math.max(1, this.#onTheirWay.length)));
    else if (what >= 7 && what <= 10) await this.#flush(this.#sessionAt(this.#decisions.below(2)));
    else if (what >= 11 && what <= 12) await this.#drain();
    else if (what === 13) await desk.wait(this.#decisions.below(400));
    else if (what === 14) await this.#again();
    else if (what >= 15 && what <= 19 && this.#kills-- > 0) {
      if (what <= 18) await this.#restart();
      else this.#loseAnswers = 1 + this.#decisions.below(3);
    } else if (what >= 20 && this.#refusals-- > 0) {
      if (what === 20) this.#isDown = true;
      else if (what === 21) desk.refuses = !desk.refuses;
      else if (what === 22) desk.isFull = !desk.isFull;
      else desk.busyFor = this.#decisions.below(12);
    }
  }

  #loseAnswers = 0;

  #sessionAt(n: number): Session {
    const session = this.sessions[n];
    if (session === undefined) throw new Error("no such session");
    return session;
  }

  async #restart(): Promise<void> {
    this.#isDown = false;
    this.desk.restart();
    await this.#drain();
  }

  // A host and its hooks.

  async waitedFor(report: HookReport): Promise<void> {
    if (this.#isUnheard(report) || !(await this.#deliver(report))) this.#spool.push(report);
  }

  /**
   * The beginning of its session is still in the spool: a server that has heard nothing of it would take this hook for the
   * beginning.
   */
  #isUnheard({ fact }: HookReport): boolean {
    const isOfSession = (other: HookReport) => other.fact?.sessionId === fact?.sessionId;
    return this.#spool.some(isOfSession) && !this.#taken.some(isOfSession);
  }

  async(report: HookReport): void {
    this.#onTheirWay.push({ report, since: this.desk.now });
  }

  async #deliverOne(n: number): Promise<void> {
    const [one] = this.#onTheirWay.splice(n, 1);
    if (one !== undefined) await this.waitedFor(one.report);
  }

  async #deliverOld(): Promise<void> {
    const tooOld = this.desk.now - LATEST_MS;
    const isLate = this.#onTheirWay.some(({ since }) => since < tooOld);
    const isStuck = [...this.#queues.values()].some(({ told, since }) => told.length > 0 && since < tooOld);
    const isSpooled = this.#spool.some(({ at }) => at < tooOld);
    if (isLate || isStuck || isSpooled) await this.#recover();
  }

  /** True once it was acknowledged. */
  async #deliver(report: HookReport): Promise<boolean> {
    if (this.#isDown) return false;
    try {
      await this.desk.report(report);
    } catch {
      return false;
    }
    this.#taken.push(report);
    if (this.#loseAnswers === 0) return true;
    this.#loseAnswers--;
    return false;
  }

  /** In order of when it was told; what follows one that is not taken does not get ahead of it. */
  async #drain(): Promise<void> {
    const waiting = this.#spool.toSorted((a, b) => a.at - b.at);
    this.#spool = [];
    while (waiting.length > 0) {
      const [next] = waiting;
      if (next === undefined || !(await this.#deliver(next))) break;
      waiting.shift();
    }
    this.#spool.unshift(...waiting);
  }

  async #again(): Promise<void> {
    const report = this.#taken[this.#decisions.below(Math.max(1, this.#taken.length))];
    if (report !== undefined) await this.#deliver(report);
  }

  // A proxy of each session.

  proxy(session: Session, step: ProxyTold): void {
    const queue = this.#queueOf(session);
    if (queue.told.length === 0) queue.since = this.desk.now;
    queue.told.push(step);
  }

  async #flush(session: Session): Promise<boolean> {
    const queue = this.#queueOf(session);
    if (this.#isDown || queue.told.length === 0) return false;
    const batch = queue.told.slice(0, 1 + this.#decisions.below(4));
    try {
      const isKnown = queue.id !== null && (await this.desk.tell(queue.id, ...batch));
      if (!isKnown) {
        const { sessionId, pid } = session.host;
        queue.id = this.desk.proxy({ sessionId, hostPid: pid, pid: 900 + (pid ?? 0) });
        await this.desk.tell(queue.id, ...batch);
      }
    } catch {
      return false;
    }
    if (this.#loseAnswers > 0) {
      this.#loseAnswers--;
      return false;
    }
    queue.told.splice(0, batch.length);
    queue.since = this.desk.now;
    return true;
  }

  #queueOf(session: Session) {
    const queue = this.#queues.get(session);
    if (queue === undefined) throw new Error("no such session");
    return queue;
  }

  // The end.

  /** All that is under way arrives. */
  async #recover(): Promise<void> {
    Object.assign(this.desk, { refuses: false, isFull: false, busyFor: 0 });
    this.#loseAnswers = 0;
    if (this.#isDown) await this.#restart();
    await this.#drain();
    while (this.#onTheirWay.length > 0) await this.#deliverOne(this.#decisions.below(this.#onTheirWay.length));
    for (const session of this.sessions) while (await this.#flush(session));
    await this.#drain();
  }

  async #comeToAnEnd(): Promise<void> {
    await this.#recover();
    for (let n = 0; n < 4; n++) await this.desk.wait(8_000);
  }
}

async function expectTruth(drawn: readonly number[], weather: Partial<Weather>): Promise<void> {
  const world = new World(new Decisions(drawn), { kills: 0, refusals: 0, hasTranscript: true, ...weather });
  await world.run();
  const { desk, sessions } = world;
  const runs = desk.runs();
  for (const session of sessions) {
    const { sessionId } = session.host;
    const told = runs.filter((run) => run.sessionId === sessionId).sort((a, b) => a.startedAt - b.startedAt);
    const truth = session.runs.map((run) => ({ ...run, notes: run.notes.toSorted() }));
    expect(told.map((run, n) => withinBounds(readAs(run), truth[n]))).toEqual(truth);
  }
  expect(runs).toHaveLength(sessions.flatMap((session) => session.runs).length);
  expect(runs.flatMap(({ gaps }) => gaps)).toEqual([]);
  expectSameTables(desk);
  // Nothing waits any more, and nothing is followed that is over.
  expect(desk.recorder.wire.held.all).toEqual([]);
  expect(desk.recorder.occupation()).toMatchObject({ sessions: 0, openRuns: 0 });
  for (let n = 0; n < 2; n++) await desk.wait(70_000);
  expect(desk.recorder.sessions.all).toEqual([]);
}

/** Starts that are within their bounds read as those. */
function withinBounds(run: TrueRun, truth: TrueRun | undefined): TrueRun {
  for (const [callId, step] of Object.entries(run.steps)) {
    const bounds = truth?.steps[callId]?.startedAt;
    const at = step.startedAt;
    if (Array.isArray(bounds) && Number(at) >= bounds[0] && Number(at) <= bounds[1]) step.startedAt = bounds;
  }
  return run;
}

/** What is listed without reading the events is what the events say. */
function expectSameTables(desk: RecorderDesk): void {
  const path = join(directory, `${crypto.randomUUID()}.db`);
  const store = SqliteStore.open(path);
  for (let at = 0; at < desk.committed.length; at += 50) store.append(desk.committed.slice(at, at + 50));
  store.close();
  const reader = StoreReader.open(path, () => true);
  const folded = desk.runs().map((run) => ({ ...summaryOf(run), stepCount: run.steps.length }));
  const byId = <T extends { id: string }>(rows: T[]) => rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(byId([...reader.runs()])).toEqual(byId(folded));
  const sql = "SELECT id, status, call_id, started_at, duration_ms FROM steps";
  const rows = byId([...reader.rows<{ id: string }>(sql)]);
  const steps = desk.runs().flatMap((run) => run.steps);
  expect(rows).toEqual(
    byId(
      steps.map(({ id, status, callId: call_id, startedAt: started_at, durationMs: duration_ms }) => {
        return { id, status, call_id, started_at, duration_ms };
      }),
    ),
  );
  reader.close();
}

const drawn = fc.array(fc.nat(9_999), { minLength: 200, maxLength: 1_500, size: "max" });

async function forAll(numRuns: number, weather: Partial<Weather>): Promise<void> {
  // What fails is as telling as its smallest form, which takes minutes to find.
  const property = fc.asyncProperty(drawn, (numbers) => expectTruth(numbers, weather));
  await fc.assert(property, { numRuns, endOnFailure: true });
}

test("a calm world is recorded as it was", async () => {
  await expectTruth([], {});
  await expectTruth([], { hasTranscript: false });
});

test("what comes late, twice and in any order makes no difference", async () => {
  await forAll(30, {});
});

test("nor does a server that is killed at any moment, nor an answer that is lost", async () => {
  await forAll(40, { kills: 40 });
});

test("nor does it where the host writes nothing down", async () => {
  await forAll(25, { kills: 40, hasTranscript: false });
});

test("nor does a store that refuses, or no server at all", async () => {
  await forAll(25, { kills: 30, refusals: 30 });
});
