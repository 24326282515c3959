/**
 * The sessions of Streamable HTTP up to 2025-11-25: ids, one stream a request and one that belongs to none, events that are
 * kept so that a client can come back for them. Owns the sessions; knows no method but initialize.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Backend, Session } from "./backend.ts";
import { EventStream } from "./event-stream.ts";
import { CODE, type Id, isAnswer, isRequest, LATEST_LEGACY, type Message } from "./message.ts";

export interface SessionOptions {
  /** What a client is told to wait before it comes back to a stream. */
  retryMs: number;
  /** Close the stream of a request that nothing was said on for so long; undefined: only when the backend asks for it. */
  suspendAfterMs?: number;
}

interface HttpSession {
  session: Session;
  streams: Map<string, EventStream>;
  /** Priming events would be a surprise to clients from before 2025-11-25. */
  primes: boolean;
}

/** The key of the stream that belongs to no request. */
const STANDALONE = "standalone";

export class HttpSessions {
  readonly #backend: Backend;
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, HttpSession>();

  constructor(backend: Backend, options: SessionOptions) {
    this.#backend = backend;
    this.#options = options;
  }

  /** How many have begun and not ended. */
  get size(): number {
    return this.#sessions.size;
  }

  /** A POST of one message. */
  post(req: IncomingMessage, res: ServerResponse, message: Message): void {
    const starts = message.method === "initialize" && req.headers["mcp-session-id"] === undefined;
    const id = starts ? this.#open(message) : req.headers["mcp-session-id"];
    const session = this.#sessions.get(String(id));
    if (session === undefined) {
      refuse(res, id === undefined ? 400 : 404);
    } else if (isRequest(message)) {
      this.#stream(session, keyOf(message.id), !starts).attach(res, { "Mcp-Session-Id": String(id) });
      session.session.send(message);
    } else {
      session.session.send(message);
      res.writeHead(202).end();
    }
  }

  /** A GET or a DELETE. */
  async withoutBody(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const id = String(req.headers["mcp-session-id"]);
    const session = this.#sessions.get(id);
    if (req.method !== "GET" && req.method !== "DELETE") return void res.writeHead(405).end();
    if (session === undefined) return refuse(res, req.headers["mcp-session-id"] === undefined ? 400 : 404);
    if (req.method === "GET") {
      const [key = STANDALONE, after] = String(req.headers["last-event-id"] ?? "").split("/");
      const stream = key === "" ? this.#stream(session, STANDALONE, false) : session.streams.get(key);
      if (stream === undefined) return refuse(res, 404);
      if (stream.isOpen) return void res.writeHead(409).end();
      return stream.attach(res, {}, after === undefined ? undefined : Number(after));
    }
    this.#sessions.delete(id);
    await close(session);
    res.writeHead(200).end();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(close));
    this.#sessions.clear();
  }

  #open(initialize: Message): string {
    const id = crypto.randomUUID();
    const primes = String(initialize.params?.protocolVersion) >= LATEST_LEGACY;
    const streams = new Map<string, EventStream>();
    const session = this.#backend.openSession({
      message: (message, about) => {
        const own = about === undefined ? undefined : streams.get(keyOf(about));
        const stream = own ?? this.#stream(state, STANDALONE, false);
        stream.push(message);
        if (isAnswer(message) && own) own.finish();
      },
      suspend: (about) => streams.get(keyOf(about))?.suspend(),
      gone: () => {
        this.#sessions.delete(id);
        for (const stream of streams.values()) stream.finish();
      },
    });
    const state: HttpSession = { session, streams, primes };
    this.#sessions.set(id, state);
    return id;
  }

  #stream(session: HttpSession, key: string, suspends: boolean): EventStream {
    const known = session.streams.get(key);
    if (known && (key === STANDALONE || !known.isFinished)) return known;
    const { retryMs, suspendAfterMs } = this.#options;
    const quietMs = suspends && session.primes ? suspendAfterMs : undefined;
    const stream = new EventStream(key, session.primes && key !== STANDALONE ? retryMs : undefined, quietMs);
    session.streams.set(key, stream);
    return stream;
  }
}

async function close({ session, streams }: HttpSession): Promise<void> {
  for (const stream of streams.values()) stream.finish();
  await session.close();
}

/** Ids 1 and "1" are two. */
function keyOf(id: Id): string {
  return encodeURIComponent(JSON.stringify(id));
}

function refuse(res: ServerResponse, status: 400 | 404): void {
  const message = status === 404 ? "Session not found" : "Mcp-Session-Id is missing";
  const error = { code: status === 404 ? CODE.session : -32000, message };
  res
    .writeHead(status, { "Content-Type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
}
