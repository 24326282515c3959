import { repeatedInitialize, repeatedInitialized } from "../jsonrpc/repeated-handshake.ts";
import type { MessageObserver, ObservedMessage } from "./observed-message.ts";

/**
 * Remembers the handshake that passed, to repeat it before a restarted server. A session of the stateless protocol has
 * none, and needs none.
 */

export class Handshake implements MessageObserver {
  #initialize: string | null = null;
  #initialized: string | null = null;

  see({ direction, message, text, tail }: ObservedMessage): void {
    if (direction !== "to-upstream" || tail !== null) return;
    if (message.method === "initialize" && message.kind === "request") this.#initialize = text;
    else if (message.method === "notifications/initialized") this.#initialized = text;
  }

  /** The host's `initialize` under an id of ours, as a line; null when none was seen. */
  initializeLine(): string | null {
    const request = this.#initialize === null ? null : repeatedInitialize(this.#initialize);
    return request === null ? null : `${request}\n`;
  }

  /** The host's `notifications/initialized` as a line; null when none was seen. */
  initializedLine(): string | null {
    return this.#initialized === null ? null : `${repeatedInitialized(this.#initialized)}\n`;
  }
}
