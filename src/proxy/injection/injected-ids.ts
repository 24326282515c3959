import { idKey } from "../../jsonrpc/message.ts";

/**
 * What joins a call to the host's own report of it beside what the call carries: ids of ours that were taken out of calls on
 * their way, until the calls themselves are looked at, and the key for fingerprints. Bounded: the oldest are forgotten.
 */

export interface Correlation {
  /** The key for fingerprints of arguments, where they are of use. */
  hashKey(): string | null;
  injectedIds: InjectedIds | null;
}

export const NO_CORRELATION: Correlation = { hashKey: () => null, injectedIds: null };

const MOST_KEPT = 2_000;

export class InjectedIds {
  /** Key of a request's id → what was found in the requests with it, in their order. */
  readonly #byRequest = new Map<string, (string | null)[]>();
  #kept = 0;

  /** A call has passed; null when it held no id of ours. */
  add(rawId: string, injectedId: string | null): void {
    const key = idKey(rawId);
    const ids = this.#byRequest.get(key);
    if (ids === undefined) this.#byRequest.set(key, [injectedId]);
    else ids.push(injectedId);
    if (++this.#kept > MOST_KEPT) this.#forgetOldest();
  }

  /** The id that was in the call which is looked at now; null when there was none. */
  take(rawId: string): string | null {
    const key = idKey(rawId);
    const ids = this.#byRequest.get(key);
    const id = ids?.shift();
    if (id !== undefined) this.#kept--;
    if (ids?.length === 0) this.#byRequest.delete(key);
    return id ?? null;
  }

  #forgetOldest(): void {
    for (const [key, ids] of this.#byRequest) {
      this.#kept -= ids.length;
      this.#byRequest.delete(key);
      return;
    }
  }
}
