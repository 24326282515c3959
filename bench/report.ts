import type { Figure } from "./figures.ts";
import type { Recorded } from "./lost-count.ts";
import type { FigureResult, Outcome } from "./run-figure.ts";
import { type Compared, compare } from "./statistics.ts";
import type { Subject } from "./subjects.ts";
import { type Form, isMet, TARGETS, type Target } from "./targets.ts";

/** The measurements as Markdown: one row a metric, `bir` beside its target, then the peers, then what went wrong. */

export interface Measured {
  figure: Figure;
  result: FigureResult;
}

export interface Metric {
  name: string;
  title: string;
  unit: Unit;
  form: Form;
}

export type Unit = "us" | "ms" | "mib" | "rate";

const METRICS: Record<Figure["measure"], Metric[]> = {
  start: [
    { name: "start_ms", title: "to the first answer", unit: "ms", form: "difference" },
    { name: "exit_ms", title: "stdin closed to exit", unit: "ms", form: "difference" },
  ],
  sequential: [
    { name: "p50_us", title: "p50", unit: "us", form: "difference" },
    { name: "p99_us", title: "p99", unit: "us", form: "difference" },
    { name: "mean_us", title: "mean", unit: "us", form: "difference" },
    { name: "cpu_us", title: "CPU a call", unit: "us", form: "difference" },
  ],
  pipelined: [
    { name: "calls_per_s", title: "calls/s", unit: "rate", form: "ratio" },
    { name: "cpu_us", title: "CPU a call", unit: "us", form: "difference" },
    { name: "exit_ms", title: "stdin closed to exit", unit: "ms", form: "difference" },
  ],
  memory: [
    { name: "rss_before_mib", title: "before the first call", unit: "mib", form: "absolute" },
    { name: "rss_after_mib", title: "after 2,000 calls", unit: "mib", form: "absolute" },
    { name: "rss_peak_mib", title: "peak, large messages", unit: "mib", form: "absolute" },
    { name: "anonymous_before_mib", title: "anonymous, before the first call", unit: "mib", form: "absolute" },
    { name: "anonymous_after_mib", title: "anonymous, after 2,000 calls", unit: "mib", form: "absolute" },
  ],
};

export const NOT_MEASURED = "—";

/** The whole table and its notes. */
export function renderReport(measured: Measured[], subjects: Subject[]): string {
  const shown = subjects.filter((subject) => measured.some(({ result }) => result.has(subject.name)));
  const others = shown.filter((subject) => subject.name !== "direct" && subject.name !== "bir");
  const header = ["", "direct", "bir", "target [C relay]", "met", "lost", ...others.map((subject) => subject.name)];
  const rows = measured.flatMap(({ figure, result }) =>
    METRICS[figure.measure].map((metric) => metricRow(figure, metric, result, others)),
  );
  const table = [header, header.map(() => "---"), ...rows, ...behaviourRows(measured, others)];
  const text = table.map((row) => `| ${row.join(" | ")} |`).join("\n");
  const notes = [...unavailableNotes(subjects), ...measured.flatMap((entry) => figureNotes(entry))];
  return notes.length === 0 ? text : `${text}\n\n${notes.map((note) => `- ${note}`).join("\n")}`;
}

/** Names what makes a run of the benchmark worthless: no `bir`, or calls lost and answers changed by it. */
export function findFaults(measured: Measured[], subjects: Subject[]): string[] {
  const own = subjects.filter((subject) => !subject.peer && subject.name !== "direct");
  const missing = own.flatMap(({ name, unavailable }) => (unavailable ? [`${name}: ${unavailable}`] : []));
  return missing.concat(measured.flatMap(({ figure, result }) => figureFaults(figure, result, own)));
}

function figureFaults(figure: Figure, result: FigureResult, own: Subject[]): string[] {
  return own.flatMap(({ name }) => {
    const outcome = result.get(name);
    if (!outcome) return [];
    const { summary, recorded } = outcome;
    const faults: string[] = [];
    if (recorded && recorded.lost > 0) faults.push(`${recorded.lost} of ${recorded.calls} calls were lost`);
    if (summary.changed > 0) faults.push(`${summary.changed} of ${summary.compared} answers were changed`);
    if (summary.failures > 0) faults.push(summary.reason);
    if (summary.leaked > 0) faults.push(`${summary.leaked} processes were left behind`);
    return faults.map((fault) => `${name}, ${figure.title}: ${fault}`);
  });
}

function metricRow(figure: Figure, metric: Metric, result: FigureResult, others: Subject[]): string[] {
  const yardstick = result.get("direct");
  const of = (name: string) => {
    const outcome = result.get(name);
    return outcome && compare(metric.name, outcome, yardstick);
  };
  const targets = TARGETS.filter((target) => target.figure === figure.id && target.metric === metric.name);
  const baseline = of("direct");
  return [
    `${figure.title}: ${metric.title}`,
    baseline ? quantity(baseline.median, metric.unit) : NOT_MEASURED,
    cell(metric, of("bir"), result.get("bir")),
    targets.map((target) => targetText(target, metric.unit)).join("; "),
    targets.map((target) => metText(isMet(target, of(target.subject)))).join("; "),
    lostText(result.get("bir")?.recorded),
    ...others.map(({ name }) => cell(metric, of(name), result.get(name))),
  ];
}

