import { briefText } from "../core/brief.ts";
import type { RunQuery } from "../core/run-query.ts";
import type { Facets, Hit, RunItem } from "../core/service-wire.ts";
import { cursorOf, documentPlace, runPlace } from "./cursor.ts";
import { foundInText } from "./excerpt.ts";
import { HitFinder, hitRun } from "./hit-finder.ts";
import { runFacts, runsByName } from "./index/run-facts.ts";
import type { SearchIndex } from "./index/search-index.ts";
import type { StoreReader } from "./reader.ts";
import { indexedMatcher, plainMatcher, type RunMatcher, soughtOf } from "./run-matcher.ts";
import type { ListedRun } from "./run-row.ts";
import { countRuns, type ScannedRun, scanRuns } from "./run-scan.ts";

/**
 * Answers the readers' questions: pages of runs, pages of hits, what can be asked for. A run is meant when it has all the
 * words anywhere in it, or its id begins with one; a hit has all of them in one place. Works without an index: then it does
 * not know how many calls ended in an error, and searches prompts and answers only.
 */

/** Prompts and answers in lists are cut to so many UTF-16 units. */
const LISTED_LENGTH = 400;
/** Counting goes on for so long. */
const COUNTING_MS = 80;

export class RunFinder {
  readonly #reader: StoreReader;
  readonly #index: SearchIndex | null;
  readonly #countingMs: number;

  /** `countingMs`: a total that takes longer to count is not told. */
  constructor(reader: StoreReader, index: SearchIndex | null, countingMs: number = COUNTING_MS) {
    this.#reader = reader;
    this.#index = index;
    this.#countingMs = countingMs;
  }

