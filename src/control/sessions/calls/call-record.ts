import type { RedactedJson, RedactedText } from "../../../core/redacted.ts";
import type { StepJoin, StepSource, StepStatus } from "../../../core/run.ts";
import type { RunWriter, StepChange, StepPlace } from "../../../record/run-writer.ts";
import { markOf } from "./arguments-mark.ts";
import {
  ARGUMENTS,
  type CallEnded,
  type CallSeen,
  endOf,
  LOST,
  OUTCOME,
  START,
  START_GUESSED,
  type Teller,
  type Witness,
} from "./call-told.ts";

/**
 * One call, as everybody who saw it told: the proxy what was on the wire, a hook what the host knows, the transcript what
 * the model wrote. Keeps what is best of it by now and writes what is new.
 */

/** Keeps outcomes that wait for a better one, so that they are not lost with this server. */
export interface OutcomeKeeper {
  keep(stepId: RedactedText, ended: CallEnded): void;
  drop(stepId: RedactedText): void;
}

/** Of outcomes that wait, the best first. */
const WAITING: readonly Witness[] = ["hook", "transcript", "batch"];

export interface RestoredCall {
  callId: RedactedText | null;
  qualifiedName: RedactedText;
  server: RedactedText | null;
  tool: RedactedText;
  args: RedactedJson | null;
  startedAt: number;
  /** Null while it runs. */
  endedAt: number | null;
  agentId: RedactedText | null;
  join: StepJoin | null;
  status: StepStatus;
  hasContext: boolean;
  /** Who told of its arguments; null where they are not whole. */
  argsBy: Teller | null;
  sources: StepSource[];
}

export class CallRecord {
  readonly place: StepPlace;
  readonly #writer: RunWriter;
  readonly #keeper: OutcomeKeeper;
  readonly #tellers = new Set<Teller>();
  readonly #waiting = new Map<Witness, CallEnded>();
  callId: RedactedText | null;
  qualifiedName: RedactedText;
  server: RedactedText | null;
  tool: RedactedText;
  startedAt: number;
  agentId: RedactedText | null;
  join: StepJoin | null;
  status: StepStatus;
  /** When its end was told first; null while it runs. Epoch ms. */
  endedAt: number | null;
  argsHash: string | null = null;
  #argsMark: string | null;
  /** Of all the forms in which the arguments were told: another hook may have rewritten them on the way. */
  readonly #marks = new Set<string>();
  #argsRank = 0;
  #startRank = 0;
  /** When the model had made the call, and when it had started at the latest; epoch ms. */
  #madeAt = 0;
  #startLimit = Number.POSITIVE_INFINITY;
  #outcomeRank = 0;
  /** The proxy has told all that it will. */
  #hasEndedOnWire = false;
  #hasContext: boolean;

