import type { RedactedText } from "../../core/redacted.ts";
import type { RunStatus, Usage } from "../../core/run.ts";
import type { HostFact, NoteFacts, RunWriter } from "../../record/run-writer.ts";
import { CallRecord, type OutcomeKeeper } from "./calls/call-record.ts";
import type { CallSeen, Teller } from "./calls/call-told.ts";
import { StartOrder } from "./calls/start-order.ts";
import { UsageCount, type UsageState } from "./usage-count.ts";
import { type Answer, type KnownNote, type Said, Words } from "./words.ts";

/**
 * One prompt and what came of it: the calls, notes and counts of a run that the control server owns. Knows its own parts and
 * writes them; which run a fact belongs to, and when a run is over, others say.
 */

/** What is kept of a run between servers; the rest is in its events. */
export interface RunState {
  id: RedactedText;
  /** Epoch ms. */
  openedAt: number;
  /** When it was closed; null while it is open. */
  closedAt: number | null;
  promptIds: string[];
  hasInput: boolean;
  /** A hook told of its prompt, or a row of the transcript. */
  promptBy: PromptTeller[];
  /** When the main agent was last seen to do something. */
  activeAt: number;
  /** When the agent said that it was done; null while it works. */
  stoppedAt: number | null;
  isFailed: boolean;
  isInterrupted: boolean;
  usage: UsageState;
  hostHookCalls: number;
  answer: Answer | null;
}

export type PromptTeller = "hook" | "transcript";

/** The parts of a run that its events hold. */
export interface RunParts {
  writer: RunWriter;
  keeper: OutcomeKeeper;
  calls: CallRecord[];
  notes: KnownNote[];
  wrappedServers: RedactedText[];
  input: RedactedText | null;
}

export class BoundRun {
  readonly id: RedactedText;
  readonly openedAt: number;
  readonly writer: RunWriter;
  readonly promptIds: Set<string>;
  readonly promptBy: Set<PromptTeller>;
  readonly calls = new Map<RedactedText, CallRecord>();
  readonly words: Words;
  readonly starts = new StartOrder();
  readonly #keeper: OutcomeKeeper;
  readonly #byCallId = new Map<string, CallRecord>();
  readonly #servers: Set<RedactedText>;
  readonly #usage: UsageCount;
  closedAt: number | null;
  hasInput: boolean;
  activeAt: number;
  stoppedAt: number | null;
  isFailed: boolean;
  isInterrupted: boolean;
  hostHookCalls: number;
  #input: RedactedText | null;

  constructor(state: RunState, { writer, keeper, calls, notes, wrappedServers, input }: RunParts) {
    this.id = state.id;
    this.openedAt = state.openedAt;
    this.closedAt = state.closedAt;
    this.writer = writer;
    this.#keeper = keeper;
    this.promptIds = new Set(state.promptIds);
    this.promptBy = new Set(state.promptBy);
    this.hasInput = state.hasInput;
    this.activeAt = state.activeAt;
    this.stoppedAt = state.stoppedAt;
    this.isFailed = state.isFailed;
    this.isInterrupted = state.isInterrupted;
    this.hostHookCalls = state.hostHookCalls;
    this.words = new Words(writer, state.answer, notes);
    this.#usage = new UsageCount(state.usage);
    this.#servers = new Set(wrappedServers);
    this.#input = input;
    for (const call of calls) this.index(call);
  }

  get isOpen(): boolean {
    return this.writer.isOpen;
  }

  /** Nothing was read ahead that is not written yet. */
  get isClean(): boolean {
    if (!this.words.isClean) return false;
    for (const call of this.calls.values()) if (call.isHeldBack) return false;
    return true;
  }

  /** All that was read so far is written down. */
  keep(): void {
    this.#usage.keep();
  }

  callById(callId: string): CallRecord | undefined {
    return this.#byCallId.get(callId);
  }

