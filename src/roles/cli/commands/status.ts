import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import type { Host } from "../../../core/run.ts";
import { lostCount } from "../../../core/text/outcome.ts";
import { visible } from "../../../core/text/visible.ts";
import { ago, counted, size } from "../../../core/text/when.ts";
import { type FileFacts, fileFacts } from "../../../kit/file-facts.ts";
import { storePath } from "../../../kit/paths.ts";
import type { StoreReader } from "../../../store/reader.ts";
import { recordingProblem } from "../../../store/recording-problem.ts";
import type { CliContext } from "../context.ts";
import { type WrappedServers, wrappedLines, wrappedServers } from "../install/wrapped-servers.ts";
import { printJson } from "../json-output.ts";
import {
  lookAtServer,
  lookAtSpool,
  type ServerStatus,
  type SpoolStatus,
  serverLine,
  spoolLines,
} from "../server-status.ts";
import { runningService } from "../service/running-service.ts";
import { fillService, lookAtService, type ServiceStatus, serviceLines } from "../service-status.ts";
import { readSwitches, type Switches, switchSentences } from "../switches.ts";
import { type Paint, paintFor } from "../text/paint.ts";
import { statusLine } from "../text/status-line.ts";
import { withReader } from "../with-reader.ts";

/**
 * `bir status`: where the recordings are, how much there is, whether the control server and the page are there, what is being
 * recorded, and what was lost lately.
 */

export interface StatusFlags {
  json: boolean;
}

/** What `bir status --json` prints. */
export interface Status {
  home: string;
  switches: Switches;
  store: {
    path: string;
    exists: boolean;
    /** The file and its write-ahead log. */
    sizeBytes: number;
    version: number | null;
    runs: number;
    steps: number;
  };
  /** Why nothing can be recorded (`home-unusable`), or the store not be read; null when all is well or there is none. */
  problem: { code: string; message: string; hint: string } | null;
  /** What install has put into hosts' settings; null where that cannot be told. */
  wrapped: WrappedServers[] | null;
  server: ServerStatus;
  spool: SpoolStatus;
  /** The service of the page, `bir view` or `bir serve`; null where none runs. */
  page: { url: string; pid: number } | null;
  /** The recordings service that is sent to; null where none is named. */
  service: ServiceStatus | null;
  recordings: {
    runId: string;
    pid: number;
    host: Host | null;
    servers: string[];
    cwd: string;
    startedAt: number;
    stepCount: number;
  }[];
  /** Runs of the last seven days that are not complete; `lost` counts what was not recorded and calls that read `lost`. */
  lossyRuns: { runId: string; startedAt: number; lost: number }[];
}

const LATELY_MS = 7 * 24 * 60 * 60 * 1000;
const SHOWN_LOSSY_RUNS = 5;

export async function status(context: CliContext, flags: StatusFlags): Promise<ExitCode> {
  const found = emptyStatus(context, await lookAtServer(context));
  const page = await runningService(context.home);
  if (page !== null) found.page = { url: page.url, pid: page.pid };
  const unusable = recordingProblem(context.home);
  let exitCode: ExitCode = unusable?.exitCode ?? EXIT.ok;
  if (unusable !== null) found.problem = unusable.toJSON().error;
  try {
    await withReader(context, async (reader) => fillFrom(reader, found, context.now()));
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    found.problem ??= cause.toJSON().error;
    exitCode = unusable?.exitCode ?? cause.exitCode;
  }
  if (flags.json) await printJson(context, found);
  else await context.print(`${statusLines(context, found).join("\n")}\n`);
  return exitCode;
}

function emptyStatus(context: CliContext, server: ServerStatus): Status {
  const path = storePath(context.home);
  const [file, log] = [factsIfSeen(path), factsIfSeen(`${path}-wal`)];
  return {
    home: context.home,
    switches: readSwitches(context),
    store: {
      path,
      exists: file !== null,
      sizeBytes: (file?.sizeBytes ?? 0) + (log?.sizeBytes ?? 0),
      version: null,
      runs: 0,
      steps: 0,
    },
    problem: null,
    wrapped: wrappedIfKnown(context.home),
    server,
    spool: lookAtSpool(context.home),
    page: null,
    service: lookAtService(context.home),
    recordings: [],
    lossyRuns: [],
  };
}

