import { Problem } from "../../core/problem.ts";
import { FileLock } from "../../kit/file-lock.ts";
import { birHome, joinPath } from "../../kit/paths.ts";
import { makePrivateDirectory } from "../../kit/private-files.ts";
import { systemCode, systemReason } from "../../kit/system-reason.ts";
import { formatOf } from "../edit/formats.ts";
import { takeHostLock } from "../host-lock.ts";
import { Ledger, type LedgerRow, ledgerPath } from "../ledger.ts";
import { FileChange } from "./file-change.ts";
import type { FileResult, FileTask } from "./outcome.ts";
import { readSettled } from "./settled-read.ts";

/** Carries out what was planned, file by file, one process at a time; or says what would be done. */

/** How long another install is waited for. */
const LOCK_WAIT_MS = 15_000;
const LOCK_PAUSE_MS = 50;

/** What each task would do, one after the other; nothing is written. */
export async function previewTasks(tasks: readonly FileTask[], ledger = Ledger.read()): Promise<PreviewedFile[]> {
  const previews: PreviewedFile[] = [];
  const planned = new Map<string, string | null>();
  for (const task of tasks) {
    try {
      const { before, document } = await readForPreview(task, planned);
      const plan = task.plan(document, ledger.of(task.file));
      planned.set(task.file, plan.after);
      previews.push({ task, before, after: plan.after, outcomes: plan.outcomes, problem: null });
    } catch (cause) {
      if (!(cause instanceof Problem)) throw cause;
      previews.push({ task, before: null, after: null, outcomes: [], problem: cause });
    }
  }
  return previews;
}

/** The file as the tasks before would leave it. */
async function readForPreview({ file, format }: FileTask, planned: ReadonlyMap<string, string | null>) {
  const text = planned.get(file);
  if (text !== undefined) return { before: text, document: text === null ? null : formatOf(format).parse(text) };
  const { state, document } = await readSettled(file, format);
  return { before: state.bytes === null ? null : state.text, document };
}

export interface PreviewedFile {
  task: FileTask;
  /** Null where there is no file. */
  before: string | null;
  after: string | null;
  outcomes: FileResult["outcomes"];
  problem: Problem | null;
}

/**
 * Does each task, or says why it could not; one that fails leaves the others alone. Throws a `Problem` only where nothing
 * could be begun. Tasks that come from the ledger are given as a function of it: nobody else changes it meanwhile.
 */
export async function applyTasks(
  tasks: readonly FileTask[] | ((rows: readonly LedgerRow[]) => readonly FileTask[]),
  home = birHome(),
): Promise<FileResult[]> {
  const path = ledgerPath(home);
  const tasksOf = (ledger: Ledger) => (typeof tasks === "function" ? tasks(ledger.rows) : tasks);
  if (tasksOf(Ledger.read(path)).length === 0) return [];
  const lock = await takeLock(home);
  try {
    const ledger = Ledger.read(path);
    const results: FileResult[] = [];
    for (const task of tasksOf(ledger)) results.push(await applyTask(task, ledger));
    return results;
  } finally {
    lock.release();
  }
}

async function applyTask(task: FileTask, ledger: Ledger): Promise<FileResult> {
  const rowsBefore = [...ledger.rows];
  const change = new FileChange(task, ledger);
  const letGo = task.lock === undefined ? () => {} : await takeHostLock(task.lock);
  try {
    return await change.make();
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    if (!change.isMade()) {
      ledger.restore(rowsBefore);
      ledger.save();
    }
    return { file: task.file, outcomes: [], wrote: change.isMade(), problem: cause };
  } finally {
    letGo();
  }
}

/** Changes the ledger alone, while nobody else does; nothing where there is no file of it. */
export async function changeLedger(change: (ledger: Ledger) => void, home = birHome()): Promise<void> {
  const path = ledgerPath(home);
  if (Ledger.read(path).rows.length === 0) return;
  const lock = await takeLock(home);
  try {
    const ledger = Ledger.read(path);
    change(ledger);
    ledger.save();
  } finally {
    lock.release();
  }
}

async function takeLock(home: string): Promise<FileLock> {
  const path = joinPath(home, "install.lock");
  const startedAt = performance.now();
  for (;;) {
    try {
      makePrivateDirectory(home);
      const lock = FileLock.take(path);
      if (lock !== null) return lock;
    } catch (cause) {
      const reason = systemReason(systemCode(cause) ?? String(cause));
      throw new Problem(
        "home-unusable",
        `cannot use ${home}: ${reason}`,
        "Put that right, or set BIR_HOME to a directory of your own.",
      );
    }
    if (performance.now() - startedAt > LOCK_WAIT_MS) {
      throw new Problem(
        "install-running",
        "another install or uninstall is running",
        "Wait until it has ended, then run the command again.",
      );
    }
    await Bun.sleep(LOCK_PAUSE_MS);
  }
}
