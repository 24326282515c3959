import type { ServerResponse } from "node:http";
import type { CallScript } from "./call-script.ts";

/**
 * The event stream of one call: what was sent is kept until the answer has been delivered, so that a client whose
 * connection was dropped can take it up again after the last event that it saw.
 */

/** How long a client is asked to wait before it comes back. */
const RETRY_MS = 20;
/** From the last byte of a stream to its being cut off: the client must have seen the event's id. */
const CUT_AFTER_MS = 5;

export class AnswerStream {
  readonly id: string;
  readonly #script: CallScript;
  readonly #events: string[] = [];
  #connection: ServerResponse | undefined;
  #complete = false;

  constructor(id: string, script: CallScript, connection: ServerResponse) {
    this.id = id;
    this.#script = script;
    this.#attach(connection);
    if (script.kind === "resumable") this.#send(`id: ${id}-0\nretry: ${RETRY_MS}\ndata:\n\n`);
    else connection.write(": it begins\n\n");
  }

  /** True once the answer was written to a connection. */
  get delivered(): boolean {
    return this.#complete && this.#connection !== undefined;
  }

  /** Sends a message, and drops the connection behind it where the script says so. */
  send(message: object): void {
    const id = this.#script.kind === "resumable" ? `id: ${this.id}-${this.#events.length}\n` : "";
    this.#send(`event: message\n${id}data: ${JSON.stringify(message)}\n\n`);
  }

  /** Sends the last message. */
  finish(message: object): void {
    this.#complete = true;
    this.send(message);
  }

  /** Goes on at another connection, after the event with the number `last`. */
  resume(connection: ServerResponse, last: number): void {
    this.#connection?.end();
    this.#attach(connection);
    for (const event of this.#events.slice(last + 1)) connection.write(event);
    if (this.#complete) connection.end();
  }

  #attach(connection: ServerResponse): void {
    connection.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    this.#connection = connection;
  }

  #send(event: string): void {
    const number = this.#events.push(event) - 1;
    const connection = this.#connection;
    if (connection === undefined) return;
    connection.write(event);
    if (this.#complete) connection.end();
    else if (this.#script.drops.includes(number)) this.#drop(connection);
  }

  #drop(connection: ServerResponse): void {
    this.#connection = undefined;
    if (this.#script.clean) connection.end();
    else setTimeout(() => connection.destroy(), CUT_AFTER_MS);
  }
}
