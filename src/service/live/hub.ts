import { Problem } from "../../core/problem.ts";
import type { EventPage, IndexState, LiveMessages, RunItem } from "../../core/service-wire.ts";
import type { ServerLog } from "../../http-server/server-log.ts";
import { Listener, type Watched } from "./listener.ts";
import { HEARTBEAT, serverSent } from "./server-sent.ts";

/**
 * Tells everybody who listens what changes: one look at the store for all of them, and none while nobody listens. What it sends
 * is what the store says then, never what it said before: a listener that missed something reads it there.
 */

/** What is looked at. Every method may throw a Problem: the store is in trouble, and is asked again later. */
export interface LiveSource {
  /** What changed since it was asked last; null for nothing. */
  changes(): Changes | null;
  /** Of what changed behind a position of the journal, or was removed since, the next part. */
  changesSince(position: number): Changes;
  /** Everything up to this position of the journal was told by `changes`. */
  position(): number;
  items(ids: readonly string[]): RunItem[];
  /** Events of a run behind a position, with brief payloads; null where there is no such run. */
  eventPage(runId: string, after: number): EventPage | null;
  index(): IndexState;
}

export interface Changes {
  changed: string[];
  removed: string[];
  /** Of the journal: everything up to there is told. */
  position: number;
  /** There is more to be told at once. */
  more: boolean;
}

export interface HubOptions {
  pollMs?: number;
  heartbeatMs?: number;
  /** Ms on a clock that only goes forward. */
  now?: () => number;
}

/** Pages that a run which is far ahead of its listener is told in one go. */
const PAGES_A_LOOK = 4;

export class LiveHub {
  readonly #source: LiveSource;
  readonly #log: ServerLog;
  readonly #pollMs: number;
  readonly #heartbeatMs: number;
  readonly #now: () => number;
  readonly #listeners = new Set<Listener>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #heartbeatAt = 0;
  #index = "";

  constructor(source: LiveSource, log: ServerLog, { pollMs = 150, heartbeatMs = 15_000, now }: HubOptions = {}) {
    this.#source = source;
    this.#log = log;
    this.#pollMs = pollMs;
    this.#heartbeatMs = heartbeatMs;
    this.#now = now ?? (() => performance.now());
  }

  /** How many listen. */
  get size(): number {
    return this.#listeners.size;
  }

  /** The stream for a new listener. `since`: what changed behind this position of the journal is told first. */
  listen(watched: Watched | null, since: number | null): ReadableStream<Uint8Array> {
    // Whoever comes first is told of nothing that was before, and what happened between two of them is nobody's news.
    if (this.#listeners.size === 0) this.#look(() => this.#source.changes());
    const listener = new Listener(watched, since, (gone) => this.#leave(gone));
    this.#listeners.add(listener);
    this.#look(() => {
      const id = String(since ?? this.#source.position());
      this.#index = JSON.stringify(this.#source.index());
      listener.tell(serverSent("index", this.#index, id), this.#now());
      this.#tellMissed(listener);
      if (watched !== null) this.#tellEvents(listener, watched, new Map());
    });
    this.#wait(0);
    return listener.stream;
  }

  /** Tells all of runs that have changed for everybody without the store saying so. */
  tell(changes: { changed: readonly string[]; removed: string[] }): void {
    if (this.#listeners.size === 0) return;
    this.#look(() => {
      const message: LiveMessages["runs"] = {
        changed: this.#source.items(changes.changed),
        removed: changes.removed,
      };
      this.#tellAll(serverSent("runs", JSON.stringify(message)));
    });
  }

  /** Ends all streams. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const listener of [...this.#listeners]) listener.end();
  }

  #wait(ms: number): void {
    if (this.#timer !== null && ms > 0) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#poll(), ms);
  }

  #poll(): void {
    this.#timer = null;
    if (this.#listeners.size === 0) return;
    const isMore = this.#look(() => this.#tellNews()) ?? false;
    const now = this.#now();
    if (now - this.#heartbeatAt >= this.#heartbeatMs) {
      this.#heartbeatAt = now;
      this.#tellAll(HEARTBEAT);
    }
    if (this.#listeners.size > 0) this.#wait(isMore ? 1 : this.#pollMs);
  }

  /** Answers whether there is more to be told at once. */
  #tellNews(): boolean {
    const changes = this.#source.changes();
    for (const listener of [...this.#listeners]) this.#tellMissed(listener);
    if (changes !== null && changes.changed.length + changes.removed.length > 0) {
      const text = this.#runsText(changes);
      const withoutId = text.replace(/^id: .*\n/m, "");
      for (const listener of [...this.#listeners])
        listener.tell(listener.missed === null ? text : withoutId, this.#now());
    }
    const index = JSON.stringify(this.#source.index());
    if (index !== this.#index) {
      this.#index = index;
      this.#tellAll(serverSent("index", index));
    }
    const pages = new Map<string, Page | null>();
    for (const listener of [...this.#listeners]) {
      const { watched } = listener;
      if (watched !== null && (changes !== null || watched.isBehind)) this.#tellEvents(listener, watched, pages);
    }
    const isBehind = ({ watched, missed, takesMore }: Listener) => takesMore && (watched?.isBehind || missed !== null);
    return [...this.#listeners].some(isBehind) || (changes?.more ?? false);
  }

  /** Tells one that was away the next part of what it missed. */
  #tellMissed(listener: Listener): void {
    if (listener.missed === null || !listener.takesMore) return;
    const part = this.#source.changesSince(listener.missed);
    listener.missed = part.more ? part.position : null;
    if (part.changed.length + part.removed.length > 0) listener.tell(this.#runsText(part), this.#now());
  }

  #tellEvents(listener: Listener, watched: Watched, pages: Map<string, Page | null>): void {
    watched.isBehind = true;
    for (let told = 0; told < PAGES_A_LOOK && listener.takesMore; told++) {
      const key = `${watched.position} ${watched.id}`;
      const known = pages.get(key);
      const page = known === undefined ? this.#page(watched) : known;
      pages.set(key, page);
      watched.isBehind = page?.more ?? false;
      if (page === null) return;
      const isNews = page.position > watched.position || page.isAbandoned !== watched.isAbandoned;
      watched.position = page.position;
      watched.isAbandoned = page.isAbandoned;
      if (isNews) listener.tell(page.text, this.#now());
      if (!page.more) return;
    }
  }

  #page(watched: Watched): Page | null {
    const page = this.#source.eventPage(watched.id, watched.position);
    if (page === null) return null;
    const { position, more, isAbandoned } = page;
    return { position, more, isAbandoned, text: serverSent("events", JSON.stringify(page)) };
  }

  #runsText({ changed, removed, position }: Changes): string {
    const message: LiveMessages["runs"] = { changed: this.#source.items(changed), removed };
    return serverSent("runs", JSON.stringify(message), String(position));
  }

  #tellAll(text: string): void {
    for (const listener of [...this.#listeners]) listener.tell(text, this.#now());
  }

  #leave(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** Looks at the store; one in trouble is looked at again later. */
  #look<T>(work: () => T): T | null {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof Problem) this.#log.say(`the store cannot be followed just now: ${cause.message}`);
      else this.#log.fault("following the store", cause);
      return null;
    }
  }
}

interface Page {
  position: number;
  more: boolean;
  isAbandoned: boolean;
  text: string;
}
