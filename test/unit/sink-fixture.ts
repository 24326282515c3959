/** A store with runs of any shape, and a sink in a world whose clock and whose end are the test's. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Sink, type SinkState } from "../../src/sinks/base-in/sink.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { SinkCursor } from "../../src/store/sink-cursor.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import { MemoryService } from "../fakes/recordings-service/memory-service.ts";
import { RunWriter, T0 } from "./cli-fixture.ts";

export const SINK = "base-in https://recordings.example";

export class SinkWorld {
  readonly path: string;
  readonly store: SqliteStore;
  readonly service = new MemoryService();
  readonly said: string[] = [];
  /** Epoch ms; only waiting lets it pass. */
  now = T0;
  since = 0;
  /** How far the clock that people look at was set back. */
  setBackMs = 0;
  isAlive = true;
  #life: { isOver: boolean; sink: Sink; cursor: SinkCursor | null } | null = null;
  readonly #open: SinkCursor[] = [];
  #looking: SinkCursor | null = null;

  constructor() {
    const directory = mkdtempSync(join(tmpdir(), "bir-sink-"));
    this.path = join(directory, "recordings.db");
    this.store = SqliteStore.open(this.path);
    onTestFinished(() => {
      this.dispose();
      rmSync(directory, { recursive: true, force: true });
    });
  }

  dispose(): void {
    this.kill();
    this.#looking?.close();
    this.#looking = null;
    for (const cursor of this.#open.splice(0)) cursor.close();
    try {
      this.store.close();
    } catch {
      // Closed already.
    }
  }

  /** A run whose entries the test writes when it likes. */
  run(name: string, fields: Record<string, unknown> = {}): RunWriter {
    return new RunWriter(`run_${name.padStart(32, "0")}`, this.now, fields);
  }

  append(...entries: JournalEntry[]): void {
    if (entries.length > 0) this.store.append(entries);
  }

  /** Starts a sink in place of one that was killed or stopped. */
  start(): void {
    const life: { isOver: boolean; cursor: SinkCursor | null } = { isOver: false, cursor: null };
    const whileAlive = async <T>(work: Promise<T>): Promise<T> => {
      const result = await work;
      return life.isOver ? await new Promise<T>(() => {}) : result;
    };
    this.service.killed = () => this.kill();
    const sink = new Sink({
      open: () => {
        life.cursor = SinkCursor.open(this.path, SINK, this.since);
        if (life.cursor !== null) this.#open.push(life.cursor);
        return life.cursor;
      },
      link: {
        write: (method, path, json) => whileAlive(this.service.write(method, path, json)),
        ask: () => whileAlive(this.service.ask()),
      },
      clock: {
        now: () => this.now - this.setBackMs,
        steady: () => this.now,
        wait: (ms, until) => whileAlive(this.#pass(ms, until)),
      },
      say: (line) => this.said.push(line),
      isAlive: () => this.isAlive,
    });
    this.#life = Object.assign(life, { sink });
    sink.start();
  }

  get isRunning(): boolean {
    return this.#life !== null;
  }

  get sink(): Sink {
    if (this.#life === null) throw new Error("no sink runs");
    return this.#life.sink;
  }

  /** As `kill -9`: nothing more is sent, and nothing that was not committed is kept. */
  kill(): void {
    const life = this.#life;
    this.#life = null;
    if (life === null) return;
    life.isOver = true;
  }

  async stop(): Promise<void> {
    const life = this.#life;
    this.#life = null;
    await life?.sink.stop();
  }

  /** Lets the sink work until `isDone`, or fails. */
  async until(isDone: () => boolean, turns = 20_000): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      if (isDone()) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error("it did not come to that");
  }

  /** Lets so much time pass while the sink works. */
  async for(ms: number): Promise<void> {
    const end = this.now + ms;
    await this.until(() => this.now >= end, 100_000);
  }

  /** Lets hours pass, most of each at once. */
  async hours(count: number): Promise<void> {
    for (let hour = 0; hour < count; hour++) {
      this.now += 3_540_000;
      await this.for(60_000);
    }
  }

  /** Reads with a connection of its own what was committed. */
  look<T>(work: (cursor: SinkCursor) => T): T {
    this.#looking ??= SinkCursor.open(this.path, SINK, this.since);
    if (this.#looking === null) throw new Error("there is no store");
    return work(this.#looking);
  }

  get waiting(): number {
    return this.look((cursor) => cursor.waiting(1000).length);
  }

  /** Everything that was recorded was looked at, and nothing waits. */
  get isDone(): boolean {
    return this.look((cursor) => {
      const sql = "SELECT (SELECT max(position) FROM events) > (SELECT position FROM sinks) AS isMore";
      const isMore = cursor.db.query<{ isMore: number | null }, []>(sql).get()?.isMore;
      return !isMore && cursor.waiting(1).length === 0;
    });
  }

  get refused(): { row: string; status: number | null }[] {
    return this.look((cursor) =>
      cursor.db
        .query<{ row: string; status: number | null }, []>(
          "SELECT row_id AS row, status FROM sink_refusals ORDER BY at",
        )
        .all(),
    );
  }

  get state(): SinkState {
    return this.look((cursor) => JSON.parse(cursor.facts().state));
  }

  async #pass(ms: number, until?: AbortSignal): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (until?.aborted !== true) this.now += ms;
  }
}
