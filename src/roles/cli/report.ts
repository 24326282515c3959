import { EXIT, type ExitCode } from "../../core/exit-codes.ts";
import { Problem } from "../../core/problem.ts";
import { visible } from "../../core/text/visible.ts";
import { systemCode, systemReason } from "../../kit/system-reason.ts";
import type { CliContext } from "./context.ts";
import { printJson } from "./json-output.ts";

/** How a command that failed says so: one line on stderr, or JSON on stdout where JSON was asked for. */

export async function reportFailure(context: CliContext, cause: unknown, asJson: boolean): Promise<ExitCode> {
  const problem = cause instanceof Problem ? cause : (systemProblem(cause) ?? internalFault(cause));
  if (!(asJson && (await printedAsJson(context, problem)))) {
    await context.printError(`bir: ${sentence(problem.message)} ${sentence(problem.hint)}`);
  }
  if (problem !== cause && context.env.BIR_DEBUG && cause instanceof Error) {
    await context.printError(String(cause.stack));
  }
  return problem.exitCode;
}

/** False when stdout does not take it: then it is stdout that the problem is with. */
async function printedAsJson(context: CliContext, problem: Problem): Promise<boolean> {
  try {
    await printJson(context, problem);
    return true;
  } catch {
    return false;
  }
}

/** What the operating system refused, such as a full disk behind stdout: not a fault of ours. */
function systemProblem(cause: unknown): Problem | null {
  const code = systemCode(cause);
  if (code === null) return null;
  return new Problem("system", `the system refused: ${systemReason(code)}`, "Put that right and try again");
}

function internalFault(cause: unknown): Problem {
  const detail = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new Problem(
    "internal",
    `this is a fault in bir itself (${detail})`,
    "Please report it with the command you ran; BIR_DEBUG=all adds where it happened",
    EXIT.bug,
  );
}

function sentence(text: string): string {
  const shown = visible(text);
  return /[.?!]$/.test(shown) ? shown : `${shown}.`;
}
