import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import type { Run } from "../../../core/run.ts";
import type { StoreReader } from "../../../store/reader.ts";
import { resolveRun } from "../../../store/resolve-run.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { story } from "../story/story.ts";
import { storyStyle } from "../story/style.ts";
import { withReader } from "../with-reader.ts";

/** `bir run show [RUN]`: one run as a story, or as JSON. */

export interface ShowFlags {
  full: boolean;
  json: boolean;
}

export async function runShow(context: CliContext, flags: ShowFlags, word: string | undefined): Promise<ExitCode> {
  const run = await withReader(context, async (reader) => readRun(reader, word ?? "latest"));
  if (flags.json) await printJson(context, run);
  else await context.print(story(run, storyStyle(context, flags.full)));
  return EXIT.ok;
}

/** The run that a word names, whole. Throws Problem. */
export function readRun(reader: StoreReader, word: string): Run {
  const id = resolveRun(reader, word);
  const run = reader.run(id);
  if (run === null) {
    throw new Problem(
      "run-without-events",
      `nothing of \`${id}\` can be read: the events that tell it are not in the store`,
      "`bir doctor` checks the store.",
    );
  }
  return run;
}
