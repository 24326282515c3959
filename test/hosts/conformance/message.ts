/** The shapes of JSON-RPC and MCP that the conformance fixture, the HTTP front and the stdio host share. No behaviour of either. */

export type Json = Record<string, unknown>;
export type Id = string | number;

export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** Any JSON-RPC message. */
export interface Message {
  jsonrpc: "2.0";
  id?: Id | null;
  method?: string;
  params?: Json;
  result?: Json;
  error?: RpcError;
}

export interface Request extends Message {
  id: Id;
  method: string;
}

export const MODERN = "2026-07-28";
export const LATEST_LEGACY = "2025-11-25";
export const LEGACY: readonly string[] = ["2024-11-05", "2025-03-26", "2025-06-18", LATEST_LEGACY];

export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

/** Error codes that the specification gives a name. */
export const CODE = {
  notFound: -32601,
  params: -32602,
  session: -32001,
  headers: -32020,
  capability: -32021,
  version: -32022,
} as const;

export function isRequest(message: Message): message is Request {
  return message.method !== undefined && message.id !== undefined && message.id !== null;
}

/** A result or an error. */
export function isAnswer(message: Message): boolean {
  return message.method === undefined && message.id !== undefined;
}

/** `value` when it is an object, else an empty one. */
export function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function metaOf(message: Message): Json {
  return asObject(message.params?._meta);
}

export function request(id: Id, method: string, params?: Json): Request {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

export function notification(method: string, params?: Json): Message {
  return { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) };
}
