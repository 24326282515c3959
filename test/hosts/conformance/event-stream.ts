/** One resumable stream of server-sent events: keeps every event, writes them to whoever is attached. */

import type { ServerResponse } from "node:http";
import type { Message } from "./message.ts";
import { event, primingEvent, STREAM_HEADERS } from "./server-events.ts";

export class EventStream {
  readonly #key: string;
  readonly #retryMs: number | undefined;
  readonly #quietMs: number | undefined;
  readonly #events: Message[] = [];
  #response: ServerResponse | undefined;
  #sent = 0;
  #finished = false;
  #quiet: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param retryMs told in a priming event; undefined: no such event
   * @param quietMs suspend it when nothing is said for so long
   */
  constructor(key: string, retryMs: number | undefined, quietMs: number | undefined) {
    this.#key = key;
    this.#retryMs = retryMs;
    this.#quietMs = quietMs;
  }

  get isOpen(): boolean {
    return this.#response !== undefined;
  }

  get isFinished(): boolean {
    return this.#finished;
  }

  /** @param after the number of the last event that the client has; undefined: it has what was sent */
  attach(response: ServerResponse, headers: Record<string, string>, after?: number): void {
    if (after !== undefined) this.#sent = after;
    this.#response = response;
    response.writeHead(200, { ...STREAM_HEADERS, ...headers });
    response.on("close", () => {
      if (this.#response === response) this.#detach();
    });
    if (this.#retryMs !== undefined && after === undefined) response.write(primingEvent(this.#id(0), this.#retryMs));
    else response.write(": open\n\n");
    // Who comes back waits for the answer.
    if (after === undefined && this.#quietMs !== undefined) {
      this.#quiet = setTimeout(() => this.suspend(), this.#quietMs);
    }
    this.#flush();
  }

  push(message: Message): void {
    this.#events.push(message);
    this.#quiet?.refresh();
    this.#flush();
  }

  /** Nothing more comes: what is attached is ended once it has everything. */
  finish(): void {
    this.#finished = true;
    this.#flush();
  }

  /** Ends what is attached; the events that come meanwhile are kept. */
  suspend(): void {
    const response = this.#response;
    this.#detach();
    response?.end();
  }

  #flush(): void {
    if (this.#response === undefined) return;
    for (const message of this.#events.slice(this.#sent)) {
      this.#sent++;
      this.#response.write(event(message, this.#retryMs === undefined ? undefined : this.#id(this.#sent)));
    }
    if (this.#finished) this.suspend();
  }

  #detach(): void {
    this.#response = undefined;
    clearTimeout(this.#quiet);
  }

  #id(count: number): string {
    return `${this.#key}/${count}`;
  }
}
