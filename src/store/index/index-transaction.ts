import type { IndexTables } from "./index-tables.ts";

/** Does `work` in one transaction that writes; nothing of it is kept when it throws. Throws SQLite's errors. */
export function runInTransaction<T>(tables: IndexTables, work: () => T): T {
  tables.db.run("BEGIN IMMEDIATE");
  try {
    const result = work();
    tables.db.run("COMMIT");
    return result;
  } catch (cause) {
    if (tables.db.inTransaction) {
      try {
        tables.db.run("ROLLBACK");
      } catch {
        // A full disk may already have rolled it back.
      }
    }
    tables.forgetCache();
    throw cause;
  }
}
