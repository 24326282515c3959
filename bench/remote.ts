import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildDriver, canBuildDriver } from "./build-driver.ts";
import { type Options, UsageError } from "./options.ts";
import { startEchoServer } from "./remote/echo-server.ts";
import { listRemoteFigures } from "./remote/figures.ts";
import { parseRemoteOptions, USAGE } from "./remote/options.ts";
import { findRemoteFaults, renderRemoteReport } from "./remote/report.ts";
import { ownRemoteSubjects, remotePeers } from "./remote/subjects.ts";
import type { Measured } from "./report.ts";
import { describeRun, toJson } from "./run-description.ts";
import { runFigure } from "./run-figure.ts";
import type { Subject } from "./subjects.ts";

/**
 * `bun run bench:remote`: the same calls to one remote server over HTTP, through `bir proxy --url` and through other
 * bridges from stdio to HTTP, as one Markdown table. Ends with 1 when `bir` lost a call or changed an answer; a missed
 * target only says so in the table.
 */

const EXECUTABLE = join(import.meta.dirname, "../dist/bir");

async function main(): Promise<number> {
  if (Bun.argv.includes("--help")) {
    console.log(USAGE);
    return 0;
  }
  const options = parseRemoteOptions(Bun.argv.slice(2));
  if (!canBuildDriver()) {
    console.error("the benchmark needs Linux and a C compiler named cc on the path");
    return 3;
  }
  const { driver, httpEcho } = buildDriver();
  const subjects = chooseSubjects(options);
  const directory = mkdtempSync(join(tmpdir(), "bir-bench-"));
  const server = await startEchoServer(httpEcho, options.pin);
  try {
    const measured: Measured[] = [];
    for (const figure of listRemoteFigures(options, server)) {
      console.error(`${figure.title}…`);
      measured.push({ figure, result: await runFigure(driver, figure, subjects, options, directory) });
    }
    console.log(`${describeRun(options)}\n\n${renderRemoteReport(measured, subjects)}`);
    if (options.json) writeFileSync(options.json, toJson(options, measured));
    const faults = findRemoteFaults(measured, subjects);
    for (const fault of faults) console.error(`FAULT ${fault}`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await server.stop();
    if (options.keep) console.error(`kept: ${directory}`);
    else rmSync(directory, { recursive: true, force: true });
  }
}

function chooseSubjects(options: Options): Subject[] {
  const own = ownRemoteSubjects(options.bir === undefined ? EXECUTABLE : resolve(options.bir));
  const peersWanted = options.only.length === 0 || options.only.some((name) => !own.some((one) => one.name === name));
  const all = peersWanted ? [...own, ...remotePeers()] : own;
  const unknown = options.only.find((name) => !all.some((subject) => subject.name === name));
  if (unknown !== undefined) throw new UsageError(`--only: there is no subject '${unknown}'`);
  return all.filter(({ name }) => name === "direct" || options.only.length === 0 || options.only.includes(name));
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error);
  process.exitCode = error instanceof UsageError ? 2 : 70;
}
