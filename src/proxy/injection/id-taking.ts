import { failureAnswer } from "../../jsonrpc/local-answer.ts";
import { logDegradedOnce } from "../../kit/log.ts";
import { IdGate, type Passage } from "./id-gate.ts";
import { InjectedIds } from "./injected-ids.ts";

/**
 * The way from the host to the server where ids of ours are put into calls: takes them out, remembers them for the record, and
 * answers in place of the server what is too large for that. Loaded only where ids are put in.
 */

/** The ends of that way. */
export interface Ends {
  toServer(bytes: Uint8Array): Promise<void>;
  /** Bytes that go no further are seen all the same. */
  seen(bytes: Uint8Array): void;
  toHost(line: Uint8Array): Promise<void>;
}

export class IdTaking {
  readonly injectedIds = new InjectedIds();
  readonly #gate: IdGate;
  readonly #ends: Ends;
  readonly #mostBytes: number;

  /** `mostBytes`: no call may be longer. */
  constructor(mostBytes: number, ends: Ends) {
    this.#gate = new IdGate(mostBytes);
    this.#mostBytes = mostBytes;
    this.#ends = ends;
  }

  /** Resolves when what is known of it has been taken by the server. */
  async feed(bytes: Uint8Array): Promise<void> {
    for (const passage of this.#gate.feed(bytes)) await this.#take(passage);
  }

  /** The host has closed its end. */
  async end(): Promise<void> {
    for (const passage of this.#gate.end()) await this.#take(passage);
  }

  async #take(passage: Passage): Promise<void> {
    if (passage.kind === "pass") {
      for (const { rawId, injectedId } of passage.calls) this.injectedIds.add(rawId, injectedId);
      await this.#ends.toServer(passage.bytes);
    } else if (passage.kind === "keep-back") this.#ends.seen(passage.bytes);
    else await this.#refuse(passage);
  }

  async #refuse({ messages, isStateless: stateless }: Extract<Passage, { kind: "refuse" }>): Promise<void> {
    const message = `message over ${this.#mostBytes} bytes: larger than bir can take an id out of`;
    logDegradedOnce("DEG-06", `a message over ${this.#mostBytes} bytes was not passed on. ${REMEDY}`);
    for (const { rawId, method, isAnswer } of messages) {
      if (rawId === null || method === null || isAnswer) continue;
      await this.#ends.toHost(Buffer.from(failureAnswer({ rawId, method, stateless }, message)));
    }
  }
}

const REMEDY = "Set BIR_UPSTREAM_MAX_MESSAGE_BYTES higher, or BIR_NO_CORRELATION=1";
