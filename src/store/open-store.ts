import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { SCHEMA_VERSION } from "./schema.ts";
import { StoreError } from "./store-error.ts";
import { asStoreProblem } from "./store-problem.ts";

/**
 * Opens an existing store beside the processes that write it. Reading never makes a file, never migrates, and waits for
 * a lock instead of failing: whoever reads is not on a session's path.
 */

/** How long a reader waits for a lock. A writer holds one for milliseconds; SQLite's recovery may take longer. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * A connection to the store at `path` that cannot change it, or null where there is no store yet. It is opened
 * read-write underneath, so that it can build the shared-memory index and checkpoint. Throws Problem.
 */
export function openForReading(path: string): Database | null {
  const db = openExisting(path);
  db?.run("PRAGMA query_only = ON");
  return db;
}

/** As `openForReading`, but able to change the store; what is deleted through it is overwritten with zeros. */
export function openForDeleting(path: string): Database | null {
  const db = openExisting(path);
  db?.run("PRAGMA secure_delete = ON");
  return db;
}

/** Folds what it can of the write-ahead log into the file, without waiting for anyone, and closes. Never throws. */
export function closeAfterReading(db: Database): void {
  try {
    db.run("PRAGMA wal_checkpoint(PASSIVE)");
  } catch {
    // A read-only file system, or a store in trouble: the next one checkpoints.
  }
  db.close();
}

/** The version of the store that an open connection sees; 0 where it has no tables yet. */
export function storeVersion(db: Database): number {
  return db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

function openExisting(path: string): Database | null {
  return asStoreProblem(path, () => {
    if (!exists(path)) return null;
    const db = new Database(path, { readwrite: true, create: false });
    try {
      db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      const version = storeVersion(db);
      if (version > SCHEMA_VERSION) throw new StoreError("newer", `version ${version}`);
      if (version > 0) return db;
      // Made a moment ago by a writer that has not yet created its tables.
      db.close();
      return null;
    } catch (cause) {
      db.close();
      throw cause;
    }
  });
}

function exists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (cause) {
    if ((cause as { code?: string }).code === "ENOENT") return false;
    throw cause;
  }
}