  private constructor(place: StepPlace, writer: RunWriter, keeper: OutcomeKeeper, known: RestoredCall) {
    this.place = place;
    this.#writer = writer;
    this.#keeper = keeper;
    this.callId = known.callId;
    this.qualifiedName = known.qualifiedName;
    this.server = known.server;
    this.tool = known.tool;
    this.startedAt = known.startedAt;
    this.endedAt = known.endedAt;
    this.agentId = known.agentId;
    this.join = known.join;
    this.status = known.status;
    this.#hasContext = known.hasContext;
    this.#argsMark = markOf(known.args);
    if (this.#argsMark !== null) this.#marks.add(this.#argsMark);
    for (const source of known.sources) this.#tellers.add(source);
  }

  /** A call that is told of for the first time. */
  static open(
    writer: RunWriter,
    keeper: OutcomeKeeper,
    stepId: RedactedText,
    seen: CallSeen,
    teller: Teller,
  ): CallRecord {
    const { args, argsHash, context, isStartGuessed, ...opening } = seen;
    const rest = context === null ? {} : { context };
    const place = writer.openStep({ ...opening, ...rest, stepId, sources: [teller], join: null }, args);
    const known = { ...opening, args, argsBy: null, endedAt: null, join: null, status: "running" as const };
    const call = new CallRecord(place, writer, keeper, { ...known, hasContext: context !== null, sources: [teller] });
    call.#argsRank = args === null || seen.truncated ? 0 : ARGUMENTS[teller];
    call.#startRank = isStartGuessed ? START_GUESSED : START[teller];
    if (teller === "transcript") call.#madeAt = seen.startedAt;
    call.argsHash = argsHash;
    return call;
  }

  /** A call that is in the store. */
  static restore(writer: RunWriter, keeper: OutcomeKeeper, place: StepPlace, known: RestoredCall): CallRecord {
    const call = new CallRecord(place, writer, keeper, known);
    const best = (rank: Record<Teller, number>) => Math.max(0, ...known.sources.map((source) => rank[source]));
    call.#startRank = best(START);
    call.#argsRank = known.argsBy === null ? 0 : ARGUMENTS[known.argsBy];
    // Who told of its end is not known any more, but that a proxy tells once. What is read of a transcript again is no better.
    const hasProxy = known.sources.includes("proxy");
    if (known.status === "lost") call.#outcomeRank = LOST;
    else if (known.status !== "running") call.#outcomeRank = hasProxy ? OUTCOME.proxy : OUTCOME.transcript;
    return call;
  }

  /** It is in the store, and its proxy has not told of its end. */
  runsOnWire(): void {
    this.#outcomeRank = Math.min(this.#outcomeRank, OUTCOME.transcript);
  }

  /** How it ended is written. */
  get isClosed(): boolean {
    return this.#outcomeRank > 0;
  }

  /** Somebody told how it ended, written or not. */
  get isEnded(): boolean {
    return this.endedAt !== null;
  }

  /** True once both the wire and the host told of it. */
  get isJoined(): boolean {
    return this.#tellers.has("proxy") && (this.#tellers.has("hook") || this.#tellers.has("transcript"));
  }

  get isStartGuessed(): boolean {
    return this.#startRank === START_GUESSED;
  }

  has(teller: Teller): boolean {
    return this.#tellers.has(teller);
  }

  /** An outcome was told that is not written yet, because a better one may come. */
  get isHeldBack(): boolean {
    return this.#waiting.size > 0;
  }

  /** Equal arguments for the same tool. */
  isSameCall(seen: Pick<CallSeen, "server" | "tool" | "qualifiedName" | "args" | "argsHash">): boolean {
    if (!(seen.qualifiedName === this.qualifiedName || (seen.server === this.server && seen.tool === this.tool))) {
      return false;
    }
    if (seen.argsHash !== null && this.argsHash !== null) return seen.argsHash === this.argsHash;
    const mark = markOf(seen.args);
    return mark !== null && this.#marks.has(mark);
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
    const isNamedBetter = teller === "proxy" || (teller === "hook" && !this.#tellers.has("proxy"));
    if (isNamedBetter && seen.server !== null && (seen.server !== this.server || seen.tool !== this.tool)) {
      Object.assign(changed, { server: seen.server, tool: seen.tool });
      this.server = seen.server;
      this.tool = seen.tool;
    }
    if (teller === "proxy" && seen.hostMeta !== null && before.length !== this.sources.length) {
      changed.hostMeta = seen.hostMeta;
    }
    if (!this.#hasContext && seen.context !== null) {
      changed.context = seen.context;
      this.#hasContext = true;
    }
    if (seen.truncated) changed.truncated = true;
    this.#learnStart(seen, teller, changed);
    const args = this.#betterArguments(seen, teller);
    this.argsHash ??= seen.argsHash;
    if (args !== null || Object.keys(changed).length > 0) this.#writer.updateStep(this.place, at, changed, args);
  }

  /** Somebody told when it started, not only when it was made. */
  get isStartTold(): boolean {
    return this.#startRank >= START.hook;
  }

  /** Another one came before it, at that time (epoch ms). What was told of its own start stands. */
  notStartedBefore(limit: number): void {
    if (this.isStartTold || Math.floor(this.startedAt) >= Math.floor(limit)) return;
    this.startedAt = limit;
    this.#writer.updateStep(this.place, limit, { startedAt: Math.floor(limit) });
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

  /** How the call ended, by this witness. Written unless one who knows better has told, or is waited for. */
  end(ended: CallEnded, witness: Witness, isBetterExpected = false): void {
    this.endedAt ??= ended.endedAt;
    const rank = ended.status === "lost" ? LOST : OUTCOME[witness];
    if (witness === "proxy") this.#hasEndedOnWire = true;
    if (rank <= this.#outcomeRank) return;
    if (isBetterExpected && !(witness === "hook" && this.#hasEndedOnWire)) {
      this.#waiting.set(witness, ended);
      // What the transcript told can be read again.
      if (witness !== "transcript") this.#keeper.keep(this.place.stepId, ended);
      return;
    }
    if (this.#waiting.size > 0) this.#keeper.drop(this.place.stepId);
    this.#waiting.clear();
    this.#outcomeRank = rank;
    this.status = ended.status;
    const { result, endedAt, durationMs, ...closing } = ended;
    const took = durationMs ?? (witness === "hook" ? this.#duration(ended) : null);
    this.#writer.closeStep(this.place, endedAt, { ...closing, durationMs: took }, result);
  }

  /** Nothing better is waited for any more: writes the best outcome that was told. */
  settle(): void {
    for (const witness of WAITING) {
      const ended = this.#waiting.get(witness);
      if (ended === undefined) continue;
      this.#waiting.delete(witness);
      this.#keeper.drop(this.place.stepId);
      this.end(ended, witness);
    }
  }

  /** How it ended will not be heard of any more. */
  lose(at: number, status: "lost" | "cancelled"): void {
    if (this.isClosed) return;
    this.end(endOf({ status, endedAt: at }), "transcript");
  }

  /** In a fixed order, so that the same call reads the same whoever was first. */
  get sources(): StepSource[] {
    const sources: StepSource[] = [];
    if (this.#tellers.has("proxy")) sources.push("proxy");
    if (this.#tellers.has("hook")) sources.push("hook");
    else if (this.#tellers.has("transcript")) sources.push("transcript");
    return sources;
  }

  /** Between the hook before the call and the one after it, where the host tells no duration. */
  #duration({ status, endedAt }: CallEnded): number | null {
    const isKnown = this.#startRank === START.hook && (status === "ok" || status === "error");
    return isKnown ? Math.max(0, Math.floor(endedAt) - Math.floor(this.startedAt)) : null;
  }

  #learnStart(seen: CallSeen, teller: Teller, changed: StepChange): void {
    if (teller === "transcript") this.#madeAt = seen.startedAt;
    const rank = seen.isStartGuessed ? START_GUESSED : START[teller];
    if (rank <= this.#startRank) return;
    this.#startRank = rank;
    const startedAt = rank === START.proxy ? seen.startedAt : Math.min(seen.startedAt, this.#startLimit);
    if (Math.floor(startedAt) !== Math.floor(this.startedAt)) changed.startedAt = Math.floor(startedAt);
    this.startedAt = startedAt;
  }

  #betterArguments(seen: CallSeen, teller: Teller): RedactedJson | null {
    if (seen.args === null || seen.truncated) return null;
    const mark = markOf(seen.args);
    if (mark !== null) this.#marks.add(mark);
    if (ARGUMENTS[teller] <= this.#argsRank) return null;
    this.#argsRank = ARGUMENTS[teller];
    if (mark === this.#argsMark) return null;
    this.#argsMark = mark;
    return seen.args;
  }
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
