import { Database, type Statement } from "bun:sqlite";
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import type { BookEntry, JournalEntry, StoreEntry } from "./entry.ts";
import { eventBody } from "./event-body.ts";
import { Projection } from "./projection.ts";
import { Received } from "./received.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./schema.ts";
import { StoreError, storeError } from "./store-error.ts";

/** What a proxy can spare: its writes are to the ends of a few tables. */
const CACHE_KIB = 512;

/** A log up to this long is folded into the file within a few dozen milliseconds. */
const FOLDED_AT_EXIT_BYTES = 32 * 1024 * 1024;

/**
 * The writer's side of the store: one connection that appends events and keeps the projections in the same transaction.
 * It never waits for a lock (`busy_timeout` 0) and never checkpoints on its own: whoever writes is on a session's path.
 * Every failure is thrown as a `StoreError`; nothing of a failed batch is kept.
 */
export class SqliteStore {
  readonly #db: Database;
  readonly #path: string;
  readonly #insertEvent: Statement;
  readonly #projection: Projection;
  #books: Books | null = null;
  #received: Received | null = null;

  private constructor(db: Database, path: string) {
    this.#db = db;
    this.#path = path;
    // Statements come from `query`: those that `prepare` gives would keep a closed connection open.
    this.#insertEvent = db.query("INSERT INTO events (run_id, seq, type, at, body, payload) VALUES (?, ?, ?, ?, ?, ?)");
    this.#projection = new Projection(db);
  }

  /** Opens the store at `path`, making it (0600, in a 0700 directory) or bringing it up to date where needed. */
  static open(path: string, cacheKiB = CACHE_KIB): SqliteStore {
    let db: Database | undefined;
    try {
      createStoreFile(path);
      db = new Database(path, { readwrite: true });
      db.run("PRAGMA busy_timeout = 0");
      migrate(db);
      db.run("PRAGMA synchronous = NORMAL");
      db.run("PRAGMA wal_autocheckpoint = 0");
      db.run(`PRAGMA cache_size = -${cacheKiB}`);
      // Pages that are split leave no copy of a row behind that a later deletion could not reach.
      db.run("PRAGMA secure_delete = FAST");
      return new SqliteStore(db, path);
    } catch (cause) {
      db?.close();
      throw openingError(cause);
    }
  }

  /** Commits all entries or none. */
  append(entries: readonly StoreEntry[]): void {
    this.#commit(() => entries);
  }

  /** As `append`, of what `make` answers. What it reads is what is there, and nobody else writes meanwhile. */
  appendMade(make: (received: Received) => readonly StoreEntry[]): void {
    this.#received ??= new Received(this.#db);
    const received = this.#received;
    this.#commit(() => make(received));
  }

  #commit(make: () => readonly StoreEntry[]): void {
    const db = this.#db;
    try {
      db.query("BEGIN IMMEDIATE").run();
      // A newer program may have taken over since this one opened the store.
      refuseNewer(storeVersion(db));
      const events: JournalEntry[] = [];
      for (const entry of make()) {
        if ("book" in entry) this.#writeBook(entry);
        else {
          const { head, payload } = entry;
          this.#insertEvent.run(head.runId, head.seq, head.type, head.at, eventBody(head), payload);
          events.push(entry);
        }
      }
      this.#projection.apply(events);
      db.query("COMMIT").run();
    } catch (cause) {
      if (db.inTransaction) {
        try {
          db.run("ROLLBACK");
        } catch {
          // A full disk may already have rolled it back.
        }
      }
      throw storeError(cause);
    }
  }

  /** Folds what it can of the write-ahead log into the file, without waiting for anyone. */
  checkpoint(): void {
    try {
      this.#db.run("PRAGMA wal_checkpoint(PASSIVE)");
    } catch (cause) {
      throw storeError(cause);
    }
  }

  /** Most writers keep no books, so the statements are made when the first entry comes. */
  #writeBook(entry: BookEntry): void {
    this.#books ??= prepareBooks(this.#db);
    const books = this.#books;
    switch (entry.book) {
      case "report":
        books.report.run(entry.id, entry.at);
        return;
      case "session":
        books.session.run(entry.key, entry.isOpen ? 1 : 0, entry.at, entry.state);
        return;
      case "held":
        books.held.run(entry.id, entry.at, entry.body);
        return;
      case "released":
        books.released.run(entry.id);
        return;
      case "received":
        books.received.run(entry.runId, entry.id, entry.kind, entry.stepId, entry.seq);
        return;
      case "numbered":
        books.numbered.run(entry.nextSeq, entry.runId);
        return;
    }
  }

  /**
   * The process is about to end. Closes, unless folding a long log into the file would hold that up: a host may give a
   * proxy half a second. What was committed is safe in the log, and the next reader folds it.
   */
  leave(): void {
    const log = statSync(`${this.#path}-wal`, { throwIfNoEntry: false });
    if ((log?.size ?? 0) <= FOLDED_AT_EXIT_BYTES) this.close();
  }

  /** Closes the connection; the last one to close folds the write-ahead log into the file. */
  close(): void {
    try {
      this.#db.close();
    } catch (cause) {
      throw storeError(cause);
    }
  }
}

