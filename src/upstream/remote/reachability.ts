import { logDegraded } from "../../kit/log.ts";

/** Whether a remote server can be reached, as it is said on stderr: each trouble once, and once when it is over. */
export class Reachability {
  readonly #serverName: string;
  readonly #closing: AbortSignal;
  readonly #said = new Set<string>();

  /** Nothing is said any more once `closing` is aborted. */
  constructor(serverName: string, closing: AbortSignal) {
    this.#serverName = serverName;
    this.#closing = closing;
  }

  /** A message got no answer, for this reason. */
  failed(reason: string): void {
    if (this.#closing.aborted || this.#said.has(reason)) return;
    this.#said.add(reason);
    logDegraded("DEG-17", `server "${this.#serverName}": ${reason}`);
  }

  /** The server has taken a message. */
  answered(): void {
    if (this.#said.size === 0) return;
    this.#said.clear();
    logDegraded("DEG-17", `server "${this.#serverName}" answers again`);
  }
}
