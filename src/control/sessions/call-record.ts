import type { RedactedJson, RedactedText } from "../../core/redacted.ts";
import type { StepJoin, StepSource, StepStatus } from "../../core/run.ts";
import type { RunWriter, StepChange, StepClosing, StepPlace } from "../../record/run-writer.ts";

/**
 * One call, as everybody who saw it told: the proxy what was on the wire, a hook what the host knows, the transcript what
 * the model wrote. Each is the best witness of something, whatever the order in which they speak:
 *
 * - arguments: the transcript (what the model wrote), then the proxy, then a hook (another hook may have rewritten them);
 * - start: the proxy, then a hook that knows how long the call took, then the transcript;
 * - outcome: the proxy (the upstream's real result), then a hook, then the transcript.
 */

export type Teller = "proxy" | "hook" | "transcript";

/** What a teller knows of a call. Times are epoch ms with fractions. */
export interface CallSeen {
  callId: RedactedText | null;
  qualifiedName: RedactedText;
  server: RedactedText | null;
  tool: RedactedText;
  args: RedactedJson | null;
  /** HMAC of the raw arguments, where the teller had to make one. */
  argsHash: string | null;
  startedAt: number;
  /** `startedAt` is when the call was over: how long it took is not known. */
  isStartUnknown: boolean;
  agentId: RedactedText | null;
  context: RedactedText | null;
  hostMeta: RedactedJson | null;
  truncated: boolean;
}

/** How a call ended. A closing's `join` says whether which answer ended it is certain. */
export interface CallEnded extends StepClosing {
  result: RedactedJson | null;
  endedAt: number;
}

type Rank = Record<Teller, number>;
const ARGUMENTS: Rank = { transcript: 3, proxy: 2, hook: 1 };
const START: Rank = { proxy: 3, hook: 2, transcript: 1 };
const UNKNOWN_START = 0.5;
/** Knowing that a call's end was not seen is less than any word of its end. */
const LOST = 0.5;
const OUTCOME: Rank = { proxy: 3, hook: 2, transcript: 1 };

export interface RestoredCall {
  callId: RedactedText | null;
  qualifiedName: RedactedText;
  server: RedactedText | null;
  tool: RedactedText;
  startedAt: number;
  agentId: RedactedText | null;
  join: StepJoin | null;
  status: StepStatus;
  hasContext: boolean;
  sources: StepSource[];
}

export class CallRecord {
  readonly place: StepPlace;
  readonly #writer: RunWriter;
  readonly #tellers = new Set<Teller>();
  readonly #outcomes = new Map<Teller, CallEnded>();
  callId: RedactedText | null;
  qualifiedName: RedactedText;
  server: RedactedText | null;
  tool: RedactedText;
  startedAt: number;
  agentId: RedactedText | null;
  join: StepJoin | null;
  status: StepStatus;
  /** When its end was told first; null while it runs. Epoch ms. */
  endedAt: number | null = null;
  argsHash: string | null = null;
  #argsMark: string | null = null;
  #argsRank = 0;
  #startRank = 0;
  /** When the model had made the call, and when it had started at the latest; epoch ms. */
  #madeAt = 0;
  #startLimit = Number.POSITIVE_INFINITY;
  #outcomeRank = 0;
  #hasContext: boolean;

  private constructor(place: StepPlace, writer: RunWriter, known: RestoredCall) {
    this.place = place;
    this.#writer = writer;
    this.callId = known.callId;
    this.qualifiedName = known.qualifiedName;
    this.server = known.server;
    this.tool = known.tool;
    this.startedAt = known.startedAt;
    this.agentId = known.agentId;
    this.join = known.join;
    this.status = known.status;
    this.#hasContext = known.hasContext;
    for (const source of known.sources) this.#tellers.add(source);
  }

