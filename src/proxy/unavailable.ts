import { type AnswerableRequest, failureAnswer } from "../jsonrpc/local-answer.ts";

/** What the host is told in place of a server that is gone. */

/** The words, for people and models. */
export function unavailableText(serverName: string): string {
  return `MCP server "${serverName}" is not available`;
}

/** The answer to one request as a line. */
export function unavailableAnswer(request: AnswerableRequest, serverName: string): string {
  return failureAnswer(request, unavailableText(serverName));
}
