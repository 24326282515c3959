import type { SinkCursor } from "../../store/sink-cursor.ts";
import type { SinkEvents } from "../../store/sink-events.ts";
import type { SinkRun } from "../../store/sink-run.ts";
import { StoreError } from "../../store/store-error.ts";
import { Batcher, requestJson } from "./batch.ts";
import { runBody } from "./bodies.ts";
import type { DeliveryParts } from "./parts.ts";
import { RunFeed, type Write } from "./run-feed.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/**
 * Sends what waits of one run: one request at a time, in order, until nothing waits or the service is to be left alone. What was
 * taken is written down soon after; what was not is sent again by another delivery, under the same ids.
 */

/** The cursor is written this often at most, so that a fast service makes few transactions. */
const SAVE_EVERY_MS = 200;
const SAVE_AGAIN_MS = 50;
/** A run that was begun anew and is unknown again so soon is not begun anew once more. */
const ANEW_MS = 60_000;
/** Behind every event: of a run that is not taken at all, nothing waits. */
const NEVER = Number.MAX_SAFE_INTEGER;
/** After trouble, rows go alone at first. */
const CAUTIOUS_ROWS = 1;
const USUAL_ROWS = 64;

type Step = "go-on" | "leave";

export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #cursor: SinkCursor;
  readonly #events: SinkEvents;
  readonly #runId: string;
  readonly #salt: string;
  #batcher: Batcher;
  /** A write of this delivery was taken: what fails now fails by itself. */
  #isServiceWell = false;
  #hasFound = false;
  #isEmpty = false;
  #unsaved: { position: number; ended: SinkRun["ended"] } | null = null;
  #savedAt: number;

  constructor(parts: DeliveryParts, cursor: SinkCursor, events: SinkEvents, run: SinkRun, salt: string) {
    this.#parts = parts;
    this.#cursor = cursor;
    this.#events = events;
    this.#runId = run.runId;
    this.#salt = salt;
    this.#savedAt = parts.clock.steady();
    this.#batcher = this.#batcherAt(run, parts.suspects.get(run.runId) === undefined ? USUAL_ROWS : CAUTIOUS_ROWS);
  }

  /** Resolves when this run is to be left; false where there was nothing to send. Throws `StoreError` where the store cannot be read. */
  async work(): Promise<boolean> {
    try {
      if (!(await this.#proveService())) return true;
      while (this.#mayGoOn() && (await this.#sendNext()) === "go-on") this.#saveNowAndThen();
      return !this.#isEmpty;
    } finally {
      await this.#saveAll();
    }
  }

  #mayGoOn(): boolean {
    const { gate, isStopping } = this.#parts;
    return !isStopping() && gate.width(1) > 0;
  }

  /**
   * A run that met trouble before: the run itself is written once more, which changes nothing there. Where that is taken the
   * service is well, and what fails then fails by itself. False where it is not.
   */
  async #proveService(): Promise<boolean> {
    const suspect = this.#parts.suspects.get(this.#runId);
    if (suspect === undefined || suspect.id === this.#runId) return true;
    const run = this.#events.run(this.#runId);
    if (run === null) return false;
    const verdict = verdictOf(await this.#parts.link.write("POST", "/recordings/runs", runBody(run)));
    if (verdict.kind === "taken") this.#worked(true);
    else if (!this.#parts.isStopping()) this.#closeGate(verdict);
    return verdict.kind === "taken";
  }

  async #sendNext(): Promise<Step> {
    const batch = this.#batcher.next(this.#parts.takesArrays());
    const [first] = batch;
    if (first === undefined) {
      this.#isEmpty = !this.#hasFound;
      return "leave";
    }
    this.#hasFound = true;
    const isInVain = first.kind === "patch" && this.#cursor.isRefused(this.#runId, first.rowId ?? "");
    if (first.kind === "none" || isInVain) {
      this.#taken(batch);
      return "go-on";
    }
    const { method, path } = addressOf(this.#runId, first);
    const verdict = verdictOf(await this.#parts.link.write(method, path, requestJson(batch)));
    return this.#heed(verdict, batch, first);
  }

  #heed(verdict: Verdict, batch: readonly Write[], first: Write): Step {
    // Given up because we go: says nothing of the service.
    if (verdict.kind === "trouble" && verdict.status === null && this.#parts.isStopping()) return "leave";
    switch (verdict.kind) {
      case "taken":
        this.#worked(true);
        this.#taken(batch);
        this.#batcher.grow();
        if (batch.some(({ id }) => id === this.#parts.suspects.get(this.#runId)?.id)) {
          this.#parts.suspects.clear(this.#runId);
        }
        return "go-on";
      case "refused":
        this.#worked(false);
        if (batch.length > 1) this.#batcher.halve(batch);
        else this.#refused(first, verdict.status);
        return "go-on";
      case "unknown":
        return this.#unknown(batch, first);
      case "trouble":
        return this.#trouble(verdict, batch, first);
      default:
        this.#closeGate(verdict);
        return "leave";
    }
  }

  #trouble(verdict: Verdict & { kind: "trouble" }, batch: readonly Write[], first: Write): Step {
    const { suspects, clock, taken } = this.#parts;
    const before = suspects.get(this.#runId);
    const others = before?.id === first.id && before.takenThen < taken();
    const isItsOwn = first.kind === "run" ? others : this.#isServiceWell && before !== undefined;
    if (!isItsOwn) {
      suspects.doubt(this.#runId, first.id, clock.steady(), taken());
      this.#closeGate(verdict);
      return "leave";
    }
    if (batch.length > 1) {
      this.#batcher.halve(batch);
      return "go-on";
    }
    if (!suspects.strike(this.#runId, first.id, clock.steady(), taken())) return "leave";
    this.#refused(first, verdict.status);
    return "go-on";
  }

  #unknown(batch: readonly Write[], first: Write): Step {
    const { anew, clock } = this.#parts;
    if (first.kind === "run") {
      this.#closeGate({
        kind: "trouble",
        status: 404,
        why: "it takes no recordings at this address (HTTP 404)",
        ms: 0,
      });
      return "leave";
    }
    const now = clock.steady();
    const before = anew.get(this.#runId);
    const isSoon = before !== undefined && now - before.at < ANEW_MS;
    if (before?.id === first.id || (isSoon && first.kind === "patch")) {
      if (batch.length > 1) this.#batcher.halve(batch);
      else this.#refused(first, 404);
      return "go-on";
    }
    if (isSoon) {
      this.#closeGate({ kind: "trouble", status: 404, why: "it loses what it has taken (HTTP 404)", ms: 0 });
      return "leave";
    }
    anew.set(this.#runId, { id: first.id, at: now });
    this.#unsaved = null;
    this.#cursor.beginAnew(this.#runId);
    const run = this.#cursor.run(this.#runId);
    if (run === null) return "leave";
    this.#batcher = this.#batcherAt(run, USUAL_ROWS);
    return "go-on";
  }

  /** A service that was asked for something in vain is left alone for a while. */
  #closeGate(verdict: Verdict): void {
    if (verdict.kind === "sign-in") this.#parts.closed("sign-in", verdict.why, this.#runId, 0);
    else if (verdict.kind === "wait") this.#parts.closed("asked", verdict.why, this.#runId, verdict.ms);
    else if (verdict.kind === "trouble") this.#parts.closed("trouble", verdict.why, this.#runId, verdict.ms);
    else {
      const why =
        verdict.kind === "refused" ? `it answers HTTP ${verdict.status}` : "it takes no recordings at this address";
      this.#parts.closed("trouble", why, this.#runId, 0);
    }
  }

  #worked(isTaken: boolean): void {
    this.#isServiceWell = true;
    this.#parts.worked(isTaken);
  }

  #refused(write: Write, status: number | null): void {
    const { clock, refused } = this.#parts;
    this.#cursor.refuse(this.#runId, write.id, status, clock.now());
    refused(this.#runId, status);
    if (write.kind !== "run") this.#taken([write]);
    else {
      // Without its run no row of it can be taken.
      this.#unsaved = { position: NEVER, ended: "failed" };
      this.#batcher = this.#batcherAt({ ...noRun(this.#runId), position: NEVER }, USUAL_ROWS);
    }
  }

  /** These are done with. */
  #taken(batch: readonly Write[]): void {
    for (const { upTo, ended } of batch) if (upTo !== null) this.#unsaved = { position: upTo, ended };
  }

  #batcherAt(run: SinkRun, rows: number): Batcher {
    return new Batcher(new RunFeed(this.#events, run, this.#salt), rows);
  }

  #saveNowAndThen(): void {
    if (this.#parts.clock.steady() - this.#savedAt < SAVE_EVERY_MS) return;
    this.#save();
  }

  /** False where another process writes just now. */
  #save(): boolean {
    this.#savedAt = this.#parts.clock.steady();
    if (this.#unsaved === null) return true;
    try {
      this.#cursor.advance(this.#runId, this.#unsaved.position, this.#unsaved.ended);
      this.#unsaved = null;
      return true;
    } catch (cause) {
      if (cause instanceof StoreError && cause.failure === "busy") return false;
      throw cause;
    }
  }

  async #saveAll(): Promise<void> {
    while (!this.#save()) await this.#parts.clock.wait(SAVE_AGAIN_MS);
  }
}

function addressOf(runId: string, { kind, rowId }: Write): { method: "POST" | "PATCH"; path: string } {
  if (kind === "run") return { method: "POST", path: "/recordings/runs" };
  const path = `/recordings/runs/${encodeURIComponent(runId)}`;
  if (kind === "finish") return { method: "POST", path: `${path}/finish` };
  if (kind === "row") return { method: "POST", path: `${path}/steps` };
  return { method: "PATCH", path: `${path}/steps/${encodeURIComponent(rowId ?? "")}` };
}

function noRun(runId: string): SinkRun {
  return { runId, position: 0, latest: 0, tail: 0, ending: null, ended: null };
}
