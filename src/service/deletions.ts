import { Problem } from "../core/problem.ts";
import type { PendingDeletion } from "../core/service-wire.ts";
import type { ServerLog } from "../http-server/server-log.ts";

/**
 * Deletions that can be taken back for a while. Until then a run is only hidden; afterwards another process removes it from the
 * disk, as that takes time and locks. Nothing of this outlives the service but what was carried out.
 */

/** Runs that are to be treated as if they were gone. */
export interface Hidden {
  has(id: string): boolean;
}

export interface DeletionParts {
  /** Removes runs for good, all or none; answers whether they are gone. Never throws. */
  remove: (ids: readonly string[]) => Promise<boolean>;
  /** Called as runs vanish from every answer, and as they come back. */
  onChange: (change: { changed: readonly string[]; removed: string[] }) => void;
  log: ServerLog;
  undoMs?: number;
  /** Epoch ms. */
  now?: () => number;
}

const UNDO_MS = 10_000;

interface Pending {
  undoUntil: number;
  timer: ReturnType<typeof setTimeout>;
}

export class Deletions implements Hidden {
  readonly #parts: DeletionParts;
  readonly #undoMs: number;
  readonly #now: () => number;
  readonly #pending = new Map<string, Pending>();
  /** Being removed just now, or about to be. */
  readonly #going = new Set<string>();
  #work: Promise<void> = Promise.resolve();

  constructor(parts: DeletionParts) {
    this.#parts = parts;
    this.#undoMs = parts.undoMs ?? UNDO_MS;
    this.#now = parts.now ?? Date.now;
  }

  has(id: string): boolean {
    return this.#pending.has(id) || this.#going.has(id);
  }

  /** Hides a run, and has it removed when the time to take that back is over. */
  delete(id: string): PendingDeletion {
    const undoUntil = this.#now() + this.#undoMs;
    const timer = setTimeout(() => void this.#carryOut([id]), this.#undoMs);
    this.#pending.set(id, { undoUntil, timer });
    this.#parts.onChange({ changed: [], removed: [id] });
    return { undoUntil };
  }

  /** When the deletion of a run can be taken back at the latest; null where none is pending. */
  pending(id: string): PendingDeletion | null {
    const pending = this.#pending.get(id);
    return pending === undefined ? null : { undoUntil: pending.undoUntil };
  }

  /** Takes a deletion back; false where none is pending. Throws Problem (`not-deleted`) where it is too late. */
  restore(id: string): boolean {
    if (this.#going.has(id)) {
      throw new Problem("too-late", "this run is being deleted just now", "It cannot be taken back any more.");
    }
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    clearTimeout(pending.timer);
    this.#pending.delete(id);
    this.#parts.onChange({ changed: [id], removed: [] });
    return true;
  }

  /** Carries out all that is pending, at once. */
  async finish(): Promise<void> {
    await this.#carryOut([...this.#pending.keys()]);
    await this.#work;
  }

  async #carryOut(ids: string[]): Promise<void> {
    for (const id of ids) {
      clearTimeout(this.#pending.get(id)?.timer);
      this.#pending.delete(id);
      this.#going.add(id);
    }
    // One after the other: each rewrites the store.
    this.#work = this.#work.then(() => this.#remove(ids));
    await this.#work;
  }

  async #remove(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    if (await this.#parts.remove(ids)) return this.#gone(ids);
    // One that cannot go, such as one that goes on being recorded, must not keep the others.
    for (const id of ids) {
      if (ids.length > 1 && (await this.#parts.remove([id]))) this.#gone([id]);
      else this.#stays(id);
    }
  }

  #gone(ids: string[]): void {
    for (const id of ids) this.#going.delete(id);
  }

  #stays(id: string): void {
    this.#going.delete(id);
    this.#parts.log.say("a run that was to be deleted is there still: it is shown again");
    this.#parts.onChange({ changed: [id], removed: [] });
  }
}
