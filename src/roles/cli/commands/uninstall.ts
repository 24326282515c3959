import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { counted } from "../../../core/text/when.ts";
import type { CliContext } from "../context.ts";
import { reportLines } from "../install/report-lines.ts";
import { type Uninstalled, uninstall } from "../install/uninstall.ts";
import { printJson } from "../json-output.ts";

/** `bir uninstall`: gives back what `bir install` has changed, and says of each server what it is now. */

export interface UninstallFlags {
  all: boolean;
  host: readonly string[] | undefined;
  server: readonly string[] | undefined;
  config: string | undefined;
  "dry-run": boolean;
  json: boolean;
}

const RECORDINGS_STAY = "  What was recorded stays: `bir run list`.";

export async function runUninstall(context: CliContext, flags: UninstallFlags): Promise<ExitCode> {
  const done = await uninstall(context, {
    all: flags.all,
    hosts: flags.host,
    servers: flags.server,
    config: flags.config,
    dryRun: flags["dry-run"],
  });
  if (flags.json) await printJson(context, done);
  else await context.print(`${linesOf(context, done).join("\n")}\n`);
  return exitCodeOf(done, flags.all);
}

/** `isAll`: nothing that runs bir is meant to stay. */
function exitCodeOf(done: Uninstalled, isAll: boolean): ExitCode {
  const isIn = done.hosts.some(({ servers, hooks }) => [...servers, ...hooks].some(({ what }) => what === "conflict"));
  const isLeft = isAll && done.hosts.some(({ servers }) => servers.some(({ what }) => what === "unknown"));
  return done.problems.length > 0 || isIn || isLeft ? EXIT.failed : EXIT.ok;
}

/** Takes back everything, for those who remove the rest of bir too and tell of it themselves. */
export async function uninstallEverything(context: CliContext): Promise<ExitCode> {
  const done = await uninstall(context, {
    all: true,
    hosts: undefined,
    servers: undefined,
    config: undefined,
    dryRun: false,
  });
  const lines = linesOf(context, done).filter((line) => line !== RECORDINGS_STAY);
  if (done.hosts.length > 0 || done.problems.length > 0) await context.print(`${lines.join("\n")}\n`);
  return exitCodeOf(done, true);
}

function linesOf(context: CliContext, done: Uninstalled): string[] {
  const lines = reportLines(context, done);
  const isKept = done.hosts.some(({ servers }) => servers.some(({ what }) => what === "kept"));
  const isBack = done.hosts.filter(({ servers, hooks }) => servers.some(isChanged) || hooks.some(isChanged));
  if (lines.length === 0) lines.push("Nothing of bir is in the settings that concern this directory.");
  else if (done.dryRun) lines.push("", "Nothing was changed.");
  else if (isBack.length > 0) {
    lines.push("", "Next", ...isBack.map(({ name, reload }) => `  ${name}: ${reload}`));
    lines.push(RECORDINGS_STAY);
  }
  if (done.elsewhere > 0 || isKept) {
    const more = done.elsewhere > 0 ? ` (${counted(done.elsewhere, "file")} of other directories)` : "";
    lines.push("", `\`bir uninstall --all\` takes back everything${more}.`);
  }
  return lines;
}

function isChanged({ what }: { what: string }): boolean {
  return ["unwrapped", "taken-out", "unhooked"].includes(what);
}
