import type { Problem } from "../../../core/problem.ts";
import { maskedDiff } from "../../../hosts/diff.ts";
import { Ledger, type LedgerRow, ledgerPath } from "../../../hosts/ledger.ts";
import { applyTasks, type PreviewedFile, previewTasks } from "../../../hosts/plan/apply.ts";
import type { FileTask, Outcome } from "../../../hosts/plan/outcome.ts";

/** Does what install or uninstall have planned, or only says what would be done. */

/** What a task is about: entries where they are, wrapped copies of them elsewhere, or hooks. */
export type JobKind = "entries" | "copies" | "hooks";

export interface Job {
  kind: JobKind;
  task: FileTask;
}

export interface DoneJob {
  kind: JobKind;
  file: string;
  outcomes: readonly Outcome[];
  problem: Problem | null;
  /** The file was written, or would be. */
  wrote: boolean;
  /** Without values; null unless it is only said what would be done. */
  diff: string | null;
}

export interface JobOrder {
  home: string;
  isDryRun: boolean;
  /** Files and the locks that their host takes while it changes them. */
  locks: ReadonlyMap<string, string>;
  /** True for a value that a diff may show. */
  mayShow: (value: string) => boolean;
}

/** `jobsOf` gives the jobs for a state of the ledger: nobody else changes that meanwhile. Throws a `Problem` where none can be begun. */
export async function runJobs(
  jobsOf: (rows: readonly LedgerRow[]) => readonly Job[],
  order: JobOrder,
): Promise<DoneJob[]> {
  if (order.isDryRun) {
    const ledger = Ledger.read(ledgerPath(order.home));
    const jobs = jobsOf(ledger.rows);
    const previews = await previewTasks(tasksIn(jobs), ledger);
    return previews.map((preview, index) => {
      const { task, problem, outcomes, before, after } = preview;
      const wrote = problem === null && before !== after;
      const kind = jobs[index]?.kind ?? "entries";
      return { kind, file: task.file, outcomes, problem, wrote, diff: diffOf(previews, index, order) };
    });
  }
  let jobs: readonly Job[] = [];
  const results = await applyTasks((rows) => {
    jobs = jobsOf(rows);
    return tasksIn(jobs).map((task) => {
      const lock = order.locks.get(task.file);
      return lock === undefined ? task : { ...task, lock };
    });
  }, order.home);
  return results.map((result, index) => ({ kind: jobs[index]?.kind ?? "entries", ...result, diff: null }));
}

/** All that becomes of a file, told with the last task that changes it. */
function diffOf(previews: readonly PreviewedFile[], index: number, { mayShow }: JobOrder): string | null {
  const changes = previews.filter(({ problem, before, after }) => problem === null && before !== after);
  const ofFile = changes.filter(({ task }) => task.file === previews[index]?.task.file);
  const [first] = ofFile;
  const last = ofFile.at(-1);
  if (first === undefined || last === undefined || last !== previews[index]) return null;
  const { file, format } = last.task;
  return maskedDiff({ file, format, before: first.before, after: last.after, mayShow });
}

function tasksIn(jobs: readonly Job[]): FileTask[] {
  return jobs.map(({ task }) => task);
}
