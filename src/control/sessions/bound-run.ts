import type { RedactedText } from "../../core/redacted.ts";
import type { RunStatus, Usage } from "../../core/run.ts";
import type { HostFact, NoteFacts, RunWriter } from "../../record/run-writer.ts";
import { type CallEnded, CallRecord, type CallSeen, type Teller } from "./call-record.ts";
import { StartOrder } from "./start-order.ts";

/**
 * One prompt and what came of it: the calls, notes and counts of a run that the control server owns. Knows its own parts and
 * writes them; which run a fact belongs to, and when a run is over, others say.
 */

/** What is kept of a run between servers; the rest is in its events. */
export interface RunState {
  id: RedactedText;
  /** Epoch ms. */
  openedAt: number;
  isOpen: boolean;
  promptIds: string[];
  hasInput: boolean;
  /** When the agent said that it was done; null while it works. */
  stoppedAt: number | null;
  isFailed: boolean;
  isInterrupted: boolean;
  usage: UsageState;
  hostHookCalls: number;
  /** What it answered last, and when (epoch ms). */
  answer: { text: RedactedText; at: number } | null;
}

/** Usage of answers that are complete, and by speaker of the last answer, whose numbers may still change. */
export interface UsageState {
  settled: Usage | null;
  last: Record<string, { messageId: string; usage: Usage }>;
}

/** The parts of a run that its events hold. */
export interface RunParts {
  writer: RunWriter;
  calls: CallRecord[];
  /** Sources of the notes it has. */
  noteSources: string[];
  wrappedServers: RedactedText[];
}

interface PendingText {
  text: RedactedText;
  at: number;
  source: RedactedText | undefined;
}

export class BoundRun {
  readonly id: RedactedText;
  readonly openedAt: number;
  readonly writer: RunWriter;
  readonly promptIds: Set<string>;
  /** Background tasks that it started and that go on. */
  readonly tasks = new Set<string>();
  readonly calls = new Map<RedactedText, CallRecord>();
  readonly starts = new StartOrder();
  readonly #byCallId = new Map<string, CallRecord>();
  readonly #noteSources: Set<string>;
  readonly #servers: Set<RedactedText>;
  hasInput: boolean;
  stoppedAt: number | null;
  isFailed: boolean;
  isInterrupted: boolean;
  hostHookCalls: number;
  usage: UsageState;
  /** As it was when all that was read was written down: what goes with the transcripts' positions of that time. */
  #keptUsage: UsageState;
  /** Text of the main agent that may turn out to be the answer. */
  #lastText: PendingText | null = null;
  #answer: RunState["answer"];
  readonly #saidBy = new Map<RedactedText, RedactedText>();
  #input: RedactedText | null = null;

  constructor(state: RunState, { writer, calls, noteSources, wrappedServers }: RunParts) {
    this.id = state.id;
    this.openedAt = state.openedAt;
    this.writer = writer;
    this.promptIds = new Set(state.promptIds);
    this.hasInput = state.hasInput;
    this.stoppedAt = state.stoppedAt;
    this.isFailed = state.isFailed;
    this.isInterrupted = state.isInterrupted;
    this.hostHookCalls = state.hostHookCalls;
    this.#answer = state.answer;
    this.usage = structuredClone(state.usage);
    this.#keptUsage = state.usage;
    this.#noteSources = new Set(noteSources);
    this.#servers = new Set(wrappedServers);
    for (const call of calls) this.#index(call);
  }

  get isOpen(): boolean {
    return this.writer.isOpen;
  }

