/** What every fake server behind the peer answers, whatever carries it: results by method, in the shapes of the protocol. */

import type { PeerMessage } from "./message.ts";

export const SERVER_INFO = { name: "http-peer", version: "1.0.0" };

export interface PeerTool {
  name: string;
  description?: string;
  inputSchema: object;
}

export const ECHO: PeerTool = {
  name: "echo",
  description: "Answers with its text",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
};

/** The result of a request; undefined for a method that no server here knows. */
export function answerTo(message: PeerMessage, tools: readonly PeerTool[]): object | undefined {
  const { method, params = {} } = message;
  switch (method) {
    case "ping":
    case "logging/setLevel":
    case "resources/subscribe":
    case "resources/unsubscribe":
      return {};
    case "tools/list":
      return { tools };
    case "tools/call":
      return { content: [{ type: "text", text: params.arguments?.text ?? JSON.stringify(params.arguments ?? {}) }] };
    case "resources/list":
      return { resources: [{ uri: "peer://doc/1", name: "doc", mimeType: "text/plain" }] };
    case "resources/read":
      return { contents: [{ uri: params.uri, mimeType: "text/plain", text: "the text of a document" }] };
    case "prompts/list":
      return { prompts: [{ name: "greet", arguments: [{ name: "who", required: true }] }] };
    case "prompts/get":
      return { messages: [{ role: "user", content: { type: "text", text: "Say hello." } }] };
    default:
      return undefined;
  }
}
