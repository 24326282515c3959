import type { Compared } from "./statistics.ts";

/** What `bir` is meant to reach with the portable relay and recording on, beside what a relay in C costs. */

export type Form = "difference" | "ratio" | "absolute";

export interface Target {
  figure: string;
  metric: string;
  subject: "bir" | "no-record";
  form: Form;
  limit: number;
  /** Whether reaching it means staying at or below the limit, or at or above it. */
  better: "lower" | "higher";
  /** What a relay in C that records nothing costs; undefined where it was not measured. */
  floor: number | undefined;
}

export const TARGETS: readonly Target[] = [
  target("start", "start_ms", "difference", 6),
  target("calls-200", "p50_us", "difference", 28, 10),
  target("calls-10240", "p50_us", "difference", 45, 15),
  target("calls-1048576", "p50_us", "ratio", 3.3, 2.0),
  target("calls-20971520", "p50_us", "ratio", 1.9, 1.64),
  { ...target("burst", "calls_per_s", "ratio", 0.2), better: "higher" },
  { ...target("burst", "calls_per_s", "ratio", 0.35), better: "higher", subject: "no-record" },
  target("memory", "rss_before_mib", "absolute", 31),
  target("memory", "rss_after_mib", "absolute", 40),
  target("memory", "rss_peak_mib", "absolute", 72),
  target("everything", "p50_us", "difference", 80),
];

function target(figure: string, metric: string, form: Form, limit: number, floor?: number): Target {
  return { figure, metric, subject: "bir", form, limit, better: "lower", floor };
}

/** The number of a comparison that a target speaks of. */
function valueFor(form: Form, compared: Compared): number | undefined {
  if (form === "absolute") return compared.median;
  return form === "difference" ? compared.difference : compared.ratio;
}

/** Undefined when it was not measured. */
export function isMet(wanted: Target, compared: Compared | undefined): boolean | undefined {
  const value = compared && valueFor(wanted.form, compared);
  if (value === undefined) return undefined;
  return wanted.better === "lower" ? value <= wanted.limit : value >= wanted.limit;
}
