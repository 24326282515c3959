/**
 * HTTP/1.1 over connections of our own: what the remote transports send goes out through here, once. Not `fetch`, which keeps at most
 * 256 requests open, has timeouts of its own, tells nothing of when it is connected, and sends again what may have arrived. Only
 * connecting is bounded; an answer may take as long as it likes.
 */

import { Connection, type Ending } from "./connection.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { codingsOf } from "./content-codings.ts";
import { type HttpClient, HttpFailure, type HttpRequest, type HttpResponse } from "./http.ts";
import { openConnection } from "./open-connection.ts";
import type { Environment } from "./proxy-choice.ts";
import { redirected } from "./redirects.ts";
import { requestHead } from "./request-bytes.ts";
import { type Route, routeTo } from "./route.ts";
import { SentNotice } from "./sent-notice.ts";
import { lazyTrust } from "./trust.ts";

export interface HttpClientOptions {
  /** For the name, TCP, a proxy's tunnel and TLS together. */
  connectTimeoutMs: number;
  /** Proxies and certificates are read from it. */
  env: Environment;
  /** Told one line for each file of certificates that cannot be read. */
  warn: (line: string) => void;
  /** False: an answer that leads elsewhere is given as it is. */
  followsRedirects?: boolean;
}

/** Reads no file before the first `https:` request. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  return new PooledClient(options);
}

class PooledClient implements HttpClient {
  readonly #options: HttpClientOptions;
  readonly #trust: ReturnType<typeof lazyTrust>;
  readonly #pool = new ConnectionPool<Connection>();
  readonly #open = new Set<Connection>();
  readonly #closing = new AbortController();
  /** By origin: neither the environment nor what follows from it changes. */
  readonly #routes = new Map<string, Route>();

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#trust = lazyTrust(options.env, options.warn);
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const notice = new SentNotice(request.onSent);
    try {
      const response = await this.#follow(request, notice);
      notice.last();
      return await decoded(response);
    } catch (error) {
      notice.end();
      throw error;
    }
  }

  close(): void {
    this.#closing.abort();
    this.#pool.close();
    for (const connection of [...this.#open]) connection.close();
  }

  async #follow(request: HttpRequest, notice: SentNotice): Promise<HttpResponse> {
    let current = request;
    for (let followed = 0; ; followed++) {
      const response = await this.#sendOnce(current, notice);
      if (this.#options.followsRedirects === false) return response;
      let next: HttpRequest | null;
      try {
        next = redirected(current, response, followed);
      } catch (error) {
        leave(response);
        throw error;
      }
      if (next === null) return response;
      leave(response);
      current = next;
    }
  }

  async #sendOnce(request: HttpRequest, notice: SentNotice): Promise<HttpResponse> {
    const { url, body, signal } = request;
    if (this.#isGivenUp(signal)) throw new HttpFailure("aborted", "the request was given up");
    const route = this.#routeTo(url);
    const head = requestHead(request, route);
    const connection = (await this.#waiting(route)) ?? (await this.#connect(route, signal));
    if (this.#isGivenUp(signal)) {
      connection.close();
      throw new HttpFailure("aborted", "the request was given up");
    }
    const response = await connection.send(head, body, { signal, onWritten: notice.begin() });
    if (response.status !== 407 || route.proxy === null) return response;
    leave(response);
    throw new HttpFailure("unreachable", "the proxy refused (HTTP 407)");
  }

  #isGivenUp(signal: AbortSignal): boolean {
    return signal.aborted || this.#closing.signal.aborted;
  }

  #routeTo(url: URL): Route {
    const known = this.#routes.get(url.origin);
    if (known !== undefined) return known;
    const route = routeTo(url, this.#options.env);
    this.#routes.set(url.origin, route);
    return route;
  }

  /** A connection that has waited, and still stands after all that the system had to report of it. */
  async #waiting(route: Route): Promise<Connection | null> {
    for (let found = this.#pool.take(route.key); found !== null; found = this.#pool.take(route.key)) {
      await systemHeard();
      if (found.isOpen && this.#pool.mayReuse(route.key)) return found;
      found.close();
    }
    return null;
  }

  async #connect(route: Route, signal: AbortSignal): Promise<Connection> {
    const socket = await openConnection(route, {
      timeoutMs: this.#options.connectTimeoutMs,
      trust: this.#trust,
      signal: AbortSignal.any([signal, this.#closing.signal]),
    });
    const connection = new Connection(
      socket,
      (idle, idleMs) => this.#pool.give(route.key, idle, idleMs),
      (closed, ending) => this.#ended(route, closed, ending),
    );
    this.#open.add(connection);
    return connection;
  }

  #ended({ key }: Route, connection: Connection, ending: Ending): void {
    this.#open.delete(connection);
    if (ending === "idle") this.#pool.endedIdle(key, connection);
    if (ending === "unheard") this.#pool.endedUnheard(key);
  }
}

/** The answer as it would be had it not been compressed. */
async function decoded(response: HttpResponse): Promise<HttpResponse> {
  const codings = codingsOf(response);
  if (codings.length === 0) return response;
  const { decodedBody } = await import("./decoded-body.ts");
  const headers = new Map(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  return { status: response.status, headers, body: decodedBody(response.body, codings) };
}

/** Resolves when what the system has to report by now was heard: the first turn may still come before that. */
function systemHeard(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** Nobody will take the body: a rest of it that has not come yet closes the connection. */
function leave(response: HttpResponse): void {
  void response.body[Symbol.asyncIterator]().return?.();
}
