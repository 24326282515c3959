import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { visible } from "../../../core/text/visible.ts";
import { readEnv } from "../../../kit/env.ts";
import { readNumber } from "../../../kit/env-number.ts";
import { placeExecutable } from "../../../kit/executable-place.ts";
import { fileSha256 } from "../../../kit/file-digest.ts";
import { fileFacts } from "../../../kit/file-facts.ts";
import { versionOf } from "../../../kit/run-program.ts";
import { systemCode, systemReason } from "../../../kit/system-reason.ts";
import { VERSION } from "../../../version.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { mustBeInstalled } from "../self/installed-executable.ts";
import { type Receipt, readReceipt, writeReceipt } from "../self/receipt.ts";
import { openRelease, type ReleaseFiles } from "../self/release-files.ts";
import { RELEASE_URL, releaseOf, releaseSource } from "../self/release-source.ts";
import { compareVersions } from "../self/version-order.ts";
import { serverState } from "../server-state.ts";

/**
 * `bir self update`: puts another executable in place of the installed one, in one step, after its checksum was right and it has
 * told its version. Whatever fails, the old one stays.
 */

export interface SelfUpdateFlags {
  version: string | undefined;
  check: boolean;
  json: boolean;
}

/** What `bir self update --json` prints. */
export interface SelfUpdate {
  /** `current`: it is the one that is published. `available`: with --check, another one is. `older`: that one, and it was left. */
  state: "current" | "available" | "older" | "updated";
  /** The version that was here before. */
  from: string;
  /** The version that is published; null when that is not known without getting it. */
  to: string | null;
  executable: string;
  /** A control server goes on with the executable it was started from, until it leaves. */
  serverPid: number | null;
}

export async function selfUpdate(context: CliContext, flags: SelfUpdateFlags): Promise<ExitCode> {
  const receipt = readReceipt(context.home);
  mustBeInstalled(receipt);
  const version = flags.version?.replace(/^v/, "");
  const source = releaseSource(readEnv("BIR_BASE_URL", context.env) ?? (receipt.baseUrl || RELEASE_URL), context.cwd);
  const timeoutMs = readNumber("BIR_DOWNLOAD_TIMEOUT_MS", context.env);
  const warn = (line: string): void => void context.printError(`bir: ${line}`);
  const release = openRelease(releaseOf(source, version), timeoutMs, warn);
  let result: Omit<SelfUpdate, "serverPid">;
  try {
    result = await update(context, { ...receipt, baseUrl: source.base }, release, { ...flags, version });
  } finally {
    release.close();
  }
  const found = result.state === "updated" ? await serverState(context.home, context.isAlive) : null;
  const whole: SelfUpdate = { ...result, serverPid: found?.state === "running" ? found.discovery.pid : null };
  if (flags.json) await printJson(context, whole);
  else await context.print(`${sentences(whole, version).map(visible).join("\n")}\n`);
  return EXIT.ok;
}

async function update(
  context: CliContext,
  receipt: Receipt,
  release: ReleaseFiles,
  { version, check }: SelfUpdateFlags,
): Promise<Omit<SelfUpdate, "serverPid">> {
  const { executable, target } = receipt;
  const from = VERSION;
  const file = `bir-${target}${target.startsWith("windows") ? ".exe" : ""}`;
  const sum = await release.expectedSum(file);
  const isHere = fileFacts(executable) !== null && fileSha256(executable) === sum;
  if (isHere) return { state: "current", from, to: from, executable };
  if (check) return { state: "available", from, to: version ?? null, executable };
  const scratch = scratchBeside(executable);
  try {
    const next = join(scratch, file);
    await release.take(file, next, sum);
    chmodSync(next, 0o755);
    const to = await provenVersion(next, version);
    if (version === undefined && compareVersions(to, from) < 0) return { state: "older", from, to, executable };
    placeExecutable(next, executable);
    writeReceipt(context.home, { ...receipt, version: to, sha256: sum });
    return { state: "updated", from, to, executable };
  } catch (cause) {
    throw asPlaceProblem(executable, cause);
  } finally {
    removeScratch(scratch);
  }
}

/** In the same directory, so that what was made there can take the place of the old one in one step. */
function scratchBeside(executable: string): string {
  try {
    return mkdtempSync(join(dirname(executable), ".bir-install."));
  } catch (cause) {
    throw asPlaceProblem(executable, cause);
  }
}

/** What cannot be removed makes no failure of an update that was made: the next uninstall takes it. */
function removeScratch(scratch: string): void {
  try {
    rmSync(scratch, { recursive: true, force: true });
  } catch {
    // See above.
  }
}

async function provenVersion(next: string, version: string | undefined): Promise<string> {
  const says = await versionOf(next);
  if (says === null) {
    throw new Problem(
      "does-not-run",
      "the new bir does not run on this machine",
      "What was here is as it was; this system may be too old for it.",
    );
  }
  if (version === undefined || says === version) return says;
  throw new Problem(
    "other-version",
    `this is bir ${says}, not ${version}`,
    "It is not installed; see what is published there.",
  );
}

function asPlaceProblem(executable: string, cause: unknown): unknown {
  const code = systemCode(cause);
  if (code === null) return cause;
  return new Problem(
    "not-replaced",
    `${executable} could not be replaced: ${systemReason(code)}`,
    "What was here is as it was; put that right and try again.",
  );
}

function sentences({ state, from, to, executable, serverPid }: SelfUpdate, version: string | undefined): string[] {
  if (state === "current")
    return [`bir ${from} is ${version === undefined ? "the newest that is published" : "here already"}.`];
  if (state === "available")
    return [`Another bir than ${from} is published${to === null ? "" : `: ${to}`}. \`bir self update\` gets it.`];
  if (state === "older") {
    return [
      `What is published is older (${to}) than bir ${from}, which stays. \`bir self update --version ${to}\` goes back.`,
    ];
  }
  const after =
    serverPid === null
      ? []
      : [
          `The control server (pid ${serverPid}) runs the old one until it leaves; \`bir down\` and \`bir up\` change that now.`,
        ];
  return [`bir ${from === to ? `${to} was renewed` : `${to} is in the place of ${from}`}: ${executable}`, ...after];
}
