import { compareRuns } from "../../../core/compare.ts";
import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import type { CliContext } from "../context.ts";
import { diffStyle } from "../diff/diff-style.ts";
import { diffText } from "../diff/diff-text.ts";
import { printJson } from "../json-output.ts";
import { withReader } from "../with-reader.ts";
import { readRun } from "./run-show.ts";

/** `bir run diff A B`: two runs side by side, or as JSON. Differences are no failure, unless they were asked for as one. */

export interface DiffFlags {
  full: boolean;
  "exit-code": boolean;
  json: boolean;
}

export async function runDiff(context: CliContext, flags: DiffFlags, a: string, b: string): Promise<ExitCode> {
  const [left, right] = await withReader(context, async (reader) => [readRun(reader, a), readRun(reader, b)] as const);
  const comparison = compareRuns(left, right);
  if (flags.json) await printJson(context, comparison);
  else await context.print(diffText(left, right, comparison, diffStyle(context, flags.full)));
  const { firstDifference, sameInput, sameAnswer } = comparison;
  const isSame = firstDifference === null && sameInput && sameAnswer;
  return flags["exit-code"] && !isSame ? EXIT.failed : EXIT.ok;
}
