import type { RedactedText } from "../core/redacted.ts";
import { toolPrefix } from "../core/tool-name.ts";
import { idKey } from "../jsonrpc/message.ts";
import { redactText, trustedText } from "../redact/redact.ts";
import { type AnswerReading, type OutcomeReading, readAnswer, readTask, type TaskReading } from "./answer-reading.ts";
import { type CallReading, readCall, readClient } from "./call-reading.ts";
import { memberText } from "./captured-members.ts";
import type { Direction } from "./direction.ts";
import { appOfClient, marksModelCalls } from "./host-keys.ts";
import { type Correlation, NO_CORRELATION } from "./injection/injected-ids.ts";
import type { MessageObserver, ObservedMessage } from "./observed-message.ts";
import { Outstanding, type Pairing } from "./outstanding.ts";
import { PausedCalls } from "./paused-calls.ts";
import type { CallRecorder } from "./tiers/call-recorder.ts";
import type { RecordedCall } from "./tiers/tiered-recorder.ts";

/**
 * Joins what the host asked to what the server answered, and tells the recorder about each tool call: one step a call,
 * however many request and answer pairs (legs) or task polls it takes. Assumes no protocol version and no handshake.
 * Sees copies only; whatever it gets wrong, no byte on the wire changes.
 */

/** One tool call under way. */
interface Call {
  open: RecordedCall;
  tool: string;
  legs: number;
  progress: number;
  /** When the server asked for input and has not got it yet. */
  waitingSince: number | null;
  waitingMs: number;
  progressKey: string | null;
  /** Set while the call goes on as a task. */
  taskId: string | null;
  /** How it ends if nothing more is heard of it: its task is over, but its result was not seen. */
  presumed: Ending | null;
  /** False once an answer was taken for this call's that may be another's. */
  certain: boolean;
}

/** A request that waits for its answer; `call` is the step that the answer may end. */
interface PendingRequest {
  method: string;
  call: Call | null;
  taskId: string | null;
}

interface Answer {
  /** Null where no call can be concerned: such an answer is not read. */
  reading: AnswerReading | null;
  at: number;
}

/** How a call ends: with an outcome that was seen, or with what can be told without one. */
interface Ending {
  at: number;
  outcome?: OutcomeReading;
  status?: "ok" | "error" | "cancelled" | "lost";
  error?: RedactedText | null;
}

const CALL = "tools/call";
const TASK_METHODS = new Set(["tasks/get", "tasks/result", "tasks/cancel", "tasks/update"]);
/** Of 2025-11-25, and of the extension. */
const TASK_NEWS = new Set(["notifications/tasks/status", "notifications/tasks"]);

export class CallTracker implements MessageObserver {
  readonly #recorder: CallRecorder<RecordedCall>;
  readonly #correlation: Correlation;
  readonly #serverName: RedactedText;
  readonly #qualifiedPrefix: string;
  readonly #pending = new Outstanding<PendingRequest, Answer>();
  readonly #progress = new Map<string, Call>();
  readonly #tasks = new Map<string, Call>();
  readonly #calls = new Set<Call>();
  readonly #paused = new PausedCalls<Call>();
  #clientName: string | null = null;
  #clientVersion: string | null = null;
  #strayProgress = 0;
  #tooLong = 0;
  readonly #foreign: Record<Direction, number> = { "to-upstream": 0, "to-host": 0 };

  constructor(recorder: CallRecorder<RecordedCall>, serverName: string, correlation: Correlation = NO_CORRELATION) {
    this.#recorder = recorder;
    this.#correlation = correlation;
    this.#serverName = redactText(serverName);
    this.#qualifiedPrefix = toolPrefix(serverName);
  }

  see(observed: ObservedMessage): void {
    const { direction, message } = observed;
    if (direction === "to-upstream") {
      if (message.kind === "request") this.#hostAsks(observed);
      else if (message.method === "notifications/cancelled") this.#hostCancels(observed);
    } else if (message.kind === "response") {
      this.#serverAnswers(observed);
    } else if (message.method === "notifications/progress") {
      this.#serverProgresses(observed);
    } else if (message.method !== null && TASK_NEWS.has(message.method)) {
      this.#taskIs(readTask(observed, message.params), observed.at);
    }
  }

  seeUnreadable(direction: Direction, _totalBytes: number, _at: number, truncated: boolean): void {
    if (truncated) this.#tooLong++;
    else this.#foreign[direction]++;
  }

