import type { IndexTables, Shard } from "./index-tables.ts";
import { RUN_OF_ROWID } from "./numbers.ts";

/**
 * Which runs have all of the sought words anywhere in them: asked shard by shard, as runs are looked at, and each shard once.
 * Words that have to stand one behind the other have to do so in one field of one document.
 */
export class WordRuns {
  readonly #tables: IndexTables;
  readonly #sought: readonly (readonly string[])[];
  readonly #found = new Map<number, ReadonlySet<number>>();
  readonly #shards: { shard: Shard; firstRun: number }[];

  /** `sought`: for each word of the query, the words that it is made of. */
  constructor(tables: IndexTables, sought: readonly (readonly string[])[]) {
    this.#tables = tables;
    this.#sought = sought;
    this.#shards = tables.shards().flatMap((shard) => {
      const { firstRun } = shard;
      return firstRun === null ? [] : [{ shard, firstRun }];
    });
  }

  /** True when the run with this number has them. */
  has(run: number): boolean {
    const shard = this.#shards.findLast(({ firstRun }) => firstRun <= run)?.shard;
    return shard !== undefined && this.in(shard).has(run);
  }

  /** The runs of a shard that have them. */
  in(shard: Shard): ReadonlySet<number> {
    let found = this.#found.get(shard.number);
    if (found === undefined) {
      found = this.#search(shard);
      this.#found.set(shard.number, found);
    }
    return found;
  }

  #search(shard: Shard): ReadonlySet<number> {
    let runs: ReadonlySet<number> | null = null;
    const exact = new Set(this.#sought.flatMap((words) => words.slice(0, -1)));
    const begun = new Set(this.#sought.map((words) => words.at(-1) ?? ""));
    const questions = [...begun].map((word) => `"${word}"*`).concat([...exact].map((word) => `"${word}"`));
    // The longest first: they are the rarest as a rule, and the first that finds nothing ends it.
    questions.sort((a, b) => b.length - a.length);
    for (const question of questions) {
      runs = both(runs, this.#ask(`words_${shard.number}`, question));
      if (runs.size === 0) return runs;
    }
    const lost = this.#lostWords(shard);
    for (const words of this.#sought) {
      if (words.length < 2 && runs?.isDisjointFrom(lost)) continue;
      const now = this.#ask(`documents_${shard.number}`, phrase(words));
      runs =
        words.length > 1 ? both(runs, now) : new Set([...(runs ?? [])].filter((run) => !lost.has(run) || now.has(run)));
      if (runs.size === 0) return runs;
    }
    return runs ?? new Set();
  }

  /** Runs that may have had a word once which is in none of their documents any more. */
  #lostWords(shard: Shard): ReadonlySet<number> {
    const sql = "SELECT number FROM runs WHERE shard = ? AND has_lost_words = 1";
    return new Set(this.#tables.column<number>(sql, shard.number));
  }

  #ask(table: string, question: string): Set<number> {
    const sql = `SELECT DISTINCT ${RUN_OF_ROWID} FROM ${table} WHERE ${table} MATCH ?`;
    return new Set(this.#tables.column<number>(sql, question));
  }
}

/** Words one behind the other, of which the last may go on, as FTS5 writes it. */
export function phrase(words: readonly string[]): string {
  return `"${words.join(" ")}"*`;
}

function both(a: ReadonlySet<number> | null, b: ReadonlySet<number>): ReadonlySet<number> {
  return a === null ? b : a.intersection(b);
}
