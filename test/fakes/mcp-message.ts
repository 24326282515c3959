/** The shapes that the parts of the fake MCP server share. Types only. */

export type Json = Record<string, unknown>;

export interface Message {
  id?: unknown;
  method?: string;
  params?: Json & { _meta?: Json };
  result?: unknown;
  error?: unknown;
}

/** What a tool may do with the wire. */
export interface Wire {
  result(call: { id: unknown; modern: boolean }, result: Json): void;
  error(id: unknown, code: number, message: string, data?: unknown): void;
  notify(method: string, params?: Json): void;
  /** Sends a request of the server's own; resolves with the line that answered it, as it came. */
  ask(id: unknown, method: string, params: unknown): Promise<string>;
  bytes(data: string | Uint8Array): void;
  onCancelled(id: unknown, then: () => void): void;
  /** The ids of the open subscriptions/listen requests. */
  listeners: Set<unknown>;
}

/** A `tools/call` or another request, as the tools and tasks see it. */
export interface Call {
  id: unknown;
  /** It came with the `_meta` of 2026-07-28. */
  modern: boolean;
  params: Json & { _meta?: Json };
  name: string;
  args: Json;
}
