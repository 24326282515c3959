import type {
  GapEntry,
  Host,
  NoteKind,
  Owner,
  RunStatus,
  StepJoin,
  StepSource,
  StepStatus,
  Tier,
  Usage,
} from "./run.ts";

/**
 * The journal's events: the truth that runs and steps are folded from. A stored event is one row
 * (`run_id`, `seq`, `type`, `at`, `body`); `body` is the JSON text of the fields below that are not columns.
 */

/** Version of the event shapes; raised when an old reader could misread a new event. */
export const EVENT_VERSION = 1;

interface EventBase {
  v: number;
  runId: string;
  /**
   * Order of allocation in the run. A step's and a note's own number; every event of a step repeats it. Events of the
   * run itself carry the number the next step or note will get: where in the run they happened.
   */
  seq: number;
  /** Epoch ms. */
  at: number;
}

export interface RunOpened extends EventBase {
  type: "run.opened";
  tier: Tier;
  cwd: string;
  owner: Owner;
  sessionId: string | null;
  host: Host | null;
  wrappedServers: string[];
}

/** Only the fields that changed. */
export interface RunUpdated extends EventBase {
  type: "run.updated";
  sessionId?: string;
  host?: Host;
  wrappedServers?: string[];
  input?: string;
  finalAnswer?: string;
  /** Total so far. */
  hostHookCalls?: number;
  /** Total so far. */
  usage?: Usage;
  /** Another process goes on with the run. */
  owner?: Owner;
  /** `running`: the run goes on after it was closed. */
  status?: "running";
}

export interface RunClosed extends EventBase {
  type: "run.closed";
  status: RunStatus;
}

export interface StepOpened extends EventBase {
  type: "step.opened";
  stepId: string;
  sources: StepSource[];
  server: string | null;
  tool: string;
  qualifiedName: string;
  args: unknown;
  callId: string | null;
  join: StepJoin | null;
  agentId: string | null;
  hostMeta: Record<string, unknown>;
  startedAt: number;
  /** What the model thought or said before the call. */
  context?: string | null;
  truncated: boolean;
}

/** Only the fields that changed. */
export interface StepUpdated extends EventBase {
  type: "step.updated";
  stepId: string;
  legs?: number;
  progress?: number;
  status?: StepStatus;
  sources?: StepSource[];
  server?: string | null;
  tool?: string;
  qualifiedName?: string;
  callId?: string | null;
  join?: StepJoin | null;
  agentId?: string | null;
  hostMeta?: Record<string, unknown>;
  startedAt?: number;
  context?: string | null;
  truncated?: boolean;
  args?: unknown;
}

export interface StepClosed extends EventBase {
  type: "step.closed";
  stepId: string;
  status: StepStatus;
  isError: boolean;
  error: string | null;
  rpcError: unknown;
  result: unknown;
  durationMs: number | null;
  waitingMs: number;
  legs: number;
  progress: number;
  truncated: boolean;
  /** Set where which answer ended the call is not certain. */
  join: StepJoin | null;
}

export interface Note extends EventBase {
  type: "note";
  kind: NoteKind;
  text: string;
  agentId: string | null;
  /** Which row of a transcript it was read from; a row that is read again makes no second note. */
  source?: string;
}

export interface Gap extends EventBase {
  type: "gap";
  reason: string;
  lost: number;
}

export type RunEvent = RunOpened | RunUpdated | RunClosed | StepOpened | StepUpdated | StepClosed | Note | Gap;

export type RunEventType = RunEvent["type"];

/** The gap as a run lists it. */
export function gapEntry(gap: Gap): GapEntry {
  return { reason: gap.reason, lost: gap.lost, at: gap.at };
}
