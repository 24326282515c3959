import { abandon, RunFold } from "../../core/fold.ts";
import type { EventPage, RunItem } from "../../core/service-wire.ts";
import { agentNamedBy, isLaunch, type Story, tellStory } from "../../core/story.ts";
import { type Source, SourceProblem } from "../data/source.ts";

/**
 * Reads one run from a source, from its first event to those that are still to come, and tells its story again when it has
 * grown: at most once a frame, and so seldom that telling and showing it takes a small part of the time, however long it is.
 * Owns no part of the page.
 */

export interface RunReadout {
  story: Story | null;
  /** Everything that was recorded so far has been read. */
  isWhole: boolean;
  /** Removed meanwhile; it may come back. */
  isRemoved: boolean;
  /** Why it cannot be shown. */
  problem: SourceProblem | null;
  /** What the list knows of it; comes with or after the first events. */
  item: RunItem | null;
}

export const NOTHING_READ: RunReadout = {
  story: null,
  isWhole: false,
  isRemoved: false,
  problem: null,
  item: null,
};

/** After a frame that took so long, so many times as long is left to everything else. */
const REST = 5;
const LONGEST_REST_MS = 1500;
/** A service that does not answer is asked again after this. */
const RETRY_MS = 3000;
/** Launching calls that are fetched whole at most, to learn which agent each of them launched. */
const LAUNCHES_FETCHED = 24;

export class RunReading {
  readonly #source: Source;
  readonly #id: string;
  readonly #tell: (readout: RunReadout) => void;
  readonly #stopped = new AbortController();
  readonly #fold = new RunFold();
  readonly #launches = new Map<string, string>();
  readonly #askedLaunches = new Set<string>();
  #readout: RunReadout = NOTHING_READ;
  #position = 0;
  #isAbandoned = false;
  #watching: { stop(): void } | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #frame: number | null = null;
  #beganAt = 0;
  #restUntil = 0;

  constructor(source: Source, id: string, tell: (readout: RunReadout) => void) {
    this.#source = source;
    this.#id = id;
    this.#tell = tell;
  }

  async start(): Promise<void> {
    const { signal } = this.#stopped;
    void this.#readItem();
    while (!(await this.#readAll())) {
      if (signal.aborted || this.#readout.problem?.mayPass !== true) return;
      await pause(RETRY_MS, signal);
    }
    if (signal.aborted) return;
    this.#watching = this.#source.watch(
      { id: this.#id, after: this.#position },
      {
        events: (page) => {
          this.#take(page);
          this.#showSoon();
        },
        runs: ({ changed, removed }) => {
          const item = changed.find(({ id }) => id === this.#id);
          if (item !== undefined) {
            const isBack = this.#readout.isRemoved;
            this.#readout = { ...this.#readout, item, isRemoved: false };
            if (isBack) this.#show({});
          }
          if (removed.includes(this.#id)) this.#show({ isRemoved: true });
        },
      },
    );
    void this.#askLaunches();
  }

  /** Everything up to now, page by page; false where that did not go well. */
  async #readAll(): Promise<boolean> {
    const { signal } = this.#stopped;
    try {
      for (let more = true; more; ) {
        const page = await this.#source.events(this.#id, this.#position, signal);
        if (signal.aborted) return false;
        const isFirst = this.#readout.story === null;
        this.#take(page);
        more = page.more;
        // What is there is shown at once; of a long run the rest comes in one large step.
        if (isFirst || !more) this.#show({ isWhole: !more, problem: null });
      }
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  stop(): void {
    this.#stopped.abort();
    this.#watching?.stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
  }

  /** To be called when what was told is in the page: from how long it takes until it is drawn follows when more is told. */
  shown(): void {
    const beganAt = this.#beganAt;
    if (beganAt === 0) return;
    this.#beganAt = 0;
    requestAnimationFrame(() => {
      setTimeout(() => {
        const now = performance.now();
        this.#restUntil = now + Math.min(LONGEST_REST_MS, (now - beganAt) * REST);
      });
    });
  }

  #take(page: EventPage): void {
    for (const event of page.events) this.#fold.add(event);
    this.#position = Math.max(this.#position, page.position);
    this.#isAbandoned = page.isAbandoned;
  }

  #showSoon(): void {
    if (this.#timer !== null || this.#frame !== null) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#frame = requestAnimationFrame(() => {
          this.#frame = null;
          this.#show({});
          void this.#askLaunches();
        });
      },
      Math.max(0, this.#restUntil - performance.now()),
    );
  }

  #show(changes: Partial<RunReadout>): void {
    this.#beganAt = performance.now();
    this.#readout = { ...this.#readout, ...changes };
    this.#readout.story = this.#story();
    this.#tell(this.#readout);
  }

  #story(): Story | null {
    const run = this.#fold.run();
    if (run === null) return null;
    const { item, isWhole } = this.#readout;
    if (isWhole || item === null) {
      return tellStory(this.#isAbandoned && run.status === "running" ? abandon(run) : run, this.#launches);
    }
    // How it ended stands in events that are still to be read.
    const { status, endedAt, usage, hostHookCalls } = item;
    return tellStory({ ...run, status, endedAt, usage, hostHookCalls }, this.#launches);
  }

  async #readItem(): Promise<void> {
    try {
      const item = await this.#source.run(this.#id, this.#stopped.signal);
      if (!this.#stopped.signal.aborted) this.#show({ item });
    } catch (error) {
      // The events tell the rest; without either there is nothing to show.
      if (error instanceof SourceProblem && error.code === "not-found") this.#fail(error);
    }
  }

  /** Which agent a call launched stands in its result, behind what is known of that in brief. */
  async #askLaunches(): Promise<void> {
    const { story } = this.#readout;
    if (story === null || ![...story.agents.values()].some(({ launch }) => launch !== "told")) return;
    const unknown = story.run.steps.filter(
      (step) =>
        isLaunch(step) && step.result !== null && !this.#askedLaunches.has(step.id) && agentNamedBy(step) === null,
    );
    for (const { id } of unknown.slice(0, LAUNCHES_FETCHED - this.#askedLaunches.size)) {
      this.#askedLaunches.add(id);
      try {
        const agentId = agentNamedBy(await this.#source.step(this.#id, id, this.#stopped.signal));
        if (agentId !== null) this.#launches.set(id, agentId);
      } catch {
        // The guess stays a guess.
      }
      if (this.#stopped.signal.aborted) return;
      this.#showSoon();
    }
  }

  #fail(error: unknown): void {
    if (this.#stopped.signal.aborted) return;
    const problem = error instanceof SourceProblem ? error : new SourceProblem("refused", "It could not be read.");
    this.#show({ problem });
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
