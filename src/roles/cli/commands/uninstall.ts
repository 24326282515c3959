import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import type { CliContext } from "../context.ts";
import { reportLines } from "../install/report-lines.ts";
import { type Uninstalled, uninstall } from "../install/uninstall.ts";
import { printJson } from "../json-output.ts";
import { counted } from "../text/when.ts";

/** `bir uninstall`: gives back what `bir install` has changed, and says of each server what it is now. */

export interface UninstallFlags {
  all: boolean;
  host: readonly string[] | undefined;
  server: readonly string[] | undefined;
  config: string | undefined;
  "dry-run": boolean;
  json: boolean;
}

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
  const isIn = done.hosts.some(({ servers, hooks }) => [...servers, ...hooks].some(({ what }) => what === "conflict"));
  return done.problems.length > 0 || isIn ? EXIT.failed : EXIT.ok;
}

function linesOf(context: CliContext, done: Uninstalled): string[] {
  const lines = reportLines(context, done);
  const isKept = done.hosts.some(({ servers }) => servers.some(({ what }) => what === "kept"));
  const isBack = done.hosts.filter(({ servers, hooks }) => servers.some(isChanged) || hooks.some(isChanged));
  if (lines.length === 0) lines.push("Nothing of bir is in the settings that concern this directory.");
  else if (done.dryRun) lines.push("", "Nothing was changed.");
  else if (isBack.length > 0) {
    lines.push("", "Next", ...isBack.map(({ name, reload }) => `  ${name}: ${reload}`));
    lines.push("  What was recorded stays: `bir run list`.");
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
