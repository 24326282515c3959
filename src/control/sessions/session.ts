import type { RedactedText } from "../../core/redacted.ts";
import type { RunStatus } from "../../core/run.ts";
import { type HostFact, RunWriter } from "../../record/run-writer.ts";
import { trustedText } from "../../redact/redact.ts";
import { Background } from "./background.ts";
import { BoundRun, freshRun, type RunState } from "./bound-run.ts";
import type { CallRecord } from "./calls/call-record.ts";
import type { Services } from "./services.ts";
import type { SessionAbout, SessionState, TranscriptPosition, Untold } from "./session-state.ts";
import { Timeline } from "./timeline.ts";
import { isCounted } from "./usage-count.ts";

/**
 * One session of a host: its runs, and which of them a fact belongs to. From the host's own ids (session, prompt, subagent,
 * call), never from a directory: sessions share directories, and change them.
 */

/** Closed runs that a late fact may still name. */
const REMEMBERED_RUNS = 6;

/** What a fact says about where it belongs. */
export interface Belonging {
  promptId: string | null;
  agentId: string | null;
  callId?: string | null;
  /** Epoch ms. */
  at: number;
}

/** A call and the run it is in. */
export interface PlacedCall {
  run: BoundRun;
  call: CallRecord;
}

export class Session {
  readonly services: Services;
  readonly about: SessionAbout;
  readonly background: Background;
  readonly timeline: Timeline;
  readonly untold: Untold;
  /** Calls that run on the wire, by the proxy's name for them. */
  readonly onWire = new Map<string, PlacedCall>();
  positions: Record<string, TranscriptPosition>;
  /** Oldest first. */
  readonly #runs: BoundRun[] = [];
  /** Closed runs that are not in memory. */
  #retired: RunState[];

  constructor(state: SessionState, services: Services) {
    this.services = services;
    this.about = { ...state.about };
    this.positions = { ...state.positions };
    this.untold = { ...state.untold };
    this.background = new Background(state.agents, state.tasks, state.tasksListedAt);
    this.timeline = new Timeline(state.turns);
    this.#retired = [...state.runs];
    for (const { id } of state.runs.filter(({ closedAt }) => closedAt === null)) this.#wake(id);
    for (const [ref, { runId, stepId }] of Object.entries(state.onWire)) {
      const run = this.runById(runId);
      const call = run?.calls.get(stepId);
      if (run === null || call === undefined) continue;
      call.runsOnWire();
      this.onWire.set(ref, { run, call });
    }
  }

  get key(): string {
    return this.about.key;
  }

  get isEnded(): boolean {
    return this.about.endedAt !== null;
  }

  get runs(): readonly BoundRun[] {
    return this.#runs;
  }

  get openRuns(): BoundRun[] {
    return this.#runs.filter(({ isOpen }) => isOpen);
  }

  /** The run that was opened last, if there is one. */
  get latest(): BoundRun | null {
    const newest = this.#runs.at(-1);
    const retired = this.#retired.at(-1);
    if (newest !== undefined && (retired === undefined || retired.openedAt <= newest.openedAt)) return newest;
    return retired === undefined ? null : this.#wake(retired.id);
  }

  get host(): HostFact | null {
    const { app, appVersion } = this.about;
    return app === null ? null : { app, version: appVersion };
  }

  /** Opens the run of a prompt, or of what came without one. */
  openRun(at: number, { promptId, input }: { promptId: string | null; input: RedactedText | null }): BoundRun {
    const { owner, newId, write, outcomes } = this.services;
    const { cwd, sessionId } = this.about;
    const id = newId("run");
    const facts = { id, tier: "bound" as const, cwd, owner, sessionId, host: this.host, wrappedServers: [] };
    const writer = RunWriter.open(facts, at, write);
    const keeper = outcomes.keeperOf(this.key, id);
    const parts = { writer, keeper, calls: [], notes: [], wrappedServers: [], input: null };
    const run = new BoundRun(freshRun(id, at), parts);
    if (promptId !== null) run.promptIds.add(promptId);
    run.learnInput(input, at);
    this.#insert(run);
    this.timeline.began(at, id);
    this.#tellUntold(run, at);
    return run;
  }

  /** The run that a fact belongs to; null where none is known for it. */
  findRun({ promptId, agentId, callId = null, at }: Belonging): BoundRun | null {
    const named = callId === null ? null : this.callById(callId);
    if (named !== null) return named.run;
    const ofAgent = agentId === null ? null : this.background.runOfAgent(agentId);
    const run = ofAgent === null ? null : this.runById(ofAgent);
    if (run !== null) return run;
    return promptId !== null ? this.runOfPrompt(promptId) : this.runAt(at);
  }

