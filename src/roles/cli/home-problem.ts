import { EXIT } from "../../core/exit-codes.ts";
import { Problem } from "../../core/problem.ts";

/** Runs work on files under `$BIR_HOME`, turning what the system refuses into a Problem (exit 3). */
export function asHomeProblem<T>(home: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code !== "string" || !/^E[A-Z]+$/.test(code)) throw cause;
    throw new Problem(
      "home-unusable",
      `${home} cannot be used (${code})`,
      "See that it is a directory of yours with room on its disk, or set BIR_HOME to another one.",
      EXIT.notSetUp,
    );
  }
}
