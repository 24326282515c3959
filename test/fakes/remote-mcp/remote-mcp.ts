/** The fake upstream's MCP server at an address of 127.0.0.1, in this process. Owns the HTTP peer that it listens on. */

import { HttpPeer } from "../http-peer/http-peer.ts";
import { type Front, SessionFront, SseFront, StatelessFront } from "./fronts.ts";
import { ServerSide } from "./server-side.ts";

/** stateless: 2026-07-28. streamable: Streamable HTTP with sessions, up to 2025-11-25. sse: HTTP with SSE, 2024-11-05. */
export type RemoteWay = "stateless" | "streamable" | "sse";

export interface RemoteOptions {
  /** Every tool is marked read-only. */
  readOnly?: boolean;
  /** Requests without these are refused with 401. Names in small letters. */
  required?: Record<string, string>;
  /** Streamable HTTP: a request may lack the header with the agreed version, as some hosts' do. */
  isVersionOptional?: boolean;
}

const FRONTS: Record<RemoteWay, new (server: ServerSide, isVersionOptional: boolean) => Front> = {
  stateless: StatelessFront,
  streamable: SessionFront,
  sse: SseFront,
};

export class RemoteMcp {
  readonly way: RemoteWay;
  readonly peer: HttpPeer;
  readonly #front: Front;
  readonly #port: number;

  private constructor(way: RemoteWay, peer: HttpPeer, options: RemoteOptions) {
    const { readOnly = false, required = {}, isVersionOptional = false } = options;
    this.way = way;
    this.peer = peer;
    this.#port = peer.port;
    this.#front = new FRONTS[way](
      new ServerSide(way === "stateless" ? "modern" : "legacy", readOnly),
      isVersionOptional,
    );
    const wanted = Object.entries(required);
    peer.serve((exchange) => {
      if (wanted.every(([name, value]) => exchange.header(name) === value)) this.#front.handle(exchange);
      else exchange.reply(401, "Unauthorized", { "www-authenticate": "Bearer" });
    });
  }

  static async start(way: RemoteWay, options: RemoteOptions = {}): Promise<RemoteMcp> {
    return new RemoteMcp(way, await HttpPeer.start({ path: way === "sse" ? "/sse" : "/mcp" }), options);
  }

  get url(): string {
    return this.peer.url;
  }

  /** Forgets every session and goes on. */
  forget(): void {
    this.#front.forget();
  }

  /** Breaks every connection and is not to be reached any more. */
  async goAway(): Promise<void> {
    await this.peer.close();
    this.#front.forget();
  }

  /** Is at its address again, and knows nothing of before. */
  async comeBack(): Promise<void> {
    await this.peer.listen(this.#port);
  }

  async close(): Promise<void> {
    await this.peer.close();
  }
}
