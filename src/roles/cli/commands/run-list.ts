import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import type { RunStatus } from "../../../core/run.ts";
import { lostCount, runStatus } from "../../../core/text/outcome.ts";
import { visible } from "../../../core/text/visible.ts";
import { ago, clock } from "../../../core/text/when.ts";
import { textWidth } from "../../../kit/terminal.ts";
import type { StoreReader } from "../../../store/reader.ts";
import { resolveRun, shortRunIds } from "../../../store/resolve-run.ts";
import type { RunFilter } from "../../../store/run-filter.ts";
import type { ListedRun } from "../../../store/run-row.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { nothingRecordedLine } from "../nothing-recorded.ts";
import { cut, table } from "../text/fit.ts";
import { paintFor } from "../text/paint.ts";
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
const HEADING = ["RUN", "WHEN", "", "HOST", "SERVERS", "CALLS", "STATUS"];
const DATE_COLUMN = HEADING.indexOf("WHEN");
/** May be cut where there is no room. */
const NAME_COLUMNS = ["HOST", "SERVERS"].map((name) => HEADING.indexOf(name));
/** `run_` and the part of an id that tells its millisecond. */
export const SHORT_ID_LENGTH = 16;

export async function runList(context: CliContext, flags: ListFlags): Promise<ExitCode> {
  return await withReader(context, async (reader) => {
    // A program takes whatever there is: it would not know that something is missing.
    const limit = flags.limit ?? (flags.json ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
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
    await context.printError(total === 0 ? nothingRecordedLine(context.home) : "No run fits.");
    return;
  }
  const ids = shortRunIds(
    reader,
    runs.map(({ id }) => id),
    SHORT_ID_LENGTH,
  );
  const rows = runs.map((run, index) => rowOf(context, reader, run, ids[index] ?? run.id));
  const [heading = "", ...lines] = fitted([HEADING, ...rows], context.terminal.columns);
  const paint = paintFor(context.terminal.color);
  await context.print(`${[paint.dim(heading), ...lines].join("\n")}\n`);
  if (more) await context.printError(`There are more: \`bir run list --before ${ids.at(-1)}\`, or --limit N.`);
}

/** Rows as lines no wider than a terminal: long names are cut first, and then the date goes, before its age does. */
function fitted(rows: readonly (readonly string[])[], columns: number | null): string[] {
  if (columns === null) return table(rows);
  const whole = table(rows, columns, NAME_COLUMNS);
  if (whole.every((line) => textWidth(line) <= columns)) return whole;
  const undated = rows.map((row) => row.filter((_, index) => index !== DATE_COLUMN));
  const names = NAME_COLUMNS.map((index) => index - 1);
  return table(undated, columns, names).map((line) => cut(line, columns));
}

function rowOf(context: CliContext, reader: StoreReader, run: ListedRun, id: string): string[] {
  const lost = lostCount(run) + reader.lostSteps(run);
  return [
    visible(id),
    clock(run.startedAt, context.timeZone),
    ago(run.startedAt, context.now()),
    run.host === null ? "-" : visible(`${run.host.app} ${run.host.version ?? ""}`.trim()),
    run.wrappedServers.map(visible).join(", "),
    String(run.stepCount),
    run.lossy || lost > 0 ? `${runStatus(run.status)}, ! ${lost} lost` : runStatus(run.status),
  ];
}
