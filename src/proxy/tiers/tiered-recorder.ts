import type { ProxyEventReport } from "../../core/control-wire.ts";
import type { RedactedText } from "../../core/redacted.ts";
import type { RunStatus } from "../../core/run.ts";
import type { Assembler, CallOutcome, OpenCall } from "../../record/assembler.ts";
import { trustedText } from "../../redact/redact.ts";
import type { CallChange, CallRecorder, HostFact, ObservedCall } from "./call-recorder.ts";
import { type Batch, type QueuedReport, type ReportedCall, ReportQueue, textOf } from "./report-queue.ts";

/**
 * Where each call is recorded: by the control server, which is told of it, or in this process's own run. A call stays where
 * it was begun, so that it is neither lost nor told twice, whatever becomes of the server meanwhile.
 */

export interface TierOptions {
  own: Assembler;
  /** Where what begins now is recorded. `server`: its reports wait until it is known whether there is one. */
  tier: "server" | "own";
  newId: () => string;
  /** Keeps reports for a server to come; false where that cannot be done. */
  spool: (reports: readonly string[]) => boolean;
  /** Something waits that was not there before. */
  onWaiting?: () => void;
  /** More waits for the server than is meant to. */
  onOverflow?: () => void;
  /** Something could not be put into the run of our own, by a fault of ours. */
  onFault?: (cause: unknown) => void;
}

/** A call under way: in exactly one of the two. */
export interface RecordedCall {
  own: OpenCall | null;
  reported: ReportedCall | null;
}

const MOST_WAITING = 250;
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

export class TieredRecorder implements CallRecorder<RecordedCall> {
  readonly #options: TierOptions;
  readonly #own: Assembler;
  readonly #queue: ReportQueue;
  readonly #openOwn = new Set<RecordedCall>();
  readonly #openReported = new Set<RecordedCall>();
  #tier: "server" | "own";
  #host: HostFact | null = null;
  /** The server was told of the application when the proxy registered. */
  #hostIsTold = false;
  #hasReported = false;
  #spoolRefuses = false;
  /** Why the next run of our own holds only a part of the session. */
  #nextRunIsPart: RedactedText | null = null;
  #hookCalls: Extract<ProxyEventReport, { kind: "host-hook-calls" }> | null = null;

  constructor(options: TierOptions) {
    this.#options = options;
    this.#own = options.own;
    this.#tier = options.tier;
    this.#queue = new ReportQueue(options.newId);
  }

  get tier(): "server" | "own" {
    return this.#tier;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get isBatchFull(): boolean {
    return this.#queue.isBatchFull;
  }

  get isRecording(): boolean {
    return this.#tier === "own" ? this.#own.runId !== null : this.#hasReported;
  }

  /** The application, for the server's books. */
  get host(): HostFact | null {
    return this.#host;
  }

  // What is told of calls.

  openCall(fact: ObservedCall): RecordedCall {
    const call: RecordedCall = { own: null, reported: null };
    if (this.#tier === "own") {
      call.own = this.#openInOwnRun(fact);
      this.#openOwn.add(call);
      return call;
    }
    const ref = this.#options.newId();
    const reported: ReportedCall = { ref, fact, legs: 1, status: "running", arrival: "no", opening: null, order: 0 };
    call.reported = reported;
    this.#openReported.add(call);
    this.#hasReported = true;
    this.#queue.callOpened(reported);
    this.#added();
    return call;
  }

  updateCall(call: RecordedCall, at: number, changed: CallChange): void {
    if (call.own !== null) this.#own.updateCall(call.own, at, changed);
    // Told with the next report of the call.
    else if (call.reported !== null) Object.assign(call.reported, changed);
  }

