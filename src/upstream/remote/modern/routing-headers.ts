import type { HeaderList } from "../../http/http.ts";
import type { HostMessage } from "../message-meta.ts";
import { encodedHeaderValue, isPlainHeaderValue } from "./header-value.ts";

/**
 * The headers that repeat what a modern message says of itself (2026-07-28, Streamable HTTP, "Request Metadata"). Computed from the
 * body alone: a server must refuse a request whose headers and body disagree.
 */

/**
 * The headers for `message`; none for a legacy one. A version or method that no header can hold is left out, since there is no encoding
 * for those two: the server then refuses the request by itself.
 */
export function routingHeaders(message: HostMessage): HeaderList {
  const { protocolVersion, method, name } = message;
  if (protocolVersion === null) return [];
  const headers: [string, string][] = [];
  if (isPlainHeaderValue(protocolVersion)) headers.push(["MCP-Protocol-Version", protocolVersion]);
  if (method !== null && isPlainHeaderValue(method)) headers.push(["Mcp-Method", method]);
  if (name !== null) headers.push(["Mcp-Name", encodedHeaderValue(name)]);
  return headers;
}
