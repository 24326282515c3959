import type { Owner } from "../../core/run.ts";
import { flushFile } from "../../kit/flush-file.ts";
import { SqliteStore, storeIdentity } from "../../store/sqlite-store.ts";
import type { RecordingsAnswer } from "./answer.ts";
import { Batch } from "./batch.ts";
import { Fault, type PendingWrite } from "./commit-queue.ts";
import { RunStates } from "./run-state.ts";

/**
 * The service's own connection to the store: opened with the first write, again after trouble, and when another file is at its
 * path. A damaged store is left where it is: what was acknowledged is in it, and to set it aside is for who records here.
 */
/** Many runs at once grow in as many places of each table. */
const CACHE_KIB = 16 * 1024;

export class ReceivingStore {
  readonly #path: string;
  readonly #owner: Owner;
  readonly #now: () => number;
  readonly #states = new RunStates();
  #store: SqliteStore | null = null;
  #identity: string | null = null;

  constructor(path: string, owner: Owner, now: () => number) {
    this.#path = path;
    this.#owner = owner;
    this.#now = now;
  }

  /** Commits the writes, all or none. Throws what the store threw. */
  commit(writes: readonly PendingWrite<Batch>[]): RecordingsAnswer[] {
    const store = this.#usable();
    const made: { batch: Batch | null; answers: RecordingsAnswer[]; fault: Fault | null } = {
      batch: null,
      answers: [],
      fault: null,
    };
    try {
      store.appendMade((received) => {
        made.batch = new Batch(received, this.#states, this.#owner, this.#now());
        const { batch } = made;
        try {
          made.answers = writes.map((write) => write.apply(batch));
        } catch (cause) {
          if (!isStores(cause)) made.fault = new Fault("a write could not be made", { cause });
          throw cause;
        }
        return batch.finish();
      });
    } catch (cause) {
      made.batch?.failed();
      throw made.fault ?? cause;
    }
    made.batch?.committed();
    return made.answers;
  }

  /**
   * Folds what it can of the write-ahead log into the file. The log has to be on the disk before that, which takes longest and is
   * done beforehand, beside whatever else there is to do.
   */
  async checkpoint(): Promise<void> {
    // SQLite holds no lock on its log.
    await flushFile(`${this.#path}-wal`);
    try {
      this.#store?.checkpoint();
    } catch {
      // Whatever is wrong shows with the next commit.
    }
  }

  letGo(): void {
    this.#states.clear();
    try {
      this.#store?.close();
    } catch {
      // A store that cannot even be closed is no longer of use either way.
    }
    this.#store = null;
  }

  #usable(): SqliteStore {
    if (this.#store !== null && storeIdentity(this.#path) === this.#identity) return this.#store;
    this.letGo();
    const store = SqliteStore.open(this.#path, CACHE_KIB);
    this.#store = store;
    this.#identity = storeIdentity(this.#path);
    return store;
  }
}

/** What SQLite throws has its code. */
function isStores(cause: unknown): boolean {
  return typeof (cause as { code?: unknown } | null)?.code === "string";
}
