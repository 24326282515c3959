/**
 * A scriptable HTTP server for MCP clients, in this process, on 127.0.0.1. Keeps every request exactly as it came. A test
 * says who answers: something for the next request of a kind (`once`), the test itself (`hold`, then `next`), or else a server
 * (`serve`). A request that nobody answers waits for ever, as behind a server that hangs.
 */

import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { Deadline } from "../../harness/deadline.ts";
import { News } from "../../harness/news.ts";
import { Connection } from "./connection.ts";
import { Exchange } from "./exchange.ts";

/**
 * An HTTP method, a JSON-RPC method, `response` for a message without a method, or any question.
 * `*` is every request.
 */
export type Match = string | ((exchange: Exchange) => boolean);

export type Handler = (exchange: Exchange) => void;

export interface PeerOptions {
  /** 0, the usual one, is any that is free. */
  port?: number;
  tls?: { key: string; cert: string };
  /** Where the server is, when that is not `/mcp`. */
  path?: string;
}

interface Rule {
  match: Match;
  handle: Handler;
}

export class HttpPeer {
  /** Every request, in the order they were complete. */
  readonly exchanges: Exchange[] = [];
  readonly connections: Connection[] = [];
  /** What clients did that no client may do. */
  readonly faults: string[] = [];
  #server: Server | null = null;
  #origin = "";
  readonly #options: PeerOptions;
  #serve: Handler | null = null;
  readonly #rules: Rule[] = [];
  readonly #held: Match[] = [];
  #stalls = 0;
  readonly #unclaimed: Exchange[] = [];
  readonly #news = new News();
  #seq = 0;

  private constructor(options: PeerOptions) {
    this.#options = options;
  }

  static async start(options: PeerOptions = {}): Promise<HttpPeer> {
    const peer = new HttpPeer(options);
    await peer.listen(options.port);
    return peer;
  }

  /** Where an MCP client finds it. */
  get url(): string {
    return this.#origin + (this.#options.path ?? "/mcp");
  }

  get origin(): string {
    return this.#origin;
  }

  get port(): number {
    return Number(new URL(this.#origin).port);
  }

  /** Who answers everything that nobody else was named for. */
  serve(handler: Handler | null): void {
    this.#serve = handler;
  }

  /** From now on no server answers requests like these: they wait to be taken with `next`. */
  hold(...kinds: Match[]): void {
    this.#held.push(...kinds);
  }

  /** The server answers these again; those that wait already still wait. */
  unhold(): void {
    this.#held.length = 0;
  }

  /** The next connection that is opened is accepted and never read from: like a server that has come to a halt. */
  stallNext(): void {
    this.#stalls++;
  }

  /** Who answers the next request like this, before anybody else does. */
  once(match: Match, handle: Handler): void {
    this.#rules.push({ match, handle });
  }

  /**
   * Takes the next request like this, or one that nobody has taken yet; the test answers it. One that a server would answer
   * has to be asked for, or held, before it can come.
   */
  async next(match: Match, deadline = new Deadline()): Promise<Exchange> {
    const waiting = this.#unclaimed.findIndex((exchange) => matches(exchange, match));
    const [found] = waiting < 0 ? [] : this.#unclaimed.splice(waiting, 1);
    if (found !== undefined) return found;
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    this.once(match, resolve);
    if (!(await deadline.race(promise))) throw new Error(`no ${String(match)} came\n${this.describe()}`);
    return await promise;
  }

  /** The requests like this so far. */
  like(match: Match): Exchange[] {
    return this.exchanges.filter((exchange) => matches(exchange, match));
  }

  /** Waits until `look` gives something other than undefined, false or null; looks again whenever something happens. */
  async until<T>(
    what: string,
    look: (peer: this) => T | undefined | false | null,
    deadline = new Deadline(),
  ): Promise<T> {
    for (;;) {
      const found = look(this);
      if (found !== undefined && found !== false && found !== null) return found;
      if (!(await this.#news.next(deadline))) throw new Error(`waited in vain for ${what}\n${this.describe()}`);
    }
  }

  /** Waits until there were this many requests like this. */
  async untilCount(match: Match, count: number, deadline?: Deadline): Promise<Exchange[]> {
    const what = `${count} of ${String(match)}`;
    return await this.until(what, () => this.like(match).length >= count && this.like(match), deadline);
  }

  /** Waits until the client has closed the connection of this request. */
  async untilAbandoned(exchange: Exchange, deadline?: Deadline): Promise<void> {
    await this.until(`${exchange.describe()} to be abandoned`, () => exchange.isAbandoned, deadline);
  }

  /** Waits until no client holds a connection: each was closed from both sides. */
  async untilAllClosed(deadline?: Deadline): Promise<void> {
    await this.until("all connections to be closed", () => this.connections.every((one) => one.isGone), deadline);
  }

  async listen(port = 0): Promise<void> {
    const { tls } = this.#options;
    const accept = (socket: Socket) => this.#accept(socket);
    const server = tls
      ? createTlsServer({ ...tls, allowHalfOpen: true }, accept)
      : createServer({ allowHalfOpen: true }, accept);
    // A client that does not trust us says so in the handshake: that is no fault.
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
    this.#server = server;
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    this.#origin = `${tls ? "https" : "http"}://127.0.0.1:${address.port}`;
  }

  /** Closes every connection and the port; `listen(port)` opens it again. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of this.connections) connection.reset();
    await closed;
  }

  describe(): string {
    return [`--- requests at ${this.url}:`, ...this.exchanges.map((one) => one.describe()), ...this.faults].join("\n");
  }

  #accept(socket: Socket): void {
    const connection = new Connection(this.connections.length, socket, {
      request: (from, request) => this.#take(new Exchange(this.#seq++, from, request)),
      clientClosed: (from) => this.#onClientClosed(from),
      gone: () => this.#news.tell(),
      fault: (what) => {
        this.faults.push(what);
        this.#news.tell();
      },
    });
    this.connections.push(connection);
    if (this.#stalls > 0) {
      this.#stalls--;
      connection.stopReading();
    }
    this.#news.tell();
  }

  #take(exchange: Exchange): void {
    const busy = this.exchanges.some((one) => one.connection === exchange.connection && !one.isDone);
    if (busy) this.faults.push(`${exchange.describe()} came on a connection whose answer was not done`);
    this.exchanges.push(exchange);
    const rule = this.#rules.findIndex(({ match }) => matches(exchange, match));
    const [named] = rule < 0 ? [] : this.#rules.splice(rule, 1);
    const isHeld = this.#held.some((match) => matches(exchange, match));
    const handle = named?.handle ?? (isHeld ? null : this.#serve);
    if (handle === null) this.#unclaimed.push(exchange);
    else {
      try {
        handle(exchange);
      } catch (cause) {
        this.faults.push(`the answer to ${exchange.describe()} failed: ${String(cause)}`);
      }
    }
    this.#news.tell();
  }

  #onClientClosed(connection: Connection): void {
    this.#seq++;
    for (const exchange of this.exchanges) {
      if (exchange.connection === connection && !exchange.isDone) exchange.isAbandoned = true;
    }
    this.#news.tell();
  }
}

function matches(exchange: Exchange, match: Match): boolean {
  if (typeof match === "function") return match(exchange);
  if (match === "*" || match === exchange.method) return true;
  if (exchange.method !== "POST") return false;
  const { method } = exchange.message;
  return match === "response" ? method === undefined && exchange.body.length > 0 : method === match;
}
