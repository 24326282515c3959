import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { visible } from "../../../core/text/visible.ts";
import { counted, parseMoment } from "../../../core/text/when.ts";
import { storePath } from "../../../kit/paths.ts";
import { type Deletion, deleteRuns } from "../../../store/delete-runs.ts";
import type { StoreReader } from "../../../store/reader.ts";
import { resolveRun } from "../../../store/resolve-run.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { withReader } from "../with-reader.ts";

/** `bir run delete`: removes runs for good. Never one that is being recorded, and never without a yes. */

export interface DeleteFlags {
  before: string | undefined;
  all: boolean;
  "ids-stdin": boolean;
  yes: boolean;
  json: boolean;
}

export async function runDelete(context: CliContext, flags: DeleteFlags, ...words: string[]): Promise<ExitCode> {
  checkUsage(flags, words);
  const named = flags["ids-stdin"] ? wholeIds(await context.readInput()) : words;
  const { ids, running } = await withReader(context, async (reader) => choose(context, reader, flags, named));
  if (named.length > 0 && running.length > 0) {
    const names = running.map(visible).join(", ");
    throw new Problem("run-is-recorded", `${names} is being recorded just now`, "End its session first.");
  }
  if (ids.length > 0 && !(flags.yes || (await confirmed(context, ids, named)))) {
    await context.printError("Nothing was deleted.");
    return EXIT.failed;
  }
  const deletion = ids.length === 0 ? { deleted: 0, wiped: true } : deleteRuns(storePath(context.home), ids);
  if (flags.json) await printJson(context, { deleted: ids, kept: running, wiped: deletion.wiped });
  else await tell(context, deletion, running.length);
  return EXIT.ok;
}

function checkUsage(flags: DeleteFlags, words: string[]): void {
  const ways = [words.length > 0, flags.before !== undefined, flags.all, flags["ids-stdin"]].filter(Boolean).length;
  if (ways === 1) return;
  const message =
    ways === 0 ? "it is not said what to delete" : "RUN, --before, --all and --ids-stdin do not go together";
  throw new Problem("usage", message, "Name runs, or give one of --before DATE and --all.", EXIT.usage);
}

/** For programs: an id may be any text, which no argument has to be able to hold, and the beginning of another. */
function wholeIds(json: string): string[] {
  const ids = asJson(json);
  if (Array.isArray(ids) && ids.every((id) => typeof id === "string")) return ids;
  throw new Problem("usage", "what is in stdin is no list of ids", "Write a JSON array of whole ids.", EXIT.usage);
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function choose(
  context: CliContext,
  reader: StoreReader,
  flags: DeleteFlags,
  named: readonly string[],
): { ids: string[]; running: string[] } {
  const recorded = new Set(Array.from(reader.recordings(), ({ run }) => run.id).filter((id) => !reader.isReceived(id)));
  const meant = flags["ids-stdin"]
    ? named
    : named.length > 0
      ? [...new Set(named.map((word) => resolveRun(reader, word)))]
      : Array.from(reader.runs(wholesale(context, flags)), ({ id }) => id);
  return { ids: meant.filter((id) => !recorded.has(id)), running: meant.filter((id) => recorded.has(id)) };
}

function wholesale(context: CliContext, { before }: DeleteFlags): { startedBefore: number | undefined } {
  if (before === undefined) return { startedBefore: undefined };
  try {
    return { startedBefore: parseMoment(before, context.now()) };
  } catch (cause) {
    const hint = `${(cause as Error).message}.`;
    throw new Problem(
      "usage",
      `\`${visible(before)}\` is no date`,
      hint.charAt(0).toUpperCase() + hint.slice(1),
      EXIT.usage,
    );
  }
}

async function confirmed(context: CliContext, ids: readonly string[], named: readonly string[]): Promise<boolean> {
  if (!context.terminal.interactive) {
    throw new Problem("not-confirmed", "there is nobody to ask", "Add --yes to delete without a question.", EXIT.usage);
  }
  const what = named.length > 0 ? ids.map(visible).join(", ") : counted(ids.length, "run");
  const answer = await context.ask(`Delete ${what} for good? [y/N] `);
  return answer !== null && /^y(es)?$/i.test(answer.trim());
}

async function tell(context: CliContext, { deleted, wiped }: Deletion, kept: number): Promise<void> {
  await context.print(`Deleted ${counted(deleted, "run")}.\n`);
  if (kept > 0) await context.printError(`Kept ${counted(kept, "run")} being recorded just now.`);
  if (!wiped) {
    await context.printError(
      "Traces of it may be left in the store's file, which is very large or in use; they go as its room is used again.",
    );
  }
}
