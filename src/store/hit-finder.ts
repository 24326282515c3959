import { briefText } from "../core/brief.ts";
import type { StepStatus } from "../core/run.ts";
import type { RunQuery } from "../core/run-query.ts";
import type { Hit, HitStep, SearchField } from "../core/service-wire.ts";
import { type Found, foundInCall, foundInText } from "./excerpt.ts";
import { bodyOf, type DocumentPlaces, readCall, readText } from "./index/call-texts.ts";
import { findDocuments } from "./index/find-documents.ts";
import type { IndexTables } from "./index/index-tables.ts";
import type { JournalSource } from "./index/journal-source.ts";
import { Names } from "./index/names.ts";
import { ANSWER, documentNumber, ownNumber, PROMPT, runOf, STATUS } from "./index/numbers.ts";
import { namesOf, runTools } from "./index/run-facts.ts";
import { WordRuns } from "./index/word-runs.ts";
import type { StoreReader } from "./reader.ts";
import { soughtOf } from "./run-matcher.ts";
import type { ListedRun } from "./run-row.ts";
import { scanRuns } from "./run-scan.ts";

/** Makes hits of the documents that the index finds, each looked up in the journal: what is shown is what is there now. */

const STATUSES = Object.fromEntries(Object.entries(STATUS).map(([status, kept]) => [kept, status as StepStatus]));
/** Looking for the next hit goes on for so long; then the page ends early. */
const PAGE_MS = 150;
const PROMPT_LENGTH = 400;

interface DocumentRow extends DocumentPlaces {
  document: number;
  name: number | null;
  status: number | null;
  started_at: number | null;
}

export class HitFinder {
  readonly #tables: IndexTables;
  readonly #source: JournalSource;
  readonly #reader: StoreReader;
  readonly #names: Names;
  readonly #runs = new Map<number, Hit["run"] | null>();

  constructor(tables: IndexTables, source: JournalSource, reader: StoreReader) {
    this.#tables = tables;
    this.#source = source;
    this.#reader = reader;
    this.#names = new Names(tables);
  }

  /** Hits in documents below `before`; `next`: from where the page behind it goes on. */
  page(query: RunQuery, before: number, limit: number): { hits: Hit[]; next: number | null } {
    const until = performance.now() + PAGE_MS;
    const sought = soughtOf(query);
    const isNamed = query.tools.length > 0 || query.servers.length > 0;
    const names = isNamed ? namesOf(this.#tables, query.tools, query.servers) : null;
    const words = sought.length > 0 ? new WordRuns(this.#tables, sought) : null;
    const documents = findDocuments(
      this.#tables,
      { sought, names, isError: query.isError },
      words,
      this.#runFilter(query),
      before,
    );
    const hits: Hit[] = [];
    for (const document of documents) {
      if (hits.length === limit || performance.now() > until) return { hits, next: document + 1 };
      const hit = this.#hit(document, sought);
      if (hit !== null) hits.push(hit);
    }
    return { hits, next: null };
  }

  /** Which runs are meant, as far as their own table tells. */
  #runFilter(query: RunQuery): (run: number) => boolean {
    const { hosts, statuses, isLossy, isRunning, startedFrom, startedBefore } = query;
    const isFiltered = hosts.length > 0 || statuses.length > 0 || isLossy || isRunning;
    if (!isFiltered && startedFrom === null && startedBefore === null) return () => true;
    const runs = new Set<number>();
    for (const { id } of scanRuns(this.#reader, query, { status: false, wrappedServers: false, texts: false }, null)) {
      const number = this.#tables.numberOf(id);
      if (number !== null) runs.add(number);
    }
    return (run) => runs.has(run);
  }

  #hit(document: number, sought: readonly (readonly string[])[]): Hit | null {
    const run = this.#run(runOf(document));
    const row = this.#tables.get<DocumentRow>("SELECT * FROM documents WHERE document = ?", document);
    if (run === null || row === null) return null;
    if (row.status === null) {
      const found = this.#foundInText(row, sought);
      const noteSeq = found?.field === "note" ? ownNumber(document) : null;
      return found === null ? null : { run, step: null, noteSeq, ...found };
    }
    const status = this.#statusOf(row.status, run);
    const name = this.#names.name(row.name);
    const found = foundInCall(readCall(this.#source, row, name), sought);
    const step = found === null ? null : this.#step(row, name, status);
    return found === null || step === null ? null : { run, step, noteSeq: null, ...found };
  }

  #foundInText(row: DocumentRow, sought: readonly (readonly string[])[]): Found | null {
    const event = this.#source.event(row.opened);
    const field = TEXT_FIELDS.get(ownNumber(row.document)) ?? "note";
    const text = event === null ? null : readText(event, field);
    return text === null ? null : foundInText(field, text, sought);
  }

  #step(row: DocumentRow, name: { server: string | null; tool: string }, status: StepStatus): HitStep | null {
    // What was deleted since has no events any more.
    const event = this.#source.event(row.opened ?? row.closed);
    if (event === null) return null;
    const { stepId } = bodyOf(event);
    if (typeof stepId !== "string") return null;
    const run = runOf(row.document);
    const earlier = this.#tables.get<{ calls: number }>(
      `SELECT count(*) AS calls FROM documents WHERE document BETWEEN ? AND ? AND status IS NOT NULL
        AND (started_at, document) < (?, ?)`,
      documentNumber(run, 0),
      documentNumber(run, ANSWER - 1),
      row.started_at,
      row.document,
    );
    return { id: stepId, index: earlier?.calls ?? 0, seq: ownNumber(row.document), ...name, status };
  }

  #statusOf(kept: number, run: Hit["run"]): StepStatus {
    const status = STATUSES[kept] ?? "running";
    return status === "running" && run.status === "abandoned" ? "lost" : status;
  }

  #run(number: number): Hit["run"] | null {
    let run = this.#runs.get(number);
    if (run === undefined) {
      const id = this.#tables.idOf(number);
      const listed = id === null ? null : this.#reader.listed(id);
      run = listed === null ? null : hitRun(listed, runTools(this.#tables, number));
      this.#runs.set(number, run);
    }
    return run;
  }
}

const TEXT_FIELDS = new Map<number, Extract<SearchField, "prompt" | "answer">>([
  [PROMPT, "prompt"],
  [ANSWER, "answer"],
]);

/** What a hit tells of its run. */
export function hitRun({ id, input, host, status, startedAt }: ListedRun, tools: Hit["run"]["tools"]): Hit["run"] {
  return { id, input: input === null ? null : briefText(input, PROMPT_LENGTH), host, status, startedAt, tools };
}
