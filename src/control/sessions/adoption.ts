import type { RunEvent, StepClosed, StepOpened, StepUpdated } from "../../core/event.ts";
import type { RedactedText } from "../../core/redacted.ts";
import type { Owner, StepSource, StepStatus } from "../../core/run.ts";
import { type RunChange, RunWriter } from "../../record/run-writer.ts";
import { trustedText } from "../../redact/redact.ts";
import type { JournalEntry } from "../../store/entry.ts";
import { BoundRun, type RunState } from "./bound-run.ts";
import { CallRecord, type RestoredCall } from "./call-record.ts";

/**
 * Brings a run back from its events, as far as going on with it needs: its calls and how they stand, its notes' sources, its
 * next number. Payloads are not read. What is in the store was redacted when it went in.
 */

type StepEvent = StepOpened | StepUpdated | StepClosed;

/** Null where the store has not got the run. */
export function adoptRun(
  state: RunState,
  events: readonly RunEvent[],
  owner: Owner,
  write: (entry: JournalEntry) => void,
  now: number,
): BoundRun | null {
  const opened = events.find((event) => event.type === "run.opened");
  if (opened === undefined) return null;
  const changed: RunChange = {};
  const noteSources: string[] = [];
  const steps = new Map<string, StepEvent[]>();
  let closed: RunEvent | null = null;
  let nextSeq = 0;
  for (const event of events) {
    if (event.type === "run.closed") closed = event;
    else if (event.type === "run.updated") {
      if (event.status === "running") closed = null;
      Object.assign(changed, changeOf(event));
    } else if ("stepId" in event) steps.set(event.stepId, [...(steps.get(event.stepId) ?? []), event]);
    if (event.type === "note" && event.source !== undefined) noteSources.push(event.source);
    if (event.type === "note" || "stepId" in event) nextSeq = Math.max(nextSeq, event.seq + 1);
  }
  const writer = RunWriter.adopt(
    { opened: entryOf(opened), changed, nextSeq, closed: closed === null ? null : entryOf(closed) },
    write,
  );
  if (closed === null) writer.update(now, { owner });
  const calls = [...steps].flatMap(([stepId, told]) => callOf(writer, trustedText(stepId), told));
  const wrappedServers = (changed.wrappedServers ?? opened.wrappedServers) as RedactedText[];
  return new BoundRun({ ...state, isOpen: closed === null }, { writer, calls, noteSources, wrappedServers });
}

function changeOf(event: Extract<RunEvent, { type: "run.updated" }>): RunChange {
  const { v: _v, runId: _runId, seq: _seq, at: _at, type: _type, status: _status, owner: _owner, ...changed } = event;
  return changed as RunChange;
}

function entryOf(event: RunEvent): JournalEntry {
  const { v: _v, ...head } = event;
  return { head: head as JournalEntry["head"], payload: null };
}

function callOf(writer: RunWriter, stepId: RedactedText, events: readonly StepEvent[]): CallRecord[] {
  const opened = events.find((event) => event.type === "step.opened");
  if (opened === undefined) return [];
  const known: Omit<RestoredCall, "sources"> & { sources: StepSource[] } = {
    callId: opened.callId as RedactedText | null,
    qualifiedName: trustedText(opened.qualifiedName),
    server: opened.server as RedactedText | null,
    tool: trustedText(opened.tool),
    startedAt: opened.startedAt,
    agentId: opened.agentId as RedactedText | null,
    join: opened.join,
    status: "running" as StepStatus,
    hasContext: opened.context != null,
    sources: opened.sources,
  };
  for (const event of events) {
    if (event.type === "step.closed") {
      known.status = event.status;
      known.join = event.join ?? known.join;
    } else if (event.type === "step.updated") {
      const { callId, server, tool, startedAt, agentId, join, context, sources } = event;
      if (context != null) known.hasContext = true;
      const changes = { callId, server, tool, startedAt, agentId, join, sources };
      for (const [key, value] of Object.entries(changes))
        if (value !== undefined) Object.assign(known, { [key]: value });
    }
  }
  return [CallRecord.restore(writer, { stepId, seq: opened.seq }, known)];
}
