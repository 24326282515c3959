import type { IndexTables } from "./index-tables.ts";
import { documentNumber } from "./numbers.ts";

/**
 * Keeps, for each run, the words that are in it anywhere: each once, in parts. What is in it already is remembered for runs
 * that grow just now, so that a run does not get a part with each call; a word that is told twice does no harm.
 */

/** A part with so many words is left alone; a shorter one is written anew with what comes. */
const FULL_PART = 1000;
/** How many words are remembered of all runs together. */
const MAX_REMEMBERED = 200_000;

interface Growing {
  shard: number;
  known: Set<string>;
  fresh: Set<string>;
  /** The words of the last part while it is not full; its number is that of the parts before it. */
  tail: string;
  tailSize: number;
  part: number;
}

export class RunWords {
  readonly #tables: IndexTables;
  readonly #growing = new Map<number, Growing>();
  #remembered = 0;

  constructor(tables: IndexTables) {
    this.#tables = tables;
  }

  /** Takes words of a run; `write` puts them into the index. */
  add(run: number, shard: number, words: readonly string[]): void {
    const { known, fresh } = this.#of(run, shard);
    for (const word of words) if (!known.has(word)) fresh.add(word);
  }

  /** Writes what was taken since. To be called within the transaction that writes the documents. */
  write(): void {
    // Rows in ascending order: others would make SQLite write a segment for each.
    for (const [run, growing] of [...this.#growing].sort(([a], [b]) => a - b)) {
      if (growing.fresh.size > 0) this.#writeRun(run, growing);
    }
    for (const run of this.#growing.keys()) {
      if (this.#remembered <= MAX_REMEMBERED) break;
      this.#drop(run);
    }
  }

  /** Remembers nothing: a transaction failed, or another process has written. */
  forget(): void {
    this.#growing.clear();
    this.#remembered = 0;
  }

  #writeRun(run: number, growing: Growing): void {
    const table = `words_${growing.shard}`;
    const isNew = growing.tailSize === 0;
    const part = isNew ? this.#nextPart(run) : growing.part;
    // One new string: words cut from a text would keep all of it in memory.
    const words = [...growing.fresh].join(" ");
    const text = isNew ? words : `${growing.tail} ${words}`;
    const row = documentNumber(run, part);
    if (!isNew) this.#tables.run(`DELETE FROM ${table} WHERE rowid = ?`, row);
    this.#tables.run(`INSERT INTO ${table} (rowid, words) VALUES (?, ?)`, row, text);
    for (const word of words.split(" ")) growing.known.add(word);
    this.#remembered += growing.fresh.size;
    const size = growing.tailSize + growing.fresh.size;
    growing.fresh = new Set();
    growing.part = part;
    growing.tailSize = size >= FULL_PART ? 0 : size;
    growing.tail = size >= FULL_PART ? "" : text;
  }

  #nextPart(run: number): number {
    const parts = this.#tables.get<{ parts: number }>("SELECT parts FROM runs WHERE number = ?", run)?.parts ?? 0;
    this.#tables.run("UPDATE runs SET parts = ? WHERE number = ?", parts + 1, run);
    return parts;
  }

  #of(run: number, shard: number): Growing {
    let growing = this.#growing.get(run);
    // Moved to the end: what was used longest ago is dropped first.
    if (growing !== undefined) this.#growing.delete(run);
    growing ??= { shard, known: new Set(), fresh: new Set(), tail: "", tailSize: 0, part: 0 };
    this.#growing.set(run, growing);
    return growing;
  }

  #drop(run: number): void {
    this.#remembered -= this.#growing.get(run)?.known.size ?? 0;
    this.#growing.delete(run);
  }
}
