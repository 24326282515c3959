import type { CheckedRow } from "../../core/api/recordings.ts";
import type { RedactedText } from "../../core/redacted.ts";
import type { OpenStep } from "../../store/received.ts";
import type { Batch } from "./batch.ts";
import { payloadOf, recordedOrNull, recordedText, wordsOf } from "./contents.ts";
import type { MemberTexts } from "./member-texts.ts";
import type { RunState } from "./run-state.ts";
import { birText, closingOf, openingChange } from "./step-facts.ts";
import { stepIdOfRow } from "./stored-id.ts";
import { namesOf, type ToolNames } from "./tool-names.ts";

/**
 * The rows of tool calls. What another bir sends says which step it is of; an answer of anybody else is that of the last call
 * without one of the same tool, else of the last call without one, else of a call that nobody told of.
 */

type Bir = NonNullable<CheckedRow["bir"]>;

export interface StepPlace {
  stepId: RedactedText;
  seq: number;
}

/** `tool_selected` */
export function openStep(batch: Batch, run: RunState, row: CheckedRow, texts: MemberTexts): StepPlace {
  const { bir } = row;
  if (bir?.stepId !== undefined && bir.qualifiedName === undefined) return updateUnopened(batch, run, row, bir, texts);
  const stepId = bir?.stepId === undefined ? stepIdOfRow(run.runId, row.id) : batch.stepId(run, bir.stepId);
  if (bir?.stepId === undefined) run.openSteps(batch.received);
  const seq = run.take(bir?.seq);
  const startedAt = bir?.startedAt ?? bir?.at ?? batch.now;
  const names = bir?.stepId === undefined ? namesOf(row.toolName ?? "") : toldNames(row, bir);
  const head = {
    type: "step.opened" as const,
    runId: run.runId,
    seq,
    at: bir?.at ?? startedAt,
    stepId,
    sources: bir?.sources ?? [],
    ...names,
    callId: recordedOrNull(bir?.callId ?? null),
    join: bir?.join ?? null,
    agentId: recordedOrNull(bir?.agentId ?? null),
    hostMeta: bir === undefined ? null : payloadOf(birText(bir, texts, "hostMeta"), true),
    startedAt,
    truncated: bir?.truncated ?? false,
  };
  const context = wordsOf(row.context);
  batch.tell(
    run,
    context === null ? head : { ...head, context: recordedText(context) },
    payloadOf(texts.json("toolInput"), bir !== undefined),
  );
  run.opened({ stepId, seq, qualifiedName: names.qualifiedName, startedAt });
  return { stepId, seq };
}

/** The opening of a step was lost there: what is known of it anyway. */
function updateUnopened(batch: Batch, run: RunState, row: CheckedRow, bir: Bir, texts: MemberTexts): StepPlace {
  const stepId = batch.stepId(run, bir.stepId ?? "");
  const seq = run.take(bir.seq);
  const tool = row.toolName ? { tool: recordedText(row.toolName) } : {};
  const context = wordsOf(row.context);
  const change = {
    ...openingChange(bir, texts),
    ...tool,
    ...(context !== null && { context: recordedText(context) }),
  };
  const at = bir.at ?? batch.now;
  const args = payloadOf(texts.json("toolInput"), true);
  batch.tell(run, { type: "step.updated", runId: run.runId, seq, at, stepId, ...change }, args);
  return { stepId, seq };
}

/** What another bir does not say, it does not know. */
function toldNames({ toolName }: CheckedRow, { server, qualifiedName }: Bir): ToolNames {
  return {
    server: recordedOrNull(server ?? null),
    tool: recordedText(toolName ?? ""),
    qualifiedName: recordedText(qualifiedName ?? ""),
  };
}

/** `tool_response` */
export function closeStep(batch: Batch, run: RunState, row: CheckedRow, texts: MemberTexts): StepPlace {
  const { bir } = row;
  const at = bir?.at ?? batch.now;
  let place: StepPlace;
  let startedAt: number | null = null;
  if (bir?.stepId !== undefined) {
    place = { stepId: batch.stepId(run, bir.stepId), seq: run.take(bir.seq) };
  } else {
    const open = unanswered(run.openSteps(batch.received), row.toolName ?? null);
    place = open === null ? openStep(batch, run, row, texts) : (open as OpenStep & StepPlace);
    startedAt = open?.startedAt ?? null;
  }
  const { stepId, seq } = place;
  const durationMs = startedAt === null ? null : Math.max(0, at - startedAt);
  const { closing, result } = closingOf(row, texts, { durationMs });
  batch.tell(run, { type: "step.closed", runId: run.runId, seq, at, stepId, ...closing }, result);
  run.answered(stepId);
  return { stepId, seq };
}

function unanswered(open: ReadonlyMap<string, OpenStep>, toolName: string | null): OpenStep | null {
  const steps = [...open.values()];
  const name = toolName === null ? null : recordedText(toolName);
  return steps.findLast((step) => step.qualifiedName === name) ?? steps.at(-1) ?? null;
}
