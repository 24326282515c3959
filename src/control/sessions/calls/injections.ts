import type { RedactedText } from "../../../core/redacted.ts";
import { logDegraded } from "../../../kit/log.ts";
import type { ProxyStep } from "../../recorder.ts";
import type { Session } from "../session.ts";
import type { CallRecord } from "./call-record.ts";

/**
 * Ids of ours that are put into the arguments of calls for hosts that send a server none: which call each was given out for,
 * and to which servers none is sent any more because one did not come through.
 */

interface Injection {
  session: Session;
  call: CallRecord;
  server: string;
}

export class Injections {
  readonly #given = new Map<string, Injection>();
  /** Servers to which an id was sent that never came back. */
  readonly #deaf = new Set<string>();

  /** An id for a call that is about to start; null where its server is left alone. */
  give(session: Session, call: CallRecord, server: RedactedText): string | null {
    if (this.#deaf.has(server)) return null;
    const id = `bir_${crypto.randomUUID()}`;
    this.#given.set(id, { session, call, server });
    return id;
  }

  /** The call that an id was given out for. */
  of(id: string | null): Injection | undefined {
    return id === null ? undefined : this.#given.get(id);
  }

  /** An id that was put into the arguments of this call must have come with it. */
  listen(step: ProxyStep, call: CallRecord): void {
    for (const [id, given] of this.#given) {
      if (given.call !== call) continue;
      this.#given.delete(id);
      if (step.injectedId === id || this.#deaf.has(given.server)) continue;
      this.#deaf.add(given.server);
      const server = JSON.stringify(given.server);
      logDegraded("DEG-11", `no id is put into calls to server ${server} any more: it did not come through`);
    }
  }

  /** Forgets what belongs to a session that is put away. */
  forget(session: Session): void {
    for (const [id, given] of this.#given) if (given.session === session) this.#given.delete(id);
  }
}
