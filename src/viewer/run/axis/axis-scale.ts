/**
 * The scale of a run's time axis: time in which nothing happened for long is cut out, and what is left is spread evenly. Units
 * are milliseconds of time that is shown. Pure.
 */

/** Time that is cut out, epoch ms. */
export interface Idle {
  from: number;
  to: number;
}

export interface AxisScale {
  /** Length of the whole axis in its own units. */
  length: number;
  idles: readonly Idle[];
  /** Where a moment stands, in units from the beginning. */
  unitsAt(epochMs: number): number;
  /** The moment at a place; somewhere within the cut for a place where time is cut out. */
  timeAt(units: number): number;
}

/** Shorter idle time is never cut, ms. */
const LEAST_CUT_MS = 5000;
/** Idle time is cut where it is this part of all that would be shown, … */
const CUT_SHARE = 0.4;
/** … or so many times as long as it usually is in this run: an agent thinks between most of its calls. */
const CUT_TIMES_MEDIAN = 20;
/** What is left of a stretch that is cut, as a part of all that is shown. */
const KEPT_SHARE = 0.04;

/** The scale for spans of time (epoch ms) sorted by their beginnings. */
export function axisScale(spans: readonly { from: number; to: number }[]): AxisScale {
  const busy = busyStretches(spans);
  const first = busy[0]?.from ?? 0;
  const { cutFromMs, shownMs } = cutting(busy);
  const keptMs = Math.max(shownMs * KEPT_SHARE, 1);

  const times: number[] = [first];
  const units: number[] = [0];
  const idles: Idle[] = [];
  let end = first;
  let at = 0;
  const add = (time: number, length: number) => {
    at += length;
    end = time;
    times.push(time);
    units.push(at);
  };
  for (const { from, to } of busy) {
    if (from > end) {
      const isCut = from - end >= cutFromMs;
      if (isCut) idles.push({ from: end, to: from });
      add(from, isCut ? keptMs : from - end);
    }
    if (to > end) add(to, to - end);
  }
  const length = Math.max(at, 1);
  return {
    length,
    idles,
    unitsAt: (epochMs) => between(times, units, epochMs),
    timeAt: (place) => between(units, times, place),
  };
}

/** Marks at round times for a part of the axis: where, and what is written there. At most `count`, never in a cut. */
export function axisMarks(
  scale: AxisScale,
  from: number,
  to: number,
  count: number,
): { units: number; sinceStartMs: number }[] {
  const start = scale.timeAt(0);
  const stepMs = STEPS_MS.find((step) => (to - from) / step <= count) ?? (STEPS_MS.at(-1) as number);
  const marks: { units: number; sinceStartMs: number }[] = [];
  const first = Math.ceil((scale.timeAt(from) - start) / stepMs);
  const last = Math.floor((scale.timeAt(to) - start) / stepMs);
  let cut = 0;
  for (let index = first; index <= last && marks.length < count * 2; index++) {
    const time = start + index * stepMs;
    while ((scale.idles[cut]?.to ?? Number.POSITIVE_INFINITY) <= time) cut++;
    const idle = scale.idles[cut];
    if (idle !== undefined && time > idle.from && time < idle.to) {
      index = Math.max(index, Math.ceil((idle.to - start) / stepMs) - 1);
      continue;
    }
    marks.push({ units: scale.unitsAt(time), sinceStartMs: index * stepMs });
  }
  return marks;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((ms) => ms),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 10, 30, 100, 365].map((count) => count * DAY),
];

/** `0`, `250 ms`, `12 s`, `3:05`, `2 h 30`, `3 d 6 h`: how long after the beginning. */
export function sinceStart(ms: number): string {
  if (ms === 0) return "0";
  if (ms < SECOND) return `${ms} ms`;
  if (ms < MINUTE) return ms % SECOND === 0 ? `${ms / SECOND} s` : `${(ms / SECOND).toFixed(ms % 100 === 0 ? 1 : 3)} s`;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}:${two((ms % MINUTE) / SECOND)}`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${two((ms % HOUR) / MINUTE)}`;
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
}

/** From which length idle time is cut, and how much time is left then. */
function cutting(busy: readonly { from: number; to: number }[]): { cutFromMs: number; shownMs: number } {
  const idle = new Float64Array(Math.max(0, busy.length - 1));
  for (let index = 0; index < idle.length; index++) {
    idle[index] = (busy[index + 1]?.from ?? 0) - (busy[index]?.to ?? 0);
  }
  idle.sort();
  const median = idle[idle.length >> 1] ?? 0;
  let shownMs = (busy.at(-1)?.to ?? 0) - (busy[0]?.from ?? 0);
  let cutFromMs = Number.POSITIVE_INFINITY;
  for (const length of idle.toReversed()) {
    const isLong = length > shownMs * CUT_SHARE || length > median * CUT_TIMES_MEDIAN;
    if (length < LEAST_CUT_MS || !isLong) break;
    cutFromMs = length;
    shownMs -= length;
  }
  return { cutFromMs, shownMs };
}

/** Where spans overlap or touch they are one. */
function busyStretches(spans: readonly { from: number; to: number }[]): { from: number; to: number }[] {
  const stretches: { from: number; to: number }[] = [];
  let last: { from: number; to: number } | undefined;
  for (const { from, to } of spans) {
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else {
      last = { from, to: Math.max(from, to) };
      stretches.push(last);
    }
  }
  return stretches;
}

/** Piecewise linear, held at both ends; both rows ascend. */
function between(from: readonly number[], to: readonly number[], value: number): number {
  let low = 0;
  let high = from.length - 1;
  if (value <= (from[0] ?? 0)) return to[0] ?? 0;
  if (value >= (from[high] ?? 0)) return to[high] ?? 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  const span = (from[high] ?? 0) - (from[low] ?? 0);
  const share = span === 0 ? 0 : (value - (from[low] ?? 0)) / span;
  return (to[low] ?? 0) + share * ((to[high] ?? 0) - (to[low] ?? 0));
}