  /** As `findRun`; a prompt that nobody told of gets a run of its own, and so does what comes before any. */
  runFor(belonging: Belonging): BoundRun {
    return this.findRun(belonging) ?? this.openRun(belonging.at, { promptId: belonging.promptId, input: null });
  }

  runOfPrompt(promptId: string): BoundRun | null {
    const run = this.#runs.find(({ promptIds }) => promptIds.has(promptId));
    if (run !== undefined) return run;
    const retired = this.#retired.find(({ promptIds }) => promptIds.includes(promptId));
    return retired === undefined ? null : this.#wake(retired.id);
  }

  /** The run that one of a speaker's newest answers is of. */
  runOfAnswer(speaker: string, messageId: string): BoundRun | null {
    const run = this.#runs.findLast((each) => each.hasHeard(speaker, messageId));
    if (run !== undefined) return run;
    const retired = this.#retired.findLast(({ usage }) => isCounted(usage, speaker, messageId));
    return retired === undefined ? null : this.#wake(retired.id);
  }

  /** The run that was under way at a time, where no id says it. */
  runAt(at: number): BoundRun | null {
    const id = this.timeline.at(at);
    return (id === null ? null : this.runById(id)) ?? this.latest;
  }

  runById(id: RedactedText): BoundRun | null {
    return this.#runs.find((run) => run.id === id) ?? this.#wake(id);
  }

  /** A call of a run that is in memory; the newest with this id. */
  callById(callId: string): PlacedCall | null {
    for (const run of this.#runs.toReversed()) {
      const call = run.callById(callId);
      if (call !== undefined) return { run, call };
    }
    return null;
  }

  /**
   * As `callById`, also where its run has to be brought back: one that was open at that time (epoch ms), or had been until
   * `lateMs` before.
   */
  callOfTime(callId: string, at: number, lateMs = 0): PlacedCall | null {
    const known = this.callById(callId);
    if (known !== null) return known;
    const isOfTime = ({ openedAt, closedAt }: RunState) => openedAt <= at && (closedAt ?? at) >= at - lateMs;
    for (const { id } of this.#retired.filter(isOfTime)) {
      const run = this.#wake(id);
      const call = run?.callById(callId);
      if (run !== null && call !== undefined) return { run, call };
    }
    return null;
  }

