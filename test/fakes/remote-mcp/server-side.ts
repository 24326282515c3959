/**
 * The fake upstream's MCP server (its tools are described in ../upstream.ts) with HTTP in place of a pipe: whose answer goes
 * where, and what it has asked its client. Tools that write bytes of their own, or end their process, are not to be had here.
 */

import type { Json, Message, Wire } from "../mcp-message.ts";
import { request, type ServerOptions } from "../mcp-server.ts";
import type { Replies } from "./replies.ts";

const PREFIX = "io.modelcontextprotocol";
/** What the stdio server says of itself in every answer of 2026-07-28. */
const SERVER_INFO = { name: "fake-upstream", version: "1.0.0" };

const key = (id: unknown) => JSON.stringify(id) ?? "absent";

export class ServerSide {
  readonly #options: ServerOptions;
  readonly #readOnly: boolean;
  readonly #asked = new Map<string, (line: string) => void>();
  readonly #cancelled = new Map<string, () => void>();
  /** Of the requests that are not answered yet, by id. */
  readonly #open = new Map<string, Replies>();
  readonly #listeners = new Set<unknown>();
  /** Keys of calls of `hold` that have come. */
  readonly #held = new Set<unknown>();
  /** A `release` that came before what it names: connections of their own keep no order between them. */
  #waiting: { keys: readonly unknown[]; release: () => void } | null = null;

  /** @param readOnly every tool is marked so: hosts may call those in parallel */
  constructor(era: "legacy" | "modern", readOnly: boolean) {
    this.#options = { legacy: era === "legacy", modern: era === "modern", discoverSilent: false, onEof: 0 };
    this.#readOnly = readOnly;
  }

  request(message: Message, method: string, replies: Replies): void {
    this.#open.set(key(message.id), replies);
    const { name, arguments: args = {} } = (message.params ?? {}) as { name?: unknown; arguments?: Json };
    const serve = () => request(this.#wire(replies), this.#options, message, method);
    if (name === "release") this.#waiting = { keys: args.keys as unknown[], release: serve };
    else serve();
    if (name === "hold") this.#held.add(args.key);
    if (this.#waiting?.keys.every((one) => this.#held.has(one))) {
      this.#waiting.release();
      this.#waiting = null;
    }
  }

  /** A notification of the client's, or its answer to a question; `text` is the message as it came. */
  told({ id, method, params }: Message, text: string): void {
    if (method === "notifications/cancelled") this.#cancelled.get(key(params?.requestId))?.();
    if (method !== undefined) return;
    const resolve = this.#asked.get(key(id));
    this.#asked.delete(key(id));
    resolve?.(text);
  }

  #wire(replies: Replies): Wire {
    const finish = (id: unknown, message: Json) => {
      const owner = this.#open.get(key(id)) ?? replies;
      this.#open.delete(key(id));
      owner.finish({ jsonrpc: "2.0", id, ...message });
    };
    return {
      result: ({ id, modern }, result) => finish(id, { result: this.#resultOf(modern, result) }),
      error: (id, code, message, data) =>
        finish(id, { error: { code, message, ...(data === undefined ? {} : { data }) } }),
      notify: (method, params) => {
        const { [`${PREFIX}/subscriptionId`]: listener } = (params?._meta ?? {}) as Json;
        const owner = listener === undefined ? replies : this.#open.get(key(listener));
        owner?.say({ jsonrpc: "2.0", method, ...(params ? { params } : {}) });
      },
      ask: (id, method, params) => {
        replies.say({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
        return new Promise((resolve) => this.#asked.set(key(id), resolve));
      },
      bytes: () => {
        throw new Error("a tool that writes bytes of its own does not work over HTTP");
      },
      onCancelled: (id, then) => void this.#cancelled.set(key(id), then),
      listeners: this.#listeners,
    };
  }

  #resultOf(modern: boolean, result: Json): Json {
    const said =
      this.#readOnly && Array.isArray(result.tools) ? { ...result, tools: result.tools.map(readOnly) } : result;
    if (!modern) return said;
    const _meta = { ...(said._meta as Json | undefined), [`${PREFIX}/serverInfo`]: SERVER_INFO };
    return { resultType: "complete", ...said, _meta };
  }
}

function readOnly(tool: Json): Json {
  return { ...tool, annotations: { readOnlyHint: true } };
}
