import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildDriver, canBuildDriver } from "./build-driver.ts";
import { listFigures } from "./figures.ts";
import { type Options, parseOptions, USAGE, UsageError } from "./options.ts";
import { peerSubjects } from "./peers.ts";
import { findFaults, type Measured, renderReport } from "./report.ts";
import { describeRun, toJson } from "./run-description.ts";
import { runFigure } from "./run-figure.ts";
import { direct, ownSubjects, type Subject } from "./subjects.ts";

/**
 * `bun run bench`: the same calls direct, through `bir` and through its peers, as one Markdown table. How to read it is
 * in README.md. Ends with 1 when `bir` lost a call or changed an answer; a missed target only says so in the table.
 */

const EXECUTABLE = join(import.meta.dirname, "../dist/bir");

async function main(): Promise<number> {
  if (Bun.argv.includes("--help")) {
    console.log(USAGE);
    return 0;
  }
  const options = parseOptions(Bun.argv.slice(2));
  if (!canBuildDriver()) {
    console.error("the benchmark needs Linux and a C compiler named cc on the path");
    return 3;
  }
  const { driver, echo } = buildDriver();
  const subjects = chooseSubjects(options);
  const directory = mkdtempSync(join(tmpdir(), "bir-bench-"));
  try {
    const measured: Measured[] = [];
    for (const figure of listFigures(options, echo)) {
      console.error(`${figure.title}…`);
      measured.push({ figure, result: await runFigure(driver, figure, subjects, options, directory) });
    }
    console.log(`${describeRun(options)}\n\n${renderReport(measured, subjects)}`);
    if (options.json) writeFileSync(options.json, toJson(options, measured));
    const faults = findFaults(measured, subjects);
    for (const fault of faults) console.error(`FAULT ${fault}`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    if (options.keep) console.error(`kept: ${directory}`);
    else rmSync(directory, { recursive: true, force: true });
  }
}

function chooseSubjects(options: Options): Subject[] {
  const own = [direct, ...ownSubjects(options.bir === undefined ? EXECUTABLE : resolve(options.bir))];
  const ownNames = own.map(({ name }) => name);
  const peersWanted = options.only.length === 0 || options.only.some((name) => !ownNames.includes(name));
  const all = peersWanted ? [...own, ...peerSubjects()] : own;
  for (const name of options.only) {
    if (!all.some((subject) => subject.name === name)) throw new UsageError(`--only: there is no subject '${name}'`);
  }
  return all.filter(
    (subject) => subject === direct || options.only.length === 0 || options.only.includes(subject.name),
  );
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error);
  process.exitCode = error instanceof UsageError ? 2 : 70;
}
