import { stringifyExact } from "../exact-json.ts";
import { summaryOf } from "../fold.ts";
import type { Run } from "../run.ts";
import { inOrder, isStep } from "../run-order.ts";
import { visibleJson } from "../text/visible.ts";

/** A run as NDJSON: its summary first, then each step and note in order; `type` tells which a line is. */
export function ndjson(run: Run): string {
  const parts = inOrder(run).map((part) => jsonLine({ type: isStep(part) ? "step" : "note", ...part }));
  return jsonLine({ type: "run", ...summaryOf(run) }) + parts.join("");
}

/** One line of NDJSON, numbers as they were on the wire, safe on a terminal. */
function jsonLine(value: unknown): string {
  return `${visibleJson(stringifyExact(value))}\n`;
}
