import type { RedactedJson, RedactedText } from "../core/redacted.ts";
import type { Owner, RunStatus, StepJoin, StepStatus, Tier } from "../core/run.ts";
import type { EventHead, JournalEntry } from "../store/entry.ts";

/**
 * Turns facts into events: the one place that mints run ids, step ids and sequence numbers. A run opens with its first
 * recorded call. Takes only redacted values; knows nothing of wires, and never reads a clock.
 */

/** A call as it was seen to start. Times here are epoch ms with fractions; events get whole ones. */
export interface CallFact {
  server: RedactedText;
  tool: RedactedText;
  qualifiedName: RedactedText;
  args: RedactedJson | null;
  truncated: boolean;
  callId: RedactedText | null;
  hostMeta: RedactedJson | null;
  startedAt: number;
}

/** How a call ended. */
export interface CallOutcome {
  status: Exclude<StepStatus, "running">;
  isError: boolean;
  error: RedactedText | null;
  rpcError: RedactedJson | null;
  result: RedactedJson | null;
  truncated: boolean;
  join: StepJoin | null;
  endedAt: number;
  legs: number;
  waitingMs: number;
  progress: number;
}

/** A call under way, as the assembler knows it. */
export interface OpenCall {
  readonly stepId: RedactedText;
  readonly seq: number;
  readonly startedAt: number;
  readonly opened: JournalEntry;
  /** As the last update told it. */
  status: StepStatus;
}

export interface HostFact {
  app: RedactedText;
  version: RedactedText | null;
}

export interface AssemblerOptions {
  tier: Tier;
  cwd: RedactedText;
  owner: Owner;
  serverName: RedactedText;
  sessionId: RedactedText | null;
  newId: (prefix: "run" | "step") => RedactedText;
  write: (entry: JournalEntry) => void;
}

/** What may become known of a run after it was opened. */
interface RunChange {
  host?: HostFact;
  sessionId?: RedactedText;
  /** Total so far. */
  hostHookCalls?: number;
}

interface RecordedRun {
  id: RedactedText;
  nextSeq: number;
  opened: JournalEntry;
  changed: RunChange;
  closed: JournalEntry | null;
}

export class Assembler {
  readonly #options: AssemblerOptions;
  readonly #openCalls = new Set<OpenCall>();
  /** The run that is open, or the one that was closed last. */
  #run: RecordedRun | null = null;
  #host: HostFact | null = null;
  #sessionId: RedactedText | null;
  #hostHookCalls = 0;

  constructor(options: AssemblerOptions) {
    this.#options = options;
    this.#sessionId = options.sessionId;
  }

