import { Problem } from "../../core/problem.ts";
import type { IndexState } from "../../core/service-wire.ts";
import type { ServerLog } from "../../http-server/server-log.ts";
import { fileFacts } from "../../kit/file-facts.ts";
import { searchIndexPath, storePath } from "../../kit/paths.ts";
import { SearchIndex } from "../../store/index/search-index.ts";

/**
 * Keeps the index of words current, in slices so small that no request waits for one noticeably. Where the index cannot be used,
 * the service answers without it, and tries it again later (DEG-23).
 */

/** For one slice in the background, and for one in front of a question. */
const SLICE_MS = 12;
/** Between two slices others have their turn; a longer one while recordings are sent, of which there may be thousands a second. */
const PAUSE_MS = 4;
const POLITE_PAUSE_MS = 250;
/** So long after one was sent there may come another one. */
const BUSY_MS = 100;
/** How often it is looked whether there is something new. */
const LOOK_MS = 1000;
const TRY_AGAIN_MS = 60_000;

export class IndexKeeper {
  readonly #home: string;
  readonly #log: ServerLog;
  readonly #now: () => number;
  #index: SearchIndex | null = null;
  #tryAgainAt = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;

  /** `now` answers ms on a clock that only goes forward. */
  constructor(home: string, log: ServerLog, now: () => number = () => performance.now()) {
    this.#home = home;
    this.#log = log;
    this.#now = now;
  }

  /** The index, if it can be used. */
  get index(): SearchIndex | null {
    return this.#index;
  }

  /** How far it has come; not at all where it cannot be used. */
  state(): IndexState {
    return this.#use((index) => index.state()) ?? { isCurrent: false, done: 0 };
  }

  /** Takes in some of what was recorded since, for a few milliseconds. Never throws. */
  catchUp(): IndexState {
    this.#open();
    return this.#use((index) => index.catchUp(SLICE_MS)) ?? { isCurrent: false, done: 0 };
  }

  /** A recording is sent: the index goes on more slowly for a moment. */
  makeWay(): void {
    this.#sentAt = this.#now();
  }

  /** Keeps it current from now on. */
  start(): void {
    const slice = (): void => {
      const isThere = fileFacts(storePath(this.#home)) !== null;
      const isCurrent = !isThere || this.catchUp().isCurrent || this.#index === null;
      const isBusy = this.#now() - this.#sentAt < BUSY_MS;
      this.#timer = setTimeout(slice, isCurrent ? LOOK_MS : isBusy ? POLITE_PAUSE_MS : PAUSE_MS);
    };
    this.#timer ??= setTimeout(slice, 0);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#close();
  }

  #open(): void {
    if (this.#index !== null || this.#now() < this.#tryAgainAt) return;
    try {
      this.#index = SearchIndex.open(searchIndexPath(this.#home), storePath(this.#home));
    } catch (cause) {
      this.#failed(cause);
    }
  }

  #use<T>(work: (index: SearchIndex) => T): T | null {
    if (this.#index === null) return null;
    try {
      return work(this.#index);
    } catch (cause) {
      this.#close();
      this.#failed(cause);
      return null;
    }
  }

  #failed(cause: unknown): void {
    this.#tryAgainAt = this.#now() + TRY_AGAIN_MS;
    if (cause instanceof Problem)
      this.#log.say(`the search index cannot be used, answers go without it (DEG-23): ${cause.message}`);
    else this.#log.fault("using the search index (DEG-23)", cause);
  }

  #close(): void {
    try {
      this.#index?.close();
    } catch (cause) {
      this.#log.fault("closing the search index", cause);
    }
    this.#index = null;
  }
}
