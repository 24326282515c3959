/**
 * The fake upstream's MCP server: reads lines, answers methods of both protocol generations.
 * Owns the ids of its own requests and who listens; the tools are in mcp-tools.ts, tasks in mcp-tasks.ts.
 */

import type { Json, Message, Wire } from "./mcp-message.ts";
import { taskAnswer } from "./mcp-tasks.ts";
import { callTool, TOOLS } from "./mcp-tools.ts";
import { closedStdin, received, say, writeBytes } from "./wire-io.ts";

export interface ServerOptions {
  legacy: boolean;
  modern: boolean;
  discoverSilent: boolean;
  onEof: number | "ignore";
}

const PREFIX = "io.modelcontextprotocol";
const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const MODERN = "2026-07-28";
const SERVER_INFO = { name: "fake-upstream", version: "1.0.0" };
const CAPABILITIES = { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, completions: {} };
const CACHEABLE = new Set(["server/discover", "tools/list", "prompts/list", "resources/list", "resources/read"]);

const key = (id: unknown) => JSON.stringify(id) ?? "absent";

export function serveMcp(options: ServerOptions): void {
  const asked = new Map<string, (line: string) => void>();
  const cancelled = new Map<string, () => void>();

  const send = (message: Json) => {
    writeBytes(1, `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const wire: Wire = {
    result({ id, modern }, result) {
      const _meta = { ...(result._meta as Json | undefined), [`${PREFIX}/serverInfo`]: SERVER_INFO };
      send({ id, result: modern ? { resultType: "complete", ...result, _meta } : result });
    },
    error: (id, code, message, data) => send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } }),
    notify: (method, params) => send({ method, ...(params ? { params } : {}) }),
    ask(id, method, params) {
      send({ id, method, ...(params === undefined ? {} : { params }) });
      return new Promise((resolve) => asked.set(key(id), resolve));
    },
    bytes: (data) => void writeBytes(1, data),
    onCancelled: (id, then) => void cancelled.set(key(id), then),
    listeners: new Set(),
  };

  const line = (bytes: Buffer) => {
    const text = bytes.toString("utf8");
    for (const one of parsed(text)) {
      if (one.method === undefined) {
        const resolve = asked.get(key(one.id));
        asked.delete(key(one.id));
        resolve?.(text);
      } else if (one.method === "notifications/cancelled") cancelled.get(key(one.params?.requestId))?.();
      else if ("id" in one) request(wire, options, one, one.method);
    }
  };
  const ended = (error?: unknown) => {
    // Reading a stdin that a tool closed fails; anything else is a bug here.
    if (closedStdin()) return;
    if (error !== undefined) throw error;
    say("EOF");
    if (options.onEof === "ignore") setInterval(() => {}, 1 << 30);
    else process.exit(options.onEof);
  };
  readLines(line).then(() => ended(), ended);
}

async function readLines(use: (line: Buffer) => void): Promise<void> {
  let begun: Buffer[] = [];
  for await (const chunk of Bun.stdin.stream()) {
    received(chunk);
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      use(Buffer.concat([...begun, chunk.subarray(from, at)]));
      begun = [];
      from = at + 1;
    }
    if (from < chunk.length) begun.push(Buffer.from(chunk.subarray(from)));
  }
}

function parsed(text: string): Message[] {
  try {
    const value: unknown = JSON.parse(text);
    const all: unknown[] = Array.isArray(value) ? value : [value];
    return all.filter((one): one is Message => typeof one === "object" && one !== null);
  } catch {
    say(`not JSON: ${text.slice(0, 80)}`);
    return [];
  }
}

/** Answers a request over `wire`. */
export function request(wire: Wire, options: ServerOptions, message: Message, method: string): void {
  const { id, params = {} } = message;
  const modern = options.modern && params._meta?.[`${PREFIX}/protocolVersion`] === MODERN;
  const call = { id, modern, params, name: String(params.name), args: (params.arguments ?? {}) as Json };

  if (!options.legacy && !modern) wire.error(id, -32602, "This server speaks 2026-07-28 only");
  else if (method === "server/discover" && options.discoverSilent) say("silent");
  else if (method === "tools/call") callTool(wire, call);
  else if (method === "subscriptions/listen" && modern) {
    wire.listeners.add(id);
    const _meta = { [`${PREFIX}/subscriptionId`]: id };
    wire.notify("notifications/subscriptions/acknowledged", { _meta, notifications: params.notifications });
  } else {
    const answer = method.startsWith("tasks/") ? taskAnswer(wire, method, call) : simpleAnswer(method, params, modern);
    if (answer === undefined) wire.error(id, -32601, `Method not found: ${method}`);
    else
      wire.result(call, modern && CACHEABLE.has(method) ? { ...answer, ttlMs: 60_000, cacheScope: "private" } : answer);
  }
}

function simpleAnswer(method: string, params: Json, modern: boolean): Json | undefined {
  switch (method) {
    case "initialize": {
      const version = String(params.protocolVersion);
      const protocolVersion = LEGACY.includes(version) ? version : LEGACY.at(-1);
      return { protocolVersion, capabilities: { ...CAPABILITIES, logging: {} }, serverInfo: SERVER_INFO };
    }
    case "server/discover": {
      if (!modern) return undefined;
      const extensions = { [`${PREFIX}/tasks`]: {} };
      return { supportedVersions: [MODERN], capabilities: { ...CAPABILITIES, extensions } };
    }
    case "ping":
    case "logging/setLevel":
    case "resources/subscribe":
    case "resources/unsubscribe":
      return {};
    case "tools/list":
      return { tools: TOOLS };
    case "resources/list":
      return { resources: [{ uri: "fake://doc/1", name: "doc", mimeType: "text/plain" }] };
    case "resources/templates/list":
      return { resourceTemplates: [{ uriTemplate: "fake://doc/{n}", name: "docs" }] };
    case "resources/read":
      return { contents: [{ uri: params.uri, mimeType: "text/plain", text: "the text of a document" }] };
    case "prompts/list":
      return { prompts: [{ name: "greet", arguments: [{ name: "who", required: true }] }] };
    case "prompts/get":
      return { messages: [{ role: "user", content: { type: "text", text: "Say hello." } }] };
    case "completion/complete":
      return { completion: { values: ["one", "two"], total: 2, hasMore: false } };
    default:
      return undefined;
  }
}
