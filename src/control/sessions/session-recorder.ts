import type { HookAnswer, HookReport, HookRoute, ProxyRegistration } from "../../core/control-wire.ts";
import type { HookFact } from "../../core/hook-fact.ts";
import { trustedText } from "../../redact/redact.ts";
import { NotTaken, type Occupation, type ProxyTold, type Recorder } from "../recorder.ts";
import { Acknowledgements, type Commits } from "./acknowledgements.ts";
import { candidates } from "./calls/candidates.ts";
import { Correlation } from "./calls/correlation.ts";
import { HeldCalls } from "./calls/held-calls.ts";
import { HeldOutcomes } from "./calls/held-outcomes.ts";
import { Injections } from "./calls/injections.ts";
import { Proxies, type ProxyIdentity, type ProxyPeer } from "./calls/proxies.ts";
import { ProxyTales } from "./calls/proxy-tales.ts";
import { WireCalls } from "./calls/wire-calls.ts";
import { type Followed, FollowedSessions } from "./followed-sessions.ts";
import { applyHookFact, type HookedCall } from "./hook-facts.ts";
import type { Services } from "./services.ts";
import type { Session } from "./session.ts";
import { KnownSessions } from "./session-directory.ts";
import { learnWhereabouts } from "./whereabouts.ts";

/**
 * Takes what hooks and proxies tell, one thing at a time, and commits what came of it before it is acknowledged. Knows the
 * sessions; what a fact means for a run is theirs to say.
 */

/** What was committed earlier, read back. */
export interface Books {
  hasReport(id: string): boolean;
  session(key: string): string | null;
}

/** What an earlier server had under way. */
export interface Left {
  /** The states of sessions that were not over. */
  sessions: readonly string[];
  /** What waited, and since when (epoch ms). */
  held: readonly { body: string; at: number }[];
}

export interface RecorderOptions {
  books: Books;
  commits: Commits;
  services: Omit<Services, "write" | "outcomes">;
  /** Epoch ms. */
  now(): number;
  /** Start time of a process, or null where there is none. */
  processStartedAt(pid: number): string | null;
}

/** Hooks that end something: the transcript is read to its end before they are taken in. */
const ENDINGS: ReadonlySet<HookFact["kind"]> = new Set([
  "prompt-submitted",
  "stopped",
  "stop-failed",
  "subagent-stopped",
  "session-ended",
]);
/** Between two looks at a transcript when nothing asks for one. */
const POLL_EVERY_MS = 100;
/** How long a run that has stopped waits for whoever still has to tell of its calls. */
export const STRAGGLERS_MS = 250;

