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
  // What other recorders have sent of their runs: each write that was taken has a row; the run itself has one with an empty id,
  // whose `seq` is the next that its steps and notes get.
  `
  CREATE TABLE received (
    run_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    step_id TEXT,
    seq INTEGER,
    PRIMARY KEY (run_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER received_of_deleted_run AFTER DELETE ON runs BEGIN DELETE FROM received WHERE run_id = old.id; END;
  `,
  // Where each service to which runs are sent stands: `state` is what it last said, as JSON; a run has a row once it is to be sent.
  `
  ALTER TABLE sinks ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sinks ADD COLUMN salt TEXT NOT NULL DEFAULT '';
  ALTER TABLE sinks ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sinks ADD COLUMN state TEXT NOT NULL DEFAULT '{}';
  CREATE TABLE sink_runs (
    sink TEXT NOT NULL,
    run_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    latest INTEGER NOT NULL,
    tail INTEGER NOT NULL,
    ending INTEGER,
    ending_status TEXT,
    ended TEXT,
    PRIMARY KEY (sink, run_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sink_runs_waiting ON sink_runs (sink, latest) WHERE latest > position OR ending IS NOT NULL;
  CREATE INDEX sink_runs_open ON sink_runs (sink) WHERE ended IS NULL;
  CREATE INDEX sink_runs_trailing ON sink_runs (sink) WHERE tail > position;
  CREATE TABLE sink_refusals (
    sink TEXT NOT NULL,
    run_id TEXT NOT NULL,
    row_id TEXT NOT NULL,
    status INTEGER,
    at INTEGER NOT NULL,
    PRIMARY KEY (sink, run_id, row_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER sinks_of_deleted_run AFTER DELETE ON runs BEGIN
    DELETE FROM sink_runs WHERE run_id = old.id;
    DELETE FROM sink_refusals WHERE run_id = old.id;
  END;
  `,
];

/** The version this executable writes; kept in SQLite's `user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length;
