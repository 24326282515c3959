import type { NoteKind, StepStatus } from "../../../core/run.ts";
import type { AgentStory, Story, StoryPart } from "../../../core/story.ts";
import { isSlow } from "../story/slow-calls.ts";
import { type AxisScale, axisScale } from "./axis-scale.ts";

/** What the time axis draws of a story: calls as bars in lanes, notes and gaps as ticks. Pure, linear in the run's length. */

export interface AxisBar {
  key: string;
  from: number;
  to: number;
  lane: number;
  status: StepStatus;
  isSlow: boolean;
  /** Of a subagent: which one, counted from 1; 0 is the main agent. */
  agent: number;
}

export interface AxisTick {
  key: string;
  /** Both the same moment, epoch ms. */
  from: number;
  to: number;
  kind: NoteKind | "gap";
}

export interface AxisModel {
  scale: AxisScale;
  bars: readonly AxisBar[];
  ticks: readonly AxisTick[];
  laneCount: number;
  /** Calls that had to share a lane with others of the same time. */
  sharedCount: number;
}

/** Lanes of calls that run side by side, of all agents together. */
const MOST_LANES = 12;
/**
 * What is known of a call's beginning: a whole millisecond, and now and then taken a little late. Calls that may have followed
 * each other as far as that can tell are never drawn as if they had run side by side.
 */
const ROUNDED_MS = 1;
const LATE_MS = 7;

/** Lays out a story; what still runs ends at `now` (epoch ms). */
export function axisModel(story: Story, now: number, slowMs: number): AxisModel {
  const lanes = new Lanes();
  const bars: AxisBar[] = [];
  const ticks: AxisTick[] = [];
  const numbers = new Map([...story.agents.keys()].map((id, index) => [id, index + 1]));
  const groups: { parts: readonly StoryPart[]; agent: number }[] = [
    { parts: story.parts, agent: 0 },
    ...[...story.agents.values()].map(({ id, parts }: AgentStory) => ({ parts, agent: numbers.get(id) ?? 0 })),
  ];
  for (const { parts, agent } of groups) {
    if (agent === 1) lanes.beginAgents();
    for (const part of parts) {
      const { key, at } = part;
      if (part.kind === "note") ticks.push({ key, from: at, to: at, kind: part.note.kind });
      else if (part.kind === "gap") ticks.push({ key, from: at, to: at, kind: "gap" });
      else if (part.kind === "step") {
        const { step } = part;
        const to = at + (step.durationMs ?? (step.status === "running" ? Math.max(0, now - at) : 0));
        const lane = lanes.take(at, to);
        bars.push({ key, from: at, to, lane, status: step.status, isSlow: isSlow(step, slowMs), agent });
      }
    }
  }
  bars.sort((a, b) => a.from - b.from);
  ticks.sort((a, b) => a.from - b.from);
  const scale = axisScale(merged(bars, ticks, story, now));
  return { scale, bars, ticks, laneCount: Math.max(1, lanes.count), sharedCount: lanes.shared };
}

/** The bar or tick that belongs to a part; its times. */
export function spanOf(model: AxisModel, key: string | null): { from: number; to: number } | null {
  if (key === null) return null;
  const bar = model.bars.find((each) => each.key === key);
  if (bar !== undefined) return bar;
  return model.ticks.find((each) => each.key === key) ?? null;
}

function merged(bars: readonly AxisBar[], ticks: readonly AxisTick[], { run }: Story, now: number) {
  const end = run.endedAt ?? (run.status === "running" ? now : run.startedAt);
  const last = Math.max(end, run.startedAt);
  const ends = [run.startedAt, last].map((at) => ({ from: at, to: at }));
  return [...bars, ...ticks, ...ends].sort((a, b) => a.from - b.from);
}

/**
 * Hands out lanes: each call the first that may have been free when it began. Subagents stay below the main agent's lanes, and
 * none gets into one that another has not done with.
 */
class Lanes {
  count = 0;
  shared = 0;
  #first = 0;
  /** When the calls of each lane were over at the earliest. */
  #ends: number[] = [];

  /** What follows is of subagents, one after the other as they began. */
  beginAgents(): void {
    // Where the main agent has taken all of them they share the last.
    this.#first = Math.min(this.count, MOST_LANES - 1);
    this.#ends = [];
  }

  take(from: number, to: number): number {
    const room = MOST_LANES - this.#first;
    let lane = this.#ends.findIndex((end) => end <= from + ROUNDED_MS);
    if (lane < 0) {
      if (this.#ends.length < room) lane = this.#ends.length;
      else {
        lane = room - 1;
        this.shared++;
      }
    }
    const before = this.#ends[lane] ?? Number.NEGATIVE_INFINITY;
    const began = Math.min(from, Math.max(before, from - LATE_MS));
    this.#ends[lane] = Math.max(before, began + to - from);
    this.count = Math.max(this.count, this.#first + lane + 1);
    return this.#first + lane;
  }
}