  /** The run that is open, if any call was recorded yet. */
  get runId(): RedactedText | null {
    return isOpen(this.#run) ? this.#run.id : null;
  }

  /** How many calls have no known outcome. */
  get openCalls(): number {
    return [...this.#openCalls].filter((call) => call.status === "running").length;
  }

  openCall(fact: CallFact): OpenCall {
    const run = this.#openRun(fact.startedAt);
    const seq = run.nextSeq++;
    const stepId = this.#options.newId("step");
    const { args, ...head } = fact;
    const startedAt = Math.floor(fact.startedAt);
    const opened: JournalEntry = {
      head: {
        ...head,
        type: "step.opened",
        runId: run.id,
        seq,
        at: startedAt,
        startedAt,
        stepId,
        sources: ["proxy"],
        join: null,
        agentId: null,
      },
      payload: args,
    };
    const call: OpenCall = { stepId, seq, startedAt: fact.startedAt, opened, status: "running" };
    this.#openCalls.add(call);
    this.#options.write(opened);
    return call;
  }

  /** Tells of a call that is still open. */
  updateCall(call: OpenCall, at: number, changed: { legs?: number; progress?: number; status?: StepStatus }): void {
    if (!isOpen(this.#run) || !this.#openCalls.has(call)) return;
    if (changed.status !== undefined) call.status = changed.status;
    this.#write({
      type: "step.updated",
      runId: this.#run.id,
      seq: call.seq,
      at: Math.floor(at),
      stepId: call.stepId,
      ...changed,
    });
  }

  closeCall(call: OpenCall, outcome: CallOutcome): void {
    if (!this.#openCalls.delete(call) || !isOpen(this.#run)) return;
    const { result, endedAt, ...head } = outcome;
    this.#options.write({
      head: {
        ...head,
        type: "step.closed",
        runId: this.#run.id,
        seq: call.seq,
        at: Math.floor(endedAt),
        stepId: call.stepId,
        durationMs: Math.max(0, Math.round((endedAt - call.startedAt) * 1000) / 1000),
      },
      payload: result,
    });
  }

  learnHost(host: HostFact, at: number): void {
    if (this.#host?.app === host.app && this.#host.version === host.version) return;
    this.#host = host;
    this.#runUpdated(at, { host });
  }

  learnSession(sessionId: RedactedText, at: number): void {
    if (this.#sessionId === sessionId) return;
    this.#sessionId = sessionId;
    this.#runUpdated(at, { sessionId });
  }

  /** A call that a host made for a hook of its own: counted, never a step. */
  countHostHookCall(at: number): void {
    this.#hostHookCalls++;
    this.#runUpdated(at, { hostHookCalls: this.#hostHookCalls });
  }

  /**
   * `lost` things could not be recorded. Opens a run: a loss must be told even where nothing else was kept. One that shows
   * only after the run was closed is still told of that run.
   */
  gap(reason: RedactedText, lost: number, at: number): void {
    const run = this.#run ?? this.#openRun(at);
    this.#write({ type: "gap", ...here(run, at), reason, lost });
  }

  warn(text: RedactedText, at: number): void {
    const run = this.#run ?? this.#openRun(at);
    const place = here(run, at);
    run.nextSeq++;
    this.#write({ type: "note", ...place, kind: "warning", text, agentId: null });
  }

  closeRun(status: RunStatus, at: number): void {
    const run = this.#run;
    if (!isOpen(run)) return;
    run.closed = { head: { type: "run.closed", ...here(run, at), status }, payload: null };
    this.#openCalls.clear();
    this.#hostHookCalls = 0;
    this.#options.write(run.closed);
  }

  /** What a store that lost everything has to be told before anything else of this run. */
  reopeningEntries(): JournalEntry[] {
    const run = this.#run;
    if (run === null) return [];
    const entries = [run.opened];
    if (Object.keys(run.changed).length > 0) {
      entries.push({ head: { type: "run.updated", ...here(run, run.opened.head.at), ...run.changed }, payload: null });
    }
    for (const call of this.#openCalls) entries.push(call.opened);
    if (run.closed !== null) entries.push(run.closed);
    return entries;
  }

  #openRun(at: number): RecordedRun {
    if (isOpen(this.#run)) return this.#run;
    const { tier, cwd, owner, serverName, newId } = this.#options;
    const id = newId("run");
    const opened: JournalEntry = {
      head: {
        type: "run.opened",
        runId: id,
        seq: 0,
        at: Math.floor(at),
        tier,
        cwd,
        owner: owner as { pid: number; startedAt: RedactedText },
        sessionId: this.#sessionId,
        host: this.#host,
        wrappedServers: [serverName],
      },
      payload: null,
    };
    const run: RecordedRun = { id, nextSeq: 0, opened, changed: {}, closed: null };
    this.#run = run;
    this.#options.write(opened);
    if (this.#hostHookCalls > 0) this.#runUpdated(at, { hostHookCalls: this.#hostHookCalls });
    return run;
  }

  #runUpdated(at: number, changed: RunChange): void {
    const run = this.#run;
    if (!isOpen(run)) return;
    Object.assign(run.changed, changed);
    this.#write({ type: "run.updated", ...here(run, at), ...changed });
  }

  #write(head: EventHead): void {
    this.#options.write({ head, payload: null });
  }
}

function isOpen(run: RecordedRun | null): run is RecordedRun {
  return run !== null && run.closed === null;
}

/** Where in its run something happens that has no number of its own. */
function here(run: RecordedRun, at: number): { runId: RedactedText; seq: number; at: number } {
  return { runId: run.id, seq: run.nextSeq, at: Math.floor(at) };
}
