import { logDegradedOnce } from "../kit/log.ts";
import type { MessageObserver, ObservedMessage } from "./observed-message.ts";
import type { Recording, RecordingOptions } from "./recording.ts";
import type { TapConsumer } from "./wire-tap.ts";

type UnreadableLine = Parameters<NonNullable<MessageObserver["seeUnreadable"]>>;

/** More lines than this that are no messages, before any call, are not counted. */
const MOST_KEPT_UNREADABLE = 1_000;
/** About how long loading takes. */
const LOADING_MS = 10;
/** What was kept waits this long when so much waits to be recorded already. */
const REPLAY_PAUSE_MS = 2;

/**
 * Recording, loaded when the first tool call passes: until then a proxy is as small as a relay can be. Keeps the
 * handshake for it, and what passes while it loads.
 */
export class LazyRecording implements MessageObserver, TapConsumer {
  readonly #options: RecordingOptions;
  #recording: Recording | null = null;
  #loading: Promise<Recording> | null = null;
  #kept: ObservedMessage[] = [];
  #keptUnreadable: UnreadableLine[] = [];
  #faults = 0;
  /** Nothing will be recorded: it is not wanted, or could not be loaded. */
  #isOver: boolean;

  /** With `isWanted` false nothing is ever recorded. */
  constructor(options: RecordingOptions, isWanted: boolean) {
    this.#options = options;
    this.#isOver = !isWanted;
  }

  see(observed: ObservedMessage): void {
    if (this.#recording !== null) {
      this.#recording.observer.see(observed);
      return;
    }
    if (this.#isOver) return;
    const { direction, message } = observed;
    const isCall = direction === "to-upstream" && message.method === "tools/call";
    if (isCall || this.#loading !== null || message.method === "initialize" || this.#kept.length === 0) {
      this.#kept.push(observed);
    }
    if (isCall && this.#loading === null) {
      this.#loading = this.#load();
      this.#loading.catch(() => this.#giveUp());
    }
  }

  seeUnreadable(...line: UnreadableLine): void {
    if (this.#recording !== null) this.#recording.observer.seeUnreadable?.(...line);
    else if (!this.#isOver && this.#keptUnreadable.length < MOST_KEPT_UNREADABLE) this.#keptUnreadable.push(line);
  }

  /**
   * A fault of ours: the message has passed; it is counted as lost. Only the kind of fault is told, since its message may
   * quote what was being looked at.
   */
  fault(cause: unknown): void {
    const kind = cause instanceof Error ? cause.name : "unknown";
    logDegradedOnce("DEG-15", `something could not be recorded, by a fault of bir (${kind})`);
    if (this.#recording !== null) this.#recording.countFault();
    else this.#faults++;
  }

  /** Tells recording something once everything seen so far has reached it; nobody, when no call has passed yet. */
  async tell(something: (recording: Recording) => unknown): Promise<void> {
    try {
      const recording = await this.#loading;
      if (recording !== null) await something(recording);
    } catch (cause) {
      this.fault(cause);
    }
  }

  /** The session ends: whatever is still to be looked at is the last. */
  ending(): void {
    this.#recording?.ending();
  }

  /** What passes now is recorded only where the switches say so now, however late it is looked at. */
  passes(): void {
    try {
      this.#recording?.followSwitches();
    } catch (cause) {
      this.fault(cause);
    }
  }

  /** Before more is looked at: what is still loading comes first, and the switches are followed. */
  async beforeSlice(): Promise<void> {
    await (await this.#loading)?.noteTraffic();
  }

  /** True while what was recorded has to get where it belongs before more is looked at. */
  isFull(unseenBytes: number): boolean {
    return this.#recording?.isFull(unseenBytes) ?? false;
  }

  /** Does what is due. Answers when to come back, in ms, or null when there is nothing to come back for. */
  commit(): number | null {
    if (this.#recording !== null) return this.#recording.commit();
    return this.#loading === null || this.#isOver ? null : LOADING_MS;
  }

  async #load(): Promise<Recording> {
    const { Recording } = await import("./recording.ts");
    const recording = new Recording(this.#options, (cause) => this.fault(cause));
    await recording.noteTraffic();
    // More may be kept while this goes on.
    for (const observed of this.#kept) {
      for (; recording.isFull(0); recording.commit()) await Bun.sleep(REPLAY_PAUSE_MS);
      this.#replay(() => recording.observer.see(observed));
    }
    this.#recording = recording;
    for (const line of this.#keptUnreadable) this.#replay(() => recording.observer.seeUnreadable?.(...line));
    for (; this.#faults > 0; this.#faults--) recording.countFault();
    this.#kept = [];
    this.#keptUnreadable = [];
    return recording;
  }

  /** Recording cannot be loaded: nothing is kept for it any more. Whoever waits for it is told why. */
  #giveUp(): void {
    this.#isOver = true;
    this.#kept = [];
    this.#keptUnreadable = [];
  }

  #replay(look: () => void): void {
    try {
      look();
    } catch (cause) {
      this.fault(cause);
    }
  }
}
