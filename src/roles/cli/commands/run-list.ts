import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import type { RunStatus } from "../../../core/run.ts";
import type { StoreReader } from "../../../store/reader.ts";
import { resolveRun, shortRunIds } from "../../../store/resolve-run.ts";
import type { RunFilter } from "../../../store/run-filter.ts";
import type { ListedRun } from "../../../store/run-row.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { table } from "../text/fit.ts";
import { lostCount, runStatus } from "../text/outcome.ts";
import { paintFor } from "../text/paint.ts";
import { visible } from "../text/visible.ts";
import { ago, clock } from "../text/when.ts";
import { withReader } from "../with-reader.ts";

/** `bir run list`: the newest runs, one a line. */

export interface ListFlags {
  limit: number | undefined;
  server: string | undefined;
  host: string | undefined;
  status: RunStatus | undefined;
  here: boolean;
  before: string | undefined;
  json: boolean;
}

const DEFAULT_LIMIT = 20;
/** `run_` and the part of an id that tells its millisecond. */
export const SHORT_ID_LENGTH = 16;

export async function runList(context: CliContext, flags: ListFlags): Promise<ExitCode> {
  return await withReader(context, async (reader) => {
    const limit = flags.limit ?? DEFAULT_LIMIT;
    const found: ListedRun[] = [];
    let more = false;
    for (const run of reader.runs(filterOf(context, reader, flags))) {
      more = found.length === limit;
      if (more) break;
      found.push(run);
    }
    if (flags.json) await printJson(context, found);
    else await printTable(context, reader, found, more);
    return EXIT.ok;
  });
}

function filterOf(context: CliContext, reader: StoreReader, flags: ListFlags): RunFilter {
  const { server, host, status } = flags;
  return {
    server,
    host,
    status,
    directory: flags.here ? context.cwd : undefined,
    after: pageStart(reader, flags.before),
  };
}

function pageStart(reader: StoreReader, before: string | undefined): RunFilter["after"] {
  if (before === undefined) return undefined;
  const id = resolveRun(reader, before);
  const [row] = reader.rows<{ started_at: number }>("SELECT started_at FROM runs WHERE id = ?", id);
  return { startedAt: row?.started_at ?? 0, id };
}

async function printTable(context: CliContext, reader: StoreReader, runs: ListedRun[], more: boolean): Promise<void> {
  const [first] = runs;
  if (first === undefined) {
    const { runs: total } = reader.counts();
    await context.printError(total === 0 ? "Nothing is recorded yet." : "No run fits.");
    return;
  }
  const ids = shortRunIds(
    reader,
    runs.map(({ id }) => id),
    SHORT_ID_LENGTH,
  );
  const rows = runs.map((run, index) => rowOf(context, run, ids[index] ?? run.id));
  const [heading = "", ...lines] = table([["RUN", "WHEN", "", "HOST", "SERVERS", "STEPS", "STATUS"], ...rows]);
  const paint = paintFor(context.terminal.color);
  await context.print(`${[paint.dim(heading), ...lines].join("\n")}\n`);
  if (more) await context.printError(`There are more: \`bir run list --before ${ids.at(-1)}\`, or --limit N.`);
}

function rowOf(context: CliContext, run: ListedRun, id: string): string[] {
  const lost = lostCount(run);
  return [
    visible(id),
    clock(run.startedAt, context.timeZone),
    ago(run.startedAt, context.now()),
    run.host === null ? "-" : visible(`${run.host.app} ${run.host.version ?? ""}`.trim()),
    run.wrappedServers.map(visible).join(", "),
    String(run.stepCount),
    run.lossy ? `${runStatus(run.status)}, ! ${lost} lost` : runStatus(run.status),
  ];
}
