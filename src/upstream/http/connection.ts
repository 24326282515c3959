/**
 * One connection that is ready: carries one exchange at a time, and knows between them whether it can carry another. It watches for
 * the end of the connection and for bytes that nobody asked for also while it lies idle. Sets no timeout.
 */

import type { Socket } from "node:net";
import { Exchange, type Outgoing } from "./exchange.ts";
import { HttpFailure, type HttpResponse } from "./http.ts";

/**
 * How a connection came to its end: we closed it, or somewhere in an answer; the other side did while it lay idle (`idle`), or
 * before a byte of the answer to a request that was not its first (`unheard`).
 */
export type Ending = "closed" | "idle" | "unheard";

/** Up to this, head and body are joined, to go out in one write. */
const JOINED_BYTES = 64 * 1024;

export class Connection {
  readonly #socket: Socket;
  readonly #onIdle: (connection: Connection, idleMs: number) => void;
  readonly #onClosed: (connection: Connection, ending: Ending) => void;
  #exchange: Exchange | null = null;
  #isOpen: boolean;
  #wasUsed = false;

  /**
   * @param onIdle it may be used again, within so long a time
   * @param onClosed it is of no use any more; told once
   */
  constructor(
    socket: Socket,
    onIdle: (connection: Connection, idleMs: number) => void,
    onClosed: (connection: Connection, ending: Ending) => void,
  ) {
    this.#socket = socket;
    this.#isOpen = !socket.destroyed;
    this.#onIdle = onIdle;
    this.#onClosed = onClosed;
    socket.on("data", (chunk: Buffer) => {
      if (this.#exchange === null) this.#ended(false, "idle");
      else this.#exchange.take(chunk);
    });
    socket.on("end", () => this.#ended(true, this.#endingNow()));
    socket.on("error", () => this.#ended(false, this.#endingNow()));
    socket.on("close", () => this.#ended(false, this.#endingNow()));
  }

  /** False once the other side has ended it, or said something unasked. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Sends a request; resolves with the head of its answer. From here on the request may have reached the server.
   * @param head the bytes before the body
   */
  send(head: string, body: Uint8Array | null, { signal, onWritten }: Omit<Outgoing, "parts">): Promise<HttpResponse> {
    if (!this.#isOpen || this.#exchange !== null) {
      return Promise.reject(new HttpFailure("unreachable", "the connection was closed before it was used"));
    }
    const parts = joined(head, body);
    const exchange = new Exchange(this.#carrier, { parts, signal, onWritten });
    this.#exchange = exchange;
    return exchange.answer;
  }

  close(): void {
    this.#ended(false, "closed");
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
      this.#wasUsed = true;
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

  #endingNow(): Ending {
    if (this.#exchange === null) return "idle";
    return this.#wasUsed && !this.#exchange.hasHeard ? "unheard" : "closed";
  }

  #ended(isInOrder: boolean, ending: Ending): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#exchange?.end(isInOrder);
    this.#exchange = null;
    this.#socket.destroy();
    this.#onClosed(this, ending);
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