  /** A call that is told of for the first time. */
  static open(writer: RunWriter, stepId: RedactedText, seen: CallSeen, teller: Teller): CallRecord {
    const { args, argsHash, context, isStartUnknown, ...opening } = seen;
    const rest = context === null ? {} : { context };
    const place = writer.openStep({ ...opening, ...rest, stepId, sources: [teller], join: null }, args);
    const known = { ...opening, join: null, status: "running" as const, hasContext: context !== null };
    const call = new CallRecord(place, writer, { ...known, sources: [teller] });
    call.#argsMark = markOf(args);
    call.#argsRank = args === null ? 0 : ARGUMENTS[teller];
    call.#startRank = isStartUnknown ? UNKNOWN_START : START[teller];
    if (teller === "transcript") call.#madeAt = seen.startedAt;
    call.argsHash = argsHash;
    return call;
  }

  /** A call that is in the store. Who told of its arguments last is not known any more: only the model's own are newer. */
  static restore(writer: RunWriter, place: StepPlace, known: RestoredCall): CallRecord {
    const call = new CallRecord(place, writer, known);
    const ranks = (rank: Rank) => Math.max(0, ...known.sources.map((source) => rank[source]));
    call.#startRank = ranks(START);
    call.#argsRank = Math.min(ranks(ARGUMENTS), ARGUMENTS.proxy);
    if (known.status !== "running") {
      call.#outcomeRank = known.status === "lost" ? LOST : ranks(OUTCOME);
      call.endedAt = known.startedAt;
    }
    return call;
  }

  /** How it ended is written down. */
  get isClosed(): boolean {
    return this.#outcomeRank > LOST;
  }

  /** Somebody told how it ended, written or not. */
  get isEnded(): boolean {
    return this.endedAt !== null;
  }

  /** True once both the wire and the host told of it. */
  get isJoined(): boolean {
    return this.#tellers.has("proxy") && (this.#tellers.has("hook") || this.#tellers.has("transcript"));
  }

  has(teller: Teller): boolean {
    return this.#tellers.has(teller);
  }

  /** An outcome was told that is not written yet, because a better one may come. */
  get isHeldBack(): boolean {
    return !this.isClosed && this.#outcomes.size > 0;
  }

  isSameCall(seen: Pick<CallSeen, "server" | "tool" | "qualifiedName" | "args" | "argsHash">): boolean {
    if (!(seen.qualifiedName === this.qualifiedName || (seen.server === this.server && seen.tool === this.tool))) {
      return false;
    }
    if (seen.argsHash !== null && this.argsHash !== null) return seen.argsHash === this.argsHash;
    return this.#argsMark !== null && this.#argsMark === markOf(seen.args);
  }

