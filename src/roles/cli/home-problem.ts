import { EXIT } from "../../core/exit-codes.ts";
import { Problem } from "../../core/problem.ts";
import { systemCode, systemReason } from "../../kit/system-reason.ts";
import { recordingProblem } from "../../store/recording-problem.ts";

/** Runs work on files under `$BIR_HOME`, turning what the system refuses into a Problem (exit 3). */
export function asHomeProblem<T>(home: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = systemCode(cause);
    if (code === null) throw cause;
    const known = recordingProblem(home);
    if (known !== null) throw known;
    const hint = "See that it is a directory of yours with room on its disk, or set BIR_HOME to another one.";
    throw new Problem("home-unusable", `${home} cannot be used: ${systemReason(code)}`, hint, EXIT.notSetUp);
  }
}
