import type { Host, NoteKind, RunStatus, StepJoin, StepSource, StepStatus, Tier, Usage } from "./run.ts";

/**
 * The bodies of the recordings contract, as this program sends and takes them. Members beside `bir` are the contract's, for any
 * service; `bir` carries what else one bir tells another, so that a run that was sent folds to the same run there. Pure types.
 *
 * Journal → writes, in journal order, one write after the other within a run:
 * - `run.opened` → POST runs, with `bir` always present.
 * - `step.opened` → POST `tool_selected` · `step.closed` → POST `tool_response`. A row's id is the sender's, the same at every resend.
 *   A `step.opened` of a step that has its row already (opened again, or first heard of by an update) → PATCH of its row with the
 *   members of a `tool_selected`; a `step.closed` again → PATCH of the `tool_response` row with all members of one.
 * - `step.updated` → PATCH of the `tool_selected` row with what changed. Where the step has no row yet (its opening was lost) →
 *   POST `tool_selected` with what it tells, `toolName: ""` unless it names one, and no `qualifiedName`: so it is told apart.
 * - `note`, `gap` and `run.updated` ride on the next write of the run, whichever it is, as `bir.notes`, `bir.gaps`, `bir.run`
 *   (of several updates the last value of each field), and are applied before that write itself.
 * - `run.updated` with `finalAnswer` → also `bir.run`; once, right before finish, POST `final_answer`.
 * - `run.closed` → POST finish. A run that goes on after it: `bir.run.status: "running"` on its next write, then another finish.
 * Payloads (`toolInput`, `toolOutput`, `bir.result`, `bir.hostMeta`, `bir.rpcError`) are the recorded JSON text as it is.
 */

/** A note as it stands in the journal. */
export interface WireNote {
  kind: NoteKind;
  text: string;
  at: number;
  seq: number;
  agentId: string | null;
  source?: string;
}

export interface WireGap {
  reason: string;
  lost: number;
  at: number;
  /** Where in the run: the number that the next step or note got. */
  seq?: number;
}

/** What became known of the run since the write before. */
export interface WireRunChange {
  sessionId?: string;
  host?: Host;
  wrappedServers?: string[];
  input?: string;
  finalAnswer?: string;
  /** Totals so far. */
  hostHookCalls?: number;
  usage?: Usage;
  /** The run goes on after it was finished. */
  status?: "running";
}

/** What any write may carry along. */
export interface WireRiders {
  notes?: WireNote[];
  gaps?: WireGap[];
  run?: WireRunChange;
}

export interface RunBody {
  /** 1 to 200 characters. */
  id: string;
  input: string | null;
  metadata: {
    recorder: "baseinstrunner";
    tier: Tier;
    host: Host | null;
    wrappedServers: string[];
    /** For others: a bir takes `bir.gaps`. */
    lossy: boolean;
    gaps: { reason: string; lost: number; at: number }[];
    sessionId: string | null;
    cwd: string;
  };
  bir: WireRiders & {
    /** The `at` of `run.opened`, epoch ms. */
    startedAt: number;
  };
}

/** The part of a step that its opening tells, and updates change. */
export interface WireOpening {
  server?: string | null;
  qualifiedName?: string;
  callId?: string | null;
  join?: StepJoin | null;
  agentId?: string | null;
  hostMeta?: Record<string, unknown>;
  /** Epoch ms. */
  startedAt?: number;
  sources?: StepSource[];
  truncated?: boolean;
}

/** The part that its end tells. */
export interface WireClosing {
  status?: StepStatus;
  isError?: boolean;
  durationMs?: number | null;
  waitingMs?: number;
  legs?: number;
  progress?: number;
  truncated?: boolean;
  join?: StepJoin | null;
  rpcError?: unknown;
  /** Beside a `toolError`: the result that said so. Left out where there is none. */
  result?: unknown;
}

/** Of every row of ours. */
export interface WirePlace {
  stepId: string;
  seq: number;
  /** The event's, epoch ms. */
  at: number;
}

export interface SelectedRow {
  id: string;
  /** 2 · seq */
  stepIndex: number;
  type: "tool_selected";
  toolName: string;
  toolInput: unknown;
  context?: string;
  /** The last three only where the step was first heard of by an update. */
  bir: WirePlace & WireOpening & Pick<WireClosing, "status" | "legs" | "progress"> & WireRiders;
}

export interface ResponseRow {
  id: string;
  /** 2 · seq + 1 */
  stepIndex: number;
  type: "tool_response";
  /** Where the step has no `error` in words; exactly one of the two. */
  toolOutput?: unknown;
  /** The step's `error` in words. */
  toolError?: string;
  bir: WirePlace & WireClosing & WireRiders;
}

export interface AnswerRow {
  id: string;
  /** 2 · the next step's number. */
  stepIndex: number;
  type: "final_answer";
  finalOutput: string;
  bir: WireRiders & { at: number };
}

export type Row = SelectedRow | ResponseRow | AnswerRow;

/** The body of POST steps: a row, or, towards a bir only, up to `MAX_ROWS`, which are taken all or none. */
export type StepsBody = Row | Row[];

export const MAX_ROWS = 1000;

/** Longest id, in UTF-16 units. */
export const MAX_ID_LENGTH = 200;

/** PATCH of a row: only what changed. */
export interface PatchBody {
  toolName?: string;
  toolInput?: unknown;
  context?: string | null;
  toolOutput?: unknown;
  toolError?: string;
  bir: Partial<WirePlace> &
    WireOpening &
    WireClosing &
    WireRiders & {
      /** The write's own id, unique within the run: one that was taken changes nothing when it comes again. */
      writeId: string;
    };
}

export interface FinishBody {
  finalOutput: string | null;
  /** For others; a bir takes `bir`. */
  metrics: Record<string, unknown>;
  bir: WireRiders & {
    writeId: string;
    status: RunStatus;
    /** The `at` of `run.closed`, epoch ms. */
    at: number;
  };
}
