import { readFileSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { removeExecutable } from "../../../kit/executable-place.ts";
import { namesIn } from "../../../kit/file-facts.ts";
import { overwriteFile } from "../../../kit/overwrite-file.ts";
import { receiptPath } from "../../../kit/paths.ts";
import { systemCode, systemReason } from "../../../kit/system-reason.ts";
import { removeFromUserPath, WINDOWS_USER_PATH } from "../../../kit/windows-user-path.ts";
import { fishFile, pathLine, withoutAdded } from "./path-line.ts";
import type { Receipt } from "./receipt.ts";

/**
 * Takes back what a receipt tells of, and nothing else: lines in shells' settings, files of ours under `$BIR_HOME`, the executable,
 * directories that were made and are empty now. The receipt goes last, so that what was interrupted can be done again.
 */

export interface TakenBack {
  /** Paths of what is gone. */
  removed: string[];
  /** Paths of files out of which our line was taken. */
  restored: string[];
  kept: { path: string; why: string }[];
}

/** What recording has left. */
const RECORDINGS = /^(?:recordings\.db.*|spool)$/;
const OF_OURS =
  /^(?:control|log|view|off|off\.d|down|(?:config|credentials|installed|service)\.json|install\.lock|search\.db.*)$/;

/** Whether a home holds something that was recorded. */
export function hasRecordings(home: string): boolean {
  return namesIn(home).some((name) => name.startsWith("recordings.db")) || namesIn(join(home, "spool")).length > 0;
}

/** Throws what the system says when the executable cannot be removed; everything else that stays is told. */
export function takeBack(home: string, receipt: Receipt, keepRecordings: boolean): TakenBack {
  const result: TakenBack = { removed: [], restored: [], kept: [] };
  for (const path of receipt.pathFiles) takeLineBack(path, receipt, result);
  for (const name of namesIn(home)) {
    if (OF_OURS.test(name) || (RECORDINGS.test(name) && !keepRecordings)) {
      attempt(result, join(home, name), removeAll);
    }
  }
  for (const path of interrupted(dirname(receipt.executable))) attempt(result, path, removeAll);
  const waiting = removeExecutable(receipt.executable);
  result.removed.push(receipt.executable);
  if (waiting !== null) result.kept.push({ path: waiting, why: "it runs just now: delete it afterwards" });
  attempt(result, receiptPath(home), removeAll);
  for (const directory of receipt.madeDirectories.toReversed()) {
    if (namesIn(directory).length === 0) attempt(result, directory, removeEmpty);
  }
  return result;
}

function takeLineBack(path: string, receipt: Receipt, result: TakenBack): void {
  const directory = dirname(receipt.executable);
  if (path === WINDOWS_USER_PATH) {
    if (removeFromUserPath(directory)) result.restored.push(path);
    else result.kept.push({ path, why: `take ${directory} off your Path yourself` });
    return;
  }
  attempt(result, path, (): boolean => {
    const isFish = basename(path) === "bir.fish";
    const added = isFish ? fishFile(directory).trimEnd() : pathLine(directory);
    const removal = withoutAdded(readFileSync(path), added, receipt.pathFilesGivenLineEnd.includes(path));
    if (removal.kind === "absent") return false;
    if (removal.kind === "changed") {
      result.kept.push({ path, why: "the lines of bir in it were changed: take them out yourself" });
      return false;
    }
    if (removal.content.length === 0 && receipt.pathFilesMade.includes(path)) return removeAll(path);
    overwriteFile(path, removal.content);
    result.restored.push(path);
    return false;
  });
}

/** Does it and tells what came of it; `work` answers whether the path is gone now. */
function attempt(result: TakenBack, path: string, work: (path: string) => boolean): void {
  try {
    if (work(path)) result.removed.push(path);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === null) throw cause;
    if (code !== "ENOENT") result.kept.push({ path, why: systemReason(code) });
  }
}

/** What an installation or an update that was killed has left beside the executable. */
function interrupted(directory: string): string[] {
  return namesIn(directory)
    .filter((name) => name.startsWith(".bir-install."))
    .map((name) => join(directory, name));
}

function removeAll(path: string): boolean {
  rmSync(path, { recursive: true });
  return true;
}

function removeEmpty(path: string): boolean {
  rmdirSync(path);
  return true;
}
