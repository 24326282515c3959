/**
 * A server of the handshake era over Streamable HTTP (2025-03-26 to 2025-11-25): sessions, checked headers, answers as JSON or
 * as events, the GET stream, resumption. Strict: what the specification lets a server refuse, it refuses.
 */

import { answerTo, ECHO, type PeerTool, SERVER_INFO } from "./answers.ts";
import type { EventStream } from "./event-stream.ts";
import type { Exchange } from "./exchange.ts";
import { errorOf, type PeerMessage, resultOf, type Sendable } from "./message.ts";
import { ReplayableStream } from "./replayable-stream.ts";

const VERSIONS = ["2025-03-26", "2025-06-18", "2025-11-25"];

export interface LegacyOptions {
  /** Negotiated whatever is asked for; else what is asked for, if there is such a version. */
  version?: string;
  /** Without: no session ids at all. */
  sessions?: boolean;
  answers?: "json" | "events";
  /** GET is refused with 405. */
  noStream?: boolean;
  /** Events are numbered, and can be resumed. */
  resumable?: boolean;
  /** When a client is to come back for the GET stream. */
  retryMs?: number;
  tools?: readonly PeerTool[];
}

export interface LegacySession {
  id: string;
  version: string;
  isInitialized: boolean;
}

export class LegacyMcp {
  readonly options: LegacyOptions;
  /** The sessions that are known, by id; without sessions one under "". */
  readonly sessions = new Map<string, LegacySession>();
  /** The ids that were given out, known or not. */
  readonly sessionIds: string[] = [];
  readonly streams = new Map<string, ReplayableStream>();
  /** Responses of clients to requests of the server, in order. */
  readonly responses: PeerMessage[] = [];
  #get: EventStream | null = null;

  constructor(options: LegacyOptions = {}) {
    this.options = options;
  }

  readonly handle = (exchange: Exchange): void => {
    if (exchange.method === "DELETE") this.#delete(exchange);
    else if (exchange.method === "GET") this.#listen(exchange);
    else if (exchange.message.method === "initialize") this.#initialize(exchange);
    else if (this.#sessionOf(exchange) !== null) this.#message(exchange);
  };

  /** Forgets every session: requests in one are answered with 404. */
  expire(): void {
    this.sessions.clear();
  }

  /** A message of the server's own on the GET stream; false when no client listens. */
  push(message: Sendable, id?: string): boolean {
    const replayable = this.streams.get("get");
    if (replayable !== undefined) replayable.send(message);
    else this.#get?.send(message, id === undefined ? {} : { id });
    return this.#get !== null && !this.#get.exchange.isAbandoned && !this.#get.exchange.isDone;
  }

  #initialize(exchange: Exchange): void {
    const { params } = exchange.message;
    const asked = String(params?.protocolVersion);
    const version = this.options.version ?? (VERSIONS.includes(asked) ? asked : "2025-11-25");
    const id = this.options.sessions === false ? "" : `session-${this.sessionIds.length + 1}-${crypto.randomUUID()}`;
    this.sessions.set(id, { id, version, isInitialized: false });
    this.sessionIds.push(id);
    const result = { protocolVersion: version, capabilities: { tools: {}, logging: {} }, serverInfo: SERVER_INFO };
    this.#answer(exchange, result, id === "" ? {} : { "mcp-session-id": id });
  }

  /** The session that a request belongs to; null when it was refused. */
  #sessionOf(exchange: Exchange): LegacySession | null {
    const id = exchange.header("mcp-session-id") ?? "";
    const session = this.sessions.get(id);
    if (id === "" && this.options.sessions !== false) exchange.error(-32_000, "Session id is missing", 400, null);
    else if (session === undefined) exchange.error(-32_001, "Session not found", 404, null);
    else if (session.version >= "2025-06-18" && exchange.header("mcp-protocol-version") !== session.version) {
      exchange.error(-32_000, "Unsupported protocol version", 400, null);
    } else return session;
    return null;
  }

  #message(exchange: Exchange): void {
    const { message } = exchange;
    if (message.id === undefined || message.method === undefined) {
      const session = this.#sessionOf(exchange);
      if (message.method === "notifications/initialized" && session !== null) session.isInitialized = true;
      if (message.method === undefined) this.responses.push(message);
      exchange.accept();
      return;
    }
    const result = answerTo(message, this.options.tools ?? [ECHO]);
    if (result === undefined) exchange.error(-32_601, "Method not found");
    else this.#answer(exchange, result);
  }

  #answer(exchange: Exchange, result: object, headers: Record<string, string> = {}): void {
    const { id } = exchange.message;
    if (this.options.answers !== "events") {
      exchange.result(result, 200, headers);
      return;
    }
    const stream = exchange.events(headers);
    if (this.options.resumable) {
      const replayable = this.#newStream(`post${this.streams.size}`);
      replayable.attach(stream);
      replayable.send(resultOf(id, result));
      replayable.end();
    } else {
      stream.send(resultOf(id, result));
      stream.end();
    }
  }

  #listen(exchange: Exchange): void {
    if (this.options.noStream) {
      exchange.reply(405, "", { allow: "POST" });
      return;
    }
    if (this.#sessionOf(exchange) === null) return;
    const lastId = exchange.header("last-event-id");
    const stream = exchange.events();
    if (!this.options.resumable) this.#get = stream;
    else if (lastId === undefined) {
      this.#get = stream;
      this.#newStream("get").attach(stream, 0, this.options.retryMs);
    } else this.#resume(stream, lastId);
  }

  #resume(stream: EventStream, lastId: string): void {
    const [, key = "", number = "0"] = /^(.*)-(\d+)$/.exec(lastId) ?? [];
    if (key === "get") this.#get = stream;
    const replayable = this.streams.get(key);
    if (replayable === undefined) stream.send(errorOf(null, -32_000, `no such event: ${lastId}`));
    else replayable.attach(stream, Number(number));
  }

  #newStream(key: string): ReplayableStream {
    const stream = new ReplayableStream(key);
    this.streams.set(key, stream);
    return stream;
  }

  #delete(exchange: Exchange): void {
    const session = this.#sessionOf(exchange);
    if (session === null) return;
    this.sessions.delete(session.id);
    exchange.reply(200);
  }
}
