/** Where what a server says about one request goes: into the answer of a POST, or onto a stream. Knows HTTP, nothing of MCP. */

import type { EventStream } from "../http-peer/event-stream.ts";
import type { Exchange } from "../http-peer/exchange.ts";
import type { Json } from "../mcp-message.ts";

export interface Replies {
  /** A notification, or a question of the server's own. */
  say(message: Json): void;
  /** The answer: the last word. */
  finish(message: Json): void;
}

export interface PostOptions {
  headers?: Record<string, string>;
  /** What is said when the answer has been given already; nothing becomes of it when not given. */
  late?: (message: Json) => void;
  /** The status for a method that is not known; 200 when not given. */
  unknownStatus?: number;
}

const METHOD_NOT_FOUND = -32_601;

/** The answer of the POST itself: JSON when nothing is said before it, else events. */
export class PostReplies implements Replies {
  readonly #exchange: Exchange;
  readonly #options: PostOptions;
  #stream: EventStream | null = null;

  constructor(exchange: Exchange, options: PostOptions = {}) {
    this.#exchange = exchange;
    this.#options = options;
  }

  say(message: Json): void {
    if (this.#exchange.isDone) this.#options.late?.(message);
    else {
      this.#stream ??= this.#exchange.events(this.#options.headers);
      this.#stream.send(message);
    }
  }

  finish(message: Json): void {
    const { code } = (message.error ?? {}) as { code?: number };
    const status = code === METHOD_NOT_FOUND ? this.#options.unknownStatus : undefined;
    if (this.#stream === null) this.#exchange.json(message, status, this.#options.headers);
    else {
      this.#stream.send(message);
      this.#stream.end();
    }
  }
}

/** A stream that carries everything. */
export class StreamReplies implements Replies {
  readonly #stream: EventStream;

  constructor(stream: EventStream) {
    this.#stream = stream;
  }

  say(message: Json): void {
    this.#stream.send(message);
  }

  finish(message: Json): void {
    this.#stream.send(message);
  }
}
