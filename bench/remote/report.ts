import type { Figure } from "../figures.ts";
import {
  behaviourRows,
  cell,
  figureNotes,
  findFaults,
  lostText,
  type Measured,
  type Metric,
  metText,
  NOT_MEASURED,
  quantity,
  unavailableNotes,
} from "../report.ts";
import type { FigureResult } from "../run-figure.ts";
import { compare } from "../statistics.ts";
import type { Subject } from "../subjects.ts";

/** The measurements as Markdown: one row a metric, `bir` beside half of what the better peer takes, then what went wrong. */

/** `target`: held against the peers of the same run. */
type RemoteMetric = Metric & { target: boolean };

const METRICS: Record<Figure["measure"], RemoteMetric[]> = {
  start: [
    { name: "start_ms", title: "to the first answer", unit: "ms", form: "absolute", target: true },
    { name: "exit_ms", title: "stdin closed to exit", unit: "ms", form: "absolute", target: false },
  ],
  sequential: [
    { name: "p50_us", title: "added p50", unit: "us", form: "difference", target: true },
    { name: "p99_us", title: "added p99", unit: "us", form: "difference", target: true },
    { name: "cpu_us", title: "CPU a call", unit: "us", form: "absolute", target: false },
  ],
  pipelined: [
    { name: "calls_per_s", title: "calls/s", unit: "rate", form: "absolute", target: true },
    { name: "cpu_us", title: "CPU a call", unit: "us", form: "absolute", target: false },
  ],
  memory: [
    { name: "tree_before_mib", title: "after the handshake", unit: "mib", form: "absolute", target: true },
    { name: "tree_after_mib", title: "after 2,000 calls", unit: "mib", form: "absolute", target: true },
    { name: "tree_peak_mib", title: "peak, 64 × 1 MB in flight", unit: "mib", form: "absolute", target: true },
  ],
};

/** From this size on the few calls of a round make no p99. */
const NO_P99_BYTES = 1_000;

/** The whole table and its notes. */
export function renderRemoteReport(measured: Measured[], subjects: Subject[]): string {
  const shown = subjects.filter((subject) => measured.some(({ result }) => result.has(subject.name)));
  const others = shown.filter((subject) => subject.name !== "direct" && subject.name !== "bir");
  const target = "target: ≤ half of the better peer";
  const header = ["", "direct", "bir", target, "met", "lost", ...others.map((subject) => subject.name)];
  const rows = measured.flatMap(({ figure, result }) =>
    metricsOf(figure).map((metric) => metricRow(figure, metric, result, others)),
  );
  const table = [header, header.map(() => "---"), ...rows, ...behaviourRows(measured, others)];
  const text = table.map((row) => `| ${row.join(" | ")} |`).join("\n");
  const notes = [...unavailableNotes(subjects), ...measured.flatMap((entry) => figureNotes(entry))];
  return notes.length === 0 ? text : `${text}\n\n${notes.map((note) => `- ${note}`).join("\n")}`;
}

/** Faults of `bir` as in `bun run bench`, and steps that nobody asked for. */
export function findRemoteFaults(measured: Measured[], subjects: Subject[]): string[] {
  const surplus = measured.flatMap(({ figure, result }) =>
    [...result].flatMap(([name, { recorded }]) => {
      const steps = recorded === null ? 0 : recorded.complete + recorded.incomplete;
      if (recorded === null || steps <= recorded.calls) return [];
      return [`${name}, ${figure.title}: ${steps} steps were recorded of ${recorded.calls} calls`];
    }),
  );
  return [...findFaults(measured, subjects), ...surplus];
}

function metricsOf(figure: Figure): RemoteMetric[] {
  const all = METRICS[figure.measure];
  return figure.sizeBytes < NO_P99_BYTES ? all : all.filter(({ name }) => name !== "p99_us");
}

function metricRow(figure: Figure, metric: RemoteMetric, result: FigureResult, others: Subject[]): string[] {
  const of = (name: string) => {
    const outcome = result.get(name);
    return outcome && compare(metric.name, outcome, result.get("direct"));
  };
  const figureOf = (name: string) => (metric.form === "difference" ? of(name)?.difference : of(name)?.median);
  const peers = others.filter(({ peer }) => peer).flatMap(({ name }) => figureOf(name) ?? []);
  const limit = metric.target ? limitOf(metric, peers) : undefined;
  const own = figureOf("bir");
  const baseline = of("direct");
  return [
    `${figure.title}: ${metric.title}`,
    baseline ? quantity(baseline.median, metric.unit) : NOT_MEASURED,
    cell(metric, of("bir"), result.get("bir")),
    metric.target ? limitText(metric, limit) : "",
    metric.target ? metText(limit === undefined || own === undefined ? undefined : isWithin(metric, own, limit)) : "",
    lostText(result.get("bir")?.recorded),
    ...others.map(({ name }) => cell(metric, of(name), result.get(name))),
  ];
}

/** Half of the better peer; of a rate twice as much. */
function limitOf(metric: Metric, peers: number[]): number | undefined {
  if (peers.length === 0) return undefined;
  return metric.unit === "rate" ? 2 * Math.max(...peers) : Math.min(...peers) / 2;
}

function isWithin(metric: Metric, value: number, limit: number): boolean {
  return metric.unit === "rate" ? value >= limit : value <= limit;
}

function limitText(metric: Metric, limit: number | undefined): string {
  if (limit === undefined) return NOT_MEASURED;
  const sign = metric.form === "difference" ? "+" : "";
  return `${metric.unit === "rate" ? "≥" : "≤"} ${sign}${quantity(limit, metric.unit)}`;
}