  /** The only run that was open at a time (epoch ms); null where there were several, or none. */
  onlyRunAt(at: number): BoundRun | null {
    const states = [...this.#retired, ...this.#runs];
    const open = states.filter(({ openedAt, closedAt }) => openedAt <= at && (closedAt ?? at) >= at);
    const [only] = open;
    return only === undefined || open.length > 1 ? null : this.runById(only.id);
  }

  /** Learns what its host is called; tells it in runs that are open. */
  learnHost(app: RedactedText | null, version: RedactedText | null, at: number): void {
    const { about } = this;
    const next = { app: app ?? about.app, appVersion: version ?? about.appVersion };
    if (next.app === about.app && next.appVersion === about.appVersion) return;
    Object.assign(about, next);
    const host = this.host;
    if (host !== null) for (const run of this.openRuns) run.learnHost(host, at);
  }

  /** Calls that are still to be told of by whoever knows their end best. */
  stragglers(): number {
    return this.openRuns.reduce((count, run) => count + run.stragglers(), 0);
  }

  /** Nothing was read ahead that is not written yet. */
  get isClean(): boolean {
    return this.#runs.every(({ isClean }) => isClean);
  }

  /**
   * Ends runs that wait for nothing any more: the agent has stopped, and so has all that it started. `before`: those that
   * stopped before (epoch ms).
   */
  closeStopped(before = Number.POSITIVE_INFINITY): void {
    for (const run of this.openRuns) {
      if (run.stoppedAt === null || run.stoppedAt > before) continue;
      run.settleCalls();
      if (!this.background.isWaitedFor(run.id)) run.close(run.isFailed ? "failed" : "completed", run.stoppedAt);
    }
  }

  /** Ends a run that nothing more will be heard of. `cutOff`: what it reads as if its agent had not said that it was done. */
  endRun(run: BoundRun, at: number, cutOff: Extract<RunStatus, "interrupted" | "abandoned">): void {
    // What else goes on in the background than agents is no work of its own.
    const isDone = run.stoppedAt !== null && !this.background.isWaitedFor(run.id, true);
    const status = run.isFailed ? "failed" : isDone ? "completed" : cutOff;
    run.close(status, isDone ? (run.stoppedAt ?? at) : at, run.isInterrupted ? "cancelled" : "lost");
  }

  /** The host begins it anew, or goes on with it in another process: what was open before is over. */
  begin(at: number): void {
    const { about, background } = this;
    for (const run of this.openRuns) {
      if (run.activeAt >= at) continue;
      this.endRun(run, at, "interrupted");
      background.stopped(run.id);
    }
    if (about.endedAt !== null && about.endedAt < at) about.endedAt = null;
  }

  /** Ends every run that is open. */
  end(at: number): void {
    for (const run of this.#runs) {
      if (run.isOpen) this.endRun(run, at, "interrupted");
      else run.loseCalls(at, "lost");
    }
    this.background.clear();
    this.about.endedAt ??= at;
  }

  /** Its host is gone. When that was is not known: it ends with what was heard of it last. */
  abandon(): void {
    const { lastAt } = this.about;
    for (const run of this.openRuns) this.endRun(run, Math.max(lastAt, run.seenAt), "abandoned");
    this.end(lastAt);
  }

  /** Puts closed runs away that nobody has asked for lately. */
  retire(before: number): void {
    const onWire = new Set([...this.onWire.values()].map(({ run }) => run));
    for (const run of [...this.#runs]) {
      if (run.closedAt === null || run.closedAt > before || !run.isClean || onWire.has(run)) continue;
      this.#runs.splice(this.#runs.indexOf(run), 1);
      this.#retired.push(run.state());
    }
    this.#retired.sort((a, b) => a.openedAt - b.openedAt);
  }

  state(): SessionState {
    const runs = this.#remembered();
    const known = new Set(runs.map(({ id }) => id));
    this.#retired = this.#retired.filter(({ id }) => known.has(id));
    this.background.keepOnly(known);
    this.timeline.keepOnly(known);
    // Rows of runs that are forgotten must not make others.
    if (runs.length >= REMEMBERED_RUNS) this.about.since = Math.max(this.about.since, runs[0]?.openedAt ?? 0);
    const onWire = [...this.onWire].map(([ref, { run, call }]) => [ref, { runId: run.id, stepId: call.place.stepId }]);
    return {
      about: this.about,
      positions: this.positions,
      agents: this.background.agents,
      tasks: this.background.tasks,
      tasksListedAt: this.background.listedAt,
      turns: [...this.timeline.turns],
      onWire: Object.fromEntries(onWire),
      untold: this.untold,
      runs,
    };
  }

  /** The runs that are kept, oldest first. */
  #remembered(): RunState[] {
    const states = [...this.#retired, ...this.#runs.map((run) => run.state())];
    states.sort((a, b) => a.openedAt - b.openedAt);
    const closed = states.filter(({ closedAt }) => closedAt !== null);
    const kept = new Set(closed.slice(-REMEMBERED_RUNS));
    return states.filter((each) => each.closedAt === null || kept.has(each));
  }

  /** A hook could not be read: counted, in the run of that time where there is one. */
  tellUnreadable(at: number): void {
    this.untold.hooks++;
    const run = this.runAt(at);
    if (run !== null) this.#tellUntold(run, at);
  }

  #tellUntold(run: BoundRun, at: number): void {
    const { hooks, rows, hostHookCalls } = this.untold;
    if (hooks > 0) run.writer.gap(at, trustedText("DEG-16 hook-unreadable"), hooks);
    if (rows > 0) run.writer.gap(at, trustedText("DEG-16 transcript-row-unreadable"), rows);
    run.countHostHookCalls(hostHookCalls, at);
    Object.assign(this.untold, { hooks: 0, rows: 0, hostHookCalls: 0 });
  }

  /** Brings a run back to memory. */
  #wake(id: RedactedText): BoundRun | null {
    const state = this.#retired.find((each) => each.id === id);
    if (state === undefined) return null;
    this.#retired = this.#retired.filter((each) => each !== state);
    const run = this.services.loadRun(state, this.key, this.services);
    if (run !== null) this.#insert(run);
    return run;
  }

  #insert(run: BoundRun): void {
    const later = this.#runs.findIndex(({ openedAt }) => openedAt > run.openedAt);
    this.#runs.splice(later < 0 ? this.#runs.length : later, 0, run);
  }
}
