import type { RunEvent, StepClosed, StepOpened } from "../core/event.ts";
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

/** An event without its payload (`args` of `step.opened`, `result` of `step.closed`); `hostMeta` and `rpcError` are JSON text. */
export type EventHead =
  | Redacted<DistributiveOmit<Exclude<RunEvent, StepOpened | StepClosed>, "v">>
  | (Redacted<Omit<StepOpened, "v" | "args" | "hostMeta">> & { hostMeta: RedactedJson | null })
  | (Redacted<Omit<StepClosed, "v" | "result" | "rpcError">> & { rpcError: RedactedJson | null });

export interface JournalEntry {
  head: EventHead;
  /** Redacted JSON text, or null where the event has no payload. */
  payload: RedactedJson | null;
}
