import type { Database } from "bun:sqlite";
import { forgetRuns } from "./index/forget-runs.ts";
import { closeAfterReading, openForDeleting } from "./open-store.ts";
import { asStoreProblem } from "./store-problem.ts";

/**
 * Deletes runs so that nothing of them can be read from the store's files afterwards, nor from those of the index of words
 * beside it. The only code that removes from the journal. Freed pages are overwritten, the file is rewritten (splitting a page leaves copies of rows behind that no
 * deletion reaches), and the write-ahead log is emptied.
 */

export interface Deletion {
  /** How many runs there were to delete. */
  deleted: number;
  /** False when traces may be left: the store is too large to rewrite, or others used it all the while. */
  wiped: boolean;
}

/** How long those who read or write just now are waited for before traces are left. */
const WIPE_PATIENCE_MS = 1000;
/** Rewriting happens in memory, and nobody else can write meanwhile. */
const MAX_REWRITTEN_BYTES = 256 * 1024 * 1024;

/** Deletes these runs, all or none. A run that is not there is not counted. Throws Problem. */
export function deleteRuns(path: string, ids: readonly string[]): Deletion {
  const db = openForDeleting(path);
  if (db === null) return { deleted: 0, wiped: true };
  try {
    return asStoreProblem(path, () => {
      const remove = db.transaction(() => ids.reduce((deleted, id) => deleted + deleteRun(db, id), 0));
      const deleted = remove.immediate();
      db.run(`PRAGMA busy_timeout = ${WIPE_PATIENCE_MS}`);
      const isRewritten = deleted === 0 || rewrite(db);
      const isForgotten = forgetRuns(path, ids, Number.POSITIVE_INFINITY) === "done";
      return { deleted, wiped: emptyLog(db) && isRewritten && isForgotten };
    });
  } finally {
    closeAfterReading(db);
  }
}

function deleteRun(db: Database, id: string): number {
  db.run("DELETE FROM events WHERE run_id = ?", [id]);
  db.run("DELETE FROM steps WHERE run_id = ?", [id]);
  return db.run("DELETE FROM runs WHERE id = ?", [id]).changes;
}

/** Writes what is left anew, without traces and without the freed room; false where that cannot be done now. */
function rewrite(db: Database): boolean {
  const leftPages = number(db, "page_count") - number(db, "freelist_count");
  if (leftPages * number(db, "page_size") > MAX_REWRITTEN_BYTES) return false;
  try {
    db.run("PRAGMA temp_store = MEMORY");
    db.run("VACUUM");
    return true;
  } catch {
    // Somebody writes, or the disk has no room for two: what is deleted is deleted, all the same.
    return false;
  }
}

function emptyLog(db: Database): boolean {
  return db.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
}

function number(db: Database, pragma: "page_size" | "freelist_count" | "page_count"): number {
  return db.query<Record<string, number>, []>(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0;
}
