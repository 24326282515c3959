import type { CheckedFinish } from "../../core/api/recordings.ts";
import type { RedactedText } from "../../core/redacted.ts";
import type { RunStatus, Usage } from "../../core/run.ts";
import { PLAIN_CLOSING } from "../../record/run-writer.ts";
import { type RecordingsAnswer, recordedHere, taken, unknownRun } from "./answer.ts";
import type { Batch } from "./batch.ts";
import { recordedText, wordsOf } from "./contents.ts";
import { takeRiders, updateRun } from "./riders.ts";
import type { RunState } from "./run-state.ts";
import { storedId } from "./stored-id.ts";

/** POST finish: how a run ended. A run that goes on afterwards is not refused. */

export function finishRun(batch: Batch, toldRunId: string, body: CheckedFinish): RecordingsAnswer {
  const found = batch.find(toldRunId);
  if (found === "own") return recordedHere();
  if (found === "unknown") return unknownRun();
  const { run } = found;
  const { bir } = body;
  if (bir?.writeId !== undefined) {
    const writeId = storedId(bir.writeId);
    if (batch.written(run, writeId) !== null) return taken(toldRunId, false);
    batch.remember(run, writeId, "write", null, null);
  }
  const at = bir?.at ?? batch.now;
  takeRiders(batch, run, bir, at);
  const answer = wordsOf(body.finalOutput);
  if (answer !== null) updateRun(batch, run, { finalAnswer: recordedText(answer) }, at);
  if (bir === undefined) takeMetrics(batch, run, body, at);
  const status = bir?.status ?? toldStatus(body);
  // Told twice by others, a run ended when it was told first.
  if (!run.isOpen && bir?.status === undefined) return taken(toldRunId, false);
  if (bir?.status === undefined) loseOpenSteps(batch, run, at);
  batch.tell(run, { type: "run.closed", runId: run.runId, seq: run.nextSeq, at, status });
  run.isOpen = false;
  return taken(toldRunId, false);
}

function takeMetrics(batch: Batch, run: RunState, { metrics }: CheckedFinish, at: number): void {
  const usage = usageIn(metrics);
  if (usage !== null) updateRun(batch, run, { usage }, at);
}

/** Tokens, under the names that most recorders use. */
function usageIn(metrics: unknown): Usage | null {
  if (typeof metrics !== "object" || metrics === null) return null;
  const told = metrics as Record<string, unknown>;
  const nested = typeof told.usage === "object" && told.usage !== null ? (told.usage as Record<string, unknown>) : {};
  const find = (...names: string[]): number | null => {
    const values = names.flatMap((name) => [told[name], nested[name]]);
    return values.find((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0) ?? null;
  };
  const inputTokens = find("inputTokens", "input_tokens", "promptTokens", "prompt_tokens");
  const outputTokens = find("outputTokens", "output_tokens", "completionTokens", "completion_tokens");
  if (inputTokens === null && outputTokens === null) return null;
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cacheReadTokens: find("cacheReadTokens", "cache_read_input_tokens") ?? 0,
    cacheCreationTokens: find("cacheCreationTokens", "cache_creation_input_tokens") ?? 0,
  };
}

const STATUSES: Readonly<Record<string, RunStatus>> = {
  failed: "failed",
  error: "failed",
  failure: "failed",
  interrupted: "interrupted",
  cancelled: "interrupted",
  canceled: "interrupted",
  aborted: "interrupted",
  abandoned: "abandoned",
};

function toldStatus({ status, metrics }: CheckedFinish): RunStatus {
  const told = status ?? (metrics as { status?: unknown } | null | undefined)?.status;
  return (typeof told === "string" && Object.hasOwn(STATUSES, told) ? STATUSES[told] : undefined) ?? "completed";
}

/** Nobody will answer the calls that are open: a run that has ended has none that runs. */
function loseOpenSteps(batch: Batch, run: RunState, at: number): void {
  for (const { stepId, seq } of run.openSteps(batch.received).values()) {
    batch.tell(
      run,
      {
        type: "step.closed",
        runId: run.runId,
        seq,
        at,
        // It went into the store as one of ours.
        stepId: stepId as RedactedText,
        ...PLAIN_CLOSING,
        status: "lost",
        isError: false,
      },
      null,
    );
  }
}
