import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { visible } from "../../../core/text/visible.ts";
import { openInBrowser } from "../../../kit/open-browser.ts";
import { writeOpener } from "../../../service/service-files.ts";
import { resolveRun } from "../../../store/resolve-run.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { runService } from "../service/run-service.ts";
import { codeOf, runningService } from "../service/running-service.ts";
import { withReader } from "../with-reader.ts";

/** `bir view [RUN]`: opens the page, of the service that runs already or of one that it runs itself. */

export interface ViewFlags {
  port: number | undefined;
  "no-open": boolean;
  json: boolean;
}

/** What `bir view --json` prints. `link` works once, and for two minutes. */
export interface Viewing {
  url: string;
  link: string;
  /** The run that it opens. */
  runId: string | null;
  alreadyRunning: boolean;
  opened: boolean;
}

export async function view(context: CliContext, flags: ViewFlags, word: string | undefined): Promise<ExitCode> {
  const runId = word === undefined ? null : await withReader(context, async (reader) => resolveRun(reader, word));
  const running = await runningService(context.home);
  if (running !== null) {
    const code = await codeOf(context.home, running);
    if (code === null) throw new Problem("service-silent", "the service does not answer", "Try again in a moment.");
    await open(context, flags, { url: running.url, code, runId, alreadyRunning: true });
    return EXIT.ok;
  }
  const addresses = { port: flags.port, host: undefined, "allow-host": undefined };
  return await runService(context, addresses, async ({ own: { url }, sessions }) => {
    const { code } = sessions.newCode();
    await open(context, flags, { url, code, runId, alreadyRunning: false });
  });
}

interface Target {
  url: string;
  code: string;
  runId: string | null;
  alreadyRunning: boolean;
}

async function open(
  context: CliContext,
  flags: ViewFlags,
  { url, code, runId, alreadyRunning }: Target,
): Promise<void> {
  const place = runId === null ? "" : `/run/${encodeURIComponent(runId)}`;
  const link = `${url}/#/open/${code}${place}`;
  const opened = !flags["no-open"] && (await openInBrowser(writeOpener(context.home, link), context.env));
  const viewing: Viewing = { url, link, runId, alreadyRunning, opened };
  if (flags.json) return await printJson(context, viewing);
  if (!opened) await context.print(`${link}\n`);
  for (const line of lines(viewing, flags["no-open"])) await context.printError(line);
}

function lines({ url, opened, alreadyRunning }: Viewing, isNotToOpen: boolean): string[] {
  const said = opened ? `The page is open at ${visible(url)}/.` : "Open this link within two minutes; it works once.";
  return [
    ...(opened || isNotToOpen ? [] : ["No browser could be started here."]),
    said,
    ...(alreadyRunning ? [] : ["Serving until Ctrl-C."]),
  ];
}
