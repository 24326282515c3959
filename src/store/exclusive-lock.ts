import { Database } from "bun:sqlite";
import { closeSync, fchmodSync, openSync, truncateSync } from "node:fs";
import { storeIdentity } from "./sqlite-store.ts";

/**
 * A lock that one process of this machine holds at a time: an empty SQLite file under an exclusive transaction. The system
 * lets go of it when its holder ends, however that ends, so nothing has to be cleaned up and no pid is ever believed.
 *
 * Nothing else in the process that holds it may open the file: on POSIX systems closing it anywhere gives the lock away.
 */
export class ExclusiveLock {
  readonly #db: Database;
  readonly #path: string;
  readonly #identity: string | null;

  private constructor(db: Database, path: string) {
    this.#db = db;
    this.#path = path;
    this.#identity = storeIdentity(path);
  }

  /** Takes the lock, making its file (0600) where there is none; null while another holds it. Throws what the system says. */
  static take(path: string): ExclusiveLock | null {
    prepareFile(path);
    try {
      return takeNow(path);
    } catch (cause) {
      const { code } = cause as { code?: string };
      if (code !== "SQLITE_NOTADB" && !code?.startsWith("SQLITE_CORRUPT")) throw cause;
      // The file never holds anything of ours. Emptying it disturbs no holder: what is locked is the file, not its bytes.
      truncateSync(path, 0);
      return takeNow(path);
    }

    function takeNow(at: string): ExclusiveLock | null {
      const db = new Database(at, { readwrite: true, create: false });
      try {
        db.run("PRAGMA busy_timeout = 0");
        // Otherwise the transaction makes a file beside this one, which a full disk refuses.
        db.run("PRAGMA journal_mode = MEMORY");
        db.run("BEGIN EXCLUSIVE");
        return new ExclusiveLock(db, at);
      } catch (cause) {
        db.close();
        if ((cause as { code?: string }).code?.startsWith("SQLITE_BUSY")) return null;
        throw cause;
      }
    }
  }

  /** False once the file was removed or replaced: then another process can hold the lock of that name. */
  isInPlace(): boolean {
    return this.#identity !== null && storeIdentity(this.#path) === this.#identity;
  }

  release(): void {
    this.#db.close();
  }
}

function prepareFile(path: string): void {
  const file = openSync(path, "a", 0o600);
  try {
    fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}
