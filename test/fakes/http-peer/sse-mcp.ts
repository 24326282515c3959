/**
 * A server of 2024-11-05 over HTTP with SSE: a GET opens the stream, whose first event names the address for messages; each
 * message is accepted there with 202 and answered on the stream. Anything else is refused as such servers do.
 */

import { answerTo, ECHO, SERVER_INFO } from "./answers.ts";
import type { EventStream } from "./event-stream.ts";
import type { Exchange } from "./exchange.ts";
import { errorOf, type PeerMessage, resultOf, type Sendable } from "./message.ts";

export interface SseOptions {
  /** What the `endpoint` event says; `{sid}` is the number of the stream. */
  endpoint?: string;
  /** The status that a POST to the address of the stream is refused with. */
  refusal?: 400 | 404 | 405;
  /** The first event is not sent: the test sends it. */
  silent?: boolean;
}

export class SseMcp {
  readonly options: SseOptions;
  /** The streams that were opened, in order. */
  readonly streams: EventStream[] = [];
  readonly responses: PeerMessage[] = [];
  readonly #path: string;

  /** @param path of the stream */
  constructor(path: string, options: SseOptions = {}) {
    this.#path = path;
    this.options = options;
  }

  readonly handle = (exchange: Exchange): void => {
    const [path] = exchange.target.split("?");
    if (exchange.method === "GET" && path === this.#path) this.#open(exchange);
    else if (exchange.method === "POST" && path !== this.#path) this.#message(exchange);
    else exchange.reply(this.options.refusal ?? 405, "Cannot POST here");
  };

  /** Sends a message on the newest stream. */
  push(message: Sendable): void {
    this.streams.at(-1)?.send(message);
  }

  #open(exchange: Exchange): void {
    const endpoint = (this.options.endpoint ?? "/messages?sid={sid}").replace("{sid}", String(this.streams.length));
    const stream = exchange.events({ "cache-control": "no-cache" });
    this.streams.push(stream);
    if (!this.options.silent) stream.send(endpoint, { event: "endpoint" });
  }

  #message(exchange: Exchange): void {
    const { message } = exchange;
    exchange.reply(202, "Accepted");
    if (message.method === undefined) this.responses.push(message);
    else if (message.id !== undefined) this.push(this.#answer(message));
  }

  #answer(message: PeerMessage): object {
    const { id, method } = message;
    const result =
      method === "initialize"
        ? { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: SERVER_INFO }
        : answerTo(message, [ECHO]);
    return result === undefined ? errorOf(id, -32_601, "Method not found") : resultOf(id, result);
  }
}
