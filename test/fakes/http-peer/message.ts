/** JSON-RPC messages as the peer and its tests see them. */

// biome-ignore lint/suspicious/noExplicitAny: tests look into it as they please
type Anything = any;

export interface PeerMessage {
  id?: unknown;
  method?: string;
  params?: Anything;
  result?: Anything;
  error?: { code: number; message: string; data?: unknown };
}

/** A message to send: JSON text as it is to be written, or a value. */
export type Sendable = string | object;

/** A message as JSON text; text stays as it is. */
export function textOf(message: Sendable): string {
  return typeof message === "string" ? message : JSON.stringify(message);
}

/** The message in this text; empty when it is no JSON object. */
export function messageIn(text: string): PeerMessage {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

export const resultOf = (id: unknown, result: object) => ({ jsonrpc: "2.0", id, result });
export const errorOf = (id: unknown, code: number, message: string, data?: unknown) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
