import { eachMember } from "../jsonrpc/json-span.ts";
import type { AnswerableRequest } from "../jsonrpc/local-answer.ts";
import { idKey } from "../jsonrpc/message.ts";
import type { MessageObserver, ObservedMessage } from "./observed-message.ts";

/**
 * Which of the host's requests are still unanswered, so that they can be answered when the server is gone. A request
 * whose id is null can never be answered and is not kept.
 */

const STATELESS_MARK = '"io.modelcontextprotocol/protocolVersion"';

export class InFlight implements MessageObserver {
  readonly #requests = new Map<string, AnswerableRequest>();

  see({ direction, message, text }: ObservedMessage): void {
    const { kind, rawId, method } = message;
    if (direction === "to-upstream") {
      if (kind === "request" && rawId !== null && rawId !== "null" && method !== null) {
        this.#requests.set(idKey(rawId), { rawId, method, stateless: text.includes(STATELESS_MARK) });
      } else if (method === "notifications/cancelled") this.#cancel(text, message.params?.start ?? -1);
    } else if (kind === "response" && rawId !== null) this.#requests.delete(idKey(rawId));
  }

  /** The unanswered requests in the order they were made; they are forgotten. */
  take(): AnswerableRequest[] {
    const taken = [...this.#requests.values()];
    this.#requests.clear();
    return taken;
  }

  /** The host no longer waits for a request that it has cancelled. */
  #cancel(text: string, params: number): void {
    if (params < 0) return;
    eachMember(text, params, (key, start, end) => {
      if (key === "requestId" && end > 0) this.#requests.delete(idKey(text.slice(start, end)));
    });
  }
}
