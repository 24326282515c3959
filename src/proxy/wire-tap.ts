import { type Captured, HEAD_BYTES, LineCapture, TAIL_BYTES } from "../jsonrpc/line-capture.ts";
import { type Message, readMessage, readMessages } from "../jsonrpc/message.ts";
import type { Direction } from "./direction.ts";
import type { MessageObserver, ObservedMessage } from "./observed-message.ts";

/**
 * The copy of what passes. `feed` is called after the bytes are on their way and only copies them; they are looked at
 * later, in slices short enough not to be felt. Nothing is dropped here: when copies pile up, looking at them takes a
 * larger share of the time.
 */

/** What becomes of what was looked at. */
export interface TapConsumer {
  /** Something passes after a pause: told before it is copied. Must not throw, and takes next to no time. */
  passes(): void;
  /** Awaited before each slice that is due by itself. */
  beforeSlice(): Promise<void>;
  /** Told of a fault of ours in looking; nothing that passes is touched by it. */
  fault(cause: unknown): void;
  /** True when `commit` has to catch up before more is looked at, of which `unseenBytes` wait. */
  isFull(unseenBytes: number): boolean;
  /** Does some of the work that is left after looking. Answers in how many ms to come back, or null. */
  commit(): number | null;
}

/** The first look is this long after the first byte, so that a burst is looked at in one go. */
const FIRST_DELAY_MS = 20;
const SLICE_MS = 2;
/** Pause between slices while bytes keep passing. */
const BUSY_PAUSE_MS = 20;
/** At the end, what is full is looked at again after this long. */
const FULL_PAUSE_MS = 2;
/** Above this many waiting bytes, each feed does a slice of the work itself. */
const HIGH_WATER_BYTES = 5 * 1024 * 1024;

interface Waiting {
  direction: Direction;
  captured: Captured;
}

export class WireTap {
  readonly #capture: Record<Direction, LineCapture>;
  readonly #observers: readonly MessageObserver[];
  readonly #consumer: TapConsumer;
  #waiting: Waiting[] = [];
  #next = 0;
  #waitingBytes = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #slicing = false;
  #stopped = false;
  #fedSinceSlice = false;

  constructor(observers: readonly MessageObserver[], consumer: TapConsumer) {
    this.#observers = observers;
    this.#consumer = consumer;
    this.#capture = { "to-upstream": this.#captureFor("to-upstream"), "to-host": this.#captureFor("to-host") };
  }

