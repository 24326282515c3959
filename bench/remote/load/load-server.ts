import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AnswerStream } from "./answer-stream.ts";
import { scriptOf } from "./call-script.ts";

/**
 * A remote server (Streamable HTTP, 2025-11-25) that makes life hard for a client in every way the protocol allows:
 * answers in any order, as JSON and as streams, streams that are dropped and can be resumed, sessions that expire. What
 * it has accepted it answers; a session that expires only takes nothing new. It notes what no client may do.
 */

const VERSION = "2025-11-25";
const NOT_FOUND = 404;

export interface LoadServerOptions {
  maxDelayMs: number;
  /** After so many calls a session is gone. */
  callsPerSession: number;
}

/** How often what happened. */
export interface LoadServerCounts {
  sessions: number;
  /** Sessions whose expiry was told to the client: to a message of it, or to a request for the session's stream only. */
  expired: number;
  silentlyExpired: number;
  calls: number;
  streams: number;
  resumed: number;
  /** Requests of the server's own over the stream of a session, and the answers to them. */
  pings: number;
  pongs: number;
  deleted: number;
}

interface Session {
  id: string;
  initialized: boolean;
  calls: number;
  /** What was refused because it has expired. */
  told: "nothing" | "stream" | "message";
  /** Its own question was answered. It does not expire before: the answer would be nobody's. */
  answered: boolean;
  listening: ServerResponse | undefined;
}

interface Message {
  id?: number | string;
  method?: string;
  params?: { arguments?: { n?: unknown; token?: unknown }; _meta?: { progressToken?: unknown } };
}

export class LoadServer {
  readonly counts: LoadServerCounts = zeroCounts();
  /** What the client did that it may not do, in words. */
  readonly faults: string[] = [];
  readonly #options: LoadServerOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #streams = new Map<string, AnswerStream>();
  /** Numbers of the calls that were accepted. */
  readonly #accepted = new Set<number>();
  readonly #server: Server;

  constructor(options: LoadServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#handle(request, response));
    // Closing an idle connection just as a request comes in would lose that request: not what is tested here.
    this.#server.keepAliveTimeout = 0;
    this.#server.requestTimeout = 0;
  }

