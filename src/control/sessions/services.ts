import type { RedactedText } from "../../core/redacted.ts";
import type { Owner } from "../../core/run.ts";
import type { TranscriptFact } from "../../core/transcript-fact.ts";
import type { StoreEntry } from "../../store/entry.ts";
import type { BoundRun, RunState } from "./bound-run.ts";
import type { HeldOutcomes } from "./calls/held-outcomes.ts";

/**
 * What sessions need of the world around them. Everything in `sessions` takes it from here, so that all of it can be run
 * without processes, files or clocks.
 */
export interface Services extends RunServices {
  /** This process: the owner of the runs. */
  owner: Owner;
  newId(prefix: "run" | "step"): RedactedText;
  /** A run of a session that was put away, from its events; null where the store has lost it. */
  loadRun(state: RunState, sessionKey: string, services: RunServices): BoundRun | null;
  /** Opens what a host writes down of a session, or of one of its subagents. */
  openTranscript: OpenTranscript;
}

/** What a run writes to. */
export interface RunServices {
  /** Adds to what the next commit takes. */
  write(entry: StoreEntry): void;
  outcomes: HeldOutcomes;
}

/** What one look at a transcript told. */
export interface TranscriptPoll {
  facts: TranscriptFact[];
  isMissing: boolean;
  isRestarted: boolean;
  /** Rows that could not be read. */
  lostRows: number;
  /** There is more to read now. */
  isBehind: boolean;
}

/** A file that a host appends to; each poll reads what is new. */
export interface TranscriptSource {
  poll(): TranscriptPoll;
  /** Bytes that were read: where another one may go on. */
  readonly offset: number;
}

export interface TranscriptPlace {
  app: string;
  /** The session's own transcript. */
  path: string;
  /** Set for a subagent's. */
  agentId: RedactedText | null;
  /** Rows older than this (epoch ms) tell nothing. */
  since: number;
  /** Where to begin, in bytes. */
  offset: number;
}

/** Null where the application writes no transcripts that we can read. */
export type OpenTranscript = (place: TranscriptPlace) => TranscriptSource | null;