/** A ledger that cannot be read is for the doctor to tell of. */
function wrappedIfKnown(home: string): WrappedServers[] | null {
  try {
    return wrappedServers(home);
  } catch (cause) {
    if (cause instanceof Problem) return null;
    throw cause;
  }
}

/** What cannot be looked at is told as the problem it is, and not here. */
function factsIfSeen(path: string): FileFacts | null {
  try {
    return fileFacts(path);
  } catch {
    return null;
  }
}

function fillFrom(reader: StoreReader, found: Status, now: number): void {
  found.store = { ...found.store, version: reader.version(), ...reader.counts() };
  if (found.service !== null) fillService(found.service, reader, found.server.state === "running");
  for (const { run, owner } of reader.recordings()) {
    const { id, host, wrappedServers, cwd, startedAt, stepCount } = run;
    found.recordings.push({ runId: id, pid: owner.pid, host, servers: wrappedServers, cwd, startedAt, stepCount });
  }
  for (const run of reader.runs({ startedFrom: now - LATELY_MS })) {
    const lost = lostCount(run) + reader.lostSteps(run);
    if (run.lossy || lost > 0) found.lossyRuns.push({ runId: run.id, startedAt: run.startedAt, lost });
  }
}

function statusLines(context: CliContext, found: Status): string[] {
  const { store, problem } = found;
  const paint = paintFor(context.terminal.color);
  const lines = [statusLine("Home", visible(found.home))];
  const told = problem === null ? "" : `${visible(problem.message)}.`;
  const cannotRecord = problem?.code === "home-unusable";
  if (problem !== null && !cannotRecord) {
    lines.push(statusLine("Store", `${paint.bad(`✗ ${told}`)} ${visible(problem.hint)}`));
  } else if (!store.exists) lines.push(statusLine("Store", "none yet"));
  else {
    const what = `${counted(store.runs, "run")}, ${counted(store.steps, "call")}`;
    lines.push(statusLine("Store", `${what}, ${size(store.sizeBytes)}, version ${store.version ?? 0}`));
  }
  if (problem !== null && cannotRecord) {
    const why = `${paint.bad(`✗ is not possible: ${told}`)} ${visible(problem.hint)}`;
    return [...lines, statusLine("Recording", why)];
  }
  for (const [index, sentence] of switchSentences(found.switches).entries()) {
    lines.push(statusLine(index === 0 ? "Switches" : "", found.switches.recording ? sentence : paint.warn(sentence)));
  }
  lines.push(...wrappedLines(found.wrapped ?? [], paint));
  lines.push(serverLine(found.server, context.now(), paint), ...spoolLines(found.spool, context.now(), paint));
  if (found.page !== null) lines.push(statusLine("Page", `${found.page.url}/ (pid ${found.page.pid})`));
  lines.push(...serviceLines(context, found.service, found.server.state === "running", paint));
  return [...lines, ...recordingLines(context, found), ...lossLines(context, found, paint)];
}

function recordingLines(context: CliContext, { recordings }: Status): string[] {
  if (recordings.length === 0) return [statusLine("Recording", "nothing just now")];
  return recordings.map(({ runId, pid, host, servers, cwd, startedAt, stepCount }, index) => {
    const what = `${servers.map(visible).join(", ")} for ${visible(host?.app ?? "an unknown host")}`;
    const where = `${visible(cwd)}, ${counted(stepCount, "call")}, ${ago(startedAt, context.now())}, pid ${pid}`;
    return statusLine(index === 0 ? "Recording" : "", `${what}: ${where} (${visible(runId)})`);
  });
}

function lossLines(context: CliContext, { lossyRuns }: Status, paint: Paint): string[] {
  if (lossyRuns.length === 0) return [statusLine("Lost", "nothing in the last 7 days")];
  const shown = lossyRuns
    .slice(0, SHOWN_LOSSY_RUNS)
    .map(({ runId, startedAt, lost }) => `${visible(runId)} (${lost} lost, ${ago(startedAt, context.now())})`);
  if (lossyRuns.length > shown.length) shown.push(`and ${counted(lossyRuns.length - shown.length, "more run")}`);
  const incomplete = paint.warn(`! ${counted(lossyRuns.length, "incomplete run")}:`);
  return [statusLine("Lost", `${incomplete} ${shown.join(", ")}`)];
}
