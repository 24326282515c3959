import type { Outgoing } from "./outgoing.ts";

/**
 * The host's messages in their order. Only the handshake holds up what comes after it; and not answers, cancellations and pings, without
 * which a server may never answer it.
 */
export class Outbox {
  readonly #send: (out: Outgoing) => Promise<unknown> | null;
  readonly #onEmpty: () => void;
  #waiting: Outgoing[] = [];
  /** What the messages behind it wait for. */
  #hold: Promise<unknown> | null = null;

  /** `send` answers a promise where what follows has to wait. `onEmpty`: everything is on its way. */
  constructor(send: (out: Outgoing) => Promise<unknown> | null, onEmpty: () => void) {
    this.#send = send;
    this.#onEmpty = onEmpty;
  }

  get isEmpty(): boolean {
    return this.#hold === null && this.#waiting.length === 0;
  }

  add(out: Outgoing): void {
    if (this.#hold !== null && !isUrgent(out)) this.#waiting.push(out);
    else this.#sendNow(out);
  }

  /** True for a message that was not sent yet; it never will be. */
  takeBack(out: Outgoing["exchange"]): boolean {
    const at = this.#waiting.findIndex(({ exchange }) => exchange === out);
    if (at < 0) return false;
    const [taken] = this.#waiting.splice(at, 1);
    taken?.left();
    return true;
  }

  #sendNow(out: Outgoing): void {
    const hold = this.#send(out);
    if (hold === null) return;
    // A handshake that is begun again takes the place of the one before.
    this.#hold = hold;
    void hold.then(() => {
      if (this.#hold === hold) this.#sendWaiting();
    });
  }

  #sendWaiting(): void {
    this.#hold = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const out of waiting) this.add(out);
    if (this.isEmpty) this.#onEmpty();
  }
}

function isUrgent({ line }: Outgoing): boolean {
  return line.messages.every(({ kind, method, cancelledRawId }) => {
    return kind === "response" || method === "ping" || method === "initialize" || cancelledRawId !== null;
  });
}
