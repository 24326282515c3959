/** What a host is told of a server that is gone, and the small messages that the tests about it send. */

import { expect } from "vitest";
import type { WireMessage } from "./byte-log.ts";

export const GONE = 'MCP server "fake" is not available';
export const GONE_RESULT = { content: [{ type: "text", text: GONE }], isError: true };
export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

export const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
export const call = (id: unknown, name = "echo", args = {}) =>
  line({ id, method: "tools/call", params: { name, arguments: args } });

export const expectGone = ({ result, error }: WireMessage) =>
  expect(error ?? result).toMatchObject(error ? { code: -32000, message: GONE } : GONE_RESULT);
