/**
 * One request that the peer got, exactly as it came, and the means to answer it in any way, right or wrong. Knows HTTP and
 * lines of SSE; what a message means is not its business.
 */

import type { Connection } from "./connection.ts";
import { EventStream } from "./event-stream.ts";
import { errorOf, messageIn, type PeerMessage, resultOf, type Sendable, textOf } from "./message.ts";
import type { RawHeader, RawRequest } from "./request-reader.ts";

export type Headers = Readonly<Record<string, string>>;

const REASONS: Record<number, string> = { 200: "OK", 202: "Accepted", 404: "Not Found", 405: "Method Not Allowed" };

export class Exchange {
  /** Position among all that happened at the peer. */
  readonly seq: number;
  readonly connection: Connection;
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly headers: readonly RawHeader[];
  readonly body: Buffer;
  /** Something was written in answer. */
  isAnswered = false;
  /** The answer is written to its end: the connection may carry another request. */
  isDone = false;
  /** Its connection was closed by the client before the answer was done. */
  isAbandoned = false;
  #stream: EventStream | null = null;
  #message: PeerMessage | null = null;

  constructor(seq: number, connection: Connection, request: RawRequest) {
    this.seq = seq;
    this.connection = connection;
    this.method = request.method;
    this.target = request.target;
    this.headers = request.headers;
    this.body = request.body;
  }

  /** The value of this header; several joined with ", "; undefined when there is none. */
  header(name: string): string | undefined {
    const values = this.headers.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
    return values.length === 0 ? undefined : values.join(", ");
  }

  /** The headers whose names begin so, in small letters. */
  headersLike(prefix: string): Record<string, string> {
    const like = this.headers.filter(([name]) => name.toLowerCase().startsWith(prefix.toLowerCase()));
    return Object.fromEntries(like.map(([name, value]) => [name.toLowerCase(), value]));
  }

  get text(): string {
    return this.body.toString("utf8");
  }

  /** The body as one message; empty when it is no JSON object. */
  get message(): PeerMessage {
    this.#message ??= messageIn(this.text);
    return this.#message;
  }

  /** The stream of events that it was answered with. */
  get stream(): EventStream {
    if (this.#stream === null) throw new Error(`${this.describe()} was not answered with events`);
    return this.#stream;
  }

  // Answers.

  /** A whole answer. */
  reply(status: number, body: string | Uint8Array = "", headers: Headers = {}): void {
    const bytes = Buffer.from(body);
    this.head(status, { ...headers, "content-length": String(bytes.length) });
    this.write(bytes);
    this.isDone = true;
  }

  json(message: Sendable, status = 200, headers: Headers = {}): void {
    this.reply(status, textOf(message), { "content-type": "application/json", ...headers });
  }

  /** The answer to the request that it carries. */
  result(result: object, status = 200, headers: Headers = {}): void {
    this.json(resultOf(this.message.id, result), status, headers);
  }

  /** A JSON-RPC error for the request that it carries. */
  error(code: number, message: string, status = 200, id: unknown = this.message.id): void {
    this.json(errorOf(id, code, message), status);
  }

  /** What notifications and responses are answered with. */
  accept(headers: Headers = {}): void {
    this.reply(202, "", headers);
  }

  /** Begins a stream of events. */
  events(headers: Headers = {}): EventStream {
    this.head(200, { "content-type": "text/event-stream", "transfer-encoding": "chunked", ...headers });
    this.#stream = new EventStream(this);
    return this.#stream;
  }

  /** Only the status line and headers of an answer. */
  head(status: number, headers: Headers): void {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.write(`HTTP/1.1 ${status} ${REASONS[status] ?? "Status"}\r\n${lines.join("")}\r\n`);
  }

  /** Any bytes. */
  write(bytes: string | Uint8Array): void {
    this.isAnswered = true;
    this.connection.write(bytes);
  }

  /** Closes the connection behind these bytes and what was written before, with an answer or without. */
  drop(last: string | Uint8Array = ""): void {
    if (last.length > 0) this.write(last);
    this.isDone = true;
    this.connection.close();
  }

  /** Closes it with a reset. */
  reset(): void {
    this.isDone = true;
    this.connection.reset();
  }

  describe(): string {
    const said = this.body.length > 0 ? ` ${this.text.slice(0, 160)}` : "";
    return `#${this.seq} ${this.method} ${this.target}${said}`;
  }
}
