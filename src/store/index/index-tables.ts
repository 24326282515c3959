import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";

/**
 * The tables of an open index, as those who write and ask share them: statements that are kept, shards, and which run has
 * which number. Decides nothing of what is in them.
 */

export interface Shard {
  number: number;
  documents: number;
  /** The number of its first run; null where it has none. Runs of later shards have higher ones. */
  firstRun: number | null;
}

/** A shard with as many documents takes no more runs. */
export const FULL_SHARD = 16_384;
const MAX_STATEMENTS = 600;

export class IndexTables {
  readonly db: Database;
  readonly #fullShard: number;
  readonly #statements = new Map<string, Statement>();
  #shards: Shard[] | null = null;
  #numbers: Map<string, number> | null = null;
  #ids = new Map<number, string>();
  #version = -1;

  constructor(db: Database, fullShard = FULL_SHARD) {
    this.db = db;
    this.#fullShard = fullShard;
  }

  all<Row>(sql: string, ...values: SQLQueryBindings[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  get<Row>(sql: string, ...values: SQLQueryBindings[]): Row | null {
    return this.#statement(sql).get(...values) as Row | null;
  }

  /** The first column of all rows. */
  column<T>(sql: string, ...values: SQLQueryBindings[]): T[] {
    return this.#statement(sql)
      .values(...values)
      .map(([value]) => value as T);
  }

  run(sql: string, ...values: SQLQueryBindings[]): number {
    return this.#statement(sql).run(...values).changes;
  }

  meta(key: string): string | null {
    return this.get<{ value: string }>("SELECT value FROM meta WHERE key = ?", key)?.value ?? null;
  }

  setMeta(key: string, value: string): void {
    this.run(
      "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      key,
      value,
    );
  }

  /** True when another process has written since this was asked last: nothing kept in memory is believed then. */
  refresh(): boolean {
    const version = this.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;
    if (version === this.#version) return false;
    this.#version = version;
    this.forgetCache();
    return true;
  }

  /** Has to be called after a transaction that failed, and after runs were removed. */
  forgetCache(): void {
    this.#shards = null;
    this.#numbers = null;
  }

  /** Newest runs last. */
  shards(): readonly Shard[] {
    this.#shards ??= this.all<Shard>(
      `SELECT number, documents, (SELECT min(runs.number) FROM runs WHERE shard = shards.number) AS firstRun
        FROM shards ORDER BY number`,
    );
    return this.#shards;
  }

  /** Has to be called when runs or documents were added. */
  forgetShards(): void {
    this.#shards = null;
  }

  /** The shard for a new run. */
  openShard(): Shard {
    const last = this.shards().at(-1);
    return last !== undefined && last.documents < this.#fullShard ? last : this.#makeShard((last?.number ?? 0) + 1);
  }

  /** Which run has which number, and the other way round. */
  numberOf(id: string): number | null {
    return this.#loaded().get(id) ?? null;
  }

  idOf(number: number): string | null {
    this.#loaded();
    return this.#ids.get(number) ?? null;
  }

  /** How many runs there are. */
  runs(): number {
    return this.#loaded().size;
  }

  runIds(): string[] {
    return [...this.#loaded().keys()];
  }

  /** Remembers a run that was just inserted. */
  addRun(id: string, number: number): void {
    this.#loaded().set(id, number);
    this.#ids.set(number, id);
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    this.db.close();
  }

  #loaded(): Map<string, number> {
    if (this.#numbers !== null) return this.#numbers;
    const rows = this.all<{ id: string; number: number }>("SELECT id, number FROM runs");
    this.#numbers = new Map(rows.map(({ id, number }) => [id, number]));
    this.#ids = new Map(rows.map(({ id, number }) => [number, id]));
    return this.#numbers;
  }

  #makeShard(number: number): Shard {
    const common = "content='', contentless_delete=1, tokenize='ascii'";
    this.#makeWords(`documents_${number}`, `words, ${common}, detail=full`);
    this.#makeWords(`words_${number}`, `words, ${common}, detail=none, prefix='1 2 3'`);
    // A shard that takes no more runs is put in order when there is nothing else to do.
    this.run("UPDATE shards SET to_purge = 1 WHERE number = ? AND to_purge = 0", number - 1);
    this.run("INSERT INTO shards (number) VALUES (?)", number);
    const shard = { number, documents: 0, firstRun: null };
    this.#shards = [...this.shards().filter((other) => other.number !== number), shard];
    return shard;
  }

  /** Written in few, large pieces: what small ones cost is paid when the shard is put in order. */
  #makeWords(table: string, options: string): void {
    this.db.run(`CREATE VIRTUAL TABLE ${table} USING fts5(${options})`);
    for (const [option, value] of Object.entries({ hashsize: 8_000_000, automerge: 8, crisismerge: 32 })) {
      this.db.run(`INSERT INTO ${table} (${table}, rank) VALUES ('${option}', ${value})`);
    }
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#statements.size >= MAX_STATEMENTS) {
        for (const old of this.#statements.values()) old.finalize();
        this.#statements.clear();
      }
      statement = this.db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
