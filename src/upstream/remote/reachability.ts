import { logDegraded } from "../../kit/log.ts";

const QUIET_MS = 2_000;

/** Whether a remote server can be reached, as it is said on stderr: each trouble once, and once when it is over. */
export class Reachability {
  readonly #serverName: string;
  readonly #closing: AbortSignal;
  readonly #said = new Set<string>();
  #lastFailure = 0;

  /** Nothing is said any more once `closing` is aborted. */
  constructor(serverName: string, closing: AbortSignal) {
    this.#serverName = serverName;
    this.#closing = closing;
  }

  /** A message got no answer, for this reason. */
  failed(reason: string): void {
    this.#lastFailure = performance.now();
    if (this.#closing.aborted || this.#said.has(reason)) return;
    this.#said.add(reason);
    logDegraded("DEG-17", `server "${this.#serverName}": ${reason}`);
  }

  /** The server has taken a message. */
  answered(): void {
    // Where some are answered and some are not, that is no end of the trouble.
    if (this.#said.size === 0 || performance.now() - this.#lastFailure < QUIET_MS) return;
    this.#said.clear();
    logDegraded("DEG-17", `server "${this.#serverName}" answers again`);
  }
}
