import type { RedactedJson, RedactedText } from "../core/redacted.ts";
import type { Owner, RunStatus, StepJoin, StepStatus, Tier } from "../core/run.ts";
import type { JournalEntry } from "../store/entry.ts";
import { type HostFact, type RunChange, RunWriter, type StepPlace } from "./run-writer.ts";

/**
 * Makes a proxy's own run of what the proxy sees: mints the ids of run and steps. A run opens with its first recorded call.
 * Takes only redacted values; knows nothing of wires, and never reads a clock.
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
export interface OpenCall extends StepPlace {
  readonly startedAt: number;
  /** As the last update told it. */
  status: StepStatus;
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

export class Assembler {
  readonly #options: AssemblerOptions;
  readonly #openCalls = new Set<OpenCall>();
  /** The run that is open, or the one that was closed last. */
  #run: RunWriter | null = null;
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
    const { args, ...head } = fact;
    const run = this.#openRun(fact.startedAt);
    const stepId = this.#options.newId("step");
    const place = run.openStep({ ...head, stepId, sources: ["proxy"], join: null, agentId: null }, args);
    const call: OpenCall = { ...place, startedAt: fact.startedAt, status: "running" };
    this.#openCalls.add(call);
    return call;
  }

  /** Tells of a call that is still open. */
  updateCall(call: OpenCall, at: number, changed: { legs?: number; progress?: number; status?: StepStatus }): void {
    if (!isOpen(this.#run) || !this.#openCalls.has(call)) return;
    if (changed.status !== undefined) call.status = changed.status;
    this.#run.updateStep(call, at, changed);
  }

  closeCall(call: OpenCall, outcome: CallOutcome): void {
    if (!this.#openCalls.delete(call) || !isOpen(this.#run)) return;
    const { result, endedAt, ...closing } = outcome;
    const durationMs = Math.max(0, Math.round((endedAt - call.startedAt) * 1000) / 1000);
    this.#run.closeStep(call, endedAt, { ...closing, durationMs }, result);
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
    (this.#run ?? this.#openRun(at)).gap(at, reason, lost);
  }

  warn(text: RedactedText, at: number): void {
    (this.#run ?? this.#openRun(at)).note(at, { kind: "warning", text, agentId: null });
  }

  closeRun(status: RunStatus, at: number): void {
    if (!isOpen(this.#run)) return;
    this.#openCalls.clear();
    this.#hostHookCalls = 0;
    this.#run.close(status, at);
  }

  /** What a store that lost everything has to be told before anything else of this run. */
  reopeningEntries(): JournalEntry[] {
    return this.#run?.reopeningEntries() ?? [];
  }

  #openRun(at: number): RunWriter {
    if (isOpen(this.#run)) return this.#run;
    const { tier, cwd, owner, serverName, newId, write } = this.#options;
    const facts = { id: newId("run"), tier, cwd, owner, sessionId: this.#sessionId, host: this.#host };
    const run = RunWriter.open({ ...facts, wrappedServers: [serverName] }, at, write);
    this.#run = run;
    if (this.#hostHookCalls > 0) this.#runUpdated(at, { hostHookCalls: this.#hostHookCalls });
    return run;
  }

  #runUpdated(at: number, changed: RunChange): void {
    if (isOpen(this.#run)) this.#run.update(at, changed);
  }
}

function isOpen(run: RunWriter | null): run is RunWriter {
  return run?.isOpen ?? false;
}
