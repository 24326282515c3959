import type { Database } from "bun:sqlite";
import { closeAfterReading, openForDeleting } from "./open-store.ts";
import { asStoreProblem } from "./store-problem.ts";

/**
 * Removes what is too old, or too much, from the store: a few runs at a time, oldest first, never one that is being recorded.
 * Leaves the file as large as it is; what is freed is used again.
 */

export interface Limits {
  /** Runs that began before (epoch ms) go. */
  before: number;
  /** While the store holds more than this, the oldest go. */
  maxBytes: number;
  /** What is remembered of reports taken before (epoch ms) goes. */
  reportsBefore: number;
}

/** One pass removes no more: others write, too. */
const RUNS_A_PASS = 200;

/** Answers how many runs were removed. Throws Problem. */
export function pruneStore(path: string, { before, maxBytes, reportsBefore }: Limits): number {
  const db = openForDeleting(path);
  if (db === null) return 0;
  try {
    return asStoreProblem(path, () => {
      const prune = db.transaction(() => {
        db.run("DELETE FROM reports WHERE at < ?", [reportsBefore]);
        db.run("DELETE FROM sessions WHERE is_open = 0 AND at < ?", [before]);
        const old = ids(
          db,
          "SELECT id FROM runs WHERE started_at < ? AND status <> 'running' ORDER BY started_at",
          before,
        );
        for (const id of old) remove(db, id);
        return old.length;
      });
      let removed = prune.immediate();
      const shrink = db.transaction(() => {
        const sql = "SELECT id FROM runs WHERE started_at >= ? AND status <> 'running' ORDER BY started_at";
        let count = 0;
        for (const id of ids(db, sql, 0)) {
          if (usedBytes(db) <= maxBytes) break;
          remove(db, id);
          count++;
        }
        return count;
      });
      if (usedBytes(db) > maxBytes) removed += shrink.immediate();
      return removed;
    });
  } finally {
    closeAfterReading(db);
  }
}

function ids(db: Database, sql: string, at: number): string[] {
  return db
    .query<{ id: string }, [number]>(`${sql} LIMIT ${RUNS_A_PASS}`)
    .all(at)
    .map(({ id }) => id);
}

function remove(db: Database, id: string): void {
  db.run("DELETE FROM events WHERE run_id = ?", [id]);
  db.run("DELETE FROM steps WHERE run_id = ?", [id]);
  db.run("DELETE FROM runs WHERE id = ?", [id]);
}

function usedBytes(db: Database): number {
  const pages = pragma(db, "page_count") - pragma(db, "freelist_count");
  return pages * pragma(db, "page_size");
}

function pragma(db: Database, name: "page_size" | "freelist_count" | "page_count"): number {
  return db.query<Record<string, number>, []>(`PRAGMA ${name}`).get()?.[name] ?? 0;
}
