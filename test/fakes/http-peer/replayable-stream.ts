/**
 * A stream of events that outlives its connections: numbers each event, and gives a client that comes back all that it has
 * missed. What is sent while nobody is connected waits.
 */

import type { EventStream } from "./event-stream.ts";
import { type Sendable, textOf } from "./message.ts";

export class ReplayableStream {
  /** Ids are this, a dash and a number. */
  readonly key: string;
  readonly #events: string[] = [];
  #live: EventStream | null = null;
  #isOver = false;

  constructor(key: string) {
    this.key = key;
  }

  send(message: Sendable): void {
    this.#events.push(textOf(message));
    this.#live?.send(textOf(message), { id: this.#idOf(this.#events.length) });
  }

  /** Nothing more will come. */
  end(): void {
    this.#isOver = true;
    this.#live?.end();
    this.#live = null;
  }

  /** Closes the connection and goes on: the client is to come back. */
  close(): void {
    this.#live?.end();
    this.#live = null;
  }

  /** Goes on over this connection, behind the event with this number. The first event on it has an id and no message. */
  attach(stream: EventStream, after = 0, retryMs?: number): void {
    if (after === 0) stream.prime(this.#idOf(0), retryMs);
    for (const [index, text] of this.#events.entries()) {
      if (index >= after) stream.send(text, { id: this.#idOf(index + 1) });
    }
    if (this.#isOver) stream.end();
    else this.#live = stream;
  }

  #idOf(number: number): string {
    return `${this.key}-${number}`;
  }
}
