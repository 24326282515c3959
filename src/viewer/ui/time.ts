import { computed, signal } from "@preact/signals";
import { ago, span } from "../../core/text/when.ts";

/** Times in words, as people of this browser write them, and a clock that ages in the page are told from. */

/** Epoch ms, about a second old at most while `followClock` is used; ages are told from it. */
export const now = signal(Date.now());

/** Midnight before now. */
export const today = computed(() => startOfDay(now.value));

const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const EXACT = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });
const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "long" });

/** `14:03`. */
export function timeOfDay(epochMs: number): string {
  return TIME.format(epochMs);
}

/** `14:03:22.120`. */
export function exactTime(epochMs: number): string {
  return EXACT.format(epochMs);
}

/** `30 November 2026, 14:03:22.120`. */
export function exactDate(epochMs: number): string {
  return `${DATE.format(epochMs)}, ${EXACT.format(epochMs)}`;
}

/** `Today`, `Yesterday`, `Monday, 23 November 2026`. */
export function dayName(epochMs: number, today: number): string {
  const days = Math.round((startOfDay(today) - startOfDay(epochMs)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return `${WEEKDAY.format(epochMs)}, ${DATE.format(epochMs)}`;
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