  openCall(stepId: RedactedText, seen: CallSeen, teller: Teller): CallRecord {
    const call = CallRecord.open(this.writer, this.#keeper, stepId, seen, teller);
    this.index(call);
    return call;
  }

  /** A call is there, or its id became known. */
  index(call: CallRecord): void {
    this.calls.set(call.place.stepId, call);
    if (call.callId !== null) this.#byCallId.set(call.callId, call);
  }

  wrap(server: RedactedText, at: number): void {
    if (this.#servers.has(server)) return;
    this.#servers.add(server);
    this.writer.update(at, { wrappedServers: [...this.#servers] });
  }

  /** True where this is, or may be, the text of its prompt. */
  isInput(text: RedactedText | null): boolean {
    return this.#input === null || text === null || this.#input === text;
  }

  learnInput(input: RedactedText | null, at: number): void {
    if (this.hasInput || input === null) return;
    this.hasInput = true;
    this.#input = input;
    this.writer.update(at, { input });
  }

  learnHost(host: HostFact, at: number): void {
    this.writer.update(at, { host });
  }

  /** One note for each row of a transcript, however often it is read. */
  note(at: number, note: NoteFacts): boolean {
    return this.words.note(at, note);
  }

  /** Text of the main agent, which may be the answer. */
  say(said: Said): void {
    this.isActive(said.at);
    this.words.say(said);
    // A host that does not tell with which words it stopped may write them down only then.
    const { stoppedAt } = this;
    if (stoppedAt !== null && said.at <= stoppedAt && this.words.answer === null) this.words.stop(null, stoppedAt);
  }

  /** The main agent was at work. */
  isActive(at: number): void {
    this.activeAt = Math.max(this.activeAt, at);
  }

  /** The agent is done, for now. `words` null: the host did not say with which. False where it has gone on since. */
  stop(words: RedactedText | null, at: number): boolean {
    if (this.activeAt > at || (this.stoppedAt ?? 0) > at) {
      if (words !== this.words.answer?.text) this.words.hadStopped(words, at);
      return false;
    }
    this.stoppedAt = at;
    this.isInterrupted = false;
    this.words.stop(words, at);
    return true;
  }

  /** The main agent goes on at a time, after it had stopped or its run was closed. */
  goOn(at: number): void {
    this.isActive(at);
    if (at <= Math.max(this.stoppedAt ?? 0, this.closedAt ?? 0)) return;
    if (this.stoppedAt !== null || !this.isOpen) this.words.goOn();
    this.stoppedAt = null;
    this.isFailed = false;
    this.isInterrupted = false;
    this.closedAt = null;
    this.writer.reopen(at);
  }

  /** The usage of one answer, in place of what was told of the same one before. */
  count(speaker: string, messageId: string, usage: Usage, at: number): void {
    const total = this.#usage.count(speaker, messageId, usage, at);
    if (total !== null) this.writer.update(at, { usage: total });
  }

  /** A row of an answer was read. */
  hears(speaker: string, messageId: string, at: number): void {
    this.#usage.seen(speaker, messageId, at);
  }

  /** True where one of the newest answers of the speaker is this one. */
  hasHeard(speaker: string, messageId: string): boolean {
    return this.#usage.has(speaker, messageId);
  }

  countHostHookCalls(count: number, at: number): void {
    if (count === 0) return;
    this.hostHookCalls += count;
    this.writer.update(at, { hostHookCalls: this.hostHookCalls });
  }

  /** Nobody is waited for any more who would have told by now: of what was before (epoch ms). */
  settle(before: number): void {
    this.settleCalls(before);
    if (this.closedAt !== null && this.closedAt <= before) this.words.flush();
  }

  /** Writes the outcomes that were held back; `before`: of calls that ended before (epoch ms). */
  settleCalls(before = Number.POSITIVE_INFINITY): void {
    for (const call of this.calls.values()) if ((call.endedAt ?? Number.POSITIVE_INFINITY) <= before) call.settle();
  }

  /** Calls whose end was told, but not yet by whoever knows it best. */
  stragglers(): number {
    let count = 0;
    for (const call of this.calls.values()) if (call.isHeldBack) count++;
    return count;
  }

  runningCalls(): number {
    let count = 0;
    for (const call of this.calls.values()) if (!call.isClosed) count++;
    return count;
  }

  /** When something was last seen of it, epoch ms. */
  get seenAt(): number {
    const times = [...this.calls.values()].map(({ startedAt, endedAt }) => endedAt ?? startedAt);
    return times.reduce((latest, at) => Math.max(latest, at), this.activeAt);
  }

  /** Calls that run end here; `ofMainAgent`: only those of no subagent. */
  loseCalls(at: number, as: "lost" | "cancelled", ofMainAgent = false): void {
    this.settleCalls();
    for (const call of this.calls.values()) if (!ofMainAgent || call.agentId === null) call.lose(at, as);
  }

  /**
   * Nothing more is heard of it: calls that run end as `callsEnd`. One that is closed already reads so from now on. What was
   * said last may still turn out to be the answer, when a stop is told of late.
   */
  close(status: RunStatus, at: number, callsEnd: "lost" | "cancelled" = "lost"): void {
    this.loseCalls(at, callsEnd);
    if (!this.isOpen && this.writer.status === status && (this.closedAt ?? 0) >= at) return;
    this.closedAt = at;
    this.writer.close(status, at);
  }

  state(): RunState {
    return {
      id: this.id,
      openedAt: this.openedAt,
      closedAt: this.closedAt,
      promptIds: [...this.promptIds],
      promptBy: [...this.promptBy],
      hasInput: this.hasInput,
      activeAt: this.activeAt,
      stoppedAt: this.stoppedAt,
      isFailed: this.isFailed,
      isInterrupted: this.isInterrupted,
      usage: this.#usage.state,
      hostHookCalls: this.hostHookCalls,
      answer: this.words.answer,
    };
  }
}

/** The state of a run that begins. */
export function freshRun(id: RedactedText, openedAt: number): RunState {
  return {
    id,
    openedAt,
    closedAt: null,
    promptIds: [],
    promptBy: [],
    hasInput: false,
    activeAt: openedAt,
    stoppedAt: null,
    isFailed: false,
    isInterrupted: false,
    usage: {},
    hostHookCalls: 0,
    answer: null,
  };
}
