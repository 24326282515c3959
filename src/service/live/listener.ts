/**
 * One who follows live: a stream of server-sent events that is written only as fast as it is read. One that lets too much wait is
 * dropped; it asks again, and reads anew what it missed.
 */

const MIB = 1024 * 1024;
/** Over this nothing that can be put off is written. */
const FULL_BYTES = MIB;
/** Over this, whatever is written, the listener has stopped reading. */
const DROPPED_BYTES = 8 * MIB;
/** One that has read nothing for so long has stopped, too. */
const STALLED_MS = 30_000;

/** A run whose events are told, and behind which position. */
export interface Watched {
  id: string;
  position: number;
  /** What was told of that last. */
  isAbandoned: boolean;
  /** There is more to be told that waits only for the listener. */
  isBehind: boolean;
}

export class Listener {
  readonly watched: Watched | null;
  /** Position of the journal behind which it has yet to be told what changed; null: nothing. */
  missed: number | null;
  /** What to answer with. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly #onGone: (listener: Listener) => void;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #fullSince: number | null = null;

  /** `onGone` is called once, when nobody reads any more. */
  constructor(watched: Watched | null, missed: number | null, onGone: (listener: Listener) => void) {
    this.watched = watched;
    this.missed = missed;
    this.#onGone = onGone;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#gone(),
      },
      { highWaterMark: FULL_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  /** Whether it takes more just now: what can wait, such as the events of a long run, waits otherwise. */
  get takesMore(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  /** Writes an event; `now` is ms on a clock that only goes forward. */
  tell(text: string, now: number): void {
    const controller = this.#controller;
    if (controller === null) return;
    controller.enqueue(this.#encoder.encode(text));
    const room = controller.desiredSize ?? 0;
    if (room > 0) this.#fullSince = null;
    else this.#fullSince ??= now;
    const isStalled = this.#fullSince !== null && now - this.#fullSince > STALLED_MS;
    if (room < FULL_BYTES - DROPPED_BYTES || isStalled) this.end();
  }

  /** Ends the stream behind what was written. */
  end(): void {
    this.#controller?.close();
    this.#gone();
  }

  #gone(): void {
    if (this.#controller === null) return;
    this.#controller = null;
    this.#onGone(this);
  }
}
