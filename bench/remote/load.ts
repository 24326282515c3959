import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { byMinute, growthFault, type MemorySample, trend } from "./load/memory.ts";
import { type LoadResult, runLoad } from "./load/run-load.ts";

/**
 * `bun run bench:load`: calls kept in flight through one `bir proxy --url` for minutes, to a server with sessions that
 * expire and streams that are dropped. Prints how much memory it took over time and everything that went wrong; ends with
 * 1 if anything did. `test/process/remote-load.test.ts` is the same, small.
 */

const USAGE = `usage: bun run bench:load [--minutes N] [--in-flight N] [--delay MS] [--calls-per-session N] [--bir PATH] [--keep]

  --minutes            how long (10); parts of a minute are allowed
  --in-flight          calls that are open at any time (200)
  --delay              an answer takes at most so many milliseconds (300)
  --calls-per-session  after so many calls a session of the server is gone (20000)
  --bir                the executable to measure (dist/bir)
  --keep               leave the recordings in their temporary directory`;

const EXECUTABLE = join(import.meta.dirname, "../../dist/bir");
const SAMPLE_MS = 2000;
const MINUTE_MS = 60_000;
const MOST_FAULTS = 40;
/** The first minute is shown in steps of so long. */
const STEP_MS = 10_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    "in-flight": { type: "string", default: "200" },
    delay: { type: "string", default: "300" },
    "calls-per-session": { type: "string", default: "20000" },
    bir: { type: "string", default: EXECUTABLE },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

async function main(): Promise<number> {
  const executable = resolve(values.bir);
  if (process.platform !== "linux" || !existsSync(executable)) {
    console.error(`the load test needs Linux and ${executable}: \`bun run build\` makes it`);
    return 3;
  }
  const directory = mkdtempSync(join(tmpdir(), "bir-load-"));
  const endsAt = performance.now() + Number(values.minutes) * MINUTE_MS;
  try {
    const result = await runLoad({
      executable,
      env: { PATH: process.env.PATH ?? "", HOME: directory },
      home: directory,
      inFlight: Number(values["in-flight"]),
      maxDelayMs: Number(values.delay),
      callsPerSession: Number(values["calls-per-session"]),
      wantsMore: () => performance.now() < endsAt,
      sampleMs: SAMPLE_MS,
    });
    const grown = growthFault(result.memory);
    const faults = grown === undefined ? result.faults : [...result.faults, grown];
    console.log([summary(result, directory), "", ...memoryTable(result.memory)].join("\n"));
    for (const fault of faults.slice(0, MOST_FAULTS)) console.error(`FAULT ${fault}`);
    if (faults.length > MOST_FAULTS) console.error(`… and ${faults.length - MOST_FAULTS} more`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    if (values.keep) console.error(`kept: ${directory}`);
    else rmSync(directory, { recursive: true, force: true });
  }
}

function summary({ calls, recorded, wallMs, server }: LoadResult, home: string): string {
  const seconds = wallMs / 1000;
  const files = readdirSync(home).filter((name) => name.startsWith("recordings.db"));
  const store = files.reduce((sum, name) => sum + statSync(join(home, name)).size, 0);
  return (
    `${calls} calls in ${seconds.toFixed(1)} s (${Math.round(calls / seconds)} a second), ${values["in-flight"]} in flight; ` +
    `${recorded} recorded in ${(store / 2 ** 20).toFixed(1)} MiB. ${server.streams} answers were streams, taken up again ` +
    `${server.resumed} times after a drop; ${server.expired} sessions expired.`
  );
}

function memoryTable(samples: readonly MemorySample[]): string[] {
  const size = (mib: number) => mib.toFixed(1);
  const first = samples.filter(({ atMs }) => atMs < MINUTE_MS);
  const steps = Map.groupBy(first, ({ atMs }) => Math.floor(atMs / STEP_MS));
  const firstRows = [...steps.values()].flatMap((within) => {
    const sample = within.at(-1);
    if (sample === undefined) return [];
    return [`| ${Math.round(sample.atMs / 1000)} s | ${sample.answered} | | ${size(sample.rssMib)} | |`];
  });
  const rows = byMinute(samples).map(
    ({ minute, calls, minMib, medianMib, maxMib }) =>
      `| minute ${minute} | ${calls} | ${size(minMib)} | ${size(medianMib)} | ${size(maxMib)} |`,
  );
  const slope = trend(samples);
  const tells =
    slope === undefined
      ? "too short for a trend"
      : `${slope < 0 ? "−" : "+"}${Math.abs(slope).toFixed(2)} MiB a minute`;
  const header = ["| | calls | min MiB | median MiB | max MiB |", "| --- | --- | --- | --- | --- |"];
  return [...header, ...firstRows, ...rows, "", `Trend after the first minute: ${tells}.`];
}

if (values.help) console.log(USAGE);
else process.exitCode = await main();