type Books = Record<BookEntry["book"], Statement>;

function prepareBooks(db: Database): Books {
  return {
    report: db.query("INSERT INTO reports (id, at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING"),
    session: db.query(
      `INSERT INTO sessions (key, is_open, at, state) VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET is_open = excluded.is_open, at = excluded.at, state = excluded.state`,
    ),
    held: db.query(
      "INSERT INTO held (id, at, body) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at, body = excluded.body",
    ),
    released: db.query("DELETE FROM held WHERE id = ?"),
    received: db.query("INSERT INTO received (run_id, id, kind, step_id, seq) VALUES (?, ?, ?, ?, ?)"),
    numbered: db.query("UPDATE received SET seq = ? WHERE run_id = ? AND id = ''"),
  };
}

/** Which file is at `path`; null when there is none. Tells whether a store was replaced or removed behind our back. */
export function storeIdentity(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/**
 * Moves the damaged store `identity` out of the way, to `PATH.corrupt-<epoch ms>`. Does nothing when another file is at
 * `path` by now, or another process is about to do it.
 */
export function setCorruptStoreAside(path: string, identity: string | null, nowMs: number): void {
  try {
    exclusively(path, nowMs, () => {
      if (storeIdentity(path) !== identity) return;
      for (const suffix of ["-wal", "-shm", ""]) {
        if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.corrupt-${nowMs}${suffix}`);
      }
    });
  } catch (cause) {
    throw storeError(cause);
  }
}

/**
 * Makes an empty file where there is none. SQLite gives its -wal and -shm files the same mode. What is left of those from
 * a store that was removed goes first: another process may still work with it, and would be taken to share this one.
 */
function createStoreFile(path: string): void {
  if (existsSync(path)) return;
  const madeFirst = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (madeFirst !== undefined) chmodSync(dirname(path), 0o700);
  const isDone = exclusively(path, Date.now(), () => {
    if (existsSync(path)) return;
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
    const file = openSync(path, "wx", 0o600);
    fchmodSync(file, 0o600);
    closeSync(file);
  });
  if (!isDone) throw new StoreError("busy", "another process is making the store");
}

/** A lock left by a process that was killed is not believed for longer. */
const STALE_LOCK_MS = 10_000;

/** Does `work` unless another process replaces the store's files just now; false then. */
function exclusively(path: string, nowMs: number, work: () => void): boolean {
  const lock = `${path}.setting-aside`;
  const held = statSync(lock, { throwIfNoEntry: false });
  if (held !== undefined && nowMs - held.mtimeMs > STALE_LOCK_MS) rmSync(lock, { force: true });
  try {
    closeSync(openSync(lock, "wx", 0o600));
  } catch (cause) {
    if ((cause as { code?: string }).code === "EEXIST") return false;
    throw cause;
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
  return true;
}

function storeVersion(db: Database): number {
  return db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

function refuseNewer(version: number): void {
  if (version <= SCHEMA_VERSION) return;
  throw new StoreError("newer", `the store has version ${version}, this program knows ${SCHEMA_VERSION}`);
}

function migrate(db: Database): void {
  const found = storeVersion(db);
  refuseNewer(found);
  if (found === SCHEMA_VERSION) return;
  // Larger pages carry arguments and results in fewer pieces; only a new file takes the size.
  db.run("PRAGMA page_size = 8192");
  db.run("PRAGMA journal_mode = WAL");
  db.run("BEGIN IMMEDIATE");
  try {
    // Another process may have done it while this one waited for the lock.
    const from = storeVersion(db);
    refuseNewer(from);
    for (const migration of MIGRATIONS.slice(from)) db.run(migration);
    db.run(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.run("COMMIT");
  } catch (cause) {
    if (db.inTransaction) db.run("ROLLBACK");
    throw cause;
  }
}

/** A database without our tables, or with others of their names, is no store. */
function openingError(cause: unknown): StoreError {
  const error = storeError(cause);
  return (cause as { code?: string }).code === "SQLITE_ERROR" ? new StoreError("corrupt", error.message) : error;
}
