import { parseRunQuery } from "../../src/core/run-query.ts";
import type { RunFinder } from "../../src/store/run-finder.ts";
import type { MadeText } from "./made-text.ts";
import type { Kind } from "./questions.ts";

/** Asks questions as the service does, and keeps how long each took. */

/** Samples in ms. */
export interface Measured {
  kind: Kind;
  list: number[];
  search: number[];
  deep: number[];
  /** Lists whose runs were not counted, because that would have taken too long. */
  uncounted: number;
  /** Search pages that ended early, because looking on would have taken too long. */
  cutShort: number;
}

const PAGE = 50;
/** A deep page comes behind so many others. */
const DEPTH = 8;

export function measure(finder: RunFinder, kind: Kind, text: MadeText, count: number): Measured {
  const measured: Measured = { kind, list: [], search: [], deep: [], uncounted: 0, cutShort: 0 };
  for (let n = 0; n < count; n++) {
    const query = parseRunQuery(kind.question(text), Date.now());
    const timed = <T>(samples: number[] | null, work: () => T): T => {
      const from = performance.now();
      const result = work();
      samples?.push(performance.now() - from);
      return result;
    };
    const list = timed(measured.list, () => ({ page: finder.page(query, null, PAGE), total: finder.total(query) }));
    if (list.total === null) measured.uncounted++;
    const search = timed(measured.search, () => finder.hits(query, null, PAGE));
    if (search.next !== null && search.hits.length < PAGE) measured.cutShort++;
    let [runs, hits] = [list.page.next, search.next];
    for (let page = 1; page <= DEPTH; page++) {
      const samples = page === DEPTH || page === 1 ? measured.deep : null;
      if (runs !== null) runs = timed(samples, () => finder.page(query, runs, PAGE)).next;
      if (hits !== null) hits = timed(samples, () => finder.hits(query, hits, PAGE)).next;
    }
  }
  return measured;
}

/** `p`: 0 to 1; NaN of nothing. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}
