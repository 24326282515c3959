import { type AnswerableRequest, errorAnswer, failureAnswer } from "../../jsonrpc/local-answer.ts";
import { idKey, type Message } from "../../jsonrpc/message.ts";
import type { HostLine } from "./message-meta.ts";

/**
 * The requests of one message until they are answered, by the server or in its place. Each is answered once at most by us, and not at all
 * once the host has cancelled it.
 */

/** What becomes of the server's answer to a request: the line for the host, or null for none. */
export type AnswerPassage = (line: Uint8Array, message: Message, text: string) => Uint8Array | null;

/** A method whose answer may stay away for as long as the host lives. */
const STANDING_METHOD = "subscriptions/listen";

export class Exchange {
  /** Set where an answer has to be looked at, or is not for the host. */
  passage: AnswerPassage | null = null;
  /** Several messages in an array: the answer may be one, too. */
  readonly isBatch: boolean;
  /** There was something to be answered. */
  readonly isRequest: boolean;
  readonly #asked: ReadonlySet<string>;
  readonly #waiting = new Map<string, AnswerableRequest>();
  readonly #isOurs: boolean;
  readonly #settled = Promise.withResolvers<void>();
  #abort: AbortController | null = null;
  #failure: string | null = null;

  /** `isOurs`: the host knows nothing of it, and is never told of a failure. */
  constructor({ isBatch, messages }: HostLine, isOurs = false) {
    this.isBatch = isBatch;
    this.#isOurs = isOurs;
    for (const { kind, rawId, method, protocolVersion } of messages) {
      if (kind !== "request" || rawId === null || rawId === "null" || method === null) continue;
      this.#waiting.set(idKey(rawId), { rawId, method, stateless: protocolVersion !== null });
    }
    this.#asked = new Set(this.#waiting.keys());
    this.isRequest = this.#waiting.size > 0;
    this.#checkSettled();
  }

  /** True for what was asked here, answered or not. */
  hasAsked(key: string): boolean {
    return this.#asked.has(key);
  }

  /** Resolves when nothing is unanswered any more. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  get isSettled(): boolean {
    return this.#waiting.size === 0;
  }

  /** Why what was unanswered had to be answered in the server's place; null where that did not happen. */
  get failure(): string | null {
    return this.#failure;
  }

  /** The keys of the requests that are unanswered. */
  get waiting(): string[] {
    return [...this.#waiting.keys()];
  }

  /** True for requests that the end of a session does not wait for. */
  get isStanding(): boolean {
    for (const { method } of this.#waiting.values()) if (method !== STANDING_METHOD) return false;
    return true;
  }

  /** The one request that is unanswered; null where there are more, or none. */
  get only(): AnswerableRequest | null {
    if (this.#waiting.size !== 1) return null;
    for (const request of this.#waiting.values()) return request;
    return null;
  }

  /** Says when the connection is to be closed that the answer is awaited on. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  /** The request with that key, if it is unanswered. */
  request(key: string): AnswerableRequest | null {
    return this.#waiting.get(key) ?? null;
  }

  /** It is answered, or the host no longer wants it. */
  settle(key: string): void {
    this.#waiting.delete(key);
    this.#checkSettled();
  }

  /** Nobody waits for anything any more: the connection is closed. */
  giveUp(): void {
    this.#waiting.clear();
    this.#checkSettled();
    this.#abort?.abort();
  }

  /** What is still unanswered has an error for an answer: those lines. */
  failed(text: string): string {
    if (this.#waiting.size > 0) this.#failure = text;
    const lines = this.#isOurs ? [] : [...this.#waiting.values()].map(({ rawId }) => errorAnswer(rawId, text));
    this.#waiting.clear();
    this.#checkSettled();
    return lines.join("");
  }

  /** The same for one request that a model may have made: a tool call gets a result that it can read. */
  failedReadably(key: string, text: string): string {
    const request = this.#waiting.get(key);
    this.settle(key);
    return request === undefined || this.#isOurs ? "" : failureAnswer(request, text);
  }

  #checkSettled(): void {
    if (this.#waiting.size === 0) this.#settled.resolve();
  }
}
