/**
 * An answer that is a stream of server-sent events, in chunks. Writes events as they are asked for, and anything else that is
 * no event; remembers which ids it gave.
 */

import type { Exchange } from "./exchange.ts";
import { type Sendable, textOf } from "./message.ts";

export interface EventFields {
  id?: string;
  /** `message` when not given; null leaves the line out. */
  event?: string | null;
  /** Milliseconds. */
  retry?: number;
}

export class EventStream {
  readonly exchange: Exchange;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  /** One message as one event; a line feed in it begins another `data:` line. */
  send(message: Sendable, fields: EventFields = {}): void {
    this.raw(eventText(textOf(message), fields));
  }

  /** An event with an id and no message: what a server sends before it closes, for the client to come back. */
  prime(id: string, retry?: number): void {
    this.raw(`id: ${id}\n${retry === undefined ? "" : `retry: ${retry}\n`}data: \n\n`);
  }

  comment(text = ""): void {
    this.raw(`:${text}\n\n`);
  }

  /** Any text of the stream, as one chunk. */
  raw(text: string | Uint8Array): void {
    const bytes = Buffer.from(text);
    if (bytes.length > 0) this.exchange.write(chunkOf(bytes));
  }

  /** Each byte in a chunk of its own. */
  async slowly(text: string): Promise<void> {
    for (const byte of Buffer.from(text)) await this.exchange.connection.writeAndWait(chunkOf(Buffer.of(byte)));
  }

  /** The regular end: the connection may be used again. */
  end(): void {
    this.exchange.write("0\r\n\r\n");
    this.exchange.isDone = true;
  }

  /** The connection ends in the middle of the stream. */
  drop(): void {
    this.exchange.drop();
  }

  reset(): void {
    this.exchange.reset();
  }
}

/** One event as text. */
export function eventText(data: string, { id, event = "message", retry }: EventFields = {}): string {
  const lines = [
    ...(event === null ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...data.split("\n").map((line) => `data: ${line}`),
  ];
  return `${lines.join("\n")}\n\n`;
}

function chunkOf(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}
