import type { StoreEntry } from "../../store/entry.ts";
import { NotTaken } from "../recorder.ts";

/**
 * Gathers what one report changes and commits it whole; what is acknowledged is committed. Remembers which reports were
 * taken, so that a repeat changes nothing.
 */

/** The journal, as far as it is needed here. */
export interface Commits {
  readonly isFull: boolean;
  readonly pendingEntries: number;
  addUnit(entries: readonly StoreEntry[]): void;
  flush(): number | null;
}

const REMEMBERED_REPORTS = 20_000;

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
    return this.#commits.isFull;
  }

  isTaken(reportId: string): boolean {
    return this.#taken.has(reportId) || this.#uncommitted.has(reportId) || this.#hasReport(reportId);
  }

  /** Commits all that was written since, with the reports it came from. Throws `NotTaken`: it is kept, and tried again. */
  commit(reportIds: readonly string[], now: number): void {
    for (const id of reportIds) {
      this.write({ book: "report", id, at: Math.floor(now) });
      this.#uncommitted.add(id);
    }
    const unit = this.#unit;
    this.#unit = [];
    this.#commits.addUnit(unit);
    this.flush();
  }

  /** Throws `NotTaken` while something waits. */
  flush(): void {
    const commits = this.#commits;
    while (commits.flush() === 0);
    if (commits.pendingEntries > 0) throw new NotTaken("the store does not take it now");
    for (const id of this.#uncommitted) this.#taken.add(id);
    this.#uncommitted.clear();
    if (this.#taken.size <= REMEMBERED_REPORTS) return;
    for (const id of [...this.#taken].slice(0, REMEMBERED_REPORTS / 2)) this.#taken.delete(id);
  }

  /** A repeat is acknowledged only once the first one is committed. Throws `NotTaken`. */
  confirm(reportId: string): void {
    if (this.#uncommitted.has(reportId)) this.flush();
  }
}
