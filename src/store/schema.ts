/**
 * The tables of `recordings.db` and how an older file becomes a current one. Add-only: a migration that has shipped is
 * never edited.
 */

/** Each entry takes the store from the version of its index to the next. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL,
    payload TEXT
  ) STRICT;
  CREATE INDEX events_by_run ON events (run_id, position);
  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    session_id TEXT,
    host_app TEXT,
    host_version TEXT,
    tier TEXT NOT NULL,
    cwd TEXT NOT NULL,
    input TEXT,
    final_answer TEXT,
    status TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    lossy INTEGER NOT NULL DEFAULT 0,
    gaps TEXT NOT NULL DEFAULT '[]',
    wrapped_servers TEXT NOT NULL,
    host_hook_calls INTEGER NOT NULL DEFAULT 0,
    step_count INTEGER NOT NULL DEFAULT 0,
    owner_pid INTEGER NOT NULL,
    owner_started_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX runs_by_start ON runs (started_at, id);
  CREATE TABLE steps (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    server TEXT,
    tool TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    call_id TEXT,
    status TEXT NOT NULL,
    is_error INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    duration_ms REAL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX steps_by_run ON steps (run_id, seq);
  CREATE TABLE sinks (name TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE runs ADD COLUMN usage TEXT;
  CREATE TABLE sessions (
    key TEXT PRIMARY KEY,
    is_open INTEGER NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_open ON sessions (at) WHERE is_open = 1;
  CREATE TABLE reports (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE held (id TEXT PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
];

/** The version this executable writes; kept in SQLite's `user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length;
