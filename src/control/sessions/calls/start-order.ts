import type { CallRecord } from "./call-record.ts";

/**
 * Puts right when calls started. A hook says when a call had ended and how long it took, and it says so late: by the time
 * that starting a process takes. What a speaker did after the call, and calls that the wire saw start, bound that from above.
 * A transcript says only when the model had made a call, which may be long before its turn came.
 */

/** Calls of one speaker that are looked at: those of its last messages. */
const LOOKED_AT = 64;

interface Spoken {
  call: CallRecord;
  messageId: string | null;
}

export class StartOrder {
  /** By speaker, in the order in which the model made them. */
  readonly #spoken = new Map<string, Spoken[]>();
  /** When each subagent was first heard of in its transcript, epoch ms. */
  readonly #began = new Map<string, number>();
  readonly #startedBy = new Map<string, CallRecord>();

  /** A speaker made a call. */
  called(speaker: string, call: CallRecord, messageId: string | null): void {
    const spoken = this.#spoken.get(speaker) ?? [];
    if (spoken.some((each) => each.call === call)) return;
    spoken.push({ call, messageId });
    this.#spoken.set(speaker, spoken.slice(-LOOKED_AT));
    this.settle(speaker);
  }

  /** A speaker said something in a message: all calls of its messages before had started. */
  spoke(speaker: string, messageId: string | null, at: number): void {
    const starter = this.#startedBy.get(speaker);
    if (speaker !== "" && !this.#began.has(speaker)) {
      this.#began.set(speaker, at);
      starter?.startedBy(at);
    }
    for (const each of this.#spoken.get(speaker) ?? []) {
      if (each.messageId === null || each.messageId !== messageId) each.call.startedBy(at);
    }
  }

  /** A call started a subagent: it had started when that began. */
  startedAgent(agentId: string, call: CallRecord): void {
    this.#startedBy.set(agentId, call);
    const began = this.#began.get(agentId);
    if (began !== undefined) call.startedBy(began);
  }

  /** Calls of one speaker start in the order in which it made them. */
  settle(speaker: string): void {
    const spoken = this.#spoken.get(speaker) ?? [];
    let next: CallRecord | null = null;
    for (const { call } of spoken.toReversed()) {
      // Of two at the same time the one with the lower number is read first.
      if (next !== null) call.startedBy(Math.floor(next.startedAt) - (call.place.seq > next.place.seq ? 1 : 0));
      if (call.isStartTold) next = call;
    }
    let before: CallRecord | null = null;
    for (const { call } of spoken) {
      if (before !== null) call.notStartedBefore(before.startedAt + (call.place.seq < before.place.seq ? 1 : 0));
      before = call;
    }
  }
}
