import type { CheckedRow } from "../../core/api/recordings.ts";
import type { ReceivedKind } from "../../store/entry.ts";
import { type RecordingsAnswer, recordedHere, taken, unknownRun } from "./answer.ts";
import type { Batch } from "./batch.ts";
import { recordedText, wordsOf } from "./contents.ts";
import type { MemberTexts } from "./member-texts.ts";
import { takeRiders, updateRun } from "./riders.ts";
import type { RunState } from "./run-state.ts";
import { closeStep, openStep, type StepPlace } from "./step-rows.ts";
import { storedId } from "./stored-id.ts";

/** POST steps: rows of a run, in the order in which they came. One whose id was taken before changes nothing. */

/** A checked row, and its members as they were written. */
export interface Row {
  row: CheckedRow;
  texts: MemberTexts;
}

/** `isMany`: the body was an array. */
export function addRows(batch: Batch, toldRunId: string, rows: readonly Row[], isMany: boolean): RecordingsAnswer {
  const found = batch.find(toldRunId);
  if (found === "own") return recordedHere();
  if (found === "unknown") return unknownRun();
  let added = 0;
  for (const row of rows) if (addRow(batch, found.run, row)) added++;
  if (isMany) return { status: added > 0 ? 201 : 200, body: { accepted: rows.length } };
  return taken(rows[0]?.row.id ?? "", added > 0);
}

/** False for a row that was taken before. */
function addRow(batch: Batch, run: RunState, { row, texts }: Row): boolean {
  const rowId = storedId(row.id);
  if (batch.written(run, rowId) !== null) return false;
  takeRiders(batch, run, row.bir, row.bir?.at ?? batch.now);
  const remember = (kind: ReceivedKind, place: StepPlace | null): void =>
    batch.remember(run, rowId, kind, place?.stepId ?? null, place?.seq ?? null);
  switch (row.type) {
    case "tool_selected":
      remember("selected", openStep(batch, run, row, texts));
      break;
    case "tool_response":
      remember("response", closeStep(batch, run, row, texts));
      break;
    case "final_answer":
      takeAnswer(batch, run, row);
      remember("answer", null);
      break;
    default:
      takeNote(batch, run, row.type, wordsOf(row.text) ?? wordsOf(row.content) ?? texts.whole());
      remember("note", null);
  }
  return true;
}

export function takeAnswer(batch: Batch, run: RunState, row: Answering, at = row.bir?.at ?? batch.now): void {
  const answer = [row.finalOutput, row.text, row.content, row.toolOutput].map(wordsOf).find((words) => words !== null);
  if (answer !== undefined && answer !== null) updateRun(batch, run, { finalAnswer: recordedText(answer) }, at);
}

/** The fields in which a recorder may put an answer. */
type Answering = Pick<CheckedRow, "finalOutput" | "text" | "content" | "toolOutput"> & {
  bir?: { at?: number | undefined } | undefined;
};

/** What a row of a type that we do not know says. */
export function takeNote(batch: Batch, run: RunState, type: string, words: string): void {
  const text = recordedText(`${type}: ${words}`);
  batch.tell(run, {
    type: "note",
    runId: run.runId,
    seq: run.take(undefined),
    at: batch.now,
    kind: "text",
    text,
    agentId: null,
  });
}