  /** The session is over: calls that were never answered end as `lost`. */
  end(at: number): void {
    this.#endCalls(() => ({ at, status: "lost" }));
    if (!this.#recorder.isRecording) return;
    const { "to-upstream": ofHost, "to-host": ofServer } = this.#foreign;
    this.#tell(this.#strayProgress, "progress notification(s) belong to no call under way", at);
    this.#tell(ofHost, "line(s) of the host are no JSON-RPC", at);
    this.#tell(ofServer, "line(s) of the server are no JSON-RPC", at);
    if (this.#tooLong > 0) this.#recorder.gap(trustedText("DEG-07 unreadable-message"), this.#tooLong, at);
  }

  /**
   * The server died: the host was told `unavailable` about every request that it waits for. A call that waits for the
   * host's input has none; the host may go on with it before a new server.
   */
  upstreamDied(at: number, unavailable: string): void {
    const ending: Ending = { at, status: "error", error: trustedText(unavailable) };
    this.#endCalls((call) => (call.waitingSince === null ? ending : null));
  }

  /** Recording is switched off: what becomes of the calls under way will not be seen. */
  pause(at: number): void {
    const underWay = this.#calls.size;
    this.#endCalls(() => ({ at, status: "lost" }));
    if (this.#recorder.isRecording) this.#recorder.gap(trustedText("DEG-12 switched-off"), underWay, at);
  }

  #tell(count: number, what: string, at: number): void {
    if (count > 0) this.#recorder.warn(trustedText(`${count} ${what}`), at);
  }

  /** No request made so far will be answered any more. */
  #endCalls(how: (call: Call) => Ending | null): void {
    this.#close(this.#pending.settle());
    for (const call of [...this.#calls]) {
      const ending = call.presumed ?? how(call);
      if (ending !== null) this.#finish(call, ending);
    }
  }

  #hostAsks(observed: ObservedMessage): void {
    const { message, at } = observed;
    const { rawId, method } = message;
    if (rawId === null || method === null) return;
    if (method === "initialize" || this.#clientName === null) this.learnClient(observed);
    const pending: PendingRequest = { method, call: null, taskId: null };
    if (method === CALL) {
      pending.call = this.#callBegins(observed);
      if (pending.call !== null && pending.call.legs > 1) {
        this.#recorder.updateCall(pending.call.open, at, { legs: pending.call.legs });
      }
    } else if (TASK_METHODS.has(method)) pending.taskId = readTask(observed, message.params).taskId;
    // Every request counts, since a call may use its id again. By an id of null no answer can be told.
    if (rawId !== "null") this.#close(this.#pending.open(idKey(rawId), pending));
  }

  #callBegins(observed: ObservedMessage): Call | null {
    const reading = readCall(observed, this.#correlation.hashKey());
    const injectedId = this.#correlation.injectedIds?.take(observed.message.rawId ?? "null") ?? null;
    if (reading.isUnmarked && marksModelCalls(this.#clientName ?? "", this.#clientVersion)) {
      this.#recorder.countHostHookCall(observed.at);
      return null;
    }
    const call = this.#resumed(reading, observed.at) ?? this.#begun(reading, injectedId, observed.at);
    this.#followProgress(call, reading.progressKey);
    return call;
  }

  #begun(reading: CallReading, injectedId: string | null, at: number): Call {
    const call: Call = {
      open: this.#recorder.openCall({
        server: this.#serverName,
        tool: redactText(reading.tool),
        // Redacted before it is joined on: behind a prefix a token would not look like one.
        qualifiedName: trustedText(this.#qualifiedPrefix + redactText(reading.tool)),
        args: reading.args,
        truncated: reading.truncated,
        callId: reading.callId,
        injectedId: injectedId === null ? null : redactText(injectedId),
        argsHash: reading.argsHash,
        sessionId: reading.sessionId,
        hostMeta: reading.hostMeta,
        startedAt: at,
      }),
      tool: reading.tool,
      legs: 1,
      progress: 0,
      waitingSince: null,
      waitingMs: 0,
      progressKey: null,
      taskId: null,
      presumed: null,
      certain: true,
    };
    this.#calls.add(call);
    return call;
  }

  #resumed(reading: CallReading, at: number): Call | null {
    const call = this.#paused.take(reading);
    if (call === null) return null;
    call.legs++;
    endWaiting(call, at);
    return call;
  }

