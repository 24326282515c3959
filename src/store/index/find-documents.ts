import type { IndexTables } from "./index-tables.ts";
import { documentNumber, MARK, runOf } from "./numbers.ts";
import { phrase, type WordRuns } from "./word-runs.ts";

/** Finds documents, newest run first and, in a run, what was said last first. */

export interface Wanted {
  /** For each word of the query, the words that it is made of; all of them have to be in the document. */
  sought: readonly (readonly string[])[];
  /** Calls of one of these tools only; null for any document. */
  names: readonly number[] | null;
  /** Calls that ended in an error only. */
  isError: boolean;
}

/** Asked first, and then as many as a shard may have: most pages are filled by the first. */
const FIRST_ROWS = 200;
const MORE_ROWS = 20_000;

/** Numbers of documents below `before`, of runs that `hasRun` accepts. `words` are the runs with the sought words. */
export function* findDocuments(
  tables: IndexTables,
  wanted: Wanted,
  words: WordRuns | null,
  hasRun: (run: number) => boolean,
  before: number,
): Generator<number> {
  const match = matchOf(wanted);
  if (match === null) return;
  for (const shard of tables.shards().toReversed()) {
    if (shard.firstRun === null || documentNumber(shard.firstRun, 0) >= before) continue;
    const runs = words?.in(shard);
    if (runs?.size === 0 || (runs !== undefined && ![...runs].some(hasRun))) continue;
    const table = `documents_${shard.number}`;
    const sql = `SELECT rowid FROM ${table} WHERE ${table} MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?`;
    for (let limit = FIRST_ROWS; ; limit = MORE_ROWS) {
      const documents = tables.column<number>(sql, match, before, limit);
      for (const document of documents) {
        const run = runOf(document);
        if ((runs?.has(run) ?? true) && hasRun(run)) yield document;
      }
      before = documents.at(-1) ?? before;
      if (documents.length < limit) break;
    }
  }
}

/** The question as FTS5 takes it; null where nothing is asked for. */
function matchOf({ sought, names, isError }: Wanted): string | null {
  const parts = sought.map(phrase);
  if (names !== null) {
    if (names.length === 0) return null;
    parts.push(`(${names.map((name) => `"${MARK.name(name)}"`).join(" OR ")})`);
  }
  if (isError) parts.push(`"${MARK.error}"`);
  return parts.length === 0 ? null : parts.join(" AND ");
}