  closeCall(call: RecordedCall, outcome: CallOutcome): void {
    if (call.own !== null) {
      this.#own.closeCall(call.own, outcome);
      this.#openOwn.delete(call);
      if (this.#tier === "server") this.#leaveOwnRun(outcome.endedAt);
    } else if (call.reported !== null && this.#openReported.delete(call)) {
      this.#queue.callEnded(call.reported, outcome);
      this.#added();
    }
  }

  learnHost(host: HostFact, at: number): void {
    const isNew = this.#host?.app !== host.app || this.#host.version !== host.version;
    this.#host = host;
    this.#own.learnHost(host, at);
    if (isNew && this.#hostIsTold) {
      this.#tell({ kind: "client", reportId: this.#options.newId(), at, name: host.app, version: host.version });
    }
  }

  countHostHookCall(at: number): void {
    if (this.#tier === "own") this.#own.countHostHookCall(at);
    else if (this.#hookCalls !== null) this.#hookCalls.count++;
    else {
      this.#hookCalls = { kind: "host-hook-calls", reportId: this.#options.newId(), at, count: 1 };
      this.#tell(this.#hookCalls);
    }
  }

  gap(reason: RedactedText, lost: number, at: number): void {
    if (this.#tier === "own") this.#own.gap(reason, lost, at);
    else this.#tell({ kind: "gap", reportId: this.#options.newId(), at, reason, lost });
  }

  warn(text: RedactedText, at: number): void {
    if (this.#tier === "own") this.#own.warn(text, at);
    else this.#tell({ kind: "warning", reportId: this.#options.newId(), at, text });
  }

  // What becomes of reports.

  nextBatch(): Batch {
    this.#hookCalls = null;
    return this.#queue.nextBatch();
  }

  accepted(batch: Batch): void {
    this.#queue.accepted(batch);
  }

  returned(batch: Batch, mayHaveArrived: boolean): void {
    this.#queue.returned(batch, mayHaveArrived);
  }

  /** The server refuses something in this batch for good: true once that is dropped. A call whose end it was is lost. */
  refused(batch: Batch, at: number): boolean {
    const dropped = this.#queue.refused(batch);
    // That a gap was refused would only make another one.
    if (dropped?.what.kind === "ended") this.gap(trustedText("DEG-15 report-refused"), 1, at);
    return dropped !== null;
  }

  /** The proxy has registered, with the application that was known then. */
  registered(): void {
    this.#hostIsTold = true;
  }

  // The change between tiers.

  /** What begins from now on is told to the server. The run of our own goes on until the calls in it have ended. */
  toServer(at: number): void {
    this.#tier = "server";
    this.#nextRunIsPart = null;
    this.#leaveOwnRun(at);
  }

  /**
   * What begins from now on is recorded in a run of our own; with `isPart` that run is a part of what a server has recorded
   * until now. What the server may know of already stays its own: it waits for a server to come.
   */
  toOwn(isPart: boolean): void {
    if (this.#tier === "own") return;
    this.#tier = "own";
    this.#hookCalls = null;
    if (isPart) this.#nextRunIsPart = trustedText("DEG-02 server-gone");
    const waiting = this.#queue.waiting();
    this.#queue.returned({ queued: waiting.filter((report) => report.isOnItsWay), texts: [] }, true);
    const moving = waiting.filter((report) => !belongsToServer(report));
    for (const report of moving) this.#queue.remove(report);
    this.spoolWaiting();
    this.#move(moving);
  }

  /** Leaves what waits for a server to one to come. False where that cannot be done. */
  spoolWaiting(): boolean {
    const waiting = this.#queue.waiting();
    if (waiting.length === 0) return true;
    this.#spoolRefuses = !this.#options.spool(waiting.map(textOf));
    if (this.#spoolRefuses) return false;
    for (const report of waiting) this.#queue.remove(report, "maybe");
    return true;
  }

  // The end.

  /** Nothing follows any more. */
  left(how: "ended" | "failed", at: number): void {
    const isExpected = this.#tier === "server" && this.#hostIsTold;
    if (isExpected || this.#queue.size > 0) {
      this.#queue.tell({ kind: "left", reportId: this.#options.newId(), at, how });
    }
  }

  /** What still waits is given up. Answers how many calls are lost with it. */
  giveUp(at: number): number {
    const lost = this.#drop(() => true);
    if (lost > 0) this.#own.gap(trustedText("DEG-03 reports-dropped"), lost, at);
    return lost;
  }

  /** How the run of our own ends by now. */
  ownStatus(how: "ended" | "failed"): RunStatus {
    return how === "failed" ? "failed" : this.#own.openCalls > 0 ? "interrupted" : "completed";
  }

  #openInOwnRun({ sessionId, injectedId: _injectedId, argsHash: _argsHash, ...fact }: ObservedCall): OpenCall {
    if (sessionId !== null) this.#own.learnSession(sessionId, fact.startedAt);
    const open = this.#own.openCall(fact);
    if (this.#nextRunIsPart !== null) this.#own.gap(this.#nextRunIsPart, 0, fact.startedAt);
    this.#nextRunIsPart = null;
    return open;
  }

  #leaveOwnRun(at: number): void {
    if (this.#openOwn.size === 0) this.#own.closeRun("completed", at);
  }

  /** Puts reports that no server has seen into the run of our own. One that cannot be put there takes no other with it. */
  #move(reports: readonly QueuedReport[]): void {
    const opened = new Map<ReportedCall, OpenCall>();
    for (const { what } of reports) {
      if (what.kind === "event" || opened.has(what.call)) continue;
      this.#guarded(() => opened.set(what.call, this.#openInOwnRun(what.call.fact)));
    }
    for (const recorded of this.#openReported) {
      const open = recorded.reported === null ? undefined : opened.get(recorded.reported);
      if (open === undefined || recorded.reported === null) continue;
      const { legs, status, fact } = recorded.reported;
      if (legs > 1 || status !== "running") this.#own.updateCall(open, fact.startedAt, { legs, status });
      this.#openReported.delete(recorded);
      this.#openOwn.add(recorded);
      recorded.own = open;
      recorded.reported = null;
    }
    for (const { what } of reports) this.#guarded(() => this.#tellOwnRun(what, opened));
  }

  #tellOwnRun(what: QueuedReport["what"], opened: ReadonlyMap<ReportedCall, OpenCall>): void {
    if (what.kind !== "event") {
      const open = opened.get(what.call);
      if (what.kind === "ended" && open !== undefined) this.#own.closeCall(open, what.outcome);
      return;
    }
    const { report } = what;
    if (report.kind === "gap") this.#own.gap(trustedText(report.reason), report.lost, report.at);
    else if (report.kind === "warning") this.#own.warn(trustedText(report.text), report.at);
    else if (report.kind === "host-hook-calls") {
      for (let n = 0; n < report.count; n++) this.#own.countHostHookCall(report.at);
    }
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (cause) {
      this.#options.onFault?.(cause);
    }
  }

  #tell(report: ProxyEventReport): void {
    this.#queue.tell(report);
    this.#added();
  }

  #added(): void {
    this.#options.onWaiting?.();
    if (!this.#isOverBound) return;
    if (this.#tier === "server") this.#options.onOverflow?.();
    // One that has refused is not asked again with each call.
    else if (this.#spoolRefuses || !this.spoolWaiting()) this.#giveUpOldest();
  }

  get #isOverBound(): boolean {
    return this.#queue.size > MOST_WAITING || this.#queue.sizeBytes > MOST_WAITING_BYTES;
  }

  /** Neither a server nor the spool has taken what belongs to a server. */
  #giveUpOldest(): void {
    const lost = this.#drop(() => this.#isOverBound);
    if (lost > 0) this.#own.gap(trustedText("DEG-03 reports-dropped"), lost, Date.now());
  }

  #drop(isToGo: () => boolean): number {
    let lost = 0;
    for (const report of this.#queue.waiting()) {
      if (!isToGo()) break;
      this.#queue.remove(report);
      if (report.what.kind === "ended") lost++;
    }
    return lost;
  }
}

/** A server knows of it, or may: told anywhere else too, it would be there twice. */
function belongsToServer({ what, mayHaveArrived }: QueuedReport): boolean {
  return mayHaveArrived || (what.kind !== "event" && what.call.arrival !== "no");
}
