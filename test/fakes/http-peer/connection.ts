/**
 * One connection that a client has opened to the peer: its requests one after the other, and who closed it. Writes what it is
 * told to, whether that is HTTP or not.
 */

import type { Socket } from "node:net";
import { type RawRequest, RequestReader } from "./request-reader.ts";

export interface ConnectionEvents {
  request(connection: Connection, request: RawRequest): void;
  /** The client has closed it, or its end of it. */
  clientClosed(connection: Connection): void;
  /** `isGone` is true. */
  gone(): void;
  /** What came was no HTTP, or came when it must not. */
  fault(what: string): void;
}

export class Connection {
  /** 0 for the first that was opened. */
  readonly index: number;
  /** The client closed it first. */
  isClosedByClient = false;
  /** We closed it first. */
  isClosedByPeer = false;
  /** Both sides have closed it, or one has reset it. */
  isGone = false;
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  readonly #reader = new RequestReader();

  constructor(index: number, socket: Socket, events: ConnectionEvents) {
    this.index = index;
    this.#socket = socket;
    this.#events = events;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    socket.on("end", () => this.#onClientClosed());
    socket.on("error", () => this.#onClientClosed());
    socket.on("close", () => {
      this.#onClientClosed();
      this.isGone = true;
      this.#events.gone();
    });
  }

  get isOpen(): boolean {
    return !this.isClosedByClient && !this.isClosedByPeer;
  }

  /** Starts writing these bytes; nothing when it is closed. */
  write(bytes: string | Uint8Array): void {
    if (this.isOpen) this.#socket.write(bytes);
  }

  /** Writes these bytes and resolves when the system has taken them: more slowly than the client reads, never faster. */
  async writeAndWait(bytes: string | Uint8Array): Promise<void> {
    if (!this.isOpen) return;
    await new Promise<void>((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  /** Ends our side of it once everything is written. */
  close(): void {
    if (!this.isOpen) return;
    this.isClosedByPeer = true;
    this.#socket.end();
  }

  /** Closes it at once with a reset: what the client has not read yet may be lost to it. */
  reset(): void {
    if (this.isGone) return;
    if (!this.isClosedByClient) this.isClosedByPeer = true;
    this.#socket.resetAndDestroy();
  }

  /** Reads nothing any more: what the client writes stays with the system, and then with the client. */
  stopReading(): void {
    this.#socket.pause();
  }

  #read(bytes: Buffer): void {
    if (!this.isOpen) return;
    try {
      for (const request of this.#reader.feed(bytes)) this.#events.request(this, request);
    } catch (cause) {
      this.#events.fault(String(cause));
      this.reset();
    }
  }

  #onClientClosed(): void {
    if (this.isClosedByPeer) this.#socket.destroy();
    if (!this.isOpen) return;
    this.isClosedByClient = true;
    if (this.#reader.isMidway) this.#events.fault("a request ended before it was complete");
    this.#events.clientClosed(this);
    this.#socket.destroy();
  }
}
