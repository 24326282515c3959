/** Runs the official conformance suite in a sandbox and reads its verdicts from the files it writes. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Deadline } from "../../harness/deadline.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { conformance } from "../installed.ts";

/** The program that the client scenarios drive. */
export const STDIO_HOST = join(dirname(fileURLToPath(import.meta.url)), "stdio-host.ts");

export interface Check {
  id: string;
  name: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

export interface Scenario {
  name: string;
  checks: Check[];
  /** Of client scenarios: what the client wrote. */
  stdout: string;
  stderr: string;
}

export interface SuiteRun {
  code: number | null;
  output: string;
  scenarios: Scenario[];
}

/** Many times what a whole requirement set takes: machines that test are busy. */
export const RUN_MS = 100_000;

/** Nothing that the suite starts may reach another machine: whatever honours a proxy is sent to a closed port. */
const SEALED = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
  DO_NOT_TRACK: "1",
};

/** @param args of the suite, its command first */
export async function runSuite(
  box: Sandbox,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<SuiteRun> {
  const directory = box.file("results");
  const suite = box.start([...conformance().command, ...args, "--output-dir", directory], {
    env: { ...SEALED, ...env },
  });
  const { code } = await suite.finish(new Deadline(RUN_MS));
  const scenarios = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("checks.json"))
    .map((path) => scenarioIn(directory, path.slice(0, -"/checks.json".length)))
    .sort((a, b) => a.name.localeCompare(b.name));
  return { code, output: suite.stdout.text() + suite.stderr.text(), scenarios };
}

/** The directory of a scenario's results is called after it, with the time at its end. */
function scenarioIn(directory: string, path: string): Scenario {
  const text = (file: string) => readFileSync(join(directory, path, file), "utf8");
  const optional = (file: string) => (readdirSync(join(directory, path)).includes(file) ? text(file) : "");
  const name = path
    .replaceAll("\\", "/")
    .replace(/^server-/, "")
    .replace(/-\d{4}-\d\d-\d\dT.*$/, "");
  return {
    name,
    checks: JSON.parse(text("checks.json")),
    stdout: optional("stdout.txt"),
    stderr: optional("stderr.txt"),
  };
}
