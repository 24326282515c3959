import { computed, signal } from "@preact/signals";
import { ago, span } from "../../core/text/when.ts";

/** Times in words, dates as ISO writes them and hours to 24, and a clock that ages in the page are told from. */

/** Epoch ms, about a second old at most while `followClock` is used; ages are told from it. */
export const now = signal(Date.now());

/** Midnight before now. */
export const today = computed(() => startOfDay(now.value));

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** `14:03`. */
export function timeOfDay(epochMs: number): string {
  const date = new Date(epochMs);
  return `${padded(date.getHours())}:${padded(date.getMinutes())}`;
}

/** `14:03:22.120`. */
export function exactTime(epochMs: number): string {
  const date = new Date(epochMs);
  return `${timeOfDay(epochMs)}:${padded(date.getSeconds())}.${padded(date.getMilliseconds(), 3)}`;
}

/** `2026-11-30`. */
export function isoDate(epochMs: number): string {
  const date = new Date(epochMs);
  return `${padded(date.getFullYear(), 4)}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`;
}

/** `2026-11-30 14:03:22.120`. */
export function exactDate(epochMs: number): string {
  return `${isoDate(epochMs)} ${exactTime(epochMs)}`;
}

/** `Today`, `Yesterday`, `Monday 2026-11-23`. */
export function dayName(epochMs: number, today: number): string {
  const days = Math.round((startOfDay(today) - startOfDay(epochMs)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return `${WEEKDAYS[new Date(epochMs).getDay()]} ${isoDate(epochMs)}`;
}

/** Midnight before a moment, in this browser's time zone. */
export function startOfDay(epochMs: number): number {
  return new Date(epochMs).setHours(0, 0, 0, 0);
}

/** `3 min ago`. */
export function age(epochMs: number, at: number = now.value): string {
  return ago(epochMs, at);
}

/** `3.4 s`; for what has not ended, up to a moment. */
export function duration(startedAt: number, endedAt: number | null, at: number = now.value): string {
  return span(Math.max(0, (endedAt ?? at) - startedAt));
}

function padded(number: number, length = 2): string {
  return String(number).padStart(length, "0");
}

let followers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Keeps `now` going, once a second, until the returned function is called. */
export function followClock(): () => void {
  followers += 1;
  now.value = Date.now();
  timer ??= setInterval(() => {
    if (document.visibilityState === "visible") now.value = Date.now();
  }, 1000);
  return () => {
    followers -= 1;
    if (followers > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
