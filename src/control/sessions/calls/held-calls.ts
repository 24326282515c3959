import type { ProxyRegistration } from "../../../core/control-wire.ts";
import type { BookEntry } from "../../../store/entry.ts";
import type { ProxyStep } from "../../recorder.ts";
import type { ProxyPeer } from "./proxies.ts";

/**
 * Calls on the wire that wait for the host's word. They are kept in the store until they have their step: what a proxy was
 * told to be taken is not lost with this server.
 */

export interface HeldCall {
  proxy: ProxyPeer;
  /** As it was told last: while it runs, or how it ended. */
  step: ProxyStep;
  /** When that was told, epoch ms. */
  since: number;
  /** Another call is just like it, and nothing tells them apart. */
  isTwin: boolean;
}

interface HeldBody {
  registration: ProxyRegistration;
  step: ProxyStep;
  isTwin: boolean;
}

export class HeldCalls {
  readonly #write: (entry: BookEntry) => void;
  readonly #held = new Map<string, HeldCall>();

  constructor(write: (entry: BookEntry) => void) {
    this.#write = write;
  }

  get all(): HeldCall[] {
    return [...this.#held.values()];
  }

  hold(proxy: ProxyPeer, step: ProxyStep, now: number): void {
    const isTwin = this.#held.get(step.callRef)?.isTwin ?? false;
    this.#keep({ proxy, step, since: now, isTwin });
  }

  markTwin(held: HeldCall): void {
    if (held.isTwin) return;
    held.isTwin = true;
    this.#keep(held);
  }

  /** Takes back what another server held. */
  restore(body: HeldBody, since: number, register: (registration: ProxyRegistration) => ProxyPeer): void {
    const { registration, step, isTwin } = body;
    this.#held.set(step.callRef, { proxy: register(registration), step, since, isTwin });
  }

  release(callRef: string): void {
    if (this.#held.delete(callRef)) this.#write({ book: "released", id: callRef });
  }

  #keep(held: HeldCall): void {
    const { proxy, step, since, isTwin } = held;
    this.#held.set(step.callRef, held);
    const { id: _id, last: _last, ...registration } = proxy;
    const body: HeldBody = { registration, step, isTwin };
    this.#write({ book: "held", id: step.callRef, at: Math.floor(since), body: JSON.stringify(body) });
  }
}
