import type { RunEvent, StepClosed, StepOpened, StepUpdated } from "../../core/event.ts";
import { stringifyExact } from "../../core/exact-json.ts";
import type { RedactedJson, RedactedText } from "../../core/redacted.ts";
import type { Owner, StepSource, StepStatus } from "../../core/run.ts";
import { type RunChange, RunWriter } from "../../record/run-writer.ts";
import { trustedJson, trustedText } from "../../redact/redact.ts";
import type { JournalEntry } from "../../store/entry.ts";
import { BoundRun, type RunState } from "./bound-run.ts";
import { CallRecord, type OutcomeKeeper, type RestoredCall } from "./calls/call-record.ts";
import type { RunServices } from "./services.ts";
import type { KnownNote } from "./words.ts";

/**
 * Brings a run back from its events, as far as going on with it needs: its calls and how they stand, what was said, its next
 * number. What is in the store was redacted when it went in.
 */

type StepEvent = StepOpened | StepUpdated | StepClosed;

/** Who goes on with the run, and when (epoch ms). */
export interface Adopter {
  owner: Owner;
  now: number;
}

/** `events`: of the run, of payloads only the arguments that tell calls apart. Null where the store has not got the run. */
export function adoptRun(
  state: RunState,
  sessionKey: string,
  events: readonly RunEvent[],
  { write, outcomes }: RunServices,
  { owner, now }: Adopter,
): BoundRun | null {
  const opened = events.find((event) => event.type === "run.opened");
  if (opened === undefined) return null;
  const changed: RunChange = {};
  const notes: KnownNote[] = [];
  const steps = new Map<string, StepEvent[]>();
  let closed: RunEvent | null = null;
  let nextSeq = 0;
  for (const event of events) {
    if (event.type === "run.closed") closed = event;
    else if (event.type === "run.updated") {
      if (event.status === "running") closed = null;
      Object.assign(changed, changeOf(event));
    } else if (event.type === "note") notes.push(noteOf(event));
    else if ("stepId" in event) steps.set(event.stepId, [...(steps.get(event.stepId) ?? []), event]);
    if (event.type === "note" || "stepId" in event) nextSeq = Math.max(nextSeq, event.seq + 1);
  }
  const ends = closed === null ? null : entryOf(closed);
  const writer = RunWriter.adopt({ opened: entryOf(opened), changed, nextSeq, closed: ends, owner }, now, write);
  const keeper = outcomes.keeperOf(sessionKey, state.id);
  const calls = [...steps].flatMap(([stepId, told]) => callOf(writer, keeper, trustedText(stepId), told));
  const wrappedServers = (changed.wrappedServers ?? opened.wrappedServers) as RedactedText[];
  const closedAt = closed?.at ?? null;
  const parts = { writer, keeper, calls, notes, wrappedServers, input: changed.input ?? null };
  return new BoundRun({ ...state, closedAt }, parts);
}

function changeOf(event: Extract<RunEvent, { type: "run.updated" }>): RunChange {
  const { v: _v, runId: _runId, seq: _seq, at: _at, type: _type, status: _status, ...changed } = event;
  return changed as RunChange;
}

function noteOf({ kind, text, agentId, source, at }: Extract<RunEvent, { type: "note" }>): KnownNote {
  const note = { kind, text: trustedText(text), agentId: agentId as RedactedText | null, at };
  return source === undefined ? note : { ...note, source: trustedText(source) };
}

function entryOf(event: RunEvent): JournalEntry {
  const { v: _v, ...head } = event;
  return { head: head as JournalEntry["head"], payload: null };
}

function callOf(
  writer: RunWriter,
  keeper: OutcomeKeeper,
  stepId: RedactedText,
  events: readonly StepEvent[],
): CallRecord[] {
  const opened = events.find((event) => event.type === "step.opened");
  if (opened === undefined) return [];
  const known: Omit<RestoredCall, "sources"> & { sources: StepSource[] } = {
    callId: opened.callId as RedactedText | null,
    qualifiedName: trustedText(opened.qualifiedName),
    server: opened.server as RedactedText | null,
    tool: trustedText(opened.tool),
    args: argsOf(opened.args),
    startedAt: opened.startedAt,
    endedAt: null,
    agentId: opened.agentId as RedactedText | null,
    join: opened.join,
    status: "running" as StepStatus,
    hasContext: opened.context != null,
    argsBy: opened.truncated ? null : (opened.sources[0] ?? null),
    sources: opened.sources,
  };
  for (const event of events) {
    if (event.type === "step.closed") {
      known.status = event.status;
      known.endedAt ??= event.at;
      known.join = event.join ?? known.join;
    } else if (event.type === "step.updated") {
      const { callId, server, tool, startedAt, agentId, join, context, sources, args } = event;
      if (context != null) known.hasContext = true;
      // The proxy's or the transcript's: of these only the model's own are newer.
      if (args !== undefined) Object.assign(known, { args: argsOf(args), argsBy: "proxy" });
      const changes = { callId, server, tool, startedAt, agentId, join, sources };
      for (const [key, value] of Object.entries(changes))
        if (value !== undefined) Object.assign(known, { [key]: value });
    }
  }
  return [CallRecord.restore(writer, keeper, { stepId, seq: opened.seq }, known)];
}

function argsOf(args: unknown): RedactedJson | null {
  return args === null ? null : trustedJson(stringifyExact(args));
}
