import type { Exchange } from "./exchange.ts";

/**
 * Every exchange that has unanswered requests, by request. An answer may come on another stream than its request went out on.
 */
export class Pending {
  readonly #exchanges = new Map<string, Exchange>();
  readonly #onIdle: () => void;

  /** `onIdle`: nothing is unanswered any more that the end of a session waits for. */
  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  get isIdle(): boolean {
    for (const exchange of this.#exchanges.values()) if (!exchange.isStanding) return false;
    return true;
  }

  add(exchange: Exchange): void {
    for (const key of exchange.waiting) this.#exchanges.set(key, exchange);
  }

  find(key: string): Exchange | undefined {
    return this.#exchanges.get(key);
  }

  /** A request is answered, or not wanted any more. */
  settle(key: string, exchange: Exchange): void {
    exchange.settle(key);
    this.#forget([key], exchange);
  }

  /** Nothing more comes for an exchange: the lines that answer what is left of it. */
  fail(exchange: Exchange, text: string): string {
    const keys = exchange.waiting;
    const lines = exchange.failed(text);
    this.#forget(keys, exchange);
    return lines;
  }

  /** The same for one request of it, in a form that a model can read. */
  failReadably(key: string, exchange: Exchange, text: string): string {
    const line = exchange.failedReadably(key, text);
    this.#forget([key], exchange);
    return line;
  }

  /** The exchanges that have something unanswered. */
  all(): Exchange[] {
    return [...new Set(this.#exchanges.values())];
  }

  #forget(keys: readonly string[], exchange: Exchange): void {
    // An id that is used again belongs to the newer one.
    for (const key of keys) if (this.#exchanges.get(key) === exchange) this.#exchanges.delete(key);
    if (keys.length > 0 && this.isIdle) this.#onIdle();
  }
}
