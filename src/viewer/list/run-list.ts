import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type { LiveMessages, QueryIssue, RunItem, RunPage } from "../../core/service-wire.ts";
import { announce } from "../app/announce.tsx";
import { indexState } from "../app/connection.ts";
import { route } from "../app/route.ts";
import { type Source, SourceProblem } from "../data/source.ts";
import type { ScrollMemory } from "../ui/virtual-list.tsx";
import { isNewer, withChanged, withFirstPage } from "./run-rows.ts";

/**
 * The runs that a query finds, page by page, kept current by what the service tells. It outlives the view that shows it,
 * so that whoever comes back from a run finds the list as it was left.
 */

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 10_000;
/** How often a list that only the service can judge is asked for anew while runs change, at most. */
const REFRESH_MS = 1000;
/** The query that finds what stands on top, wherever it began. */
const UNDER_WAY = "is:running";

export class RunList {
  readonly memory: ScrollMemory = { anchor: null };
  /** The run that the keyboard is on. */
  readonly activeId = signal<string | null>(null);
  /** Somebody goes from the search to the first run, once that is there. */
  readonly isEntering = signal(false);
  readonly #source: Source;
  readonly #runs = signal<readonly RunItem[]>([]);
  readonly #live = signal<ReadonlySet<string>>(new Set());
  readonly #total = signal<number | null>(null);
  readonly #issues = signal<readonly QueryIssue[]>([]);
  readonly #problem = signal<SourceProblem | null>(null);
  readonly #isLoading = signal(false);
  /** The query that the runs are of; null before the first answer. */
  readonly #shown = signal<string | null>(null);
  readonly #newCount = signal(0);
  #query: string | null = null;
  #next: string | null = null;
  #asking = new AbortController();
  #isAskingMore = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #refresh: ReturnType<typeof setTimeout> | undefined;
  #isWatching = false;
  #isAtTop = true;
  /** What was told while a first page was asked for, which may be older than that. */
  #meanwhile: LiveMessages["runs"][] = [];

  constructor(source: Source) {
    this.#source = source;
  }

  get runs(): ReadonlySignal<readonly RunItem[]> {
    return this.#runs;
  }

  /** Ids of runs that stand on top: those that were under way when the list was made. */
  get live(): ReadonlySignal<ReadonlySet<string>> {
    return this.#live;
  }

  get total(): ReadonlySignal<number | null> {
    return this.#total;
  }

  get issues(): ReadonlySignal<readonly QueryIssue[]> {
    return this.#issues;
  }

  get problem(): ReadonlySignal<SourceProblem | null> {
    return this.#problem;
  }

  get isLoading(): ReadonlySignal<boolean> {
    return this.#isLoading;
  }

  get shown(): ReadonlySignal<string | null> {
    return this.#shown;
  }

  /** Runs that came above what is looked at. */
  get newCount(): ReadonlySignal<number> {
    return this.#newCount;
  }

