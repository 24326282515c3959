import type { RunStatus } from "../../core/run.ts";
import type { SinkEvent, SinkEvents } from "../../store/sink-events.ts";
import type { SinkRun } from "../../store/sink-run.ts";
import {
  answerBody,
  bodyOf,
  carrierBody,
  finishBody,
  responseBody,
  responseId,
  runBody,
  selectedBody,
  selectedId,
  tellsOfOutcome,
  unopenedBody,
  updateBody,
} from "./bodies.ts";
import { Riders } from "./riders.ts";

/**
 * One run as the writes that tell it to a service, from where the service stands. The same journal makes the same writes under
 * the same ids at every reading, wherever it begins: so whatever is sent again changes nothing there. Holds one page of events
 * without payloads, and what rides on the next write.
 */

/** `run`: the run itself · `row`: POST of a row · `patch`: of a row that is there · `finish` · `none`: there is nothing to tell. */
export type WriteKind = "run" | "row" | "patch" | "finish" | "none";

export interface Write {
  kind: WriteKind;
  /** What it is known by: of the row, or of the write. */
  id: string;
  /** The row that a PATCH is of. */
  rowId: string | null;
  json: string;
  /** Once it is taken the service has the events up to here; null: it is the first of several writes for one event. */
  upTo: number | null;
  /** It tells that the run is over, and how. */
  ended: RunStatus | null;
}

/** Riders over this are sent by a write of their own, where there is a row to hang it on. */
const MAX_RIDING_LENGTH = 256 * 1024;

/** What is known of a step: its row for the call is there, its row for the answer is. */
const SELECTED = 1;
const ANSWERED = 2;

export class RunFeed {
  readonly #events: SinkEvents;
  readonly #runId: string;
  readonly #salt: string;
  readonly #riders = new Riders();
  readonly #rows = new Map<number, number>();
  readonly #ready: Write[] = [];
  #ending: SinkRun["ending"];
  #ended: RunStatus | null;
  #isThere: boolean;
  #position: number;
  #page: SinkEvent[] = [];
  #lastRow: string | null = null;
  #answer: string | null;

