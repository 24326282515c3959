import type { UnansweredRequest } from "./in-flight.ts";

/**
 * What the host is told in place of a server that is gone, or does not get a message: the only messages of ours that ever
 * reach it.
 */

/** The words, for people and models. */
export function unavailableText(serverName: string): string {
  return `MCP server "${serverName}" is not available`;
}

/** The answer to one request as a line. */
export function unavailableAnswer(request: UnansweredRequest, serverName: string): string {
  return answerInPlace(request, unavailableText(serverName));
}

/** A failure as a line: an error result for a tool call, which a model can read; an error otherwise. */
export function answerInPlace({ rawId, method, stateless }: UnansweredRequest, message: string): string {
  const body =
    method === "tools/call"
      ? {
          result: {
            content: [{ type: "text", text: message }],
            isError: true,
            ...(stateless ? { resultType: "complete" } : {}),
          },
        }
      : { error: { code: -32000, message } };
  return `{"jsonrpc":"2.0","id":${rawId},${JSON.stringify(body).slice(1)}\n`;
}
