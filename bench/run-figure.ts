import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./figures.ts";
import { type Recorded, readRecorded } from "./lost-count.ts";
import type { Options } from "./options.ts";
import type { Launch, Subject } from "./subjects.ts";

/** Runs the driver for one figure over all subjects and collects what it wrote. */

/** What the driver tells of a subject after the last round. */
interface Summary {
  /** `tools/call` requests written, warm-up included. */
  calls: number;
  failures: number;
  reason: string;
  /** Answers compared with the yardstick's, and those that differ. */
  compared: number;
  changed: number;
  leaked: number;
  /** Times it had to be killed because it did not end with its stdin. */
  stubborn: number;
  badExits: number;
  lastExit: number;
}

export interface Outcome {
  /** By round, what was measured in it. */
  rounds: Map<number, Record<string, number>>;
  summary: Summary;
  /** What was found in the store afterwards; null for subjects without one. */
  recorded: Recorded | null;
  /** Last line of its stderr, if it failed. */
  lastWords: string;
}

/** By name of the subject. Subjects that cannot run have no entry. */
export type FigureResult = Map<string, Outcome>;

type DriverLine =
  | { subject: string; round: number; values: Record<string, number> }
  | { subject: string; summary: Summary };

/** How long a peer may take for all rounds of a figure, and a subject for the calls of one. */
const PEER_BUDGET_MS = 12_000;
const BLOCK_MS = 2500;
const QUICK_PEER_BUDGET_MS = 4000;
const QUICK_BLOCK_MS = 1000;
const TIMEOUT_MS = 10_000;

/** Everything a figure leaves behind is under `directory`. */
export async function runFigure(
  driver: string,
  figure: Figure,
  subjects: Subject[],
  options: Options,
  directory: string,
): Promise<FigureResult> {
  const runnable = subjects.filter((subject) => subject.unavailable === undefined);
  const home = (subject: Subject) => join(directory, figure.id, subject.name);
  const launches = new Map<Subject, Launch>();
  const notStarted: FigureResult = new Map();
  try {
    for (const subject of runnable) {
      mkdirSync(home(subject), { recursive: true });
      try {
        launches.set(subject, await subject.launch({ server: figure.server, directory: home(subject) }));
      } catch (error) {
        notStarted.set(subject.name, failedToStart(error as Error));
      }
    }
    const plan = join(directory, figure.id, "plan");
    writeFileSync(plan, planText(figure, options, launches, home));
    return new Map([...collect(await runDriver(driver, plan), launches, home), ...notStarted]);
  } finally {
    for (const launch of launches.values()) launch.stop?.();
  }
}

function planText(
  figure: Figure,
  options: Options,
  launches: Map<Subject, Launch>,
  home: (subject: Subject) => string,
): string {
  const lines = [
    `figure ${figure.measure}`,
    `rounds ${figure.rounds}`,
    `calls ${figure.calls}`,
    `warmup ${figure.warmup}`,
    `size ${figure.sizeBytes}`,
    `settle_ms ${figure.settleMs}`,
    `block_ms ${options.quick ? QUICK_BLOCK_MS : BLOCK_MS}`,
    `timeout_ms ${TIMEOUT_MS}`,
    `budget_ms ${options.quick ? QUICK_PEER_BUDGET_MS : PEER_BUDGET_MS}`,
    `pin ${options.pin}`,
    `stdio ${options.stdio}`,
    `payload ${options.payload}`,
    ...(figure.plan ?? []),
  ];
  for (const [subject, launch] of launches) {
    lines.push(`subject ${subject.name}`);
    if (subject.peer) lines.push("optional");
    lines.push(`directory ${home(subject)}`, `stderr ${stderrPath(home(subject))}`);
    for (const argument of launch.argv) lines.push(`arg ${argument}`);
    for (const [name, value] of Object.entries(launch.env ?? {})) lines.push(`env ${name}=${value}`);
  }
  return `${lines.join("\n")}\n`;
}

function failedToStart({ message }: Error): Outcome {
  const counts = { calls: 0, compared: 0, changed: 0, leaked: 0, stubborn: 0, badExits: 0, lastExit: 0 };
  return { rounds: new Map(), summary: { ...counts, failures: 1, reason: message }, recorded: null, lastWords: "" };
}

function stderrPath(home: string): string {
  return `${home}.stderr`;
}

async function runDriver(driver: string, plan: string): Promise<DriverLine[]> {
  const child = Bun.spawn([driver, plan], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
    env: cleanEnvironment(),
  });
  const output = await new Response(child.stdout).text();
  const status = await child.exited;
  if (status !== 0) throw new Error(`the driver ended with status ${status}; its plan is ${plan}`);
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as DriverLine);
}

/** Without what would change how a subject runs: our own variables, and the runtimes' options. */
function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !/^(BIR_|BUN_|NODE_OPTIONS$|npm_)/.test(name),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}

function collect(
  lines: DriverLine[],
  launches: Map<Subject, Launch>,
  home: (subject: Subject) => string,
): FigureResult {
  const result: FigureResult = new Map();
  for (const subject of launches.keys()) {
    const own = lines.filter((line) => line.subject === subject.name);
    const rounds = new Map(own.flatMap((line) => ("values" in line ? [[line.round, line.values] as const] : [])));
    const summary = own.flatMap((line) => ("summary" in line ? [line.summary] : []))[0];
    if (!summary) throw new Error(`the driver said nothing of ${subject.name}`);
    const recorded = subject.records ? readRecorded(home(subject), summary.calls) : null;
    const lastWords = summary.failures > 0 ? lastLine(stderrPath(home(subject))) : "";
    result.set(subject.name, { rounds, summary, recorded, lastWords });
  }
  return result;
}

function lastLine(path: string): string {
  try {
    return readFileSync(path, "utf8").trim().split("\n").at(-1)?.slice(0, 160) ?? "";
  } catch {
    return "";
  }
}
