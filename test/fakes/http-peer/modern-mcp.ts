/**
 * A stateless server (2026-07-28) over HTTP. Compares every header that the specification asks for with the body, and refuses
 * with the code and the status that it names.
 */

import { answerTo, ECHO, type PeerTool, SERVER_INFO } from "./answers.ts";
import type { EventStream } from "./event-stream.ts";
import type { Exchange } from "./exchange.ts";
import { errorOf, type PeerMessage, resultOf } from "./message.ts";

const PREFIX = "io.modelcontextprotocol";
const VERSION = "2026-07-28";

const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_VERSION = -32_022;

/** Method → the param that names what is asked for. */
const NAMED: Record<string, string> = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

export interface ModernOptions {
  answers?: "json" | "events";
  tools?: readonly PeerTool[];
  /** How long lists may be kept. */
  ttlMs?: number;
}

export class ModernMcp {
  options: ModernOptions;
  /** The open `subscriptions/listen` streams, by the id of the request. */
  readonly listeners = new Map<unknown, EventStream>();

  constructor(options: ModernOptions = {}) {
    this.options = options;
  }

  readonly handle = (exchange: Exchange): void => {
    if (exchange.method !== "POST") {
      exchange.reply(405, "", { allow: "POST" });
      return;
    }
    const refusal = this.#refusalOf(exchange);
    if (refusal === null) this.#answer(exchange);
    else exchange.json(refusal, 400);
  };

  /** Tells every listener of it. */
  notify(method: string): void {
    for (const [id, stream] of this.listeners) {
      stream.send({ jsonrpc: "2.0", method, params: { _meta: { [`${PREFIX}/subscriptionId`]: id } } });
    }
  }

  #refusalOf(exchange: Exchange): object | null {
    const { id, method = "", params } = exchange.message;
    const version = params?._meta?.[`${PREFIX}/protocolVersion`];
    if (version === undefined || params?._meta?.[`${PREFIX}/clientCapabilities`] === undefined) {
      return errorOf(id, -32_602, "Request metadata is missing");
    }
    if (version !== VERSION) return errorOf(id, UNSUPPORTED_VERSION, "Unsupported version", { supported: [VERSION] });
    const wanted = {
      "mcp-protocol-version": version,
      "mcp-method": method,
      ...(NAMED[method] === undefined ? {} : { "mcp-name": String(params[NAMED[method]]) }),
      ...(method === "tools/call" ? this.#paramHeaders(exchange.message) : {}),
    };
    const got = Object.fromEntries(Object.entries(exchange.headersLike("mcp-")).map(([k, v]) => [k, decoded(v)]));
    for (const name of new Set([...Object.keys(wanted), ...Object.keys(got)])) {
      const { [name]: want } = wanted as Record<string, string | undefined>;
      if (got[name] !== want) return errorOf(id, HEADER_MISMATCH, `${name} is ${got[name]}, not ${want}`);
    }
    return null;
  }

  /** The `Mcp-Param-*` headers of a call, by the annotated properties at the top of the tool's schema and below. */
  #paramHeaders({ params }: PeerMessage): Record<string, string> {
    const tool = this.#tools.find(({ name }) => name === params.name);
    return tool === undefined ? {} : Object.fromEntries(annotated(tool.inputSchema, params.arguments));
  }

  get #tools(): readonly PeerTool[] {
    return this.options.tools ?? [ECHO];
  }

  #answer(exchange: Exchange): void {
    const { message } = exchange;
    if (message.method === "subscriptions/listen") {
      this.#listen(exchange);
      return;
    }
    const found =
      message.method === "server/discover"
        ? { supportedVersions: [VERSION], capabilities: { tools: { listChanged: true } }, serverInfo: SERVER_INFO }
        : answerTo(message, this.#tools);
    if (found === undefined) {
      exchange.error(-32_601, "Method not found", 404);
      return;
    }
    const result = { resultType: "complete", ...found, ...this.#caching(message.method), _meta: META };
    if (this.options.answers !== "events") exchange.result(result);
    else {
      const stream = exchange.events();
      stream.send(resultOf(message.id, result));
      stream.end();
    }
  }

  #caching(method = ""): object {
    const isCacheable = method === "server/discover" || method.endsWith("/list") || method === "resources/read";
    return isCacheable ? { ttlMs: this.options.ttlMs ?? 60_000, cacheScope: "private" } : {};
  }

  #listen(exchange: Exchange): void {
    const { id, params } = exchange.message;
    const stream = exchange.events();
    this.listeners.set(id, stream);
    const _meta = { [`${PREFIX}/subscriptionId`]: id };
    const acknowledged = { _meta, notifications: params.notifications };
    stream.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: acknowledged });
  }
}

const META = { [`${PREFIX}/serverInfo`]: SERVER_INFO };

interface Schema {
  properties?: Record<string, Schema>;
  "x-mcp-header"?: string;
}

function annotated(schema: Schema, value: unknown): [string, string][] {
  if (value === undefined || value === null) return [];
  const { "x-mcp-header": name, properties = {} } = schema;
  const own: [string, string][] = name === undefined ? [] : [[`mcp-param-${name.toLowerCase()}`, String(value)]];
  const below = Object.entries(properties).flatMap(([key, child]) =>
    annotated(child, (value as Record<string, unknown>)[key]),
  );
  return [...own, ...below];
}

function decoded(value: string): string {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, "base64").toString("utf8");
}