  /** Asks for what a query finds, unless that is shown already. */
  show(query: string): void {
    if (!this.#isWatching) this.#watch();
    if (query === this.#query && this.#problem.value === null) return;
    this.#query = query;
    this.memory.anchor = null;
    this.activeId.value = null;
    this.#load(query, 0);
  }

  /** Asks anew after a problem. */
  again(): void {
    if (this.#query !== null) this.#load(this.#query, 0);
  }

  /** Asks for the next page, where there is one. */
  more(): void {
    if (this.#isAskingMore || this.#next === null || this.#shown.value !== this.#query) return;
    void this.#append(this.#next, this.#asking.signal);
  }

  /** Whether the top of the list is in sight: what comes there is seen then. */
  setAtTop(isAtTop: boolean): void {
    this.#isAtTop = isAtTop;
    if (isAtTop) this.#newCount.value = 0;
  }

  /** Leaves on top only what is under way still. */
  settle(): void {
    const onTop = this.#runs.value.filter((run) => isUnderWay(run) && this.#live.value.has(run.id));
    if (onTop.length < this.#live.value.size) this.#live.value = new Set(onTop.map(({ id }) => id));
  }

  /** Takes a run out at once, before the service tells that it is gone. */
  drop(id: string): void {
    this.#change({ changed: [], removed: [id] });
  }

  /** Asks for the beginning anew, quietly. */
  refreshSoon(): void {
    this.#refresh ??= setTimeout(() => {
      this.#refresh = undefined;
      void this.#refreshNow();
    }, REFRESH_MS);
  }

  #load(query: string, failures: number): void {
    clearTimeout(this.#retry);
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#isAskingMore = false;
    this.#isLoading.value = true;
    void this.#loadPage(query, failures, this.#asking.signal);
  }

  async #loadPage(query: string, failures: number, abort: AbortSignal): Promise<void> {
    this.#meanwhile = [];
    try {
      const [page, onTop] = await Promise.all([this.#source.runs(query, null, abort), this.#underWay(query, abort)]);
      if (abort.aborted) return;
      batch(() => {
        this.#next = page.next;
        this.#runs.value = withChanged(page.runs, onTop, true).toSorted((a, b) => (isNewer(a, b) ? -1 : 1));
        this.#live.value = new Set(this.#runs.value.filter(isUnderWay).map(({ id }) => id));
        this.#shown.value = query;
        this.#newCount.value = 0;
        this.#problem.value = null;
        this.#isLoading.value = false;
        this.#takeFacts(page);
        this.#takeMeanwhile();
      });
    } catch (fault) {
      if (abort.aborted) return;
      batch(() => {
        this.#problem.value = fault instanceof SourceProblem ? fault : new SourceProblem("refused", String(fault));
        this.#isLoading.value = false;
      });
      if (this.#problem.value?.mayPass !== true) return;
      const pause = Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
      this.#retry = setTimeout(() => this.#load(query, failures + 1), pause);
    }
  }

  /** Runs that are under way, also those that began long ago. Only the whole list has them on top. */
  async #underWay(query: string, abort: AbortSignal): Promise<RunItem[]> {
    if (query !== "") return [];
    return (await this.#source.runs(UNDER_WAY, null, abort)).runs;
  }

  async #append(after: string, abort: AbortSignal): Promise<void> {
    this.#isAskingMore = true;
    try {
      const page = await this.#source.runs(this.#query ?? "", after, abort);
      if (abort.aborted) return;
      const known = new Set(this.#runs.value.map(({ id }) => id));
      this.#next = page.next;
      this.#runs.value = [...this.#runs.value, ...page.runs.filter(({ id }) => !known.has(id))].toSorted((a, b) =>
        isNewer(a, b) ? -1 : 1,
      );
    } catch {
      // Scrolling on asks again.
    } finally {
      if (!abort.aborted) this.#isAskingMore = false;
    }
  }

  async #refreshNow(): Promise<void> {
    const query = this.#query;
    const abort = this.#asking.signal;
    if (query === null || this.#shown.value !== query) return;
    this.#meanwhile = [];
    try {
      const page = await this.#source.runs(query, null, abort);
      if (abort.aborted) return;
      batch(() => {
        const before = new Set(this.#runs.value.map(({ id }) => id));
        this.#runs.value = withFirstPage(this.#runs.value, page.runs, page.next === null);
        if (page.next === null) this.#next = null;
        this.#came(page.runs.filter(({ id }) => !before.has(id)));
        this.#takeFacts(page);
        this.#takeMeanwhile();
      });
    } catch {
      // The next change, or the next connection, asks again.
    }
  }

  #watch(): void {
    this.#isWatching = true;
    this.#source.watch(null, {
      runs: (message) => {
        this.#meanwhile.push(message);
        this.#change(message);
      },
      // While there was no connection runs may have come and gone.
      connected: (isConnected) => {
        if (isConnected && this.#problem.value?.mayPass === true) this.again();
        else if (isConnected) this.refreshSoon();
      },
    });
  }

  /** A page that has just come may have been made before what was told while it was on its way. */
  #takeMeanwhile(): void {
    for (const message of this.#meanwhile.splice(0)) this.#change(message);
  }

  #change({ changed, removed }: LiveMessages["runs"]): void {
    if (this.#shown.value === null || this.#query === null) return;
    const isEverything = this.#query === "";
    const gone = new Set(removed);
    const known = new Set(this.#runs.value.map(({ id }) => id));
    const kept = gone.size === 0 ? this.#runs.value : this.#runs.value.filter(({ id }) => !gone.has(id));
    // Whether a query finds a run that it did not find before, the service knows.
    const taken = isEverything ? changed : changed.filter(({ id }) => known.has(id));
    const runs = withChanged(
      kept,
      taken.filter(({ id }) => !gone.has(id)),
      this.#next === null,
    );
    batch(() => {
      const lost = this.#runs.value.length - kept.length;
      const came = runs.filter(({ id }) => !known.has(id));
      this.#runs.value = runs;
      if (this.#total.value !== null) this.#total.value += came.length - lost;
      this.#came(came);
    });
    if (!isEverything && changed.length > 0) this.refreshSoon();
  }

  #came(runs: readonly RunItem[]): void {
    if (runs.length === 0) return;
    const onTop = runs.filter(isUnderWay).map(({ id }) => id);
    if (onTop.length > 0) this.#live.value = new Set([...this.#live.value, ...onTop]);
    if (!this.#isAtTop) this.#newCount.value += runs.length;
    if (route.value.view === "runs") announce(runs.length === 1 ? "1 new run" : `${runs.length} new runs`);
  }

  #takeFacts(page: RunPage): void {
    this.#issues.value = page.issues;
    if (page.total !== null) this.#total.value = page.total;
    indexState.value = page.index;
  }
}

function isUnderWay({ status }: RunItem): boolean {
  return status === "running";
}
