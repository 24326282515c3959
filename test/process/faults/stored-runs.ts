/**
 * What a store holds, read beside whoever writes it: straight from the events, over a connection of its own that cannot
 * change anything. Never goes through the command line or the code that commits, so that it can contradict both.
 */

import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { foldRun } from "../../../src/core/fold.ts";
import type { Run, Step } from "../../../src/core/run.ts";
import { type EventRow, eventOfRow } from "../../../src/store/row-event.ts";
import { Deadline } from "../../harness/deadline.ts";

const LOOK_AGAIN_MS = 20;

export const storeIn = (home: string): string => join(home, "recordings.db");

/** The runs of the store in `home`, in the order they were opened; none where there is no store. */
export function storedRuns(home: string): Run[] {
  return (
    reading(home, (db) => {
      const byRun = new Map<string, EventRow[]>();
      for (const row of db.query<EventRow, []>("SELECT * FROM events ORDER BY position").all()) {
        const rows = byRun.get(row.run_id);
        if (rows === undefined) byRun.set(row.run_id, [row]);
        else rows.push(row);
      }
      return [...byRun.values()].flatMap((rows) => foldRun(rows.map(eventOfRow)) ?? []);
    }) ?? []
  );
}

/** The only run of the store in `home`. */
export function onlyStoredRun(home: string): Run {
  const runs = storedRuns(home);
  if (runs.length !== 1 || runs[0] === undefined) {
    throw new Error(`${runs.length} runs in ${home}: ${JSON.stringify(runs).slice(0, 2000)}`);
  }
  return runs[0];
}

/** The steps of all runs in `home`. */
export function storedSteps(home: string): Step[] {
  return storedRuns(home).flatMap((run) => run.steps);
}

/** How many steps have ended, without reading them. */
export function closedSteps(home: string): number {
  const sql = "SELECT count(*) AS n FROM events WHERE type = 'step.closed'";
  return reading(home, (db) => db.query<{ n: number }, []>(sql).get()?.n ?? 0) ?? 0;
}

/** Waits until `look` finds what it wants in the store; one that cannot be read (yet) has nothing. */
export async function untilStored<T>(
  what: string,
  look: () => T | undefined | false | null,
  deadline = new Deadline(),
): Promise<T> {
  for (;;) {
    const found = unlessUnreadable(look);
    if (found !== undefined && found !== false && found !== null) return found;
    if (!(await deadline.race(Bun.sleep(LOOK_AGAIN_MS)))) throw new Error(`the store: waited in vain for ${what}`);
  }
}

function unlessUnreadable<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (cause) {
    if ((cause as { name?: string }).name === "SQLiteError") return undefined;
    throw cause;
  }
}

/** What SQLite finds wrong with a store: `ok` when nothing. */
export function integrityOf(path: string): string {
  const db = new Database(path, { readwrite: true, create: false });
  try {
    db.run("PRAGMA busy_timeout = 5000");
    return db
      .query<{ integrity_check: string }, []>("PRAGMA integrity_check")
      .all()
      .map((row) => row.integrity_check)
      .join("\n");
  } finally {
    db.close();
  }
}

/** Answers null where there is no store yet, or one without tables. */
function reading<T>(home: string, look: (db: Database) => T): T | null {
  const path = storeIn(home);
  if (!existsSync(path)) return null;
  const db = new Database(path, { readonly: true });
  try {
    db.run("PRAGMA busy_timeout = 5000");
    const tables = db.query("SELECT 1 FROM sqlite_master WHERE name = 'events'").all();
    return tables.length === 0 ? null : look(db);
  } finally {
    db.close();
  }
}
