import type { HookAnswer, HookReport, HookRoute, ProxyRegistration } from "../../core/control-wire.ts";
import type { HookFact } from "../../core/hook-fact.ts";
import type { RedactedText } from "../../core/redacted.ts";
import { trustedText } from "../../redact/redact.ts";
import { NotTaken, type Occupation, type ProxyTold, type Recorder } from "../recorder.ts";
import { Acknowledgements, type Commits } from "./acknowledgements.ts";
import { Correlation, type SessionDirectory } from "./correlation.ts";
import { type Followed, FollowedSessions } from "./followed-sessions.ts";
import { HeldCalls } from "./held-calls.ts";
import { applyHookFact } from "./hook-facts.ts";
import { Proxies, type ProxyPeer, proxyKey } from "./proxies.ts";
import { type LeavingProxy, ProxyTales } from "./proxy-tales.ts";
import type { Services } from "./services.ts";
import type { Session } from "./session.ts";

/**
 * Takes what hooks and proxies tell, one thing at a time, and commits what came of it before it is acknowledged. Knows the
 * sessions; what a fact means for a run is theirs to say.
 */

/** What was committed earlier, read back. */
export interface Books {
  hasReport(id: string): boolean;
  session(key: string): string | null;
}

export interface RecorderOptions {
  books: Books;
  commits: Commits;
  services: Omit<Services, "write">;
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
const STRAGGLERS_MS = 250;

export class SessionRecorder implements Omit<Recorder, "tick">, SessionDirectory {
  readonly #options: RecorderOptions;
  readonly #acknowledgements: Acknowledgements;
  readonly #tales: ProxyTales;
  readonly proxies = new Proxies();
  readonly correlation: Correlation;
  readonly sessions: FollowedSessions;
  /** Hooks that could not be read and name no session with a run. */
  #unreadable = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { books, commits } = options;
    this.#acknowledgements = new Acknowledgements(commits, (id) => books.hasReport(id));
    const { write } = this.#acknowledgements;
    this.correlation = new Correlation(this, this.proxies, new HeldCalls(write));
    this.sessions = new FollowedSessions({ ...options.services, write }, this.correlation, (key) => books.session(key));
    this.#tales = new ProxyTales(this, this.correlation, this.proxies);
  }

  // What is told.

