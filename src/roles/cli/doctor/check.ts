import type { CliContext } from "../context.ts";

/** What one check of the doctor is. Each is a file of its own, listed in checks.ts. */

/** `error`: recording does not work, or not as it must. `warning`: it works, but something should be done. */
export type Severity = "ok" | "info" | "warning" | "error";

export interface Finding {
  severity: Severity;
  /** One sentence, without the value of anything that may be secret. */
  message: string;
  /** What to do next; null when there is nothing to do. */
  hint: string | null;
}

export interface DoctorInput {
  context: CliContext;
  /** Configuration files named with `--config`. */
  configPaths: readonly string[];
}

export interface DoctorCheck {
  /** Kebab-case; stable. */
  name: string;
  /** Looks, changes nothing. A Problem it throws is reported as an error. */
  run: (input: DoctorInput) => Finding[] | Promise<Finding[]>;
}

export function ok(message: string): Finding {
  return { severity: "ok", message, hint: null };
}
