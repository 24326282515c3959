import type { RedactedText } from "../../core/redacted.ts";
import type { StepStatus } from "../../core/run.ts";
import type { Assembler, CallFact, CallOutcome } from "../../record/assembler.ts";

/**
 * What the tracker tells of the calls it follows. Whoever takes it decides where each is recorded, and keeps to that for as
 * long as the call goes on.
 */

/** The application behind the session. */
export type HostFact = Parameters<Assembler["learnHost"]>[0];

/** A call as it was seen to begin, with what joins it to the host's own report of it. */
export interface ObservedCall extends CallFact {
  /** From the call itself. */
  sessionId: RedactedText | null;
  /** An id of ours that was in its arguments and went no further. */
  injectedId: RedactedText | null;
  /** Fingerprint of its raw arguments, where nothing else tells the call. */
  argsHash: string | null;
}

/** What changed of a call that goes on. */
export interface CallChange {
  legs?: number;
  status?: StepStatus;
}

export interface CallRecorder<RecordedCall> {
  /** True once anything was recorded: only then is more told of it. */
  readonly isRecording: boolean;
  openCall(call: ObservedCall): RecordedCall;
  updateCall(call: RecordedCall, at: number, changed: CallChange): void;
  closeCall(call: RecordedCall, outcome: CallOutcome): void;
  learnHost(host: HostFact, at: number): void;
  /** A call that a host made for a hook of its own: counted, never a step. */
  countHostHookCall(at: number): void;
  /** `lost` things could not be recorded. */
  gap(reason: RedactedText, lost: number, at: number): void;
  warn(text: RedactedText, at: number): void;
}
