/**
 * Calls for which the server asked the host for input: they end with another request, made under an id of its own. Owns
 * which request goes on with which call; a wrong link is worse than none.
 */

/** What a server asks with: an opaque state, requests under keys, or both. */
export interface InputRequired {
  requestState: string | null;
  inputKeys: string;
}

/** What a host sends: what the server gave it, and answers under the same keys. */
interface Continuation {
  tool: string;
  requestState: string | null;
  inputKeys: string | null;
}

export class PausedCalls<Call extends { readonly tool: string }> {
  #paused: { call: Call; asked: InputRequired }[] = [];

  add(call: Call, asked: InputRequired): void {
    this.#paused.push({ call, asked });
  }

  /**
   * The call that a request goes on with, which waits no longer; null when it begins one. Told by the state, where the
   * server gave one, else by the exact set of keys, and only if a single call waits for it.
   */
  take({ tool, requestState, inputKeys }: Continuation): Call | null {
    if (requestState === null && inputKeys === null) return null;
    const candidates = this.#paused.filter(({ call, asked }) => {
      if (call.tool !== tool || asked.requestState !== requestState) return false;
      return requestState !== null || asked.inputKeys === inputKeys;
    });
    const [found] = candidates;
    if (found === undefined || candidates.length > 1) return null;
    this.forget(found.call);
    return found.call;
  }

  /** The call ended in another way. */
  forget(call: Call): void {
    if (this.#paused.length > 0) this.#paused = this.#paused.filter((paused) => paused.call !== call);
  }
}