  /** Runs that a query means, newest first. `after`: the `next` of the page before. Throws Problem (`bad-cursor` for that). */
  page(query: RunQuery, after: string | null, limit: number): { runs: RunItem[]; next: string | null } {
    const place = runPlace(after);
    const found = this.#indexed(
      (matcher) => this.#take(query, matcher, place, limit),
      query,
      () => this.#take(query, plainMatcher(this.#reader, query), place, limit),
    );
    const last = found[limit - 1];
    const next =
      found.length > limit && last !== undefined ? cursorOf({ startedAt: last.startedAt, id: last.id }) : null;
    return { runs: this.items(found.slice(0, limit).map(({ id }) => id)), next };
  }

  /** How many runs a query means; null where counting them takes too long. */
  total(query: RunQuery): number | null {
    return this.#indexed(
      (matcher) => this.#count(query, matcher),
      query,
      () => this.#count(query, plainMatcher(this.#reader, query)),
    );
  }

  /**
   * Places where all the words of a query are, newest run first; without words, the calls that it names. None for a query that
   * asks for neither. A page may be shorter than `limit` and have a `next`.
   */
  hits(query: RunQuery, after: string | null, limit: number): { hits: Hit[]; next: string | null } {
    const asked = this.#index?.ask((tables, source) => {
      const before = documentPlace(after) ?? Number.MAX_SAFE_INTEGER;
      return new HitFinder(tables, source, this.#reader).page(query, before, limit);
    });
    if (asked == null) return this.#hitsInRuns(query, after, limit);
    return { hits: asked.hits, next: asked.next === null ? null : cursorOf({ document: asked.next }) };
  }

  facets(): Facets {
    const hosts = this.#reader.rows<{ value: string; runs: number }>(
      "SELECT host_app AS value, count(*) AS runs FROM runs WHERE host_app IS NOT NULL GROUP BY host_app",
    );
    const servers = new Map<string, Set<string>>();
    const wrapped = "SELECT runs.id, value FROM runs, json_each(wrapped_servers)";
    for (const { id, value } of this.#reader.rows<{ id: string; value: string }>(wrapped)) {
      servers.set(value, (servers.get(value) ?? new Set()).add(id));
    }
    const tools = this.#index?.ask((tables) => {
      const called = runsByName(tables);
      for (const [server, runs] of called.servers) {
        const ids = servers.get(server) ?? new Set();
        for (const run of runs) ids.add(tables.idOf(run) ?? "");
        servers.set(server, ids);
      }
      return called.tools;
    });
    const counted = (sets: Iterable<[string, ReadonlySet<unknown>]>) =>
      Array.from(sets, ([value, runs]) => ({ value, runs: runs.size }));
    return {
      hosts: mostFirst([...hosts]),
      servers: mostFirst(counted(servers)),
      tools: mostFirst(counted(tools ?? [])),
    };
  }

  /** One run with its whole prompt and answer; null where there is none. */
  item(id: string): RunItem | null {
    const run = this.#reader.listed(id);
    return run === null ? null : this.#itemOf(run);
  }

  /** Those of these runs that there are, as in a list. */
  items(ids: readonly string[]): RunItem[] {
    return ids.flatMap((id) => this.item(id) ?? []).map(listed);
  }

  /** Asks with the index, or as well as it goes where there is none or it cannot answer. */
  #indexed<T>(asked: (matcher: RunMatcher) => T, query: RunQuery, without: () => T): T {
    const isCurrent = this.#index?.state().isCurrent ?? false;
    const found = this.#index?.ask((tables) => ({ answer: asked(indexedMatcher(tables, query, isCurrent)) }));
    return found == null ? without() : found.answer;
  }

  /** One run more than `limit` where there are more. */
  #take(
    query: RunQuery,
    matcher: RunMatcher,
    after: { startedAt: number; id: string } | null,
    limit: number,
  ): ScannedRun[] {
    const runs: ScannedRun[] = [];
    for (const run of scanRuns(this.#reader, query, matcher.needs, after)) {
      if (!matcher.matches(run)) continue;
      runs.push(run);
      if (runs.length > limit) break;
    }
    return runs;
  }

  #count(query: RunQuery, matcher: RunMatcher): number | null {
    const counted = matcher.isIdle ? countRuns(this.#reader, query) : null;
    if (counted !== null) return counted;
    const until = performance.now() + this.#countingMs;
    let count = 0;
    for (const run of scanRuns(this.#reader, query, matcher.needs, null)) {
      if (matcher.matches(run)) count++;
      if (performance.now() > until) return null;
    }
    return count;
  }

  /** Without an index: what stands in prompts and answers. */
  #hitsInRuns(query: RunQuery, after: string | null, limit: number): { hits: Hit[]; next: string | null } {
    const sought = soughtOf(query);
    const place = after === null ? null : placeWithoutIndex(after);
    const hits: Hit[] = [];
    if (sought.length === 0) return { hits, next: null };
    const matcher = plainMatcher(this.#reader, query);
    for (const run of scanRuns(this.#reader, query, { ...matcher.needs, texts: true }, place)) {
      if (!matcher.matches(run)) continue;
      const listedRun = this.#reader.listed(run.id);
      if (listedRun === null) continue;
      for (const [field, text] of [
        ["prompt", run.input],
        ["answer", run.finalAnswer],
      ] as const) {
        const found = text === null ? null : foundInText(field, text, sought);
        if (found !== null) hits.push({ run: hitRun(listedRun, null), step: null, noteSeq: null, ...found });
      }
      if (hits.length >= limit) return { hits, next: cursorOf({ startedAt: run.startedAt, id: run.id }) };
    }
    return { hits, next: null };
  }

  #itemOf(run: ListedRun): RunItem {
    const facts = this.#index?.ask((tables) => runFacts(tables, run.id, run.status === "abandoned"));
    return { ...run, ...(facts ?? { errorCount: null, lostCount: null, tools: null }) };
  }
}

function listed(run: RunItem): RunItem {
  const cut = (text: string | null) => (text === null ? null : briefText(text, LISTED_LENGTH));
  return { ...run, input: cut(run.input), finalAnswer: cut(run.finalAnswer) };
}

function mostFirst<T extends { value: string; runs: number }>(values: T[]): T[] {
  return values.sort((a, b) => b.runs - a.runs || (a.value < b.value ? -1 : 1));
}

/** A place that the index gave is none in a list of runs: without the index that page is the first one. */
function placeWithoutIndex(cursor: string): { startedAt: number; id: string } | null {
  try {
    return runPlace(cursor);
  } catch {
    documentPlace(cursor);
    return null;
  }
}