  /** Nothing was read ahead that is not written yet. */
  get isClean(): boolean {
    if (this.#lastText !== null) return false;
    for (const call of this.calls.values()) if (call.isHeldBack) return false;
    return true;
  }

  /** All that was read so far is written down. */
  keep(): void {
    this.#keptUsage = structuredClone(this.usage);
  }

  callById(callId: string): CallRecord | undefined {
    return this.#byCallId.get(callId);
  }

  openCall(stepId: RedactedText, seen: CallSeen, teller: Teller): CallRecord {
    const call = CallRecord.open(this.writer, stepId, seen, teller);
    this.#index(call);
    return call;
  }

  /** The call's id became known. */
  reindex(call: CallRecord): void {
    this.#index(call);
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
    if (note.source !== undefined) {
      if (this.#noteSources.has(note.source)) return false;
      this.#noteSources.add(note.source);
    }
    this.writer.note(at, note);
    if (note.kind === "text" && note.agentId !== null) this.#saidBy.set(note.agentId, note.text);
    return true;
  }

  /** True where these are the last words that are known of a subagent. */
  hasSaid(agentId: RedactedText, text: RedactedText): boolean {
    return this.#saidBy.get(agentId) === text;
  }

  /** Text that the main agent said last. It is a note as soon as something follows, and the answer if nothing does. */
  say(text: PendingText): void {
    this.flushText();
    if (text.source !== undefined && this.#noteSources.has(text.source)) return;
    // Read after the host has told of it as the answer.
    if (text.text === this.#answer?.text && text.at <= (this.stoppedAt ?? 0)) return;
    this.#lastText = text;
  }

  /** What was said last was not the last word. */
  flushText(): void {
    const said = this.#lastText;
    this.#lastText = null;
    if (said === null) return;
    const source = said.source === undefined ? {} : { source: said.source };
    this.note(said.at, { kind: "text", text: said.text, agentId: null, ...source });
  }

  /** The agent is done, for now. `answer` null: the host did not say with which words. */
  stop(answer: RedactedText | null, at: number): void {
    this.stoppedAt = at;
    this.isInterrupted = false;
    const words = answer ?? this.#lastText?.text ?? null;
    if (this.#lastText?.text === words) this.#lastText = null;
    this.flushText();
    if (words === null || words === "") return;
    if (words !== this.#answer?.text) this.writer.update(at, { finalAnswer: words });
    this.#answer = { text: words, at };
  }

  /** The main agent goes on, after it had stopped or its run was closed. */
  goOn(at: number): void {
    // What it had answered was not its last word.
    const answer = this.#answer;
    if (answer !== null) this.note(answer.at, { kind: "text", text: answer.text, agentId: null });
    this.#answer = null;
    this.stoppedAt = null;
    this.isFailed = false;
    this.isInterrupted = false;
    this.writer.reopen(at);
  }

  /** The usage of one answer, in place of what was told of the same one before. */
  count(speaker: string, messageId: string, usage: Usage, at: number): void {
    const last = this.usage.last[speaker];
    if (last !== undefined && last.messageId !== messageId) {
      this.usage.settled = sum(this.usage.settled, last.usage);
    }
    this.usage.last[speaker] = { messageId, usage };
    const total = Object.values(this.usage.last).reduce<Usage | null>((all, { usage: each }) => sum(all, each), null);
    this.writer.update(at, { usage: sum(this.usage.settled, total ?? usage) });
  }

  countHostHookCalls(count: number, at: number): void {
    this.hostHookCalls += count;
    this.writer.update(at, { hostHookCalls: this.hostHookCalls });
  }

  /** Writes the outcomes that were held back; `before`: of calls that ended before (epoch ms). */
  settleCalls(before = Number.POSITIVE_INFINITY): void {
    for (const call of this.calls.values()) if ((call.endedAt ?? Number.POSITIVE_INFINITY) <= before) call.settle();
  }

  /** Calls whose end was told by the transcript, but not yet by whoever knows it best. */
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

  /** Nothing more is heard of it: calls that run end as `callsEnd`. */
  close(status: RunStatus, at: number, callsEnd: "lost" | "cancelled" = "lost"): void {
    this.settleCalls();
    for (const call of this.calls.values()) call.lose(at, callsEnd);
    this.flushText();
    this.tasks.clear();
    if (this.writer.isOpen) this.writer.close(status, at);
  }

  state(): RunState {
    return {
      id: this.id,
      openedAt: this.openedAt,
      isOpen: this.isOpen,
      promptIds: [...this.promptIds],
      hasInput: this.hasInput,
      stoppedAt: this.stoppedAt,
      isFailed: this.isFailed,
      isInterrupted: this.isInterrupted,
      usage: this.#keptUsage,
      hostHookCalls: this.hostHookCalls,
      answer: this.#answer,
    };
  }

  #index(call: CallRecord): void {
    this.calls.set(call.place.stepId, call);
    if (call.callId !== null) this.#byCallId.set(call.callId, call);
  }
}

/** How a call reads that was only told of when it had ended. */
export function endOf(ended: Partial<CallEnded> & Pick<CallEnded, "status" | "endedAt">): CallEnded {
  const isError = ended.status === "error";
  return {
    isError,
    error: null,
    rpcError: null,
    result: null,
    durationMs: null,
    waitingMs: 0,
    legs: 1,
    progress: 0,
    truncated: false,
    join: null,
    ...ended,
  };
}

function sum(a: Usage | null, b: Usage): Usage {
  if (a === null) return b;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
  };
}