  /** Each leg has a progress token of its own. */
  #followProgress(call: Call, key: string | null): void {
    this.#forgetProgress(call);
    call.progressKey = key;
    if (key !== null) this.#progress.set(key, call);
  }

  /** Hosts use tokens again: by now it may be another call's. */
  #forgetProgress(call: Call): void {
    const key = call.progressKey;
    if (key !== null && this.#progress.get(key) === call) this.#progress.delete(key);
  }

  #hostCancels(observed: ObservedMessage): void {
    const rawId = memberText(observed.text, observed.message.params, "requestId");
    const request = rawId === null ? undefined : this.#pending.cancel(idKey(rawId));
    if (request === undefined || request.call === null) return;
    this.#finish(request.call, { at: observed.at, status: "cancelled" });
    // The id is remembered for as long as a late answer may come; the call need not be.
    request.call = null;
  }

  #serverAnswers(observed: ObservedMessage): void {
    const { rawId } = observed.message;
    if (rawId === null) return;
    const key = idKey(rawId);
    const concernsCall = this.#pending.waiting(key).some(({ call, taskId }) => call !== null || taskId !== null);
    this.#close(this.#pending.answer(key, { reading: concernsCall ? readAnswer(observed) : null, at: observed.at }));
  }

  #close(pairings: Pairing<PendingRequest, Answer>[]): void {
    for (const { request, answer, certain } of pairings) {
      const { reading, at } = answer;
      const call = request.call ?? this.#tasks.get(request.taskId ?? "");
      if (reading === null || call === undefined || !this.#calls.has(call)) continue;
      if (!certain) call.certain = false;
      if (request.method === CALL) this.#callAnswered(call, reading, at);
      else this.#taskAnswered(call, request.method, reading, at);
    }
  }

  #callAnswered(call: Call, reading: AnswerReading, at: number): void {
    if (reading.inputRequired !== null) {
      call.waitingSince = at;
      this.#paused.add(call, reading.inputRequired);
      return;
    }
    if (!reading.isTaskHandle || reading.task === null || reading.task.taskId === null) {
      this.#finish(call, { at, outcome: reading });
      return;
    }
    call.taskId = reading.task.taskId;
    this.#tasks.set(call.taskId, call);
    this.#taskIs(reading.task, at);
  }

  #taskAnswered(call: Call, method: string, reading: AnswerReading, at: number): void {
    if (method === "tasks/result") this.#finish(call, { at, outcome: reading });
    else if (reading.task !== null) this.#taskIs({ ...reading.task, taskId: call.taskId }, at);
    else if (method === "tasks/cancel" && !reading.isError) call.presumed ??= { at, status: "cancelled" };
  }

  /** News of a task. One that is over without telling its outcome stays open: that is asked for with `tasks/result`. */
  #taskIs(news: TaskReading, at: number): void {
    const call = this.#tasks.get(news.taskId ?? "");
    if (call === undefined || news.done === null) return;
    if (news.outcome !== null) {
      this.#finish(call, { at, outcome: news.outcome });
    } else if (news.done === "cancelled") {
      this.#finish(call, { at, status: "cancelled", error: news.message });
    } else if (call.presumed === null) {
      const status = news.done === "failed" ? "error" : "ok";
      call.presumed = { at, status, error: status === "error" ? news.message : null };
      this.#recorder.updateCall(call.open, at, { status });
    }
  }

  #serverProgresses(observed: ObservedMessage): void {
    const token = memberText(observed.text, observed.message.params, "progressToken");
    const call = token === null ? undefined : this.#progress.get(idKey(token));
    if (call === undefined) this.#strayProgress++;
    else call.progress++;
  }

  /** Learns the client's name from a message that is not looked at otherwise. */
  learnClient(observed: ObservedMessage): void {
    const client = readClient(observed);
    if (client === null) return;
    this.#clientName = client.name;
    this.#clientVersion = client.version;
    const version = client.version === null ? null : redactText(client.version);
    this.#recorder.learnHost({ app: redactText(appOfClient(client.name)), version }, observed.at);
  }

  #finish(call: Call, { at, outcome, status, error = null }: Ending): void {
    if (!this.#calls.delete(call)) return;
    this.#forgetProgress(call);
    if (call.taskId !== null) this.#tasks.delete(call.taskId);
    this.#paused.forget(call);
    endWaiting(call, at);
    const how = status ?? (outcome?.isError ? "error" : "ok");
    this.#recorder.closeCall(call.open, {
      status: how,
      isError: how === "error",
      error: error ?? outcome?.error ?? null,
      rpcError: outcome?.rpcError ?? null,
      result: outcome?.result ?? null,
      truncated: outcome?.truncated ?? false,
      join: call.certain ? null : "ambiguous",
      endedAt: at,
      legs: call.legs,
      waitingMs: Math.round(call.waitingMs * 1000) / 1000,
      progress: call.progress,
    });
  }
}

function endWaiting(call: Call, at: number): void {
  if (call.waitingSince !== null) call.waitingMs += at - call.waitingSince;
  call.waitingSince = null;
}
