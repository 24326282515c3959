import type { RedactedText } from "../../core/redacted.ts";
import type { RunStatus } from "../../core/run.ts";
import type { HostFact } from "../../record/run-writer.ts";
import { RunWriter } from "../../record/run-writer.ts";
import { trustedText } from "../../redact/redact.ts";
import { BoundRun, type RunState } from "./bound-run.ts";
import type { CallRecord } from "./call-record.ts";
import type { Services } from "./services.ts";
import type { SessionState } from "./session-state.ts";

/**
 * One session of a host: its runs, and which of them a fact belongs to. From the host's own ids (session, prompt, subagent,
 * call), never from a directory: sessions share directories, and change them.
 */

/** Closed runs that a late fact may still name. */
const REMEMBERED_RUNS = 6;
/** A host's clock and ours are the same; its rows may be this much older than the hook that tells of the same thing. */
const SLACK_MS = 50;

/** What a fact says about where it belongs. */
export interface Belonging {
  promptId: string | null;
  agentId: string | null;
  callId?: string | null;
  /** Epoch ms. */
  at: number;
}

export class Session {
  readonly key: string;
  readonly services: Services;
  sessionId: RedactedText | null;
  app: RedactedText | null;
  appVersion: RedactedText | null;
  cwd: RedactedText;
  projectDir: RedactedText | null;
  hostPid: number | null;
  hostStartedAt: string | null;
  isHooked: boolean;
  isEnded: boolean;
  since: number;
  lastAt: number;
  transcriptPath: RedactedText | null;
  offsets: Record<string, number>;
  readonly #agents: Map<string, RedactedText>;
  readonly #tasks: Map<string, RedactedText>;
  /** Oldest first. */
  readonly #runs: BoundRun[] = [];
  /** Closed runs that are not in memory. */
  #retired: RunState[];

