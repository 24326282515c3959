import type { WireGap, WireNote, WireRiders, WireRunChange } from "../../core/recordings-wire.ts";
import type { SinkEvent } from "../../store/sink-events.ts";
import { bodyOf } from "./bodies.ts";

/**
 * What rides on the next write of a run: notes, gaps and changes of the run itself, since the write before. Holds texts of a
 * session in memory, and says how much of it.
 */
export class Riders {
  #notes: WireNote[] = [];
  #gaps: WireGap[] = [];
  #run: WireRunChange = {};
  #length = 0;

  /** UTF-16 units of text that ride. */
  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#notes.length === 0 && this.#gaps.length === 0 && Object.keys(this.#run).length === 0;
  }

  /** Takes a `note`, a `gap` or a `run.updated`. */
  add(event: SinkEvent): void {
    const { v: _v, owner: _owner, ...members } = bodyOf(event);
    this.#length += event.body.length;
    if (event.type === "note") this.#notes.push({ ...members, at: event.at, seq: event.seq } as unknown as WireNote);
    else if (event.type === "gap") this.#gaps.push({ ...members, at: event.at, seq: event.seq } as unknown as WireGap);
    else Object.assign(this.#run, members);
  }

  /** The run goes on there, too, after it was told to be over. */
  goesOn(): void {
    this.#run = { status: "running", ...this.#run };
  }

  /** All that rides, once. */
  take(): WireRiders {
    const riders: WireRiders = {};
    if (this.#notes.length > 0) riders.notes = this.#notes;
    if (this.#gaps.length > 0) riders.gaps = this.#gaps;
    if (Object.keys(this.#run).length > 0) riders.run = this.#run;
    this.#notes = [];
    this.#gaps = [];
    this.#run = {};
    this.#length = 0;
    return riders;
  }
}
