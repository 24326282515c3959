import type { EventPage, IndexState, RunItem } from "../../core/service-wire.ts";
import { KnownRuns } from "../../store/known-runs.ts";
import type { StoreReader } from "../../store/reader.ts";
import type { Archive } from "../archive/archive.ts";
import type { Hidden } from "../deletions.ts";
import type { Changes, LiveSource } from "./hub.ts";

/**
 * What changed in the store since it was looked at last: runs that the journal speaks of, runs that are gone, runs whose owner is
 * gone. Looking at a store that has not changed costs next to nothing.
 */

const EVENTS_A_LOOK = 2000;
const EVENTS_A_PAGE = 1000;
const OWNERS_MS = 2000;
const REMEMBERED_REMOVALS = 1000;
/** A store that takes the place of another one is told run by run up to so many events. */
const TOLD_OF_NEW_STORE = 5000;

export class ChangeFeed implements LiveSource {
  readonly #archive: Archive;
  readonly #hidden: Hidden;
  readonly #ownersMs: number;
  readonly #known = new KnownRuns();
  /** Ids of runs that were open when they were looked at last. */
  #running = new Set<string>();
  /** What was removed, and how far the journal had come then. */
  #removals: { id: string; position: number }[] = [];
  #hasLooked = false;
  #reader: StoreReader | null = null;
  #dataVersion = -1;
  #position = 0;
  #ownersAt = 0;

  /** `ownersMs`: how often it is looked whether the owners of open runs are there still. */
  constructor(archive: Archive, hidden: Hidden, ownersMs = OWNERS_MS) {
    this.#archive = archive;
    this.#hidden = hidden;
    this.#ownersMs = ownersMs;
  }

  changes(): Changes | null {
    // What comes in the place of a store that could not be read is news, too.
    const isFirst = !this.#hasLooked;
    this.#hasLooked = true;
    const reader = this.#archive.reader();
    if (reader !== this.#reader) return this.#begin(reader, isFirst);
    const abandoned = this.#abandoned(reader);
    const dataVersion = reader.dataVersion();
    if (dataVersion === this.#dataVersion && abandoned.length === 0) return null;
    const { runIds, position } = reader.changedRuns(this.#position, EVENTS_A_LOOK);
    const more = position > this.#position && position < reader.lastPosition();
    // Where there is more, the next look must not take it for an unchanged store.
    this.#dataVersion = more ? -1 : dataVersion;
    this.#position = position;
    this.#noteRunning(reader, runIds);
    return this.#told(reader, [...new Set([...runIds, ...abandoned])], more);
  }

  changesSince(since: number): Changes {
    const reader = this.#archive.reader();
    const { runIds, position } = reader.changedRuns(since, EVENTS_A_LOOK);
    const more = position > since && position < this.#position;
    const ids = this.#removals.filter((removal) => removal.position >= since).map(({ id }) => id);
    // With the last part, and none that has come back since.
    const removed = more ? [] : [...new Set(ids)].filter((id) => reader.listed(id) === null);
    return { changed: this.#shown(runIds), removed, position, more };
  }

  position(): number {
    return this.#position;
  }

  items(ids: readonly string[]): RunItem[] {
    return ids.length === 0 ? [] : this.#archive.finder().items(ids);
  }

  eventPage(runId: string, after: number): EventPage | null {
    if (this.#hidden.has(runId)) return null;
    return this.#archive.reader().eventPage(runId, after, EVENTS_A_PAGE, "brief");
  }

  index(): IndexState {
    return this.#archive.index();
  }

  /** From here on: what is in the store already is nobody's news, unless it took the place of another. */
  #begin(reader: StoreReader, isFirst: boolean): Changes | null {
    const last = reader.lastPosition();
    this.#reader = reader;
    this.#dataVersion = -1;
    this.#position = isFirst || last > TOLD_OF_NEW_STORE ? last : 0;
    this.#running = new Set(Array.from(reader.recordings(), ({ run }) => run.id));
    if (!isFirst) return this.#told(reader, [], true);
    this.#known.update(reader, []);
    return null;
  }

  #told(reader: StoreReader, changed: string[], more: boolean): Changes {
    const removed = this.#known.update(reader, changed);
    const position = this.#position;
    this.#removals.push(...removed.map((id) => ({ id, position })));
    this.#removals = this.#removals.slice(-REMEMBERED_REMOVALS);
    return { changed: this.#shown(changed), removed, position, more };
  }

  #noteRunning(reader: StoreReader, ids: readonly string[]): void {
    for (const id of ids) {
      if (reader.listed(id)?.status === "running") this.#running.add(id);
      else this.#running.delete(id);
    }
  }

  /** Open runs whose owner has gone without a word. */
  #abandoned(reader: StoreReader): string[] {
    const now = performance.now();
    if (now - this.#ownersAt < this.#ownersMs) return [];
    this.#ownersAt = now;
    const gone = [...this.#running].filter((id) => reader.listed(id)?.status !== "running");
    for (const id of gone) this.#running.delete(id);
    return gone;
  }

  #shown(ids: readonly string[]): string[] {
    return ids.filter((id) => !this.#hidden.has(id));
  }
}
