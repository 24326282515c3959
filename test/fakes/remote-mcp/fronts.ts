/**
 * The three ways in which MCP goes over HTTP, each before the same server: stateless (2026-07-28), Streamable HTTP with
 * sessions (2025-03-26 to 2025-11-25), and HTTP with SSE (2024-11-05). Each owns its sessions, and refuses as real servers do.
 */

import type { EventStream } from "../http-peer/event-stream.ts";
import type { Exchange } from "../http-peer/exchange.ts";
import type { Message } from "../mcp-message.ts";
import { PostReplies, StreamReplies } from "./replies.ts";
import type { ServerSide } from "./server-side.ts";

export interface Front {
  handle(exchange: Exchange): void;
  /** Knows no session any more, as after a restart. */
  forget(): void;
}

export class StatelessFront implements Front {
  readonly #server: ServerSide;

  constructor(server: ServerSide) {
    this.#server = server;
  }

  handle(exchange: Exchange): void {
    const message: Message = exchange.message;
    if (exchange.method !== "POST") exchange.reply(405, "", { allow: "POST" });
    else if (message.method === undefined || message.id === undefined) exchange.accept();
    else if (exchange.header("mcp-method") !== message.method) exchange.error(-32_020, "Header mismatch", 400);
    else this.#server.request(message, message.method, new PostReplies(exchange, { unknownStatus: 404 }));
  }

  forget(): void {}
}

export class SessionFront implements Front {
  readonly #server: ServerSide;
  readonly #isVersionOptional: boolean;
  /** The agreed version, by the session's id. */
  readonly #sessions = new Map<string, string>();
  #stream: EventStream | null = null;

  /** @param isVersionOptional a client may leave the header with its version out: real servers take that for 2025-03-26 */
  constructor(server: ServerSide, isVersionOptional = false) {
    this.#server = server;
    this.#isVersionOptional = isVersionOptional;
  }

  handle(exchange: Exchange): void {
    const message: Message = exchange.message;
    if (exchange.method === "POST" && message.method === "initialize") this.#initialize(exchange, message);
    else if (!this.#isOfSession(exchange)) return;
    else if (exchange.method === "GET") this.#stream = exchange.events();
    else if (exchange.method === "DELETE") {
      this.#sessions.delete(exchange.header("mcp-session-id") ?? "");
      exchange.reply(200);
    } else if (message.method === undefined || message.id === undefined) {
      exchange.accept();
      this.#server.told(message, exchange.text);
    } else {
      const late = (said: object) => this.#stream?.send(said);
      this.#server.request(message, message.method, new PostReplies(exchange, { late }));
    }
  }

  forget(): void {
    this.#sessions.clear();
    this.#stream?.end();
    this.#stream = null;
  }

  #initialize(exchange: Exchange, message: Message): void {
    const id = crypto.randomUUID();
    this.#sessions.set(id, String(message.params?.protocolVersion));
    this.#server.request(message, "initialize", new PostReplies(exchange, { headers: { "mcp-session-id": id } }));
  }

  #isOfSession(exchange: Exchange): boolean {
    const id = exchange.header("mcp-session-id");
    const version = this.#sessions.get(id ?? "");
    if (id === undefined) exchange.error(-32_000, "Bad Request: No valid session ID provided", 400, null);
    else if (version === undefined) exchange.error(-32_001, "Session not found", 404, null);
    else if (!this.#isVersion(exchange, version)) exchange.error(-32_000, "Bad version", 400, null);
    else return true;
    return false;
  }

  #isVersion(exchange: Exchange, version: string): boolean {
    const said = exchange.header("mcp-protocol-version");
    return said === version || (said === undefined && this.#isVersionOptional);
  }
}

export class SseFront implements Front {
  readonly #server: ServerSide;
  readonly #sessions = new Map<string, EventStream>();

  constructor(server: ServerSide) {
    this.#server = server;
  }

  handle(exchange: Exchange): void {
    const { pathname, searchParams } = new URL(exchange.target, "http://peer");
    if (pathname === "/messages") this.#message(exchange, this.#sessions.get(searchParams.get("sid") ?? ""));
    else if (exchange.method === "GET") {
      const id = crypto.randomUUID();
      const stream = exchange.events({ "cache-control": "no-cache" });
      this.#sessions.set(id, stream);
      stream.send(`/messages?sid=${id}`, { event: "endpoint" });
    } else exchange.reply(405, "Method Not Allowed", { allow: "GET" });
  }

  forget(): void {
    for (const stream of this.#sessions.values()) stream.end();
    this.#sessions.clear();
  }

  #message(exchange: Exchange, stream: EventStream | undefined): void {
    const message: Message = exchange.message;
    if (stream === undefined) exchange.reply(404, "Session not found");
    else if (message.method === undefined || message.id === undefined) {
      exchange.reply(202, "Accepted");
      this.#server.told(message, exchange.text);
    } else {
      exchange.reply(202, "Accepted");
      const old =
        message.method === "initialize" ? { ...message.params, protocolVersion: "2024-11-05" } : message.params;
      this.#server.request({ ...message, ...(old ? { params: old } : {}) }, message.method, new StreamReplies(stream));
    }
  }
}
