import type { IndexTables } from "./index-tables.ts";
import { runInTransaction } from "./index-transaction.ts";
import { documentNumber } from "./numbers.ts";

/**
 * Takes runs out of the index. That is quick; their words are in its file until the shards that held them are purged, which
 * goes in small steps and can be gone on with later, by any process.
 */

/** How many pages of a table of words a step of a purge writes. */
const PURGE_PAGES = 16;
/** Numbers of documents that are removed in one statement each. */
const HIGHEST_NUMBER = 2 ** 24 - 1;

/** Removes these runs, all or none; answers how many there were. */
export function removeRuns(tables: IndexTables, ids: readonly string[]): number {
  const removed = runInTransaction(tables, () => ids.filter((id) => removeRun(tables, id)).length);
  tables.forgetCache();
  return removed;
}

/**
 * Goes on with purging until `until` (of performance.now()): first shards that runs were removed from, then, unless
 * `removedOnly`, those that are to be put in order. True when nothing is left to do, and the log holds nothing of what was.
 */
export function purge(tables: IndexTables, until: number, removedOnly: boolean): boolean {
  const shards = tables.all<ShardToPurge>(
    `SELECT number, to_purge AS state FROM shards WHERE to_purge > 0 AND has_removed >= ?
      ORDER BY has_removed DESC, number`,
    removedOnly ? 1 : 0,
  );
  for (const shard of shards) if (!purgeShard(tables, shard, until)) return false;
  if (shards.length === 0) return true;
  if (!emptyLog(tables)) return false;
  runInTransaction(tables, () =>
    tables.run("UPDATE shards SET to_purge = 0, has_removed = 0 WHERE to_purge = ?", PURGED),
  );
  return true;
}

interface ShardToPurge {
  number: number;
  /** 1: both its tables are to be begun; 2: the first was begun; 3: the first is done; 4: the second was begun; 5: `PURGED`. */
  state: number;
}

/** Its tables hold nothing any more of what was removed; the log may. */
const PURGED = 5;

function purgeShard(tables: IndexTables, { number, state }: ShardToPurge, until: number): boolean {
  for (const [index, table] of [`documents_${number}`, `words_${number}`].entries()) {
    const begun = 2 + index * 2;
    if (state > begun) continue;
    for (let isBegun = state === begun, isDone = false; !isDone; isBegun = true) {
      isDone = runInTransaction(tables, () => {
        const done = purgeStep(tables, table, isBegun);
        tables.run("UPDATE shards SET to_purge = ? WHERE number = ?", done ? begun + 1 : begun, number);
        return done;
      });
      if (performance.now() > until) return false;
    }
  }
  return true;
}

/** Empties the log, which still holds what pages were before; false while others read from it. */
function emptyLog(tables: IndexTables): boolean {
  return tables.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)")?.busy === 0;
}

function removeRun(tables: IndexTables, id: string): boolean {
  const run = tables.get<{ number: number; shard: number; parts: number }>(
    "SELECT number, shard, parts FROM runs WHERE id = ?",
    id,
  );
  if (run === null) return false;
  const { number, shard, parts } = run;
  const [first, last] = [documentNumber(number, 0), documentNumber(number, HIGHEST_NUMBER)];
  const documents = tables.column<number>("SELECT document FROM documents WHERE document BETWEEN ? AND ?", first, last);
  for (const document of documents) tables.run(`DELETE FROM documents_${shard} WHERE rowid = ?`, document);
  for (let part = 0; part < parts; part++) {
    tables.run(`DELETE FROM words_${shard} WHERE rowid = ?`, documentNumber(number, part));
  }
  tables.run("DELETE FROM documents WHERE document BETWEEN ? AND ?", first, last);
  tables.run("DELETE FROM run_names WHERE run = ?", number);
  tables.run("DELETE FROM names WHERE NOT EXISTS (SELECT 1 FROM run_names WHERE name = names.id)");
  tables.run("DELETE FROM runs WHERE number = ?", number);
  tables.run(
    "UPDATE shards SET documents = documents - ?, to_purge = 1, has_removed = 1 WHERE number = ?",
    documents.length,
    shard,
  );
  return true;
}

/** One step of writing a table of words anew without what was removed; true when there is nothing left to do. */
function purgeStep(tables: IndexTables, table: string, isBegun: boolean): boolean {
  const before = changes(tables);
  tables.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, isBegun ? PURGE_PAGES : -PURGE_PAGES);
  return changes(tables) - before < 2;
}

function changes(tables: IndexTables): number {
  return tables.get<{ changes: number }>("SELECT total_changes() AS changes")?.changes ?? 0;
}
