import { utf8 } from "../../jsonrpc/utf8.ts";
import type { Exchange } from "./exchange.ts";
import type { HostLine } from "./message-meta.ts";

/** A message on its way to the server, as it came from the host, and its requests. */
export class Outgoing {
  readonly line: HostLine;
  /** Settled from the beginning where there are no requests. */
  readonly exchange: Exchange;
  readonly #onLeft: () => void;
  #bytes: Uint8Array;
  #text: string | null;
  readonly #accepted = Promise.withResolvers<void>();
  #hasLeft = false;

  /** `onLeft` is told once its bytes have left, or never will. */
  constructor(bytes: Uint8Array, text: string | null, line: HostLine, exchange: Exchange, onLeft: () => void) {
    this.#bytes = bytes;
    this.#text = text;
    this.line = line;
    this.exchange = exchange;
    this.#onLeft = onLeft;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Decoded when it is asked for. */
  get text(): string {
    this.#text ??= utf8(this.#bytes);
    return this.#text;
  }

  readonly left = (): void => {
    if (!this.#hasLeft) this.#onLeft();
    this.#hasLeft = true;
  };

  /** Resolves when the server has said that it has it, or never will. */
  get accepted(): Promise<void> {
    return this.#accepted.promise;
  }

  readonly accept = (): void => this.#accepted.resolve();

  /** The server has taken it: it is never sent again, and need not be kept. */
  forget(): void {
    this.#bytes = new Uint8Array(0);
    this.#text = "";
  }
}
