import { logDegradedOnce } from "../kit/log.ts";
import type { MessageObserver, ObservedMessage } from "./observed-message.ts";
import type { Recording } from "./recording.ts";
import type { TapConsumer } from "./wire-tap.ts";

type UnreadableLine = Parameters<NonNullable<MessageObserver["seeUnreadable"]>>;

/** More lines than this that are no messages, before any call, are not counted. */
const MOST_KEPT_UNREADABLE = 1_000;
/** About how long loading takes. */
const LOADING_MS = 10;

/**
 * Recording, loaded when the first tool call passes: until then a proxy is as small as a relay can be. Keeps the
 * handshake for it, and what passes while it loads.
 */
export class LazyRecording implements MessageObserver, TapConsumer {
  readonly #serverName: string;
  #recording: Recording | null = null;
  #loading: Promise<Recording> | null = null;
  #kept: ObservedMessage[] = [];
  #keptUnreadable: UnreadableLine[] = [];
  #faults = 0;
  /** Nothing will be recorded: it is not wanted, or could not be loaded. */
  #isOver: boolean;

  /** With `isWanted` false nothing is ever recorded. */
  constructor(serverName: string, isWanted: boolean) {
    this.#serverName = serverName;
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

  /** Before more is looked at: what is still loading comes first, and the switches are followed. */
  async beforeSlice(): Promise<void> {
    await (await this.#loading)?.followSwitches();
  }

  /** True while what was recorded has to be committed before more is looked at. */
  isFull(): boolean {
    return this.#recording?.isFull ?? false;
  }

  /** Commits what is due. Answers when to come back, in ms, or null when there is nothing to come back for. */
  commit(): number | null {
    if (this.#recording !== null) return this.#recording.commit();
    return this.#loading === null || this.#isOver ? null : LOADING_MS;
  }

  async #load(): Promise<Recording> {
    const { Recording } = await import("./recording.ts");
    const recording = new Recording(this.#serverName);
    await recording.followSwitches();
    this.#recording = recording;
    for (const observed of this.#kept) this.#replay(() => recording.observer.see(observed));
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
