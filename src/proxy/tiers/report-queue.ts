import type { ProxyEventReport } from "../../core/control-wire.ts";
import type { CallOutcome } from "../../record/assembler.ts";
import { eventReport, stepReport, type ToldCall } from "./step-report.ts";

/**
 * What the control server has not acknowledged yet, in the order it happened. Knows of each report whether it may have
 * arrived; decides nothing about where reports go instead.
 */

/** A call in reports. */
export interface ReportedCall extends ToldCall {
  /** Its place among everything that began. */
  order: number;
  /** That it runs: whether the server knows. */
  arrival: "no" | "maybe" | "yes";
  /** That it runs, while this waits to be told. */
  opening: QueuedReport | null;
}

/** One thing to tell, under an id of its own; told again, it has the same id. */
export interface QueuedReport {
  readonly reportId: string;
  readonly what:
    | { kind: "opened"; call: ReportedCall }
    | { kind: "ended"; call: ReportedCall; outcome: CallOutcome }
    | { kind: "event"; report: ProxyEventReport };
  /** The place of what it tells of among everything that began. */
  readonly order: number;
  readonly sizeBytes: number;
  /** It was sent at least once without an answer. */
  mayHaveArrived: boolean;
  isOnItsWay: boolean;
}

/** Reports that are sent together. */
export interface Batch {
  readonly queued: readonly QueuedReport[];
  readonly texts: readonly string[];
}

const BATCH_REPORTS = 64;
/** A batch ends with the report that makes it larger than this. */
const BATCH_BYTES = 1024 * 1024;
const OVERHEAD_BYTES = 600;

export class ReportQueue {
  readonly #newId: () => string;
  readonly #waiting = new Set<QueuedReport>();
  #bytes = 0;
  #begun = 0;
  /** Reports of the next batch; fewer while one that the server refuses is being singled out. */
  #batchReports = BATCH_REPORTS;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** About how much memory it holds. */
  get sizeBytes(): number {
    return this.#bytes;
  }

  /** True when a batch is full. */
  get isBatchFull(): boolean {
    return this.#waiting.size >= BATCH_REPORTS || this.#bytes >= BATCH_BYTES;
  }

  /** A call has begun. That it runs is told unless it has ended by the time that a batch goes out. */
  callOpened(call: ReportedCall): void {
    call.order = ++this.#begun;
    call.opening = this.#add({ kind: "opened", call }, call.order, call.fact.args?.length ?? 0);
  }

  callEnded(call: ReportedCall, outcome: CallOutcome): void {
    const { opening } = call;
    if (opening !== null && !opening.isOnItsWay && !opening.mayHaveArrived) this.remove(opening);
    const { result, rpcError } = outcome;
    const sizeBytes = (call.fact.args?.length ?? 0) + (result?.length ?? 0) + (rpcError?.length ?? 0);
    this.#add({ kind: "ended", call, outcome }, call.order, sizeBytes);
  }

  tell(report: ProxyEventReport): void {
    this.#add({ kind: "event", report }, ++this.#begun, 0, report.reportId);
  }

  /** The oldest reports, to be sent now. What they tell is read at this moment. */
  nextBatch(): Batch {
    const queued: QueuedReport[] = [];
    let bytes = 0;
    for (const report of this.#waiting) {
      if (queued.length >= this.#batchReports || bytes >= BATCH_BYTES) break;
      report.isOnItsWay = true;
      bytes += report.sizeBytes;
      queued.push(report);
    }
    // Calls that begin in one moment end in any order; what is told first is taken for the earlier one.
    queued.sort(byBeginning);
    return { queued, texts: queued.map(textOf) };
  }

  /** The server has it. */
  accepted({ queued }: Batch): void {
    for (const report of queued) this.remove(report, "yes");
  }

  /** The server does not have it: it is sent again. `mayHaveArrived` where that cannot be told. */
  returned({ queued }: Batch, mayHaveArrived: boolean): void {
    for (const report of queued) {
      report.isOnItsWay = false;
      if (!mayHaveArrived) continue;
      report.mayHaveArrived = true;
      if (report.what.kind === "opened" && report.what.call.arrival === "no") report.what.call.arrival = "maybe";
    }
  }

  /** The server refuses something in it for good: halves the next batch until that is alone. Answers it once it is. */
  refused(batch: Batch): QueuedReport | null {
    this.returned(batch, false);
    const [first] = batch.queued;
    if (batch.queued.length > 1 || first === undefined) {
      this.#batchReports = Math.max(1, Math.ceil(batch.queued.length / 2));
      return null;
    }
    this.#batchReports = BATCH_REPORTS;
    this.remove(first);
    return first;
  }

  /** Those waiting, in the order in which what they tell of began. */
  waiting(): QueuedReport[] {
    return [...this.#waiting].sort(byBeginning);
  }

  /** It need not be told any more; of a call that runs, `arrival` says whether the server knows. */
  remove(report: QueuedReport, arrival?: ReportedCall["arrival"]): void {
    if (!this.#waiting.delete(report)) return;
    this.#bytes -= report.sizeBytes;
    if (report.what.kind !== "opened") return;
    report.what.call.opening = null;
    if (arrival !== undefined) report.what.call.arrival = arrival;
  }

  #add(what: QueuedReport["what"], order: number, payloadBytes: number, reportId = this.#newId()): QueuedReport {
    const sizeBytes = OVERHEAD_BYTES + payloadBytes;
    const report: QueuedReport = { reportId, what, order, sizeBytes, mayHaveArrived: false, isOnItsWay: false };
    this.#waiting.add(report);
    this.#bytes += sizeBytes;
    return report;
  }
}

function byBeginning(a: QueuedReport, b: QueuedReport): number {
  return a.order - b.order;
}

/** The report as JSON. */
export function textOf({ reportId, what }: QueuedReport): string {
  if (what.kind === "event") return eventReport(what.report);
  return stepReport(reportId, what.call, what.kind === "ended" ? what.outcome : null);
}
