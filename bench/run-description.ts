import { cpus, release } from "node:os";
import type { Options } from "./options.ts";
import type { Measured } from "./report.ts";
import { compare } from "./statistics.ts";

/** What was run and on what, for a person, and every sample of it as JSON. */

/** One line to stand above the table. */
export function describeRun(options: Options): string {
  const where = options.pin >= 0 ? `all on CPU ${options.pin}` : "not pinned";
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown CPU"}, Linux ${release()}`;
  return (
    `${machine}; ${where}, ${options.stdio} stdio, ${options.payload} payload, ${options.rounds} rounds. ` +
    "+D and ×R: medians over rounds of the difference and ratio to direct in the same round."
  );
}

/** The text of `--json FILE`. */
export function toJson(options: Options, measured: Measured[]): string {
  const figures = measured.map(({ figure, result }) => ({
    ...figure,
    subjects: Object.fromEntries(
      [...result].map(([name, outcome]) => {
        const names = new Set([...outcome.rounds.values()].flatMap((samples) => Object.keys(samples)));
        const metrics = [...names].map((metric) => [metric, compare(metric, outcome, result.get("direct"))]);
        return [name, { ...outcome, metrics: Object.fromEntries(metrics), rounds: Object.fromEntries(outcome.rounds) }];
      }),
    ),
  }));
  return `${JSON.stringify({ options, machine: { cpu: cpus()[0]?.model, cores: cpus().length }, figures }, null, 2)}\n`;
}
