/** A store and its index in a directory of their own, and what the index should find there by going through everything. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringifyExact } from "../../src/core/exact-json.ts";
import type { Run } from "../../src/core/run.ts";
import { parseRunQuery } from "../../src/core/run-query.ts";
import { callTexts } from "../../src/store/index/call-texts.ts";
import { SearchIndex } from "../../src/store/index/search-index.ts";
import { placedWords, placesOf, soughtWords } from "../../src/store/index/words.ts";
import { StoreReader } from "../../src/store/reader.ts";
import { RunFinder } from "../../src/store/run-finder.ts";
import { OWNER, type RunWriter, record, T0 } from "./cli-fixture.ts";

export const ALIVE = { pid: 1, startedAt: "alive" };
export const DEAD = OWNER;

/** Longer than any of these tests takes. */
const LONG_MS = 60_000;

export class IndexedStore {
  readonly home = mkdtempSync(join(tmpdir(), "bir-index-"));
  readonly storePath = join(this.home, "recordings.db");
  readonly indexPath = join(this.home, "search.db");
  readonly #open: { close(): void }[] = [];

  record(...runs: RunWriter[]): this {
    record(this.home, ...runs);
    return this;
  }

  index(fullShard?: number): SearchIndex {
    const index = SearchIndex.open(this.indexPath, this.storePath, fullShard);
    this.#open.push(index);
    return index;
  }

  reader(): StoreReader {
    const reader = StoreReader.open(this.storePath, (pid) => pid === ALIVE.pid);
    this.#open.push(reader);
    return reader;
  }

  /** With everything that was recorded in its index. */
  finder(index = this.index()): RunFinder {
    index.catchUp(LONG_MS);
    return new RunFinder(this.reader(), index, Number.POSITIVE_INFINITY);
  }

  /** Everything in the files of the home. */
  bytes(): Buffer {
    return Buffer.concat(readdirSync(this.home).map((name) => readFileSync(join(this.home, name))));
  }

  [Symbol.dispose](): void {
    for (const open of this.#open) open.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

export const query = (text: string) => parseRunQuery(text, T0);

/** Where hits are: `run step`, `run note-SEQ` or `run field`. */
export function allHits(finder: RunFinder, text: string, limit = 1000): string[] {
  const found: string[] = [];
  for (let after: string | null = null; ; ) {
    const { hits, next } = finder.hits(query(text), after, limit);
    found.push(
      ...hits.map(({ run, step, noteSeq, field }) => {
        const place = noteSeq === null ? field : `note-${noteSeq}`;
        return `${run.id} ${step?.id ?? place}`;
      }),
    );
    if (next === null) return found;
    after = next;
  }
}

export function allRuns(finder: RunFinder, text: string, limit = 1000): string[] {
  const found: string[] = [];
  for (let after: string | null = null; ; ) {
    const { runs, next } = finder.page(query(text), after, limit);
    found.push(...runs.map(({ id }) => id));
    if (next === null) return found;
    after = next;
  }
}

/** A document of a run as its fold tells it: where it is, and its fields. */
export interface ExpectedDocument {
  place: string;
  fields: string[];
  tool: string | null;
  failed: boolean;
}

export function documentsOf(run: Run): ExpectedDocument[] {
  const text = (place: string, words: string | null) =>
    words === null ? [] : [{ place: `${run.id} ${place}`, fields: [words], tool: null, failed: false }];
  return [
    ...text("prompt", run.input),
    ...text("answer", run.finalAnswer),
    ...run.notes.flatMap((note) => text(`note-${note.seq}`, note.text)),
    ...run.steps.map((step) => ({
      place: `${run.id} ${step.id}`,
      fields: callTexts({
        ...step,
        args: step.args === null ? null : stringifyExact(step.args),
        result: step.result === null ? null : stringifyExact(step.result),
        rpcError: step.rpcError === null ? null : stringifyExact(step.rpcError),
      }).map((field) => field.text),
      tool: step.tool,
      failed: step.status === "error",
    })),
  ];
}

/** True when a word or phrase is in one of the fields. */
export function holdsWord(fields: readonly string[], word: string): boolean {
  return fields.some((field) => placesOf(soughtWords(word), placedWords(field)).length > 0);
}