export class SessionRecorder implements Omit<Recorder, "tick"> {
  readonly #options: RecorderOptions;
  readonly #acknowledgements: Acknowledgements;
  readonly #outcomes: HeldOutcomes;
  readonly #directory = new KnownSessions(() => this.sessions);
  readonly #correlation: Correlation;
  readonly #tales: ProxyTales;
  readonly proxies = new Proxies();
  readonly wire: WireCalls;
  readonly sessions: FollowedSessions;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { books, commits } = options;
    this.#acknowledgements = new Acknowledgements(commits, (id) => books.hasReport(id));
    const { write } = this.#acknowledgements;
    this.#outcomes = new HeldOutcomes(write);
    this.wire = new WireCalls(this.#directory, new HeldCalls(write), new Injections());
    this.#correlation = new Correlation(this.#directory, this.proxies, this.wire);
    const services = { ...options.services, write, outcomes: this.#outcomes };
    this.sessions = new FollowedSessions(services, this.#correlation, (key) => books.session(key));
    this.#tales = new ProxyTales(this.#directory, this.wire, this.proxies);
  }

  /** Goes on where an earlier server stopped. */
  resume({ sessions, held }: Left): void {
    for (const state of sessions) this.sessions.restore(state);
    for (const { body, at } of held) {
      const { outcome, ...call } = JSON.parse(body);
      if (outcome === undefined) {
        this.wire.held.restore(call, at, (registration) => this.proxies.register(registration));
        continue;
      }
      const run = this.sessions.find(outcome.sessionKey)?.session.runById(outcome.runId);
      const step = run?.calls.get(outcome.stepId);
      if (step === undefined) this.#outcomes.forget(outcome);
      else step.end(outcome.ended, "hook", true);
    }
  }

  // What is told.

  async takeHook(_route: HookRoute, report: HookReport): Promise<HookAnswer> {
    const { fact, reportId } = report;
    if (this.#acknowledgements.isTaken(reportId)) return await this.#answerAgain(report);
    if (this.#acknowledgements.isFull) throw new NotTaken("the store takes nothing", false);
    if (fact === null) return await this.#takeUnreadable(report);
    const followed = this.sessions.follow(fact.sessionId, fact.sessionId, fact.cwd ?? "", report.at);
    return await this.sessions.inTurn(followed, async () => {
      // The same report may have come twice at once.
      if (this.#acknowledgements.isTaken(reportId)) return await this.#answerAgain(report);
      this.sessions.changed(followed);
      this.#learnWhereabouts(followed, report, fact);
      const { session, transcripts } = followed;
      const isBeginning = fact.kind === "session-started" && fact.source !== "compact";
      if (ENDINGS.has(fact.kind) || (isBeginning && session.openRuns.length > 0)) await this.readOn(followed);
      else if (!isBeginning) this.#pollSoon(followed, isOfUnknownAgent(session, fact));
      const call = applyHookFact(session, fact, report, this.#correlation);
      // One that comes late begins nothing any more.
      if (isBeginning && session.about.lastAt <= report.at) transcripts.startOver(report.at);
      if (fact.kind === "session-ended") this.wire.placeHeldOf(session);
      // What comes late of a session that is over opens nothing for long.
      if (session.isEnded) session.end(report.at);
      const injectedId = report.mayInject ? injected(fact, call) : null;
      const stragglers = this.#afterFact(followed, fact);
      await this.commit(reportId);
      return { stragglers, injectedId };
    });
  }

  register(registration: ProxyRegistration): string {
    return this.proxies.register(registration).id;
  }

  async takeProxy(proxyId: string, told: readonly ProxyTold[]): Promise<boolean> {
    const proxy = this.proxies.get(proxyId);
    if (proxy === undefined) return false;
    if (this.#acknowledgements.isFull) throw new NotTaken("the store takes nothing", false);
    const fresh = new Set<string>();
    for (const each of told) {
      if (fresh.has(each.reportId) || this.#acknowledgements.isTaken(each.reportId)) continue;
      fresh.add(each.reportId);
      const session = this.#tales.take(proxy, each, this.#options.now());
      if (session !== null) this.#changed(session);
    }
    this.#askTranscripts(proxy);
    await this.commit(...fresh);
    return true;
  }

  /** A proxy's process is gone without a word. */
  proxyGone(process: ProxyIdentity): void {
    this.#tales.gone(process, this.#options.now());
  }

  occupation(): Occupation {
    const all = this.sessions.all.map(({ session }) => session);
    return {
      sessions: all.filter(({ isEnded }) => !isEnded).length,
      proxies: this.proxies.all.length,
      openRuns: all.reduce((count, { openRuns }) => count + openRuns.length, 0),
    };
  }

  async close(): Promise<void> {
    for (const { turn } of this.sessions.all) await turn;
    await this.commit();
  }

  // The sessions.

  /** Reads a session's transcripts to their end, giving way between pieces. */
  async readOn(followed: Followed): Promise<void> {
    // What could not be kept is left to be read later.
    if (this.#acknowledgements.isFull) throw new NotTaken("the store takes nothing", false);
    followed.polledAt = this.#options.now();
    while (followed.transcripts.poll()) {
      await this.commit();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }

  /** Ends the runs that have stopped, whoever still has to tell of them. */
  async settle(followed: Followed): Promise<void> {
    await this.sessions.inTurn(followed, async () => {
      await this.readOn(followed);
      followed.session.closeStopped();
      this.sessions.changed(followed);
      await this.commit();
    });
  }

  /** Commits what was made of these reports. Throws `NotTaken` where the store does not take it now; it is kept. */
  async commit(...reportIds: string[]): Promise<void> {
    this.#seal(reportIds);
    await this.#acknowledgements.flushed();
  }

  /** As `commit`, without waiting for anything. */
  commitNow(): void {
    this.#seal([]);
    this.#acknowledgements.flush();
  }

  /** True while all that was taken in is in the store: what is put away can be brought back. */
  get isCommitted(): boolean {
    return this.#acknowledgements.isCommitted;
  }

  #seal(reportIds: readonly string[]): void {
    const now = this.#options.now();
    for (const entry of this.sessions.entries(now)) this.#acknowledgements.write(entry);
    this.#acknowledgements.seal(reportIds, now);
  }

  #changed(session: Session): void {
    const followed = this.sessions.find(session.key);
    if (followed !== undefined) this.sessions.changed(followed);
  }

  #pollSoon(followed: Followed, isNeeded: boolean): void {
    const now = this.#options.now();
    if (!isNeeded && now - followed.polledAt < POLL_EVERY_MS) return;
    followed.polledAt = now;
    followed.transcripts.poll();
  }

  async #answerAgain({ fact }: HookReport): Promise<HookAnswer> {
    // A repeat is acknowledged only once the first one is committed.
    await this.#acknowledgements.flushed();
    const session = fact === null ? undefined : this.#directory.byId(fact.sessionId);
    if (session === undefined) return { stragglers: 0, injectedId: null };
    const stragglers = this.#stragglers(session);
    if (stragglers === 0 && session.openRuns.some(({ stoppedAt }) => stoppedAt !== null)) {
      session.closeStopped();
      this.#changed(session);
      await this.commit();
    }
    return { stragglers, injectedId: null };
  }

  /** What waits for the host's word may stand in a transcript already. */
  #askTranscripts(proxy: ProxyPeer): void {
    const waiting = this.wire.held.all.filter((held) => held.proxy === proxy);
    const sessions = new Set(
      waiting.flatMap(({ step }) => candidates(this.#directory, proxy, step.sessionId, step.startedAt)),
    );
    for (const session of sessions) this.sessions.find(session.key)?.transcripts.poll();
  }

  /** Ends runs that are over; answers how many calls are still to be told of. */
  #afterFact(followed: Followed, fact: HookFact): number {
    const isStop = fact.kind === "stopped" || fact.kind === "stop-failed";
    if (!isStop && fact.kind !== "session-ended") return 0;
    const stragglers = isStop ? this.#stragglers(followed.session) : 0;
    if (stragglers === 0) followed.session.closeStopped();
    // Hosts write down a moment later what was said and done last.
    const isWhole = stragglers === 0 && isStop && fact.finalText !== null;
    if (!isWhole) setTimeout(() => void this.settle(followed).catch(() => {}), STRAGGLERS_MS).unref();
    return stragglers;
  }

  #stragglers(session: Session): number {
    return session.stragglers() + this.wire.stragglers(session);
  }

  #learnWhereabouts(followed: Followed, report: HookReport, fact: HookFact): void {
    const predecessors = learnWhereabouts(followed, report, fact, {
      processStartedAt: this.#options.processStartedAt,
      others: this.sessions.all,
    });
    for (const other of predecessors) {
      // A host has one session at a time: that this one's end was not heard of makes no difference.
      other.transcripts.poll();
      other.session.end(report.at);
      this.sessions.changed(other);
    }
  }

  /** A hook that could not be read is counted in a run of its session, once there is one. */
  async #takeUnreadable({ reportId, malformed, hostPid, at }: HookReport): Promise<HookAnswer> {
    const id = malformed?.sessionId ?? null;
    const ofHost = this.#directory.inMemory().filter(({ about, isEnded }) => about.hostPid === hostPid && !isEnded);
    const named = id === null ? null : this.sessions.follow(id, trustedText(id), "", at).session;
    const session = named ?? (hostPid === null ? undefined : ofHost[0]);
    if (session !== undefined) {
      session.about.lastAt = Math.max(session.about.lastAt, at);
      session.tellUnreadable(at);
      this.#changed(session);
    }
    await this.commit(reportId);
    return { stragglers: 0, injectedId: null };
  }
}

/** Which run a subagent is of stands in the transcript, where the hook that tells of it is late. */
function isOfUnknownAgent({ background }: Session, { agentId }: HookFact): boolean {
  return agentId !== null && background.runOfAgent(agentId) === null;
}

/** The id for the arguments of the call that is about to start, where there is one to be put in. */
function injected(fact: HookFact, call: HookedCall | null): string | null {
  return fact.kind === "tool-starting" && fact.permissionMode !== "plan" ? (call?.inject() ?? null) : null;
}
