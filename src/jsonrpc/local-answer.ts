/**
 * Answers of ours to a host's request, in place of a server that does not give one. Never a code that the protocol keeps for itself.
 */

const LOCAL_ERROR = -32_000;

/** A request as far as an answer to it has to know it. */
export interface AnswerableRequest {
  /** The id exactly as the host wrote it. */
  rawId: string;
  method: string;
  /** The request was made under the stateless protocol (2026-07-28 or later). */
  stateless: boolean;
}

/** A failure as a line: an error result for a tool call, which a model can read; an error otherwise. */
export function failureAnswer(request: AnswerableRequest, message: string): string {
  if (request.method !== "tools/call") return errorAnswer(request.rawId, message);
  const complete = request.stateless ? { resultType: "complete" } : {};
  const result = { content: [{ type: "text", text: message }], isError: true, ...complete };
  return `{"jsonrpc":"2.0","id":${request.rawId},"result":${JSON.stringify(result)}}\n`;
}

/** A failure as a line that is an error whatever was asked. `rawId` as the host wrote it, or `null`. */
export function errorAnswer(rawId: string, message: string, code: number = LOCAL_ERROR): string {
  return `{"jsonrpc":"2.0","id":${rawId},"error":${JSON.stringify({ code, message })}}\n`;
}