  /** Takes a copy of bytes that have passed. */
  feed(direction: Direction, bytes: Uint8Array): void {
    const isAfterPause = this.#timer === null && !this.#slicing;
    if (isAfterPause) this.#consumer.passes();
    this.#capture[direction].feed(bytes, performance.now());
    this.#fedSinceSlice = true;
    if (this.#waitingBytes > HIGH_WATER_BYTES) this.#catchUp();
    else if (isAfterPause) this.#sliceIn(FIRST_DELAY_MS);
  }

  /** No more bytes will come this way; a line without a newline is complete now. */
  end(direction: Direction): void {
    this.#capture[direction].end(performance.now());
  }

  /** Looks at everything that has passed. */
  drain(): void {
    while (this.#next < this.#waiting.length) this.#look();
  }

  /** The same, giving what becomes of it up to `patienceMs` to keep up. */
  async drainPatiently(patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs;
    while (this.#next < this.#waiting.length && performance.now() < until) {
      if (this.#isFull()) this.#commit();
      if (this.#isFull()) await Bun.sleep(FULL_PAUSE_MS);
      else this.#look();
    }
    this.drain();
  }

  /** Stops looking by itself. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#stopped = true;
  }

  /** Looks at so much that what waits stays bounded. */
  #catchUp(): void {
    for (let before = Number.POSITIVE_INFINITY; this.#waitingBytes < before; ) {
      before = this.#waitingBytes;
      this.#work();
      if (this.#waitingBytes <= 2 * HIGH_WATER_BYTES) return;
    }
  }

  #captureFor(direction: Direction): LineCapture {
    return new LineCapture((captured) => {
      this.#waiting.push({ direction, captured });
      this.#waitingBytes += sizeOf(captured);
    });
  }

  #sliceIn(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.#slice(), delayMs);
  }

  async #slice(): Promise<void> {
    this.#timer = null;
    this.#slicing = true;
    await this.#consumer.beforeSlice().catch((cause: unknown) => this.#consumer.fault(cause));
    if (this.#stopped) return;
    const comeBackMs = this.#work();
    this.#slicing = false;
    const busy = this.#fedSinceSlice;
    this.#fedSinceSlice = false;
    if (this.#next < this.#waiting.length) this.#sliceIn(busy ? BUSY_PAUSE_MS : 0);
    else if (comeBackMs !== null) this.#sliceIn(busy ? Math.max(comeBackMs, BUSY_PAUSE_MS) : comeBackMs);
  }

  #isFull(): boolean {
    return this.#consumer.isFull(this.#waitingBytes);
  }

  #work(): number | null {
    const until = performance.now() + SLICE_MS;
    while (this.#next < this.#waiting.length && performance.now() < until && !this.#isFull()) this.#look();
    return this.#commit();
  }

  #commit(): number | null {
    try {
      return this.#consumer.commit();
    } catch (cause) {
      this.#consumer.fault(cause);
      return null;
    }
  }

  /** Looks at the oldest copy. */
  #look(): void {
    const waiting = this.#waiting[this.#next++];
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    if (waiting === undefined) return;
    const { direction, captured } = waiting;
    this.#waitingBytes -= sizeOf(captured);
    const at = performance.timeOrigin + captured.at;
    if ("head" in captured) {
      const { head, tail, totalBytes } = captured;
      const [start, end] = [decode(head, 0, HEAD_BYTES), decode(tail, 0, TAIL_BYTES)];
      this.#capture[direction].release(captured);
      this.#lookAtLongLine({ direction, text: start, tail: end, totalBytes, at });
      return;
    }
    const text = decode(captured.slab.bytes, captured.start, captured.end);
    this.#capture[direction].release(captured);
    const isAscii = text.length === captured.end - captured.start;
    for (let from = 0; from < text.length; ) {
      const newline = text.indexOf("\n", from);
      const to = newline < 0 ? text.length : newline;
      if (to > from) {
        const line = from === 0 && to === text.length ? text : text.slice(from, to);
        const totalBytes = isAscii ? line.length : Buffer.byteLength(line);
        if (line.length <= HEAD_BYTES + TAIL_BYTES) {
          this.#lookAtLine({ direction, text: line, tail: null, totalBytes, at });
        } else {
          const [head, tail] = [line.slice(0, HEAD_BYTES), line.slice(-TAIL_BYTES)];
          this.#lookAtLongLine({ direction, text: head, tail, totalBytes, at });
        }
      }
      from = to + 1;
    }
  }

  #lookAtLine(line: Line): void {
    const messages = readMessages(line.text);
    for (const message of messages) this.#lookAtMessage(line, message);
    if (messages.length === 0 && line.text.trim() !== "") this.#lookAtUnreadable(line);
  }

  #lookAtLongLine(line: Line): void {
    const message = readMessage(line.text, 0, line.tail);
    if (message !== null) this.#lookAtMessage(line, message);
    else this.#lookAtUnreadable(line);
  }

  #lookAtMessage({ direction, text, tail, totalBytes, at }: Line, message: Message): void {
    const observed: ObservedMessage = { direction, message, text, tail, totalBytes, at };
    for (const observer of this.#observers) {
      try {
        observer.see(observed);
      } catch (cause) {
        this.#consumer.fault(cause);
      }
    }
  }

  #lookAtUnreadable({ direction, totalBytes, at, tail }: Line): void {
    for (const observer of this.#observers) {
      try {
        observer.seeUnreadable?.(direction, totalBytes, at, tail !== null);
      } catch (cause) {
        this.#consumer.fault(cause);
      }
    }
  }
}

type Line = Omit<ObservedMessage, "message">;

/** Broken UTF-8 reads as U+FFFD in the copy. */
function decode(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8", start, end);
}

function sizeOf(captured: Captured): number {
  return "head" in captured ? HEAD_BYTES + TAIL_BYTES : captured.end - captured.start;
}
