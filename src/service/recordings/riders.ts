import type { CheckedRiders } from "../../core/api/recordings.ts";
import type { RedactedText } from "../../core/redacted.ts";
import type { EventHead } from "../../store/entry.ts";
import type { Batch } from "./batch.ts";
import { recordedOrNull, recordedText } from "./contents.ts";
import type { RunState } from "./run-state.ts";

/** What happened in a run since the write before and has no row of its own: put into the journal as the sender's journal has it. */

type RunUpdated = Extract<EventHead, { type: "run.updated" }>;
type RunChange = NonNullable<CheckedRiders["run"]>;

export function takeRiders(batch: Batch, run: RunState, riders: CheckedRiders | undefined, at: number): void {
  if (riders === undefined) return;
  const { runId } = run;
  if (riders.run !== undefined) updateRun(batch, run, changeOf(riders.run), at);
  for (const { kind, text, at, seq, agentId, source } of riders.notes ?? []) {
    const note = { kind, text: recordedText(text), agentId: recordedOrNull(agentId) };
    const from: { source?: RedactedText } = source === undefined ? {} : { source: recordedText(source) };
    batch.tell(run, { type: "note", runId, seq: run.take(seq), at, ...note, ...from });
  }
  for (const { reason, lost, at, seq } of riders.gaps ?? []) {
    batch.tell(run, { type: "gap", runId, seq: seq ?? run.nextSeq, at, reason: recordedText(reason), lost });
  }
}

/** Tells what became known of a run. */
export function updateRun(batch: Batch, run: RunState, change: Partial<RunUpdated>, at: number): void {
  if (change.status === "running") run.isOpen = true;
  batch.tell(run, { ...change, type: "run.updated", runId: run.runId, seq: run.nextSeq, at });
}

function changeOf({ sessionId, host, wrappedServers, input, finalAnswer, ...rest }: RunChange): Partial<RunUpdated> {
  const { hostHookCalls, usage, status } = rest;
  return {
    ...(sessionId !== undefined && { sessionId: recordedText(sessionId) }),
    ...(host !== undefined && { host: { app: recordedText(host.app), version: recordedOrNull(host.version) } }),
    ...(wrappedServers !== undefined && { wrappedServers: wrappedServers.map(recordedText) }),
    ...(input !== undefined && { input: recordedText(input) }),
    ...(finalAnswer !== undefined && { finalAnswer: recordedText(finalAnswer) }),
    ...(hostHookCalls !== undefined && { hostHookCalls }),
    ...(usage !== undefined && { usage }),
    ...(status !== undefined && { status }),
  };
}
