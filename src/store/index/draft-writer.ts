import type { CallWords, DocumentPlaces } from "./call-texts.ts";
import type { IndexTables, Shard } from "./index-tables.ts";
import type { Name } from "./names.ts";
import { MARK, ownNumber, STATUS } from "./numbers.ts";
import type { RunWords } from "./run-words.ts";
import { wordsOf } from "./words.ts";

/** Writes documents into the index's tables, and counts for each run what it is listed with. */

export interface RunPlace {
  number: number;
  shard: Shard;
  /** Nothing of it was written before this slice. */
  isNew: boolean;
}

/** A document on its way into the index. */
export interface Draft {
  document: number;
  run: RunPlace;
  opened: number | null;
  args: number | null;
  closed: number | null;
  startedAt: number | null;
  /** What is known of a call; parts that this slice does not tell are undefined. Null for a note, a prompt or an answer. */
  call:
    | (Name & {
        status: number;
        opening?: Pick<CallWords, "qualifiedName" | "args">;
        closing?: Pick<CallWords, "result" | "error" | "rpcError">;
        args?: string;
      })
    | null;
  text: string | null;
  /** How it is written already, and counted for its run; null where it is new. */
  before: (DocumentPlaces & { name: number | null; status: number | null }) | null;
}

interface Counts {
  errors: number;
  lost: number;
  running: number;
  /** Of each name: how many more calls there are, and the number of the first that is among them. */
  calls: Map<number, { change: number; first: number }>;
}

export class DraftWriter {
  readonly #tables: IndexTables;
  readonly #words: RunWords;
  readonly #counts = new Map<number, Counts>();
  readonly #runs = new Map<string, RunPlace>();

  constructor(tables: IndexTables, words: RunWords) {
    this.#tables = tables;
    this.#words = words;
  }

  /** The place of a run; one that is new gets a number and a shard. */
  runOf(id: string): RunPlace {
    const known = this.#runs.get(id);
    if (known !== undefined) return known;
    const number = this.#tables.numberOf(id);
    const place = number === null ? this.#newRun(id) : { number, shard: this.#shardOf(number), isNew: false };
    this.#runs.set(id, place);
    return place;
  }

  /** Writes a document anew. `texts`: its fields; null where there is nothing to write. `gone`: texts that it had before. */
  write(draft: Draft, name: number | null, texts: readonly string[] | null, gone: readonly string[]): void {
    if (texts === null) return;
    const { document, run, opened, args, closed, startedAt, call, before } = draft;
    const status = call?.status ?? null;
    const table = `documents_${run.shard.number}`;
    if (before !== null) this.#tables.run(`DELETE FROM ${table} WHERE rowid = ?`, document);
    const parts = texts.map(wordsOf);
    for (const words of parts) this.#words.add(run.number, run.shard.number, words);
    if (gone.length > 0) this.#checkLost(run.number, gone, new Set(parts.flat()));
    const marks = [...(name === null ? [] : [MARK.name(name)]), ...(status === STATUS.error ? [MARK.error] : [])];
    const text = [...parts.map((words) => words.join(" ")), marks.join(" ")].join(` ${MARK.border} `);
    this.#tables.run(`INSERT INTO ${table} (rowid, words) VALUES (?, ?)`, document, text);
    this.#tables.run(
      "INSERT OR REPLACE INTO documents (document, opened, args, closed, name, status, started_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      document,
      opened,
      args,
      closed,
      name,
      status,
      startedAt,
    );
    if (before === null) run.shard.documents++;
    if (status !== null) this.#count(run.number, ownNumber(document), before, { name, status });
  }

  /** Brings what is counted for runs and shards up to date; ends the slice. */
  writeCounts(): void {
    for (const [run, { errors, lost, running, calls }] of this.#counts) {
      this.#tables.run(
        "UPDATE runs SET errors = errors + ?, lost = lost + ?, running = running + ? WHERE number = ?",
        errors,
        lost,
        running,
        run,
      );
      for (const [name, { change, first }] of calls) {
        if (change === 0) continue;
        this.#tables.run(
          `INSERT INTO run_names (run, name, calls, first) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT (run, name) DO UPDATE SET calls = calls + ?3, first = min(first, ?4)`,
          run,
          name,
          change,
          first,
        );
        if (change < 0) this.#tables.run("DELETE FROM run_names WHERE run = ? AND name = ? AND calls <= 0", run, name);
      }
    }
    const shards = new Set(Array.from(this.#runs.values(), ({ shard }) => shard));
    for (const { documents, number } of shards) {
      this.#tables.run("UPDATE shards SET documents = ? WHERE number = ?", documents, number);
    }
    this.forget();
  }

  /** Forgets what was gathered: the transaction failed. */
  forget(): void {
    this.#counts.clear();
    this.#runs.clear();
  }

  /** Words stay with a run: one that has lost some is looked at more closely by whoever asks. */
  #checkLost(run: number, gone: readonly string[], kept: ReadonlySet<string>): void {
    if (gone.flatMap(wordsOf).every((word) => kept.has(word))) return;
    this.#tables.run("UPDATE runs SET has_lost_words = 1 WHERE number = ?", run);
  }

  #newRun(id: string): RunPlace {
    const shard = this.#tables.openShard();
    const sql = "INSERT INTO runs (id, shard) VALUES (?, ?) RETURNING number";
    const number = this.#tables.get<{ number: number }>(sql, id, shard.number)?.number ?? 0;
    this.#tables.addRun(id, number);
    return { number, shard, isNew: true };
  }

  #shardOf(run: number): Shard {
    const row = this.#tables.get<{ shard: number }>("SELECT shard FROM runs WHERE number = ?", run);
    const shard = this.#tables.shards().find(({ number }) => number === row?.shard);
    if (shard === undefined) throw new Error("a run of the index is in no shard");
    return shard;
  }

  #count(run: number, own: number, before: Draft["before"], after: { name: number | null; status: number }): void {
    const counts = this.#counts.get(run) ?? { errors: 0, lost: 0, running: 0, calls: new Map() };
    this.#counts.set(run, counts);
    for (const [is, by] of [
      [before, -1],
      [after, 1],
    ] as const) {
      if (is === null || is.status === null) continue;
      if (is.status === STATUS.error) counts.errors += by;
      if (is.status === STATUS.lost) counts.lost += by;
      if (is.status === STATUS.running) counts.running += by;
      if (is.name === null) continue;
      const { change, first } = counts.calls.get(is.name) ?? { change: 0, first: Number.MAX_SAFE_INTEGER };
      counts.calls.set(is.name, { change: change + by, first: by > 0 ? Math.min(first, own) : first });
    }
  }
}
