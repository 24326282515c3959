import { summaryOf } from "../../../core/fold.ts";
import type { Run } from "../../../core/run.ts";
import { jsonLine } from "../json-output.ts";
import { inOrder, isStep } from "../story/story.ts";

/** A run as NDJSON: its summary first, then each step and note in order; `type` tells which a line is. */
export function ndjson(run: Run): string {
  const parts = inOrder(run).map((part) => jsonLine({ type: isStep(part) ? "step" : "note", ...part }));
  return jsonLine({ type: "run", ...summaryOf(run) }) + parts.join("");
}