  /** Takes in what a teller knows of the call; writes what is new in it. `how`: what joined the teller's word to the call. */
  learn(seen: CallSeen, teller: Teller, at: number, how: StepJoin): void {
    const before = this.sources;
    this.#tellers.add(teller);
    const changed: StepChange = {};
    if (!sameList(before, this.sources)) changed.sources = this.sources;
    const join = this.join === "ambiguous" || !this.isJoined ? this.join : how;
    if (join !== this.join) {
      changed.join = join;
      this.join = join;
    }
    if (this.callId === null && seen.callId !== null) {
      changed.callId = seen.callId;
      this.callId = seen.callId;
    }
    if (this.agentId === null && seen.agentId !== null) {
      changed.agentId = seen.agentId;
      this.agentId = seen.agentId;
    }
    // A host spells a server's name in the tool's; how it is really called only a hook of a newer host and the proxy know.
    if (teller !== "transcript" && seen.server !== null && seen.server !== this.server) {
      Object.assign(changed, { server: seen.server, tool: seen.tool });
      this.server = seen.server;
      this.tool = seen.tool;
    }
    if (teller === "proxy" && seen.hostMeta !== null) changed.hostMeta = seen.hostMeta;
    if (!this.#hasContext && seen.context !== null) {
      changed.context = seen.context;
      this.#hasContext = true;
    }
    if (seen.truncated) changed.truncated = true;
    if (teller === "transcript") this.#madeAt = seen.startedAt;
    const startRank = seen.isStartUnknown ? UNKNOWN_START : START[teller];
    if (startRank > this.#startRank) {
      this.#startRank = startRank;
      const startedAt = startRank === START.proxy ? seen.startedAt : Math.min(seen.startedAt, this.#startLimit);
      if (Math.floor(startedAt) !== Math.floor(this.startedAt)) changed.startedAt = Math.floor(startedAt);
      this.startedAt = startedAt;
    }
    const args = this.#betterArguments(seen, teller);
    this.argsHash ??= seen.argsHash;
    if (args !== null || Object.keys(changed).length > 0) this.#writer.updateStep(this.place, at, changed, args);
  }

  /** It had started by then (epoch ms): a hook's word of it comes late. What the wire saw stands. */
  startedBy(limit: number): void {
    const latest = Math.max(limit, this.#madeAt);
    this.#startLimit = Math.min(this.#startLimit, latest);
    if (this.#startRank >= START.proxy || this.startedAt <= latest) return;
    this.startedAt = latest;
    this.#writer.updateStep(this.place, latest, { startedAt: Math.floor(latest) });
  }

  /** Which of several calls this is cannot be told. */
  markAmbiguous(at: number): void {
    if (this.join === "ambiguous") return;
    this.join = "ambiguous";
    this.#writer.updateStep(this.place, at, { join: "ambiguous" });
  }

  /** How the call ended, by this teller. Written unless one who knows better has told, or is waited for. */
  end(ended: CallEnded, teller: Teller, isBetterExpected = false): void {
    this.endedAt ??= ended.endedAt;
    // A proxy that lost sight of a call knows less of its end than anybody.
    const rank = ended.status === "lost" ? LOST : OUTCOME[teller];
    if (rank <= this.#outcomeRank) return;
    if (isBetterExpected) {
      this.#outcomes.set(teller, ended);
      return;
    }
    this.#outcomes.clear();
    this.#outcomeRank = rank;
    this.status = ended.status;
    const { result, endedAt, ...closing } = ended;
    this.#writer.closeStep(this.place, endedAt, closing, result);
  }

  /** Nothing better is waited for any more: writes the best outcome that was told. */
  settle(): void {
    for (const teller of ["hook", "transcript"] as const) {
      const ended = this.#outcomes.get(teller);
      if (ended !== undefined && !this.isClosed) this.end(ended, teller);
    }
    this.#outcomes.clear();
  }

  /** How it ended will not be heard of any more. */
  lose(at: number, status: "lost" | "cancelled"): void {
    if (this.isClosed) return;
    const durationMs = null;
    const rest = { isError: false, error: null, rpcError: null, waitingMs: 0, legs: 1, progress: 0, truncated: false };
    this.end({ status, result: null, endedAt: at, durationMs, join: null, ...rest }, "transcript");
  }

  /** In a fixed order, so that the same call reads the same whoever was first. */
  get sources(): StepSource[] {
    const sources: StepSource[] = [];
    if (this.#tellers.has("proxy")) sources.push("proxy");
    if (this.#tellers.has("hook")) sources.push("hook");
    else if (this.#tellers.has("transcript")) sources.push("transcript");
    return sources;
  }

  #betterArguments(seen: CallSeen, teller: Teller): RedactedJson | null {
    if (seen.args === null || seen.truncated || ARGUMENTS[teller] <= this.#argsRank) return null;
    this.#argsRank = ARGUMENTS[teller];
    const mark = markOf(seen.args);
    if (mark === this.#argsMark) return null;
    this.#argsMark = mark;
    return seen.args;
  }
}

/** Equal for equal JSON values, whatever their spelling. */
function markOf(json: RedactedJson | null): string | null {
  if (json === null) return null;
  try {
    return Bun.hash(JSON.stringify(JSON.parse(json), sortedKeys)).toString(36);
  } catch {
    return Bun.hash(json).toString(36);
  }
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
