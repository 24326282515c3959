import type { CheckedPatch } from "../../core/api/recordings.ts";
import { stringifyExact } from "../../core/exact-json.ts";
import type { RedactedJson, RedactedText } from "../../core/redacted.ts";
import type { KnownWrite } from "../../store/received.ts";
import { takeAnswer, takeNote } from "./add-rows.ts";
import { type RecordingsAnswer, recordedHere, taken, unknownRun, unknownStep } from "./answer.ts";
import type { Batch } from "./batch.ts";
import { payloadOf, recordedOrNull, recordedText, wordsOf } from "./contents.ts";
import type { MemberTexts } from "./member-texts.ts";
import { takeRiders } from "./riders.ts";
import type { RunState } from "./run-state.ts";
import { type ClosingBefore, closingOf, openingChange } from "./step-facts.ts";
import type { StepPlace } from "./step-rows.ts";
import { storedId } from "./stored-id.ts";
import { namesOf } from "./tool-names.ts";

/** PATCH of a row: what it names is told of the row's step, or of the run where the row is the answer. */

export function patchRow(
  batch: Batch,
  toldRunId: string,
  toldRowId: string,
  body: CheckedPatch,
  texts: MemberTexts,
): RecordingsAnswer {
  const found = batch.find(toldRunId);
  if (found === "own") return recordedHere();
  if (found === "unknown") return unknownRun();
  const { run } = found;
  const written = batch.written(run, storedId(toldRowId));
  if (written === null || written.kind === "write" || written.kind === "run") return unknownStep();
  const { bir } = body;
  if (bir?.writeId !== undefined) {
    const writeId = storedId(bir.writeId);
    if (batch.written(run, writeId) !== null) return taken(toldRowId, false);
    batch.remember(run, writeId, "write", null, null);
  }
  const at = bir?.at ?? batch.now;
  takeRiders(batch, run, bir, at);
  if (written.kind === "answer") takeAnswer(batch, run, body, at);
  if (written.kind === "note") {
    const words = wordsOf(body.text) ?? wordsOf(body.content);
    if (words !== null) takeNote(batch, run, "changed", words);
  }
  const place = placeOf(written);
  if (place !== null) patchStep(batch, run, place, written.kind === "response", body, texts, at);
  return taken(toldRowId, false);
}

function patchStep(
  batch: Batch,
  run: RunState,
  place: StepPlace,
  isResponse: boolean,
  body: CheckedPatch,
  texts: MemberTexts,
  at: number,
): void {
  const { runId } = run;
  // The row of an answer tells of the end, any other of the beginning; what is of the other is told beside it.
  const change = { ...(isResponse ? {} : openingChange(body.bir ?? {}, texts)), ...namesChange(body) };
  const args = argumentsOf(body, texts);
  if (args !== null || Object.keys(change).length > 0) {
    batch.tell(run, { type: "step.updated", runId, seq: place.seq, at, stepId: place.stepId, ...change }, args);
  }
  const endsStep = texts.json("toolOutput") !== null || texts.json("toolError") !== null;
  if (!endsStep && !(isResponse && body.bir !== undefined && saysHowItEnded(body.bir))) return;
  const before = closingBefore(batch, run, place);
  const { closing, result } = closingOf(body, texts, before.closing, before.result);
  batch.tell(run, { type: "step.closed", runId, seq: place.seq, at, stepId: place.stepId, ...closing }, result);
  run.answered(place.stepId);
}

/** Of a name that is told without the rest of ours, what it says of the server too. */
function namesChange({ toolName, context, bir }: CheckedPatch) {
  const names = toolName === undefined || toolName === null ? null : namesOf(toolName);
  return {
    ...(names !== null && (bir === undefined ? names : { tool: recordedText(toolName ?? "") })),
    ...(context !== undefined && { context: recordedOrNull(wordsOf(context)) }),
  };
}

/** Arguments that are told to be null are told: otherwise those before would stay. */
function argumentsOf(body: CheckedPatch, texts: MemberTexts): RedactedJson | null {
  const json = texts.json("toolInput");
  return json === null ? null : (payloadOf(json, body.bir !== undefined) ?? ("null" as RedactedJson));
}

const CLOSING_MEMBERS = ["status", "isError", "durationMs", "waitingMs", "legs", "progress", "join", "result"] as const;

function saysHowItEnded(bir: NonNullable<CheckedPatch["bir"]>): boolean {
  return CLOSING_MEMBERS.some((member) => bir[member] !== undefined);
}

/** The end that was told before; of what it does not say, nothing. */
function closingBefore(
  batch: Batch,
  run: RunState,
  place: StepPlace,
): { closing: ClosingBefore; result: RedactedJson | null } {
  const pending = batch.pendingClosing(place.stepId);
  if (pending?.head.type === "step.closed") return { closing: closingIn(pending.head), result: pending.payload };
  const known = batch.received.closing(run.runId, place.stepId, place.seq);
  if (known === null) return { closing: {}, result: null };
  const { rpcError, ...event } = known.event;
  // Read from the store, so redacted.
  const error = event.error as RedactedText | null;
  const rpc = rpcError === null || rpcError === undefined ? null : (stringifyExact(rpcError) as RedactedJson);
  return { closing: closingIn({ ...event, error, rpcError: rpc }), result: known.payload as RedactedJson | null };
}

function closingIn(head: Required<ClosingBefore>): ClosingBefore {
  const { status, isError, error, rpcError, durationMs, waitingMs, legs, progress, truncated, join } = head;
  return { status, isError, error, rpcError, durationMs, waitingMs, legs, progress, truncated, join };
}

function placeOf({ stepId, seq }: KnownWrite): StepPlace | null {
  // It went into the store as one of ours.
  return stepId === null || seq === null ? null : { stepId: stepId as RedactedText, seq };
}
