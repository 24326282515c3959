import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Counts what a proxy recorded and compares it with what was called. A figure is only worth something if nothing was
 * lost on the way to it. Read after the proxies have ended, never while they write.
 */

export interface Recorded {
  calls: number;
  runs: number;
  /** Steps whose answer was recorded too. */
  complete: number;
  /** Steps without an answer. */
  incomplete: number;
  /** What the recordings themselves say was lost. */
  gaps: number;
  /** Calls of which no complete step was found, or that are told as lost, whichever is more. */
  lost: number;
  /** Why nothing could be counted. */
  problem: string | undefined;
}

/** Looks into the store under `home` for `calls` calls; every one is lost when there is no store. */
export function readRecorded(home: string, calls: number): Recorded {
  const path = join(home, "recordings.db");
  const nothing = { calls, runs: 0, complete: 0, incomplete: 0, gaps: 0, lost: calls, problem: undefined };
  if (!existsSync(path)) return { ...nothing, problem: calls === 0 ? undefined : "no store was written" };
  const store = new Database(path, { readonly: true });
  try {
    const count = (sql: string) => store.query<{ n: number }, []>(sql).get()?.n ?? 0;
    const runs = count("SELECT count(*) AS n FROM runs");
    const complete = count("SELECT count(*) AS n FROM steps WHERE status IN ('ok', 'error')");
    const incomplete = count("SELECT count(*) AS n FROM steps WHERE status NOT IN ('ok', 'error')");
    const gaps = count("SELECT coalesce(sum(json_extract(body, '$.lost')), 0) AS n FROM events WHERE type = 'gap'");
    return { calls, runs, complete, incomplete, gaps, lost: Math.max(calls - complete, gaps), problem: undefined };
  } catch (error) {
    return { ...nothing, problem: `the store cannot be read: ${(error as Error).message}` };
  } finally {
    store.close();
  }
}
