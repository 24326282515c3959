import type { IndexState } from "../../core/service-wire.ts";
import { storePath } from "../../kit/paths.ts";
import { isProcessAlive } from "../../kit/process-identity.ts";
import { StoreReader } from "../../store/reader.ts";
import { RunFinder } from "../../store/run-finder.ts";
import type { IndexKeeper } from "./index-keeper.ts";

/** Whether the process with this pid and start time is there. */
export type IsAlive = (pid: number, startedAt: string) => boolean;

/**
 * What was recorded, for as long as the service lives: the store may be made, replaced or removed meanwhile, and its index come and
 * go. Reads only.
 */
export class Archive {
  readonly #path: string;
  readonly #keeper: IndexKeeper;
  readonly #isAlive: IsAlive;
  #reader: StoreReader | null = null;
  #finder: { finder: RunFinder; reader: StoreReader; index: unknown } | null = null;

  constructor(home: string, keeper: IndexKeeper, isAlive: IsAlive = isProcessAlive) {
    this.#path = storePath(home);
    this.#keeper = keeper;
    this.#isAlive = isAlive;
  }

  /** Reads the store that there is now; an empty one while there is none. Throws Problem where it cannot be read. */
  reader(): StoreReader {
    if (this.#reader?.isInPlace()) return this.#reader;
    this.close();
    this.#reader = StoreReader.open(this.#path, this.#isAlive);
    return this.#reader;
  }

  /** Answers the readers' questions, from an index that has just been brought on a little. Throws Problem. */
  finder(): RunFinder {
    const reader = this.reader();
    if (reader.version() !== null) this.#keeper.catchUp();
    const { index } = this.#keeper;
    if (this.#finder?.reader !== reader || this.#finder.index !== index) {
      this.#finder = { finder: new RunFinder(reader, index), reader, index };
    }
    return this.#finder.finder;
  }

  /** How far the index has come. */
  index(): IndexState {
    return this.#reader === null || this.#reader.version() === null ? NOTHING_TO_INDEX : this.#keeper.state();
  }

  close(): void {
    this.#finder = null;
    const reader = this.#reader;
    this.#reader = null;
    reader?.close();
  }
}

const NOTHING_TO_INDEX: IndexState = { isCurrent: true, done: 1 };