  /** Returns its address once it listens. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A connection that the client gives up is its own affair.
    response.on("error", () => {});
    if (request.method === "POST") this.#post(request, await readMessage(request), response);
    else if (request.method === "GET") this.#get(request, response);
    else if (request.method === "DELETE") this.#delete(request, response);
    else status(response, 405);
  }

  #post(request: IncomingMessage, message: Message, response: ServerResponse): void {
    if (message.method === "initialize") {
      this.#initialize(message, response);
      return;
    }
    const session = this.#sessionOf(request);
    if (session === undefined) {
      status(response, 400);
      return;
    }
    if (request.headers["mcp-protocol-version"] !== VERSION)
      this.faults.push("a request without the protocol's version");
    if (this.#isGone(session, "message")) {
      status(response, NOT_FOUND);
      return;
    }
    if (message.method === "notifications/initialized") session.initialized = true;
    else if (!session.initialized)
      this.faults.push(`${message.method ?? "an answer"} before a session was initialized`);
    if (message.method === "tools/call") this.#call(message, session, response);
    else if (message.method === undefined) this.#pong(message, session, response);
    else if (message.id === undefined) status(response, 202);
    else json(response, { jsonrpc: "2.0", id: message.id, result: {} });
  }

  #initialize(message: Message, response: ServerResponse): void {
    const id = `session-${++this.counts.sessions}`;
    this.#sessions.set(id, {
      id,
      initialized: false,
      calls: 0,
      told: "nothing",
      answered: false,
      listening: undefined,
    });
    const serverInfo = { name: "load", version: "1" };
    const result = { protocolVersion: VERSION, capabilities: { tools: {} }, serverInfo };
    response.setHeader("mcp-session-id", id);
    json(response, { jsonrpc: "2.0", id: message.id, result });
  }

  #call(message: Message, session: Session, response: ServerResponse): void {
    const { n, token } = message.params?.arguments ?? {};
    if (typeof n !== "number" || message.id === undefined) {
      status(response, 400);
      return;
    }
    if (this.#accepted.has(n)) this.faults.push(`call ${n} was sent twice`);
    this.#accepted.add(n);
    this.counts.calls++;
    session.calls++;
    if (this.#hasExpired(session)) session.listening?.end();
    const script = scriptOf(n, this.#options.maxDelayMs);
    const text = `${n} ${token} ${script.progress}`;
    const answer = { jsonrpc: "2.0", id: message.id, result: { content: [{ type: "text", text }] } };
    if (script.kind === "json") {
      setTimeout(() => json(response, answer), script.delayMs);
      return;
    }
    this.counts.streams++;
    const stream = new AnswerStream(`stream${n}`, script, response);
    this.#streams.set(stream.id, stream);
    const progressToken = message.params?._meta?.progressToken;
    for (let progress = 1; progress <= script.progress; progress++) {
      const told = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } };
      setTimeout(() => stream.send(told), (script.delayMs * progress) / (script.progress + 1));
    }
    setTimeout(() => {
      stream.finish(answer);
      if (stream.delivered) this.#streams.delete(stream.id);
    }, script.delayMs);
  }

  #pong(message: Message, session: Session, response: ServerResponse): void {
    if (message.id !== pingId(session)) {
      status(response, 400);
      return;
    }
    this.counts.pongs++;
    session.answered = true;
    status(response, 202);
  }

  #get(request: IncomingMessage, response: ServerResponse): void {
    const last = request.headers["last-event-id"];
    if (typeof last === "string") {
      this.#resume(last, response);
      return;
    }
    const session = this.#sessionOf(request);
    if (session === undefined) {
      status(response, 400);
      return;
    }
    if (this.#isGone(session, "stream")) {
      status(response, NOT_FOUND);
      return;
    }
    session.listening?.end();
    session.listening = response;
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (session.answered) return;
    this.counts.pings++;
    const ping = { jsonrpc: "2.0", id: pingId(session), method: "ping" };
    response.write(`data: ${JSON.stringify(ping)}\n\n`);
  }

  /** Also under a session that has expired meanwhile: the event's id says enough. */
  #resume(last: string, response: ServerResponse): void {
    const [, id = "", number] = /^(stream\d+)-(\d+)$/.exec(last) ?? [];
    const stream = this.#streams.get(id);
    if (stream === undefined) {
      this.faults.push(`asked to go on after '${last}', of a stream that is over`);
      status(response, NOT_FOUND);
      return;
    }
    this.counts.resumed++;
    stream.resume(response, Number(number));
    if (stream.delivered) this.#streams.delete(id);
  }

  #delete(request: IncomingMessage, response: ServerResponse): void {
    const session = this.#sessionOf(request);
    if (session !== undefined) {
      this.counts.deleted++;
      session.listening?.end();
    }
    status(response, session === undefined ? NOT_FOUND : 200);
  }

  #sessionOf(request: IncomingMessage): Session | undefined {
    return this.#sessions.get(String(request.headers["mcp-session-id"]));
  }

  /** Whether a request of the client meets a session that is gone; counts it the first time. */
  #isGone(session: Session, asks: "stream" | "message"): boolean {
    if (!this.#hasExpired(session)) return false;
    if (session.told === "nothing") this.counts.silentlyExpired++;
    if (session.told !== "message" && asks === "message") {
      this.counts.silentlyExpired--;
      this.counts.expired++;
    }
    if (session.told !== "message") session.told = asks;
    return true;
  }

  #hasExpired({ calls, answered }: Session): boolean {
    return answered && calls >= this.#options.callsPerSession;
  }
}

function pingId({ id }: Session): string {
  return `ping of ${id}`;
}

function zeroCounts(): LoadServerCounts {
  return {
    sessions: 0,
    expired: 0,
    silentlyExpired: 0,
    calls: 0,
    streams: 0,
    resumed: 0,
    pings: 0,
    pongs: 0,
    deleted: 0,
  };
}

async function readMessage(request: IncomingMessage): Promise<Message> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function status(response: ServerResponse, code: number): void {
  response.writeHead(code, { "content-length": "0" }).end();
}

function json(response: ServerResponse, message: object): void {
  const body = JSON.stringify(message);
  response.writeHead(200, { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) });
  response.end(body);
}
