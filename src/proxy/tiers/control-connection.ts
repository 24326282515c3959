import type { ServerAddress } from "../../kit/discovery.ts";
import type { ControlConnection, Reply } from "./server-link.ts";

/**
 * A connection to a control server that is kept for many requests, one at a time. Not `fetch`, which would ask the proxy that
 * a person has set in the environment, and does not tell a request that got nowhere from one that may have arrived. Reads
 * answers of a stated length, as the server gives them. Never throws, never tries again.
 */

const MAX_ANSWER_BYTES = 64 * 1024;

/** A request that waits for its answer. */
interface Exchange {
  settle(reply: Reply): void;
  unsent: Uint8Array;
  /** Anything of it was given to the system. */
  reached: boolean;
  /** What came of the answer, a character a byte. */
  received: string;
}

export class SocketConnection implements ControlConnection {
  readonly #address: ServerAddress;
  #socket: Bun.Socket | null = null;
  #exchange: Exchange | null = null;

  constructor(address: ServerAddress) {
    this.#address = address;
  }

  async post(route: string, body: string, timeoutMs: number): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const unsent = requestBytes(this.#address, route, body);
    const exchange: Exchange = { settle: resolve, unsent, reached: false, received: "" };
    this.#exchange = exchange;
    const timer = setTimeout(() => this.#giveUp(exchange), timeoutMs);
    if (this.#socket !== null) this.#write(this.#socket);
    else this.#connect(exchange);
    const reply = await promise;
    clearTimeout(timer);
    if (this.#exchange === exchange) this.#exchange = null;
    return reply;
  }

  close(): void {
    if (this.#exchange !== null) this.#giveUp(this.#exchange);
    this.#drop();
  }

  #connect(exchange: Exchange): void {
    const { host, port } = this.#address;
    const lost = (socket: Bun.Socket): void => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      if (this.#exchange !== null) this.#giveUp(this.#exchange);
    };
    Bun.connect({
      hostname: host === "[::1]" ? "::1" : host,
      port,
      socket: {
        open: (socket) => {
          if (this.#exchange !== exchange) {
            socket.terminate();
            return;
          }
          this.#socket = socket;
          this.#write(socket);
        },
        drain: (socket) => this.#write(socket),
        data: (socket, chunk) => this.#receive(socket, chunk),
        close: lost,
        error: lost,
        connectError: () => this.#giveUp(exchange),
      },
    }).catch(() => this.#giveUp(exchange));
  }

  #write(socket: Bun.Socket): void {
    const exchange = this.#exchange;
    if (exchange === null || socket !== this.#socket || exchange.unsent.length === 0) return;
    const written = socket.write(exchange.unsent);
    if (written > 0) exchange.reached = true;
    if (written >= 0) exchange.unsent = exchange.unsent.subarray(written);
    socket.flush();
  }

  #receive(socket: Bun.Socket, chunk: Uint8Array): void {
    const exchange = this.#exchange;
    if (exchange === null || socket !== this.#socket) {
      // Nobody has asked for it.
      if (socket === this.#socket) this.#drop();
      return;
    }
    exchange.received += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    const answer = readAnswer(exchange.received);
    if (answer === "incomplete") return;
    if (answer === "unreadable") {
      this.#giveUp(exchange);
      return;
    }
    if (!answer.isKept) this.#drop();
    exchange.settle({ kind: "answer", status: answer.status, body: answer.body });
  }

  /** No answer: the connection is of no use for another request, whose answer could not be told from this one's. */
  #giveUp(exchange: Exchange): void {
    if (this.#exchange === exchange) this.#drop();
    exchange.settle({ kind: "silence", reached: exchange.reached });
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.terminate();
  }
}

function requestBytes({ host, port, token }: ServerAddress, route: string, body: string): Uint8Array {
  const head =
    `POST ${route} HTTP/1.1\r\nhost: ${host}:${port}\r\nauthorization: Bearer ${token}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}

interface Answer {
  status: number;
  body: string;
  /** The connection may be used again. */
  isKept: boolean;
}

function readAnswer(received: string): Answer | "incomplete" | "unreadable" {
  const headEnd = received.indexOf("\r\n\r\n");
  if (received.length > MAX_ANSWER_BYTES) return "unreadable";
  if (headEnd < 0) return "HTTP/1.1 ".startsWith(received.slice(0, 9)) ? "incomplete" : "unreadable";
  const head = received.slice(0, headEnd);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
  const length = Number(/^content-length:[ \t]*(\d+)[ \t]*$/im.exec(head)?.[1]);
  if (!(status >= 200) || !(length <= MAX_ANSWER_BYTES)) return "unreadable";
  const end = headEnd + 4 + length;
  if (received.length < end) return "incomplete";
  const isKept = received.length === end && !/^connection:[ \t]*close/im.test(head);
  return { status, body: Buffer.from(received.slice(headEnd + 4, end), "latin1").toString(), isKept };
}