  /** `salt` tells the writes of one store from those of another. */
  constructor(events: SinkEvents, run: SinkRun, salt: string) {
    this.#events = events;
    this.#runId = run.runId;
    this.#salt = salt;
    this.#ending = run.ending;
    this.#ended = run.ended;
    this.#isThere = run.position >= 0;
    this.#position = Math.max(0, run.position);
    const { steps, lastStepId, answer } = events.before(run.runId, this.#position);
    for (const { seq, type } of steps) this.#note(seq, type);
    this.#lastRow = lastStepId === null ? null : selectedId(lastStepId);
    this.#answer = answer;
    if (this.#ended === "abandoned") this.#riders.goesOn();
  }

  /** The last event that was read. */
  get position(): number {
    return this.#position;
  }

  /** The next write; null where there is none (yet). */
  next(): Write | null {
    if (!this.#isThere) return this.#first();
    for (;;) {
      const ready = this.#ready.shift();
      if (ready !== undefined) return ready;
      if (this.#ending !== null && this.#position >= this.#ending.position) return this.#endingWrite(this.#ending);
      const event = this.#nextEvent();
      if (event === null) return null;
      this.#position = event.position;
      this.#tell(event);
    }
  }

  #nextEvent(): SinkEvent | null {
    if (this.#page.length === 0) this.#page = this.#events.page(this.#runId, this.#position).toReversed();
    return this.#page.pop() ?? null;
  }

  #first(): Write | null {
    const run = this.#events.run(this.#runId);
    if (run === null) return null;
    this.#isThere = true;
    const opening = this.#nextEvent();
    const isFirst = opening?.type === "run.opened";
    if (opening !== null && !isFirst) this.#page.push(opening);
    if (isFirst) this.#position = opening.position;
    return { kind: "run", id: this.#runId, rowId: null, json: runBody(run), upTo: this.#position, ended: null };
  }

  #tell(event: SinkEvent): void {
    switch (event.type) {
      case "run.opened":
        return;
      case "step.opened":
      case "step.updated":
      case "step.closed":
        this.#tellOfStep(event);
        return;
      case "run.closed":
        this.#tellOfEnd(event);
        return;
      default:
        this.#riders.add(event);
        if (event.type === "run.updated") this.#learn(bodyOf(event));
        if (this.#riders.length > MAX_RIDING_LENGTH && this.#lastRow !== null) this.#carry(event, this.#lastRow);
    }
  }

  #learn({ finalAnswer }: Record<string, unknown>): void {
    if (typeof finalAnswer === "string") this.#answer = finalAnswer;
  }

  #tellOfStep(event: SinkEvent): void {
    const { seq, type } = event;
    const known = this.#rows.get(seq) ?? 0;
    const stepId = String(bodyOf(event).stepId);
    const selected = selectedId(stepId);
    const payload = event.hasPayload ? this.#events.payload(event.position) : null;
    const writeId = this.#writeId(event);
    const riders = this.#riders.take();
    this.#note(seq, type);
    if (type === "step.closed") {
      const row = responseId(stepId);
      if ((known & ANSWERED) === 0) this.#row(event, row, responseBody(event, payload, riders));
      else this.#patch(event, row, responseBody(event, payload, riders, writeId));
      return;
    }
    this.#lastRow = selected;
    if (type === "step.opened") {
      if ((known & SELECTED) === 0) this.#row(event, selected, selectedBody(event, payload, riders));
      else this.#patch(event, selected, selectedBody(event, payload, riders, writeId));
      return;
    }
    if ((known & SELECTED) !== 0) {
      this.#patch(event, selected, updateBody(event, payload, riders, writeId));
      return;
    }
    const isMore = tellsOfOutcome(event);
    this.#row(event, selected, unopenedBody(event, payload, riders), !isMore);
    if (isMore) this.#patch(event, selected, updateBody(event, payload, {}, writeId));
  }

  #tellOfEnd(event: SinkEvent): void {
    const status = bodyOf(event).status as RunStatus;
    if (this.#answer !== null) {
      const id = `${this.#runId}-answer-${this.#writeId(event)}`;
      this.#row(event, id, answerBody(event, id, this.#answer, this.#riders.take()), false);
    }
    this.#finish(event.position, { writeId: this.#writeId(event), status, at: event.at });
  }

  /** An end that no event tells: the run was left by its owner, or something became known of it after its end. */
  #endingWrite({ position, status }: NonNullable<SinkRun["ending"]>): Write | null {
    this.#ending = null;
    if (status !== "abandoned" && this.#riders.isEmpty) {
      return { kind: "none", id: "", rowId: null, json: "", upTo: position, ended: status };
    }
    const last = this.#events.lastBefore(this.#runId, position);
    const at = (status === "abandoned" ? last?.at : (last?.closedAt ?? last?.at)) ?? 0;
    this.#finish(position, { writeId: `${this.#salt}-end-${position}`, status, at });
    return this.#ready.shift() ?? null;
  }

  #finish(upTo: number, ending: { writeId: string; status: RunStatus; at: number }): void {
    const run = this.#events.run(this.#runId);
    if (run === null) return;
    const json = finishBody({ ...ending, finalOutput: this.#answer }, run, this.#riders.take());
    this.#ready.push({ kind: "finish", id: ending.writeId, rowId: null, json, upTo, ended: ending.status });
    if (ending.status === "abandoned") this.#riders.goesOn();
  }

  /** Much rides: it is sent with a PATCH that changes nothing else. */
  #carry(event: SinkEvent, rowId: string): void {
    this.#patch(event, rowId, carrierBody(this.#writeId(event), this.#riders.take()));
  }

  #row({ position }: SinkEvent, id: string, json: string, isLast = true): void {
    this.#ready.push({ kind: "row", id, rowId: null, json, upTo: isLast ? position : null, ended: null });
  }

  #patch(event: SinkEvent, rowId: string, json: string): void {
    this.#ready.push({ kind: "patch", id: this.#writeId(event), rowId, json, upTo: event.position, ended: null });
  }

  #writeId({ position }: SinkEvent): string {
    return `${this.#salt}-${position}`;
  }

  #note(seq: number, type: string): void {
    this.#rows.set(seq, (this.#rows.get(seq) ?? 0) | (type === "step.closed" ? ANSWERED : SELECTED));
  }
}
