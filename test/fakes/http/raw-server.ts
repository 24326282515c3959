/**
 * An HTTP server on an ephemeral port of 127.0.0.1 that a test scripts byte by byte: it reads whole requests, keeps them all, and
 * leaves what is answered, and how it is cut, to the script. Knows nothing of MCP.
 */

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { Deadline } from "../../harness/deadline.ts";
import { News } from "../../harness/news.ts";

/** One request, whole. */
export interface RawRequest {
  method: string;
  /** As it stands in the request line. */
  target: string;
  /** Names in small letters. */
  headers: ReadonlyMap<string, string>;
  /** The request line and the headers as they came. */
  head: string;
  body: Buffer;
  peer: RawPeer;
}

export type RawScript = (request: RawRequest, peer: RawPeer) => void | Promise<void>;

export interface RawServerOptions {
  /** Serve over TLS. */
  tls?: TlsOptions;
  /** Answers each request; set anew at any time. */
  script?: RawScript;
  /** Called for each connection before anything is read. */
  onConnection?: (peer: RawPeer) => void;
}

/** A whole answer with a body of a stated length. */
export function answer(
  body: string | Uint8Array = "",
  headers: Record<string, string> = {},
  status = "200 OK",
): Buffer {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ "content-length": String(bytes.length), ...headers }).map(
    ([n, v]) => `${n}: ${v}\r\n`,
  );
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`, "latin1"), bytes]);
}

/** One connection, as the server sees it. */
export class RawPeer {
  readonly socket: Socket;
  /** The other side has ended it, in order or not. */
  readonly closed: Promise<void>;
  isClosed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      const onClosed = (): void => {
        this.isClosed = true;
        resolve();
      };
      socket.on("end", onClosed);
      socket.on("close", onClosed);
    });
    socket.on("error", () => {});
  }

  /** Resolves once the bytes were handed to the system. */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()));
  }

  end(): void {
    this.socket.end();
  }

  /** Breaks the connection. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}

export class RawHttpServer {
  readonly requests: RawRequest[] = [];
  readonly peers: RawPeer[] = [];
  script: RawScript;
  readonly #server: Server;
  readonly #scheme: string;
  readonly #news = new News();

  private constructor({ tls, script, onConnection }: RawServerOptions) {
    this.script = script ?? ((_, peer) => void peer.write(answer("ok")));
    this.#scheme = tls === undefined ? "http" : "https";
    const serve = (socket: Socket): void => this.#serve(socket, onConnection);
    this.#server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  }

  static async start(options: RawServerOptions = {}): Promise<RawHttpServer> {
    const server = new RawHttpServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once("error", reject);
      server.#server.listen({ port: 0, host: "127.0.0.1", backlog: 2048 }, resolve);
    });
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** A URL that leads here; by another name if one is given. */
  url(path = "/", host = "127.0.0.1"): URL {
    return new URL(`${this.#scheme}://${host}:${this.port}${path}`);
  }

  /** Connections that the other side has not ended. */
  get openCount(): number {
    return this.peers.filter((peer) => !peer.isClosed).length;
  }

  /** Waits until something about this server is true. */
  async until(isTrue: (server: this) => boolean): Promise<void> {
    const deadline = new Deadline();
    while (!isTrue(this)) {
      if (!(await this.#news.next(deadline))) throw new Error(`still not so: ${isTrue}`);
    }
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const { socket } of this.peers) socket.destroy();
    await closed;
  }

  #serve(socket: Socket, onConnection: ((peer: RawPeer) => void) | undefined): void {
    const peer = new RawPeer(socket);
    this.peers.push(peer);
    void peer.closed.then(() => this.#news.tell());
    let held = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      for (let read = readRequest(held, peer); read !== null; read = readRequest(held, peer)) {
        held = held.subarray(read.bytes);
        this.requests.push(read.request);
        void this.script(read.request, peer);
      }
      this.#news.tell();
    });
    onConnection?.(peer);
    this.#news.tell();
  }
}

function readRequest(bytes: Buffer, peer: RawPeer): { request: RawRequest; bytes: number } | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = bytes.toString("latin1", 0, end);
  const [line = "", ...lines] = head.split("\r\n");
  const headers = new Map(
    lines.map((l) => [l.slice(0, l.indexOf(":")).toLowerCase(), l.slice(l.indexOf(":") + 1).trim()]),
  );
  const length = Number(headers.get("content-length") ?? 0);
  const start = end + 4;
  if (bytes.length < start + length) return null;
  const [method = "", target = ""] = line.split(" ");
  const body = Buffer.from(bytes.subarray(start, start + length));
  return { request: { method, target, headers, head, body, peer }, bytes: start + length };
}
