/** The vocabulary of a recorded run. Pure types; also used by readers in a browser. */

/** bound: a daemon owns the run. standalone: the proxy owns it. */
export type Tier = "bound" | "standalone";

export type RunStatus = "running" | "completed" | "failed" | "interrupted" | "abandoned";

/** `lost`: the call was seen, its outcome was not. */
export type StepStatus = "running" | "ok" | "error" | "cancelled" | "denied" | "lost";

/** How a call on the wire was joined to the host's own report of it. */
export type StepJoin = "host-id" | "injected-id" | "fingerprint" | "ambiguous";

/** Who told of a call. `transcript`: only what the host wrote down; no hook ran, or none was heard. */
export type StepSource = "proxy" | "hook" | "transcript";

export type NoteKind = "text" | "thought" | "permission" | "plan" | "interrupt" | "compact" | "warning";

/** The application a person uses, as it names itself. */
export interface Host {
  app: string;
  version: string | null;
}

/** The process that writes a run. A run whose owner is gone reads as `abandoned`. */
export interface Owner {
  pid: number;
  /** Start time of that process as its system tells it; guards against a recycled pid. */
  startedAt: string;
}

/** Something that could not be recorded: how many, why, and when (epoch ms). */
export interface GapEntry {
  reason: string;
  lost: number;
  at: number;
}

export interface NoteEntry {
  kind: NoteKind;
  text: string;
  at: number;
  seq: number;
  agentId: string | null;
}

/** Tokens of all the model's answers in a run, as the model's API counts them: what came from a cache stands apart. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
}

/** What stands in for a payload larger than the capture bound. `head` and `tail` are redacted text. */
export interface TruncatedPayload {
  truncated: true;
  originalBytes: number;
  head: string;
  tail: string;
}

/** One tool call. */
export interface Step {
  id: string;
  /** Position by (`startedAt`, `seq`); may shift until the run closes. */
  index: number;
  /** Order of allocation in the run; never changes. */
  seq: number;
  sources: StepSource[];
  server: string | null;
  tool: string;
  qualifiedName: string;
  args: unknown;
  result: unknown;
  isError: boolean;
  /** In words: the text of an error result, or the message of a JSON-RPC error. */
  error: string | null;
  /** The JSON-RPC error that answered the call, whole; `result` is null then. */
  rpcError: unknown;
  status: StepStatus;
  callId: string | null;
  join: StepJoin | null;
  agentId: string | null;
  /** The host's own ids as found in the call's `_meta`. */
  hostMeta: Record<string, unknown>;
  /** Epoch ms. */
  startedAt: number;
  durationMs: number | null;
  context: string | null;
  /** Request and answer pairs that made up the call; more than one for a multi-round call. */
  legs: number;
  /** Part of `durationMs` in which the server waited for the host's input between legs. */
  waitingMs: number;
  /** Progress notifications seen for the call. */
  progress: number;
  truncated: boolean;
}

/** What `run list` tells of a run: everything but its steps and notes. */
export interface RunSummary {
  id: string;
  sessionId: string | null;
  host: Host | null;
  tier: Tier;
  cwd: string;
  input: string | null;
  finalAnswer: string | null;
  status: RunStatus;
  startedAt: number;
  endedAt: number | null;
  lossy: boolean;
  gaps: GapEntry[];
  wrappedServers: string[];
  usage: Usage | null;
  /** Calls that a host made for its own hooks; counted, not recorded as steps. */
  hostHookCalls: number;
}

/** One recorded run, as `bir run show ID --json` prints it. */
export interface Run extends RunSummary {
  notes: NoteEntry[];
  steps: Step[];
}
