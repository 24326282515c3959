import type { LiveMessages } from "../../core/service-wire.ts";
import { ask, isSignedOut } from "./ask.ts";
import { EventStreamParser, type StreamEvent } from "./event-stream.ts";
import { parseJson } from "./json.ts";
import { SourceProblem, type Watcher } from "./source.ts";

/**
 * What the service tells as it happens: one stream for the whole page, however many watch, opened anew when it breaks and
 * let go while nobody looks at the page. A new stream is open before an old one is closed, so that nothing is missed when
 * a person goes from the list to a run.
 */

interface Watched {
  run: { id: string; after: number } | null;
  watcher: Watcher;
  /** What it was told last; null: nothing, or not since the page was hidden. */
  isConnected: boolean | null;
}

interface Stream {
  run: Watched | null;
  abort: AbortController;
  isOpen: boolean;
}

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 15_000;
/** The service says something at least this often, or the stream is dead. */
const SILENCE_MS = 60_000;
/** A page that is hidden for no longer keeps its stream. */
const HIDDEN_MS = 10_000;

export class Live {
  readonly #watched = new Set<Watched>();
  #stream: Stream | null = null;
  #failures = 0;
  /** How far the news of runs were heard; asked for from there on by the next stream. */
  #lastId: string | null = null;
  #isRenewing = false;
  #isPaused = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #hiding: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    document.addEventListener("visibilitychange", () => this.#visibility());
    window.addEventListener("online", () => this.#soon());
    isSignedOut.subscribe((isOut) => {
      if (!isOut) this.#soon();
    });
  }

  /** Watches from now on. Events of a run go to whoever watched one last. */
  watch(run: Watched["run"], watcher: Watcher): { stop(): void } {
    const watched: Watched = { run: run === null ? null : { ...run }, watcher, isConnected: null };
    this.#watched.add(watched);
    this.#renew();
    return {
      stop: () => {
        this.#watched.delete(watched);
        this.#renew();
      },
    };
  }

  /** Opens a stream that fits those who watch, once they have all said so. */
  #renew(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    queueMicrotask(() => {
      this.#isRenewing = false;
      if (this.#watched.size === 0) this.#close();
      else if (this.#isPaused) return;
      else if (this.#stream === null || this.#stream.run !== this.#runWatched()) this.#open();
    });
  }

  #runWatched(): Watched | null {
    return [...this.#watched].findLast(({ run }) => run !== null) ?? null;
  }

  #open(): void {
    clearTimeout(this.#retry);
    const before = this.#stream;
    const stream: Stream = { run: this.#runWatched(), abort: new AbortController(), isOpen: false };
    this.#stream = stream;
    void this.#follow(stream, before);
  }

  async #follow(stream: Stream, before: Stream | null): Promise<void> {
    let isSignedOut = false;
    try {
      const run = stream.run?.run ?? null;
      const query = run === null ? "" : `?run=${encodeURIComponent(run.id)}&after=${run.after}`;
      const response = await ask(`/api/live${query}`, {
        signal: stream.abort.signal,
        headers: this.#lastId === null ? {} : { "Last-Event-ID": this.#lastId },
      });
      before?.abort.abort();
      stream.isOpen = true;
      await this.#read(stream, response);
    } catch (fault) {
      isSignedOut = fault instanceof SourceProblem && fault.code === "signed-out";
    } finally {
      before?.abort.abort();
      stream.abort.abort();
    }
    if (this.#stream !== stream) return;
    this.#stream = null;
    this.#tellConnected(false);
    if (this.#watched.size > 0 && !this.#isPaused && !isSignedOut) this.#retryLater();
  }

  async #read(stream: Stream, response: Response): Promise<void> {
    if (response.body === null) return;
    let watchdog: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => stream.abort.abort(), SILENCE_MS);
    };
    const parser = new EventStreamParser((event) => this.#take(stream, event));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    heard();
    this.#tellConnected(true);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        this.#failures = 0;
        heard();
        parser.add(value);
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  #take(stream: Stream, { name, data, id }: StreamEvent): void {
    if (this.#stream !== stream) return;
    this.#lastId = id ?? this.#lastId;
    const message = parseJson(data);
    if (name === "runs") for (const { watcher } of this.#watched) watcher.runs(message as LiveMessages["runs"]);
    else if (name === "index")
      for (const { watcher } of this.#watched) watcher.index?.(message as LiveMessages["index"]);
    else if (name === "events" && stream.run?.run != null) {
      const page = message as LiveMessages["events"];
      stream.run.run.after = Math.max(stream.run.run.after, page.position);
      if (this.#watched.has(stream.run)) stream.run.watcher.events?.(page);
    }
  }

  #tellConnected(isConnected: boolean): void {
    for (const watched of this.#watched) {
      if (watched.isConnected === isConnected) continue;
      watched.isConnected = isConnected;
      watched.watcher.connected?.(isConnected);
    }
  }

  #retryLater(): void {
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS) * (0.75 + Math.random() / 2);
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#soon(), pause);
  }

  #soon(): void {
    if (this.#stream === null && this.#watched.size > 0 && !this.#isPaused) this.#open();
  }

  #close(): void {
    clearTimeout(this.#retry);
    const stream = this.#stream;
    this.#stream = null;
    stream?.abort.abort();
  }

  #visibility(): void {
    clearTimeout(this.#hiding);
    if (document.visibilityState === "hidden") {
      this.#hiding = setTimeout(() => {
        this.#isPaused = true;
        for (const watched of this.#watched) watched.isConnected = null;
        this.#close();
      }, HIDDEN_MS);
    } else if (this.#isPaused) {
      this.#isPaused = false;
      this.#failures = 0;
      this.#soon();
    }
  }
}
