import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Run } from "../../src/core/run.ts";
import type { RecordingsAnswer } from "../../src/service/recordings/answer.ts";
import { Recordings } from "../../src/service/recordings/recordings.ts";
import { StoreReader } from "../../src/store/reader.ts";

/** A recordings service over a store of its own, and what senders do with it. Time stands still unless it is moved on. */
export class ReceivingDesk {
  readonly directory = mkdtempSync(join(tmpdir(), "bir-recordings-"));
  readonly path = join(this.directory, "recordings.db");
  readonly faults: unknown[] = [];
  readonly troubles: (string | null)[] = [];
  now = 1_795_528_800_000;
  owner = { pid: 4711, startedAt: "boot/1" };
  recordings = this.#open();

  #open(): Recordings {
    return new Recordings({
      path: this.path,
      owner: this.owner,
      now: () => this.now,
      onFault: (cause) => this.faults.push(cause),
      onTrouble: (trouble) => this.troubles.push(trouble?.failure ?? null),
    });
  }

  /** The service goes, and another process serves. */
  async restart(pid = this.owner.pid + 1): Promise<void> {
    await this.recordings.close();
    this.owner = { pid, startedAt: `boot/${pid}` };
    this.recordings = this.#open();
  }

  create(body: object | string): Promise<RecordingsAnswer> {
    return this.recordings.createRun(received(body));
  }

  steps(runId: string, body: object | string): Promise<RecordingsAnswer> {
    return this.recordings.addSteps(runId, received(body));
  }

  patch(runId: string, rowId: string, body: object | string): Promise<RecordingsAnswer> {
    return this.recordings.patchStep(runId, rowId, received(body));
  }

  finish(runId: string, body: object | string = {}): Promise<RecordingsAnswer> {
    return this.recordings.finishRun(runId, received(body));
  }

  /** As it reads now; `alive`: which owners are there. */
  run(id: string, isAlive: (pid: number) => boolean = () => true): Run {
    const reader = StoreReader.open(this.path, isAlive);
    try {
      const run = reader.run(id);
      if (run === null) throw new Error(`there is no run ${id}`);
      return run;
    } finally {
      reader.close();
    }
  }

  /** What one SQL value of the store reads as. */
  value(sql: string, ...values: string[]): unknown {
    const db = new Database(this.path, { readonly: true });
    try {
      return Object.values(db.query<Record<string, unknown>, string[]>(sql).get(...values) ?? {})[0];
    } finally {
      db.close();
    }
  }

  async dispose(): Promise<void> {
    await this.recordings.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function received(body: object | string) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { text, value: JSON.parse(text) as unknown };
}
