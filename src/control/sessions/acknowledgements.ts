import type { StoreEntry } from "../../store/entry.ts";
import { NotTaken } from "../recorder.ts";

/**
 * Gathers what one report changes and commits it whole; what is acknowledged is committed. Remembers which reports were
 * taken, so that a repeat changes nothing.
 */

/** The journal, as far as it is needed here. */
export interface Commits {
  readonly isFull: boolean;
  /** Nothing will ever be committed: a newer program has taken over the store. */
  readonly disabled: boolean;
  readonly pendingEntries: number;
  addUnit(entries: readonly StoreEntry[]): void;
  /** Commits a batch; answers when to try again in ms: 0 for more at once, null where nothing is left to do. */
  flush(): number | null;
}

const REMEMBERED_REPORTS = 20_000;
/** Another writer is done in no time; who waits for an answer does not wait for more than that. */
const PATIENCE_MS = 60;

export class Acknowledgements {
  readonly #commits: Commits;
  readonly #hasReport: (id: string) => boolean;
  /** What the next commit takes. */
  #unit: StoreEntry[] = [];
  /** Reports that are committed; the newest ones, since the store knows all. */
  readonly #taken = new Set<string>();
  /** Reports that were taken in and wait for the store. */
  readonly #uncommitted = new Set<string>();

  /** `hasReport`: whether an earlier server has committed it. */
  constructor(commits: Commits, hasReport: (id: string) => boolean) {
    this.#commits = commits;
    this.#hasReport = hasReport;
  }

  readonly write = (entry: StoreEntry): void => {
    this.#unit.push(entry);
  };

  /** True where nothing may be taken in: it could not be kept either. */
  get isFull(): boolean {
    return this.#commits.isFull || this.#commits.disabled;
  }

  /** True while all that was written is in the store. */
  get isCommitted(): boolean {
    return this.#unit.length === 0 && this.#commits.pendingEntries === 0 && !this.#commits.disabled;
  }

  isTaken(reportId: string): boolean {
    return this.#taken.has(reportId) || this.#uncommitted.has(reportId) || this.#hasReport(reportId);
  }

  /** Makes a unit of all that was written since, with the reports it came from. It waits for the store from here on. */
  seal(reportIds: readonly string[], now: number): void {
    for (const id of reportIds) {
      this.write({ book: "report", id, at: Math.floor(now) });
      this.#uncommitted.add(id);
    }
    const unit = this.#unit;
    this.#unit = [];
    if (unit.length > 0) this.#commits.addUnit(unit);
  }

  /** Commits what waits. Throws `NotTaken` where the store does not take it now: it is kept, and tried again. */
  flush(): void {
    if (this.#flush() !== null) throw new NotTaken("the store does not take it now", true);
  }

  /** As `flush`, but waits a moment for another writer. */
  async flushed(): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const againMs = this.#flush();
      if (againMs === null) return;
      if (performance.now() + againMs > until) throw new NotTaken("the store does not take it now", true);
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }

  /** Null once nothing waits; else when to try again, in ms. */
  #flush(): number | null {
    let againMs = this.#commits.flush();
    while (againMs === 0) againMs = this.#commits.flush();
    if (this.#commits.pendingEntries > 0 || this.#commits.disabled) return againMs ?? Number.POSITIVE_INFINITY;
    for (const id of this.#uncommitted) this.#taken.add(id);
    this.#uncommitted.clear();
    if (this.#taken.size > REMEMBERED_REPORTS) {
      for (const id of [...this.#taken].slice(0, REMEMBERED_REPORTS / 2)) this.#taken.delete(id);
    }
    return null;
  }
}
