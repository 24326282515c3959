/**
 * The recordings contract over real sockets, kept by a MemoryService, with the ways in which a network fails: answers that never
 * come, come slowly, break off, or are no HTTP. Lets in one token. Owns its sockets: `close` ends them all.
 */

import { createServer, type Server, type Socket } from "node:net";
import { Deadline } from "../../harness/deadline.ts";
import { News } from "../../harness/news.ts";
import { MemoryService } from "./memory-service.ts";

/** `reset`: the connection is cut in the middle of an answer. `closes`: it ends before one. `slow`: a byte at a time. */
export type NetworkFault =
  | "none"
  | "hang"
  | "reset"
  | "closes"
  | "slow"
  | "garbage"
  | { status: number; headers?: string[]; body?: string };

export interface SeenRequest {
  method: string;
  path: string;
  headers: string;
  body: string;
}

export class HttpService {
  readonly kept = new MemoryService();
  readonly seen: SeenRequest[] = [];
  token = "the-token-of-the-service";
  /** Decides about each request that was let in. */
  fault: (request: SeenRequest) => NetworkFault = () => "none";
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #news = new News();

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Listens on this machine; `port` 0 is any. */
  static async start(port = 0): Promise<HttpService> {
    const service = new HttpService();
    await new Promise<void>((resolve) => service.#server.listen(port, "127.0.0.1", resolve));
    return service;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Waits for requests until `isDone`; fails when that takes too long. */
  async until(isDone: () => boolean, deadline = new Deadline(20_000)): Promise<void> {
    while (!isDone()) {
      if (!(await this.#news.next(deadline)) && !isDone()) {
        const last = this.seen.slice(-5).map(({ method, path }) => `${method} ${path}`);
        throw new Error(`it did not come to that; the last requests were ${last.join(", ") || "none"}`);
      }
    }
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    let bytes = Buffer.alloc(0);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let end = endOfRequest(bytes); end !== null; end = endOfRequest(bytes)) {
        const request = requestIn(bytes.subarray(0, end));
        bytes = bytes.subarray(end);
        this.seen.push(request);
        this.#answer(socket, request);
        this.#news.tell();
      }
    });
  }

  #answer(socket: Socket, request: SeenRequest): void {
    const { method, path, headers, body } = request;
    if (!headers.toLowerCase().includes(`authorization: bearer ${this.token.toLowerCase()}`)) {
      socket.write(answer(401));
      return;
    }
    const fault = this.fault(request);
    if (typeof fault === "object") socket.write(answer(fault.status, fault.body, fault.headers));
    else if (fault === "closes") socket.end();
    else if (fault === "garbage") socket.end("this is no HTTP\r\n\r\n");
    else if (fault === "reset") {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half', () => socket.resetAndDestroy());
    } else if (fault !== "hang") {
      const text = path === "/health" ? this.#health() : answer(this.kept.take(method as "POST", path, body));
      if (fault === "slow") void writeSlowly(socket, text);
      else socket.write(text);
    }
  }

  #health(): string {
    return this.kept.isBir ? answer(200, '{"ok":true,"service":"bir"}') : answer(404);
  }
}

function answer(status: number, body = "{}", headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status} Status`, `content-length: ${body.length}`, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

async function writeSlowly(socket: Socket, text: string): Promise<void> {
  for (const char of text) {
    await new Promise<void>((resolve) => socket.write(char, () => setImmediate(resolve)));
  }
}

/** Where the first request ends; null while it is not whole. */
function endOfRequest(bytes: Buffer): number | null {
  const head = bytes.indexOf("\r\n\r\n");
  if (head < 0) return null;
  const length = Number(/content-length: (\d+)/i.exec(bytes.subarray(0, head).toString("latin1"))?.[1] ?? 0);
  return bytes.length >= head + 4 + length ? head + 4 + length : null;
}

function requestIn(bytes: Buffer): SeenRequest {
  const head = bytes.indexOf("\r\n\r\n");
  const [line = "", ...headers] = bytes.subarray(0, head).toString("latin1").split("\r\n");
  const [method = "", path = ""] = line.split(" ");
  return { method, path, headers: headers.join("\r\n"), body: bytes.subarray(head + 4).toString("utf8") };
}
