import type { ProxyRegistration } from "../../core/control-wire.ts";
import type { BookEntry } from "../../store/entry.ts";
import type { ProxyStep } from "../recorder.ts";
import type { CallSeen } from "./call-record.ts";
import type { ProxyPeer } from "./proxies.ts";

/**
 * Calls on the wire that wait for the host's word. They are kept in the store until they have their step: what a proxy was
 * told to be taken is not lost with this server.
 */

export interface HeldCall {
  proxy: ProxyPeer;
  /** As it was told last: while it runs, or how it ended. */
  step: ProxyStep;
  /** When it was told first, epoch ms. */
  since: number;
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
    const since = this.#held.get(step.callRef)?.since ?? now;
    this.#held.set(step.callRef, { proxy, step, since });
    const { id: _id, last: _last, hostHookCalls: _hostHookCalls, ...registration } = proxy;
    this.#write({
      book: "held",
      id: step.callRef,
      at: Math.floor(since),
      body: JSON.stringify({ registration, step }),
    });
  }

  /** Takes back what another server held. */
  restore(body: string, since: number, register: (registration: ProxyRegistration) => ProxyPeer): void {
    const { registration, step } = JSON.parse(body) as { registration: ProxyRegistration; step: ProxyStep };
    this.#held.set(step.callRef, { proxy: register(registration), step, since });
  }

  release(callRef: string): void {
    if (this.#held.delete(callRef)) this.#write({ book: "released", id: callRef });
  }

  named(callId: string): HeldCall[] {
    return this.all.filter(({ step }) => step.hostCallId === callId);
  }

  /** Those with the same arguments for the same tool. */
  alike(seen: CallSeen): HeldCall[] {
    return this.all.filter(
      ({ step }) =>
        step.hostCallId === null &&
        step.serverName === seen.server &&
        step.toolName === seen.tool &&
        (step.argsHash !== null ? step.argsHash === seen.argsHash : step.args === seen.args),
    );
  }
}
