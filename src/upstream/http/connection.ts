/**
 * One connection that is ready: carries one exchange at a time, and knows between them whether it can carry another. It watches for
 * the end of the connection and for bytes that nobody asked for also while it lies idle. Sets no timeout.
 */

import type { Socket } from "node:net";
import { Exchange, type Outgoing } from "./exchange.ts";
import { HttpFailure, type HttpResponse } from "./http.ts";

/** Up to this, head and body are joined, to go out in one write. */
const JOINED_BYTES = 64 * 1024;

export class Connection {
  readonly #socket: Socket;
  readonly #onIdle: (connection: Connection, idleMs: number) => void;
  readonly #onClosed: (connection: Connection) => void;
  #exchange: Exchange | null = null;
  #isOpen: boolean;

  /**
   * @param onIdle it may be used again, within so long a time
   * @param onClosed it is of no use any more; told once
   */
  constructor(
    socket: Socket,
    onIdle: (connection: Connection, idleMs: number) => void,
    onClosed: (connection: Connection) => void,
  ) {
    this.#socket = socket;
    this.#isOpen = !socket.destroyed;
    this.#onIdle = onIdle;
    this.#onClosed = onClosed;
    socket.on("data", (chunk: Buffer) => {
      if (this.#exchange === null) this.close();
      else this.#exchange.take(chunk);
    });
    socket.on("end", () => this.#ended(true));
    socket.on("error", () => this.#ended(false));
    socket.on("close", () => this.#ended(false));
  }

  /** False once the other side has ended it, or said something unasked. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Sends a request; resolves with the head of its answer. From here on the request may have reached the server.
   * @param head the bytes before the body
   */
  send(head: string, body: Uint8Array | null, { signal, onSent }: Omit<Outgoing, "parts">): Promise<HttpResponse> {
    if (!this.#isOpen || this.#exchange !== null) {
      return Promise.reject(new HttpFailure("unreachable", "the connection was closed before it was used"));
    }
    const parts = joined(head, body);
    const exchange = new Exchange(this.#carrier, { parts, signal, onSent });
    this.#exchange = exchange;
    return exchange.answer;
  }

  close(): void {
    this.#ended(false);
  }

  readonly #carrier = {
    write: (parts: readonly Uint8Array[], onHanded: () => void): void => {
      parts.forEach((part, index) => {
        if (index < parts.length - 1) this.#socket.write(part);
        else this.#socket.write(part, (error) => error ?? onHanded());
      });
    },
    pause: (): void => {
      this.#socket.pause();
    },
    resume: (): void => {
      if (this.#socket.isPaused()) this.#socket.resume();
    },
    release: (idleMs: number): void => {
      this.#exchange = null;
      if (!this.#isOpen) return;
      if (idleMs === 0) {
        this.close();
        return;
      }
      // Also while idle: or the end of the connection would go unnoticed.
      if (this.#socket.isPaused()) this.#socket.resume();
      this.#onIdle(this, idleMs);
    },
  };

  #ended(isInOrder: boolean): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#exchange?.end(isInOrder);
    this.#exchange = null;
    this.#socket.destroy();
    this.#onClosed(this);
  }
}

function joined(head: string, body: Uint8Array | null): Uint8Array[] {
  const length = body?.length ?? 0;
  if (body === null || length === 0) return [Buffer.from(head, "latin1")];
  if (head.length + length > JOINED_BYTES) return [Buffer.from(head, "latin1"), body];
  const bytes = Buffer.allocUnsafe(head.length + length);
  bytes.write(head, 0, "latin1");
  bytes.set(body, head.length);
  return [bytes];
}
