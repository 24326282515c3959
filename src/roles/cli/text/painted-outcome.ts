import type { RunStatus, StepStatus } from "../../../core/run.ts";
import { runStatus, stepOutcome } from "../../../core/text/outcome.ts";
import type { Paint } from "./paint.ts";

/** Outcomes in colour for a terminal. */

const STEP_PAINT: Record<StepStatus, keyof Paint> = {
  ok: "good",
  error: "bad",
  cancelled: "warn",
  denied: "warn",
  lost: "warn",
  running: "bold",
};

const RUN_PAINT: Record<RunStatus, keyof Paint> = {
  completed: "good",
  failed: "bad",
  interrupted: "warn",
  abandoned: "warn",
  running: "bold",
};

export function paintedStepOutcome(status: StepStatus, paint: Paint): string {
  return paint[STEP_PAINT[status]](stepOutcome(status));
}

export function paintedRunStatus(status: RunStatus, paint: Paint): string {
  return paint[RUN_PAINT[status]](runStatus(status));
}
