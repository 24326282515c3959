import { Database } from "bun:sqlite";
import { chmodSync, closeSync, existsSync, fchmodSync, openSync, rmSync, statSync } from "node:fs";
import { EXIT } from "../../core/exit-codes.ts";
import { Problem } from "../../core/problem.ts";
import { systemReason } from "../../kit/system-reason.ts";
import { storeError } from "../store-error.ts";

/**
 * The file of the index: made for its owner alone, opened, thrown away. It is derived: whatever is wrong with it, a new one
 * takes its place. What is removed from it is overwritten.
 */

/** Raised when tables or the words of a text change: an index of another version is made anew. */
export const INDEX_VERSION = 2;

/**
 * A document is a call, a note, a prompt or an answer; its number is that of its run and, in the low bits, its own number in
 * the run. Positions are those of the journal's events that it is made of. A shard holds whole runs, and has two tables of
 * words: `documents_N`, and `words_N` with the words of each run. `run_names.first` is the number, in the run, of a name's first call.
 */
const TABLES = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE shards (
    number INTEGER PRIMARY KEY,
    documents INTEGER NOT NULL DEFAULT 0,
    to_purge INTEGER NOT NULL DEFAULT 0,
    has_removed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    shard INTEGER NOT NULL,
    parts INTEGER NOT NULL DEFAULT 0,
    errors INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    running INTEGER NOT NULL DEFAULT 0,
    has_lost_words INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX runs_by_shard ON runs (shard);
  CREATE INDEX runs_with_errors ON runs (number) WHERE errors > 0;
  CREATE INDEX runs_with_lost_words ON runs (shard) WHERE has_lost_words = 1;
  CREATE TABLE names (
    id INTEGER PRIMARY KEY,
    server TEXT,
    tool TEXT NOT NULL,
    server_key TEXT NOT NULL,
    tool_key TEXT NOT NULL,
    UNIQUE (tool, server)
  ) STRICT;
  CREATE TABLE run_names (
    run INTEGER NOT NULL,
    name INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    first INTEGER NOT NULL,
    PRIMARY KEY (run, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX run_names_by_name ON run_names (name, run);
  CREATE TABLE documents (
    document INTEGER PRIMARY KEY,
    opened INTEGER,
    args INTEGER,
    closed INTEGER,
    name INTEGER,
    status INTEGER,
    started_at INTEGER
  ) STRICT;
`;

/** How long another process that writes is waited for when an index is made. */
const BUSY_TIMEOUT_MS = 2000;

/** Opens the index, making it (0600) where there is none or one of another version. Throws what SQLite or the system says. */
export function openIndexFile(path: string): Database {
  const db = connect(path);
  const version = versionOf(db);
  if (version === INDEX_VERSION) return db;
  if (version !== 0 || hasTables(db)) {
    db.close();
    discardIndex(path);
    return openIndexFile(path);
  }
  try {
    db.run("PRAGMA journal_mode = WAL");
    makeTables(db);
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

/** As `openIndexFile`, but null where there is no index, or none of this version: nothing is made. */
export function openExistingIndex(path: string): Database | null {
  if (!existsSync(path)) return null;
  const db = connect(path);
  if (versionOf(db) === INDEX_VERSION) return db;
  db.close();
  return null;
}

/** Removes the index. Who has it open goes on with what is no longer there, and finds out by its identity. */
export function discardIndex(path: string): void {
  // The log goes first: it must never be taken for that of a new file.
  for (const suffix of ["-wal", "-shm", ""]) rmSync(path + suffix, { force: true });
}

/** What a person is told when the index cannot be used. */
export function indexProblem(cause: unknown, path: string): Problem {
  if (cause instanceof Problem) return cause;
  const { failure, message } = storeError(cause);
  const { code } = cause as { code?: unknown };
  const reason = failure === "full" ? "the disk is full" : typeof code === "string" ? systemReason(code) : message;
  return new Problem(
    "index-unusable",
    `the index of words ${path} cannot be used: ${reason}`,
    "Recordings are listed without it; only prompts and answers are searched.",
    EXIT.failed,
  );
}

function connect(path: string): Database {
  if (!existsSync(path)) {
    const file = openSync(path, "a", 0o600);
    fchmodSync(file, 0o600);
    closeSync(file);
  } else if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  const db = new Database(path, { readwrite: true, create: false });
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // Nothing of what is removed stays in a page, nor a copy of it where pages are split.
    db.run("PRAGMA secure_delete = ON");
    db.run("PRAGMA synchronous = NORMAL");
    db.run("PRAGMA cache_size = -16000");
    // Folding the log into the file waits for the disk: rarely, then.
    db.run("PRAGMA wal_autocheckpoint = 4000");
    db.run("PRAGMA journal_size_limit = 16777216");
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

function versionOf(db: Database): number {
  return db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

function hasTables(db: Database): boolean {
  return db.query("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== null;
}

function makeTables(db: Database): void {
  db.run("BEGIN IMMEDIATE");
  try {
    // Another process may have made them meanwhile.
    if (versionOf(db) === 0) {
      db.run(TABLES);
      db.run(`PRAGMA user_version = ${INDEX_VERSION}`);
    }
    db.run("COMMIT");
  } catch (cause) {
    if (db.inTransaction) db.run("ROLLBACK");
    throw cause;
  }
}
