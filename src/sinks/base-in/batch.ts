import { MAX_ROWS } from "../../core/recordings-wire.ts";
import type { RunFeed, Write } from "./run-feed.ts";

/**
 * How many rows of a run go into one request. A bir takes an array of them, all or none; everybody else takes one. An array that is
 * not taken is halved until the row that is at fault stands alone. Bounded by rows and by length.
 */

/** What a request carries at most, in UTF-16 units, unless it is a single row. */
const MAX_LENGTH = 256 * 1024;
/** Others wait while a request is put together. */
const MOST_ROWS = Math.min(MAX_ROWS, 256);

export class Batcher {
  readonly #feed: RunFeed;
  #queue: Write[] = [];
  #limit: number;

  /** `rows`: how many may go together at first. */
  constructor(feed: RunFeed, rows: number) {
    this.#feed = feed;
    this.#limit = rows;
  }

  /** The writes of the next request, in order; none where nothing waits. Only rows come together. */
  next(mayBeArray: boolean): Write[] {
    const most = mayBeArray ? Math.min(this.#limit, MOST_ROWS) : 1;
    const batch: Write[] = [];
    let length = 0;
    for (let write = this.#take(); write !== null; write = this.#take()) {
      length += write.json.length;
      const isCompany = batch.length > 0;
      if (isCompany && (write.kind !== "row" || length > MAX_LENGTH)) {
        this.#queue.unshift(write);
        break;
      }
      batch.push(write);
      if (write.kind !== "row" || batch.length >= most) break;
    }
    return batch;
  }

  /** The request was taken: more may go into the next. */
  grow(): void {
    this.#limit = Math.min(MOST_ROWS, this.#limit * 2);
  }

  /** The request was not taken, and one of its writes may be why: they come again, in smaller company. */
  halve(batch: readonly Write[]): void {
    this.#limit = Math.max(1, Math.floor(batch.length / 2));
    this.#queue.unshift(...batch);
  }

  #take(): Write | null {
    return this.#queue.shift() ?? this.#feed.next();
  }
}

/** The body of one request for these writes. */
export function requestJson(batch: readonly Write[]): string {
  const [first] = batch;
  return batch.length === 1 && first !== undefined ? first.json : `[${batch.map(({ json }) => json).join(",")}]`;
}
