import { dirname } from "node:path";
import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { visible } from "../../../core/text/visible.ts";
import { systemCode, systemReason } from "../../../kit/system-reason.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { reportFailure } from "../report.ts";
import { mustBeInstalled } from "../self/installed-executable.ts";
import { type Receipt, readReceipt } from "../self/receipt.ts";
import { hasRecordings, type TakenBack, takeBack } from "../self/take-back.ts";
import { isInHosts } from "../self/wrapped-hosts.ts";
import { stopService } from "../service/running-service.ts";
import { stopServer, switchDown } from "../stop-server.ts";
import { uninstallEverything } from "./uninstall.ts";

/**
 * `bir self uninstall`: takes back what the install script did. First out of hosts' settings, since a host could start none of its
 * servers without the executable; never without a yes; recordings stay unless they are asked for.
 */

export interface SelfUninstallFlags {
  yes: boolean;
  "keep-recordings": boolean;
  "delete-recordings": boolean;
  json: boolean;
}

/** Does what `bir uninstall --all` does; answers its exit code. */
export type Unwrap = (context: CliContext) => Promise<number>;

export async function selfUninstall(
  context: CliContext,
  flags: SelfUninstallFlags,
  unwrap: Unwrap = uninstallAll,
): Promise<ExitCode> {
  if (flags["keep-recordings"] && flags["delete-recordings"]) {
    const hint = "Leave one of them out.";
    throw new Problem("usage", "--keep-recordings and --delete-recordings do not go together", hint, EXIT.usage);
  }
  const receipt = readReceipt(context.home);
  mustBeInstalled(receipt);
  const hasRecorded = hasRecordings(context.home);
  const keep = hasRecorded && !flags["delete-recordings"];
  const isWrapped = isInHosts(context.home);
  if (!(flags.yes || (await confirmed(context, receipt, { isWrapped, hasRecorded, keep })))) {
    await context.printError("Nothing was removed.");
    return EXIT.failed;
  }
  // Also where the ledger knows of nothing: it may be lost, and a host could start none of its servers.
  await outOfHosts(context, unwrap);
  switchDown(context.home);
  await stopService(context.home);
  const server = await stopServer(context);
  const taken = takenBack(context.home, receipt, keep);
  if (server.server === "silent") {
    taken.kept.push({ path: `process ${server.pid}`, why: "the control server does not answer; it goes once it can" });
  }
  if (flags.json) await printJson(context, { ...taken, recordings: keep ? context.home : null });
  else await tell(context, taken, receipt, keep);
  return EXIT.ok;
}

/** All that it says goes to stderr: stdout is for what this command has done. */
async function uninstallAll(context: CliContext): Promise<number> {
  try {
    return await uninstallEverything({ ...context, print: async (text) => context.printError(text.trimEnd()) });
  } catch (cause) {
    return await reportFailure(context, cause, false);
  }
}

async function outOfHosts(context: CliContext, unwrap: Unwrap): Promise<void> {
  const status = await unwrap(context);
  if (status === EXIT.ok && !isInHosts(context.home)) return;
  throw new Problem(
    "still-in-hosts",
    "hosts would still start bir, so nothing was removed",
    "`bir uninstall --all` says what is in the way; after that, run this again.",
  );
}

interface Outlook {
  isWrapped: boolean;
  hasRecorded: boolean;
  keep: boolean;
}

async function confirmed(
  context: CliContext,
  receipt: Receipt,
  { isWrapped, hasRecorded, keep }: Outlook,
): Promise<boolean> {
  if (!context.terminal.interactive) {
    const hint = "Add --yes to remove bir without a question.";
    throw new Problem("not-confirmed", "there is nobody to ask", hint, EXIT.usage);
  }
  const { home } = context;
  const lines = [
    `This removes ${receipt.executable}`,
    ...receipt.pathFiles.map((path) => `  and its line in ${path}`),
    ...(isWrapped ? ["Before that, `bir uninstall --all` takes it out of the settings of hosts."] : []),
    ...(hasRecorded ? [keep ? `What was recorded stays in ${home}.` : `What was recorded in ${home} is DELETED.`] : []),
  ];
  const answer = await context.ask(`${lines.map(visible).join("\n")}\nGo on? [y/N] `);
  return answer !== null && /^y(es)?$/i.test(answer.trim());
}

function takenBack(home: string, receipt: Receipt, keep: boolean): TakenBack {
  try {
    return takeBack(home, receipt, keep);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === null) throw cause;
    throw new Problem(
      "not-removed",
      `${receipt.executable} could not be removed: ${systemReason(code)}`,
      "Put that right and run this again.",
    );
  }
}

async function tell(
  context: CliContext,
  { removed, restored, kept }: TakenBack,
  { pathFilesMade }: Receipt,
  keep: boolean,
): Promise<void> {
  const why = (path: string) => (pathFilesMade.includes(path) ? ", which the installer had made" : "");
  const lines = [
    ...restored.map((path) => `restored ${path}`),
    ...removed.filter((path) => dirname(path) !== context.home).map((path) => `removed  ${path}${why(path)}`),
    ...(keep ? [`kept     ${context.home}: what was recorded. Delete the directory when you want it no more.`] : []),
    "bir is no longer on this machine.",
  ];
  await context.print(`${lines.map(visible).join("\n")}\n`);
  for (const { path, why } of kept) await context.printError(visible(`bir: ${path} stays: ${why}.`));
}