export function cell(metric: Metric, compared: Compared | undefined, outcome: Outcome | undefined): string {
  if (!compared) return outcome && outcome.summary.failures > 0 ? "failed" : NOT_MEASURED;
  const absolute = quantity(compared.median, metric.unit);
  if (metric.form === "absolute" || compared.difference === undefined || compared.ratio === undefined) return absolute;
  if (metric.form === "ratio") return `×${number(compared.ratio)} (${absolute})`;
  const sign = compared.difference < 0 ? "−" : "+";
  return `${sign}${quantity(Math.abs(compared.difference), metric.unit)} (×${number(compared.ratio)})`;
}

function targetText(target: Target, unit: Unit): string {
  const show = (value: number) => {
    if (target.form === "ratio") return `×${value}`;
    return target.form === "difference" ? `+${quantity(value, unit)}` : quantity(value, unit);
  };
  const whose = target.subject === "bir" ? "" : `${target.subject} `;
  const floor = target.floor === undefined ? "" : ` [${show(target.floor)}]`;
  return `${whose}${target.better === "lower" ? "≤" : "≥"} ${show(target.limit)}${floor}`;
}

export function metText(met: boolean | undefined): string {
  return met === undefined ? NOT_MEASURED : met ? "yes" : "**no**";
}

export function lostText(recorded: Recorded | null | undefined): string {
  if (!recorded) return NOT_MEASURED;
  return recorded.calls === 0 ? "no calls" : `${recorded.lost} of ${recorded.calls}`;
}

export function behaviourRows(measured: Measured[], others: Subject[]): string[][] {
  const row = (title: string, tell: (outcomes: Outcome[]) => string) => {
    const of = (name: string) => measured.flatMap(({ result }) => result.get(name) ?? []);
    const own = of("bir");
    const tellOrNot = (outcomes: Outcome[]) => (outcomes.length === 0 ? NOT_MEASURED : tell(outcomes));
    return [title, "", tellOrNot(own), "", "", "", ...others.map(({ name }) => tellOrNot(of(name)))];
  };
  const sum = (outcomes: Outcome[], field: "changed" | "compared" | "stubborn" | "leaked") =>
    outcomes.reduce((total, outcome) => total + outcome.summary[field], 0);
  return [
    row("answers byte-identical", (outcomes) => {
      if (sum(outcomes, "compared") === 0) return NOT_MEASURED;
      return sum(outcomes, "changed") === 0 ? "yes" : "no";
    }),
    row("ends when its stdin is closed", (outcomes) => (sum(outcomes, "stubborn") === 0 ? "yes" : "no")),
    row("processes left behind", (outcomes) => String(sum(outcomes, "leaked"))),
  ];
}

export function unavailableNotes(subjects: Subject[]): string[] {
  return subjects.flatMap(({ name, unavailable }) => (unavailable ? [`${name} was not measured: ${unavailable}`] : []));
}

export function figureNotes({ figure, result }: Measured): string[] {
  const notes: string[] = [];
  for (const [name, { rounds, summary, recorded, lastWords }] of result) {
    const where = `${name}, ${figure.title}`;
    if (summary.failures > 0) {
      const words = lastWords === "" ? "" : ` (its last line on stderr: ${lastWords})`;
      notes.push(`${where}: ${summary.reason}${words}`);
    } else if (rounds.size < figure.rounds) {
      notes.push(`${where}: too slow for all rounds, measured in ${rounds.size} of ${figure.rounds}`);
    }
    if (summary.badExits > 0) notes.push(`${where}: ended ${summary.badExits} times with status ${summary.lastExit}`);
    if (recorded?.problem) notes.push(`${where}: ${recorded.problem}`);
    if (recorded && (recorded.incomplete > 0 || recorded.gaps > 0)) {
      notes.push(`${where}: ${recorded.incomplete} steps without an answer; its gaps tell of ${recorded.gaps} lost`);
    }
  }
  return notes;
}

export function quantity(value: number, unit: Unit): string {
  if (unit === "mib") return `${value.toFixed(1)} MiB`;
  if (unit === "rate") return value >= 1000 ? `${number(value / 1000)}k/s` : `${number(value)}/s`;
  if (unit === "us" && value < 1000) return `${number(value)} µs`;
  const ms = unit === "us" ? value / 1000 : value;
  return ms >= 1000 ? `${number(ms / 1000)} s` : `${number(ms)} ms`;
}

/** Three significant digits, without an exponent. */
function number(value: number): string {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 3));
}
