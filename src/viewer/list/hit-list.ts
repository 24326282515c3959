import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type { Hit, LiveMessages } from "../../core/service-wire.ts";
import { type Source, SourceProblem } from "../data/source.ts";
import type { ScrollMemory } from "../ui/virtual-list.tsx";

/** The places where the words of a query stand, page by page; asked for anew, quietly, when runs change. */

/** How often that is done while they do, at most. */
const REFRESH_MS = 1000;

export class HitList {
  readonly memory: ScrollMemory = { anchor: null };
  readonly #source: Source;
  readonly #hits = signal<readonly Hit[]>([]);
  readonly #shown = signal<string | null>(null);
  readonly #problem = signal<SourceProblem | null>(null);
  readonly #hasMore = signal(false);
  #query: string | null = null;
  #next: string | null = null;
  #asking = new AbortController();
  #isAsking = false;
  #isWatching = false;
  #refresh: ReturnType<typeof setTimeout> | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  get hits(): ReadonlySignal<readonly Hit[]> {
    return this.#hits;
  }

  /** The query that the hits are of; null while there is none. */
  get shown(): ReadonlySignal<string | null> {
    return this.#shown;
  }

  get problem(): ReadonlySignal<SourceProblem | null> {
    return this.#problem;
  }

  get hasMore(): ReadonlySignal<boolean> {
    return this.#hasMore;
  }

  /** Asks for what a query finds; null: nothing is looked for. */
  show(query: string | null): void {
    if (!this.#isWatching) this.#watch();
    if (query === this.#query && this.#problem.value === null) return;
    this.#query = query;
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#isAsking = false;
    this.memory.anchor = null;
    if (query !== null) {
      void this.#ask(query, null);
      return;
    }
    batch(() => {
      this.#hits.value = [];
      this.#shown.value = null;
      this.#hasMore.value = false;
    });
  }

  more(): void {
    if (this.#query !== null && this.#next !== null && this.#shown.value === this.#query && !this.#isAsking) {
      void this.#ask(this.#query, this.#next);
    }
  }

  async #ask(query: string, after: string | null): Promise<void> {
    const { signal: abort } = this.#asking;
    this.#isAsking = true;
    try {
      const page = await this.#source.search(query, after, abort);
      if (abort.aborted) return;
      batch(() => {
        this.#next = page.next;
        this.#hits.value = after === null ? page.hits : [...this.#hits.value, ...page.hits];
        this.#shown.value = query;
        this.#hasMore.value = page.next !== null;
        this.#problem.value = null;
      });
    } catch (fault) {
      if (abort.aborted) return;
      this.#problem.value = fault instanceof SourceProblem ? fault : new SourceProblem("refused", String(fault));
    } finally {
      if (!abort.aborted) this.#isAsking = false;
    }
  }

  #watch(): void {
    this.#isWatching = true;
    this.#source.watch(null, {
      runs: (message) => this.#change(message),
      // While there was no connection runs may have come and gone.
      connected: (isConnected) => {
        if (isConnected) this.#refreshSoon();
      },
      // What was recorded earlier is found as the index comes to it.
      index: () => this.#refreshSoon(),
    });
  }

  #change({ changed, removed }: LiveMessages["runs"]): void {
    const gone = new Set(removed);
    if (this.#hits.value.some(({ run }) => gone.has(run.id))) {
      this.#hits.value = this.#hits.value.filter(({ run }) => !gone.has(run.id));
    }
    if (changed.length > 0) this.#refreshSoon();
  }

  #refreshSoon(): void {
    if (this.#query === null) return;
    this.#refresh ??= setTimeout(() => {
      this.#refresh = undefined;
      void this.#refreshNow();
    }, REFRESH_MS);
  }

  async #refreshNow(): Promise<void> {
    const query = this.#query;
    const { signal: abort } = this.#asking;
    if (query === null) return;
    if (this.#shown.value !== query) {
      if (!this.#isAsking) void this.#ask(query, null);
      return;
    }
    try {
      const page = await this.#source.search(query, null, abort);
      if (abort.aborted) return;
      batch(() => {
        const first = new Set(page.hits.map(hitKey));
        // Pages that came before stay where they were, behind the first.
        const others = page.next === null ? [] : this.#hits.value.slice(page.hits.length);
        this.#hits.value = [...page.hits, ...others.filter((hit) => !first.has(hitKey(hit)))];
        if (page.next === null || others.length === 0) this.#next = page.next;
        this.#hasMore.value = this.#next !== null;
        this.#problem.value = null;
      });
    } catch {
      // The next change, or the next connection, asks again.
    }
  }
}

/** The same place has the same key, whatever is found beside it. */
export function hitKey({ run, step, noteSeq, field, path, excerpt }: Hit): string {
  return `${run.id} ${step?.id ?? noteSeq ?? ""} ${field} ${path} ${excerpt.text}`;
}