  constructor(state: SessionState, services: Services) {
    this.key = state.key;
    this.services = services;
    this.sessionId = state.sessionId;
    this.app = state.app;
    this.appVersion = state.appVersion;
    this.cwd = state.cwd;
    this.projectDir = state.projectDir;
    this.hostPid = state.hostPid;
    this.hostStartedAt = state.hostStartedAt;
    this.isHooked = state.isHooked;
    this.isEnded = state.isEnded;
    this.since = state.since;
    this.lastAt = state.lastAt;
    this.transcriptPath = state.transcriptPath;
    this.offsets = { ...state.offsets };
    this.#agents = new Map(Object.entries(state.agents));
    this.#tasks = new Map(Object.entries(state.tasks));
    this.#retired = [...state.runs];
    for (const { id } of state.runs.filter(({ isOpen }) => isOpen)) this.#wake(id);
    for (const [task, runId] of this.#tasks) this.#runs.find(({ id }) => id === runId)?.tasks.add(task);
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

  /** Subagents that were heard of. */
  get agentIds(): string[] {
    return [...this.#agents.keys()];
  }

  get host(): HostFact | null {
    return this.app === null ? null : { app: this.app, version: this.appVersion };
  }

  /** Opens the run of a prompt, or of what came without one. */
  openRun(at: number, { promptId, input }: { promptId: string | null; input: RedactedText | null }): BoundRun {
    const { owner, newId, write } = this.services;
    const id = newId("run");
    const facts = { id, tier: "bound" as const, cwd: this.cwd, owner, sessionId: this.sessionId, host: this.host };
    const writer = RunWriter.open({ ...facts, wrappedServers: [] }, at, write);
    const run = new BoundRun(freshRun(id, at), { writer, calls: [], noteSources: [], wrappedServers: [] });
    if (promptId !== null) run.promptIds.add(promptId);
    run.learnInput(input, at);
    const later = this.#runs.findIndex(({ openedAt }) => openedAt > at);
    this.#runs.splice(later < 0 ? this.#runs.length : later, 0, run);
    return run;
  }

  /** The run that a fact belongs to; null where none is known for it. */
  findRun({ promptId, agentId, callId = null, at }: Belonging): BoundRun | null {
    if (callId !== null) {
      const run = this.#runs.find((each) => each.callById(callId) !== undefined);
      if (run !== undefined) return run;
    }
    const ofAgent = agentId === null ? undefined : this.#agents.get(agentId);
    if (ofAgent !== undefined) return this.#wake(ofAgent);
    if (promptId !== null) return this.runOfPrompt(promptId);
    return this.runAt(at);
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

  /** The run that was under way at a time, where no id says it. */
  runAt(at: number): BoundRun | null {
    const run = this.#runs.findLast(({ openedAt }) => openedAt <= at + SLACK_MS);
    if (run !== undefined) return run;
    const retired = this.#retired.findLast(({ openedAt }) => openedAt <= at + SLACK_MS);
    return retired === undefined ? (this.#runs[0] ?? null) : this.#wake(retired.id);
  }

  runById(id: RedactedText): BoundRun | null {
    return this.#runs.find((run) => run.id === id) ?? this.#wake(id);
  }

  callById(callId: string): { run: BoundRun; call: CallRecord } | null {
    for (const run of this.#runs) {
      const call = run.callById(callId);
      if (call !== undefined) return { run, call };
    }
    return null;
  }

  /** A subagent belongs to the run that started it, whatever prompt is under way when it acts. */
  learnAgent(agentId: string, run: BoundRun): void {
    this.#agents.set(agentId, run.id);
  }

  knowsAgent(agentId: string): boolean {
    return this.#agents.has(agentId);
  }

  /** A task goes on in the background. */
  taskStarted(taskId: string, run: BoundRun): void {
    if (this.#tasks.has(taskId)) return;
    this.#tasks.set(taskId, run.id);
    run.tasks.add(taskId);
  }

  /** The run that started a task, while it is known. */
  runOfTask(taskId: string): BoundRun | null {
    const runId = this.#tasks.get(taskId) ?? this.#agents.get(taskId);
    return runId === undefined ? null : this.runById(runId);
  }

  taskEnded(taskId: string): void {
    this.#tasks.delete(taskId);
    for (const run of this.#runs) run.tasks.delete(taskId);
  }

  /** The host's own list of what goes on; what it does not know was started by `run`. */
  tasksAre(running: readonly string[], run: BoundRun): void {
    const listed = new Set(running);
    for (const task of [...this.#tasks.keys()]) if (!listed.has(task)) this.taskEnded(task);
    for (const task of listed) this.taskStarted(task, run);
  }

  /** Learns what its host is called; tells it in runs that are open. */
  learnHost(app: RedactedText | null, version: RedactedText | null, at: number): void {
    const next = { app: app ?? this.app, version: version ?? this.appVersion };
    if (next.app === this.app && next.version === this.appVersion) return;
    this.app = next.app;
    this.appVersion = next.version;
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

  /** Ends runs that wait for nothing any more: the agent has stopped, and so has all that it started. */
  closeStopped(): void {
    for (const run of this.openRuns) {
      if (run.stoppedAt === null) continue;
      run.settleCalls();
      if (run.tasks.size === 0) run.close(run.isFailed ? "failed" : "completed", run.stoppedAt);
    }
  }

  /** Ends a run that nothing more will be heard of. `cutOff`: what it reads as if its agent had not said that it was done. */
  endRun(run: BoundRun, at: number, cutOff: Extract<RunStatus, "interrupted" | "abandoned">): void {
    const isDone = run.stoppedAt !== null && run.tasks.size === 0;
    const status = run.isFailed ? "failed" : isDone ? "completed" : cutOff;
    run.close(status, isDone ? (run.stoppedAt ?? at) : at, run.isInterrupted ? "cancelled" : "lost");
  }

  /** Ends every run that is open. */
  end(at: number, cutOff: Extract<RunStatus, "interrupted" | "abandoned">): void {
    for (const run of this.openRuns) this.endRun(run, at, cutOff);
    this.#tasks.clear();
    this.isEnded = true;
  }

  /** Puts closed runs away that nobody has asked for lately. */
  retire(before: number): void {
    for (const run of [...this.#runs]) {
      if (run.isOpen || (run.stoppedAt ?? this.lastAt) > before) continue;
      this.#runs.splice(this.#runs.indexOf(run), 1);
      this.#retired.push(run.state());
    }
    this.#retired.sort((a, b) => a.openedAt - b.openedAt);
  }

  state(): SessionState {
    const states = [...this.#retired, ...this.#runs.map((run) => run.state())];
    states.sort((a, b) => a.openedAt - b.openedAt);
    const closed = states.filter(({ isOpen }) => !isOpen).slice(-REMEMBERED_RUNS);
    const runs = states.filter((each) => each.isOpen || closed.includes(each));
    this.#retired = this.#retired.filter((each) => runs.includes(each));
    const known = new Set(runs.map(({ id }) => id));
    for (const [agentId, runId] of this.#agents) if (!known.has(runId)) this.#agents.delete(agentId);
    return {
      key: this.key,
      sessionId: this.sessionId,
      app: this.app,
      appVersion: this.appVersion,
      cwd: this.cwd,
      projectDir: this.projectDir,
      hostPid: this.hostPid,
      hostStartedAt: this.hostStartedAt,
      isHooked: this.isHooked,
      isEnded: this.isEnded,
      since: this.since,
      lastAt: this.lastAt,
      transcriptPath: this.transcriptPath,
      offsets: this.offsets,
      agents: Object.fromEntries(this.#agents),
      tasks: Object.fromEntries(this.#tasks),
      runs,
    };
  }

  /** Brings a run back to memory. */
  #wake(id: RedactedText): BoundRun | null {
    const known = this.#runs.find((run) => run.id === id);
    if (known !== undefined) return known;
    const state = this.#retired.find((each) => each.id === id);
    const run = state === undefined ? null : this.services.loadRun(state, this.services.write);
    if (run === null) return null;
    this.#retired = this.#retired.filter((each) => each !== state);
    const later = this.#runs.findIndex(({ openedAt }) => openedAt > run.openedAt);
    this.#runs.splice(later < 0 ? this.#runs.length : later, 0, run);
    return run;
  }
}

function freshRun(id: RedactedText, openedAt: number): RunState {
  return {
    id,
    openedAt,
    isOpen: true,
    promptIds: [],
    hasInput: false,
    stoppedAt: null,
    isFailed: false,
    isInterrupted: false,
    usage: { settled: null, last: {} },
    hostHookCalls: 0,
    answer: null,
  };
}

/** The state of a session of which nothing is known yet. */
export function freshSession(key: string, sessionId: RedactedText | null, cwd: string, at: number): SessionState {
  return {
    key,
    sessionId,
    app: null,
    appVersion: null,
    cwd: trustedText(cwd),
    projectDir: null,
    hostPid: null,
    hostStartedAt: null,
    isHooked: false,
    isEnded: false,
    since: at,
    lastAt: at,
    transcriptPath: null,
    offsets: {},
    agents: {},
    tasks: {},
    runs: [],
  };
}
