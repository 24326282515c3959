import type { Database } from "bun:sqlite";
import { isProcessAlive } from "../kit/process-identity.ts";
import { forgetRuns } from "./index/forget-runs.ts";
import { closeAfterReading, openForDeleting, storeVersion } from "./open-store.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { asStoreProblem } from "./store-problem.ts";

/**
 * Removes what is too old, or too much, from the store and from the index of words beside it: one run at a time, oldest
 * first, never one that is being recorded. Leaves the files as large as they are; what is freed is used again.
 */

export interface Limits {
  /** Runs that began before (epoch ms) go. */
  before: number;
  /** While the store holds more than this, the oldest go. */
  maxBytes: number;
  /** What is remembered of reports taken before (epoch ms) goes. */
  reportsBefore: number;
}

export interface Pruned {
  /** How many runs were removed. */
  removed: number;
  /** False where there is more to remove: another pass is needed. */
  isDone: boolean;
}

/** Whoever calls this serves others, too: a pass takes about this long, or what one run takes. */
const PASS_MS = 40;
/** How long it waits for others who write. */
const BUSY_TIMEOUT_MS = 50;

interface OldRun {
  id: string;
  status: string;
  started_at: number;
  owner_pid: number;
  owner_started_at: string;
}

/** One pass, of about `passMs`. `isAlive`: whether the process that owns a run is there. Throws Problem. */
export function pruneStore(path: string, limits: Limits, isAlive = isProcessAlive, passMs = PASS_MS): Pruned {
  const db = openForDeleting(path);
  if (db === null) return { removed: 0, isDone: true };
  try {
    return asStoreProblem(path, () => {
      // An older program's: whoever writes next brings it up to date.
      if (storeVersion(db) < SCHEMA_VERSION) return { removed: 0, isDone: true };
      db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      const until = performance.now() + passMs;
      removeOldBooks(db, limits);
      const removed: string[] = [];
      let isDone = true;
      for (const run of oldRuns(db, isAlive)) {
        if (run.started_at >= limits.before && usedBytes(db) <= limits.maxBytes) break;
        isDone = removed.length === 0 || performance.now() <= until;
        if (!isDone) break;
        remove(db, run.id);
        removed.push(run.id);
      }
      // One that is held by another process is left: it finds out by itself what is missing.
      const isForgotten = forgetRuns(path, removed, until) !== "unfinished";
      return { removed: removed.length, isDone: isDone && isForgotten };
    });
  } finally {
    closeAfterReading(db);
  }
}

function removeOldBooks(db: Database, { before, reportsBefore }: Limits): void {
  const removal = db.transaction(() => {
    db.run("DELETE FROM reports WHERE at < ?", [reportsBefore]);
    db.run("DELETE FROM sessions WHERE is_open = 0 AND at < ?", [before]);
  });
  removal.immediate();
}

/** Runs that are not being recorded, oldest first. */
function* oldRuns(db: Database, isAlive: typeof isProcessAlive): Generator<OldRun> {
  const sql = "SELECT id, status, started_at, owner_pid, owner_started_at FROM runs ORDER BY started_at, id";
  for (const run of db.query<OldRun, []>(sql).all()) {
    if (run.status !== "running" || !isAlive(run.owner_pid, run.owner_started_at)) yield run;
  }
}

function remove(db: Database, id: string): void {
  const removal = db.transaction(() => {
    db.run("DELETE FROM events WHERE run_id = ?", [id]);
    db.run("DELETE FROM steps WHERE run_id = ?", [id]);
    db.run("DELETE FROM runs WHERE id = ?", [id]);
  });
  removal.immediate();
}

function usedBytes(db: Database): number {
  const pages = pragma(db, "page_count") - pragma(db, "freelist_count");
  return pages * pragma(db, "page_size");
}

function pragma(db: Database, name: "page_size" | "freelist_count" | "page_count"): number {
  return db.query<Record<string, number>, []>(`PRAGMA ${name}`).get()?.[name] ?? 0;
}
