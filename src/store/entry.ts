import type { RunEvent, StepClosed, StepOpened, StepUpdated } from "../core/event.ts";
import type { RedactedJson, RedactedText } from "../core/redacted.ts";

/**
 * An event on its way to the journal. Every free text in it is typed as redacted, and payloads are the redacted JSON
 * text of the wire, never re-serialised, so that numbers and key order survive.
 */

/** `T` with every free string typed as redacted; unions of literals stay as they are. */
type Redacted<T> = T extends string
  ? string extends T
    ? RedactedText
    : T
  : T extends readonly (infer U)[]
    ? Redacted<U>[]
    : T extends object
      ? { [K in keyof T]: Redacted<T[K]> }
      : T;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/**
 * An event without its payload (`args` of `step.opened` and `step.updated`, `result` of `step.closed`); `hostMeta` and
 * `rpcError` are JSON text.
 */
export type EventHead =
  | Redacted<DistributiveOmit<Exclude<RunEvent, StepOpened | StepUpdated | StepClosed>, "v">>
  | (Redacted<Omit<StepOpened, "v" | "args" | "hostMeta">> & { hostMeta: RedactedJson | null })
  | (Redacted<Omit<StepUpdated, "v" | "args" | "hostMeta">> & { hostMeta?: RedactedJson })
  | (Redacted<Omit<StepClosed, "v" | "result" | "rpcError">> & { rpcError: RedactedJson | null });

export interface JournalEntry {
  head: EventHead;
  /** Redacted JSON text, or null where the event has no payload. */
  payload: RedactedJson | null;
}

/**
 * What the control server keeps beside the events, so that another one can go on where it was killed: what it has taken
 * (`report`), where its sessions stand (`session`), and calls that wait for their run (`held` until `released`).
 */
export type BookEntry =
  | { book: "report"; id: string; at: number }
  | { book: "session"; key: string; isOpen: boolean; at: number; state: string }
  | { book: "held"; id: string; at: number; body: string }
  | { book: "released"; id: string }
  /** What a sender's write was taken as. A second one of the same id is refused, with the whole transaction. */
  | { book: "received"; runId: string; id: string; kind: ReceivedKind; stepId: string | null; seq: number | null }
  /** The next number of a received run. */
  | { book: "numbered"; runId: string; nextSeq: number };

/** `run`: the run itself, of the empty id; the first three and `note` are rows, `write` is a change of what was there. */
export type ReceivedKind = "selected" | "response" | "answer" | "note" | "write" | "run";

/** What one transaction of the store is made of. */
export type StoreEntry = JournalEntry | BookEntry;