  async takeHook(_route: HookRoute, report: HookReport): Promise<HookAnswer> {
    const { fact, reportId } = report;
    if (this.#acknowledgements.isTaken(reportId)) return this.#answerAgain(report);
    if (this.#acknowledgements.isFull) throw new NotTaken("the store takes nothing");
    if (fact === null) {
      this.#tellUnreadable(report.malformed?.sessionId ?? null, report.at);
      this.commit(reportId);
      return { stragglers: 0, injectedId: null };
    }
    const followed = this.sessions.follow(fact.sessionId, fact.sessionId, fact.cwd ?? "", report.at);
    return await this.sessions.inTurn(followed, async () => {
      // The same report may have come twice at once.
      if (this.#acknowledgements.isTaken(reportId)) return this.#answerAgain(report);
      this.sessions.changed(followed);
      this.#learnWhereabouts(followed, report, fact);
      if (ENDINGS.has(fact.kind)) await this.readOn(followed);
      else this.#pollSoon(followed);
      if (fact.kind === "session-ended" || fact.kind === "stopped") {
        this.correlation.placeHeldOf(followed.session, this.#options.now());
      }
      applyHookFact(followed.session, fact, report, this.correlation);
      const injectedId = report.mayInject ? this.#inject(followed.session, fact) : null;
      const stragglers = this.#afterFact(followed, fact);
      this.commit(reportId);
      return { stragglers, injectedId };
    });
  }

  register(registration: ProxyRegistration): string {
    return this.proxies.register(registration).id;
  }

  async takeProxy(proxyId: string, told: readonly ProxyTold[]): Promise<boolean> {
    const proxy = this.proxies.get(proxyId);
    if (proxy === undefined) return false;
    if (this.#acknowledgements.isFull) throw new NotTaken("the store takes nothing");
    const fresh = told.filter(({ reportId }) => !this.#acknowledgements.isTaken(reportId));
    for (const each of fresh) this.#tales.take(proxy, each, this.#options.now());
    this.#askTranscripts(proxy);
    this.commit(...fresh.map(({ reportId }) => reportId));
    for (const { reportId } of told) this.#acknowledgements.confirm(reportId);
    return true;
  }

  /** A proxy is gone without a word. */
  proxyGone(proxy: LeavingProxy): void {
    this.#tales.left(proxy, this.#options.now(), "failed");
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
    this.commit();
  }

  // The sessions.

  hooked(): Session[] {
    const hooked = this.sessions.all.map(({ session }) => session).filter(({ isHooked }) => isHooked);
    return hooked.sort((a, b) => b.lastAt - a.lastAt);
  }

  byId(sessionId: string): Session | undefined {
    return this.sessions.find(sessionId)?.session;
  }

  unhooked(proxy: ProxyPeer, sessionId: RedactedText | null, at: number): Session {
    const id = sessionId ?? proxy.sessionId;
    const named = id === null ? null : trustedText(id);
    const { session } = this.sessions.follow(named ?? proxyKey(proxy), named, proxy.cwd, at);
    session.lastAt = Math.max(session.lastAt, at);
    session.isEnded = false;
    if (proxy.client !== null) {
      const { name, version } = proxy.client;
      session.learnHost(trustedText(name), version === null ? null : trustedText(version), at);
    }
    return session;
  }

  /** Reads a session's transcripts to their end, giving way between pieces. */
  async readOn(followed: Followed): Promise<void> {
    followed.polledAt = this.#options.now();
    while (followed.transcripts.poll()) {
      this.commit();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }

  /** Ends the runs that have stopped, whoever still has to tell of them. */
  async settle(followed: Followed): Promise<void> {
    await this.sessions.inTurn(followed, async () => {
      await this.readOn(followed);
      followed.session.closeStopped();
      this.commit();
    });
  }

  /** Commits what was made of these reports. Throws `NotTaken` where the store does not take it now; it is kept. */
  commit(...reportIds: string[]): void {
    const now = this.#options.now();
    for (const entry of this.sessions.entries(now)) this.#acknowledgements.write(entry);
    this.#acknowledgements.commit(reportIds, now);
  }

  #pollSoon(followed: Followed): void {
    const now = this.#options.now();
    if (now - followed.polledAt < POLL_EVERY_MS) return;
    followed.polledAt = now;
    followed.transcripts.poll();
  }

  #answerAgain({ reportId, fact }: HookReport): HookAnswer {
    this.#acknowledgements.confirm(reportId);
    const session = fact === null ? undefined : this.sessions.find(fact.sessionId)?.session;
    if (session === undefined) return { stragglers: 0, injectedId: null };
    const stragglers = session.stragglers();
    if (stragglers === 0 && session.openRuns.some(({ stoppedAt }) => stoppedAt !== null)) {
      session.closeStopped();
      this.commit();
    }
    return { stragglers, injectedId: null };
  }

  /** What waits for the host's word may stand in a transcript already. */
  #askTranscripts(proxy: ProxyPeer): void {
    const waiting = this.correlation.held.all.filter((held) => held.proxy === proxy);
    const sessions = new Set(waiting.flatMap(({ step }) => this.correlation.candidates(proxy, step.sessionId)));
    for (const session of sessions) {
      this.sessions.find(session.key)?.transcripts.poll();
    }
  }

  #inject(session: Session, fact: HookFact): string | null {
    if (fact.kind !== "tool-starting" || fact.permissionMode === "plan") return null;
    const run = session.findRun({ ...fact, callId: fact.toolUseId, at: session.lastAt });
    const call = fact.toolUseId === null ? [...(run?.calls.values() ?? [])].at(-1) : run?.callById(fact.toolUseId);
    return call === undefined ? null : this.correlation.inject(session, call, fact.server);
  }

  /** Ends runs that are over; answers how many calls are still to be told of. */
  #afterFact(followed: Followed, fact: HookFact): number {
    if (fact.kind !== "stopped" && fact.kind !== "stop-failed") return 0;
    const stragglers = followed.session.stragglers();
    if (stragglers === 0) followed.session.closeStopped();
    else setTimeout(() => void this.settle(followed).catch(() => {}), STRAGGLERS_MS).unref();
    return stragglers;
  }

  #learnWhereabouts({ session, transcripts }: Followed, report: HookReport, fact: HookFact): void {
    const at = report.at;
    session.lastAt = Math.max(session.lastAt, at);
    if (!session.isHooked) {
      session.isHooked = true;
      // What the host wrote before the first hook is not ours to tell.
      session.since = fact.kind === "session-started" && fact.source === "startup" ? 0 : at;
      for (const run of session.openRuns) run.close(run.runningCalls() > 0 ? "interrupted" : "completed", at);
    }
    if (fact.kind === "session-started" && fact.source === "fork") session.since = at;
    if (fact.cwd !== null) session.cwd = fact.cwd;
    if (report.projectDir !== null) session.projectDir = trustedText(report.projectDir);
    if (fact.transcriptPath !== null && fact.transcriptPath !== session.transcriptPath) {
      if (session.transcriptPath !== null) transcripts.moved(at);
      session.transcriptPath = fact.transcriptPath;
    }
    if (report.hostPid !== null && report.hostPid !== session.hostPid) {
      session.hostPid = report.hostPid;
      session.hostStartedAt = this.#options.processStartedAt(report.hostPid);
    }
    session.learnHost(trustedText(report.app), report.appVersion === null ? null : trustedText(report.appVersion), at);
  }

  #tellUnreadable(sessionId: string | null, at: number): void {
    this.#unreadable++;
    const run = sessionId === null ? null : (this.byId(sessionId)?.latest ?? null);
    if (run === null) return;
    run.writer.gap(at, trustedText("DEG-16 hook-unreadable"), this.#unreadable);
    this.#unreadable = 0;
  }
}
