/** Times, spans and sizes in words. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `2026-11-24 14:03:22` in a time zone (the system's own when undefined). */
export function clock(epochMs: number, timeZone: string | undefined): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    ...(timeZone === undefined ? {} : { timeZone }),
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  const parts = Object.fromEntries(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}:${parts.second}`;
}

/** `3 min ago`. */
export function ago(epochMs: number, now: number): string {
  const passed = now - epochMs;
  if (passed < 5 * SECOND) return "just now";
  if (passed < MINUTE) return `${Math.floor(passed / SECOND)} s ago`;
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  return `${Math.floor(passed / DAY)} d ago`;
}

/** `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 20 min`. */
export function span(ms: number): string {
  if (ms < 1) return "<1 ms";
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
  return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
}

/** `512 B`, `12.3 KiB`, `4.0 GiB`. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = "B";
  for (const next of units) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  return `${value.toFixed(1)} ${unit}`;
}

/** `1 call`, `3 calls`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/**
 * A moment as people type it: `2026-11-24`, `2026-11-24T14:00`, or a span before now such as `30d`, `12h`, `15m`. Epoch
 * ms; throws an Error that says what is accepted.
 */
export function parseMoment(text: string, now: number): number {
  const before = /^(\d{1,6})(m|h|d|w)$/.exec(text);
  if (before !== null) {
    const unit = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }[before[2] as "m" | "h" | "d" | "w"];
    return now - Number(before[1]) * unit;
  }
  const date = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const moment = date === null ? parseTime(text) : localMidnight(Number(date[1]), Number(date[2]), Number(date[3]));
  if (Number.isNaN(moment))
    throw new Error("write a date (2026-11-24), a time (2026-11-24T14:00), or an age (30d, 12h)");
  return moment;
}

function parseTime(text: string): number {
  return /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text) ? Date.parse(text.replace(" ", "T")) : Number.NaN;
}

function localMidnight(year: number, month: number, day: number): number {
  const date = new Date(year, month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date.getTime() : Number.NaN;
}
