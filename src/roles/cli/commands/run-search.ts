import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { toolName } from "../../../core/text/run-facts.ts";
import { visible } from "../../../core/text/visible.ts";
import { ago, clock } from "../../../core/text/when.ts";
import { shortRunIds } from "../../../store/resolve-run.ts";
import { type SearchHit, search } from "../../../store/search.ts";
import type { Excerpt } from "../../../store/search-text.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { nothingRecordedLine } from "../nothing-recorded.ts";
import { type Paint, paintFor } from "../text/paint.ts";
import { withReader } from "../with-reader.ts";
import { SHORT_ID_LENGTH } from "./run-list.ts";

/** `bir run search WORDS…`: where all the words were said. */

export interface SearchFlags {
  limit: number | undefined;
  server: string | undefined;
  here: boolean;
  json: boolean;
}

const DEFAULT_LIMIT = 50;
const MAX_WORD_LENGTH = 1000;

export async function runSearch(context: CliContext, flags: SearchFlags, ...words: string[]): Promise<ExitCode> {
  if (words.every((word) => word.trim() === "")) {
    throw new Problem("usage", "there is nothing to look for", "Write one word or more.", EXIT.usage);
  }
  if (words.some((word) => word.length > MAX_WORD_LENGTH)) {
    throw new Problem("usage", "a word is too long", `Write at most ${MAX_WORD_LENGTH} characters.`, EXIT.usage);
  }
  return await withReader(context, async (reader) => {
    const limit = flags.limit ?? (flags.json ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
    const filter = { server: flags.server, directory: flags.here ? context.cwd : undefined };
    const hits: SearchHit[] = [];
    let more = false;
    for (const hit of search(reader, words, filter)) {
      more = hits.length === limit;
      if (more) break;
      hits.push(hit);
    }
    if (flags.json) await printJson(context, hits.map(jsonOf));
    else if (hits.length === 0) {
      const { runs: total } = reader.counts();
      await context.printError(total === 0 ? nothingRecordedLine(context.home) : "Nothing found.");
    } else {
      const runs = [...new Set(hits.map(({ run }) => run.id))];
      const short = shortRunIds(reader, runs, SHORT_ID_LENGTH);
      await printHits(context, hits, new Map(runs.map((id, index) => [id, short[index] ?? id])));
      if (more) await context.printError("There are more; --limit N shows more of them.");
    }
    return EXIT.ok;
  });
}

/** A hit as `--json` prints it. */
function jsonOf({ run, step, field, path, excerpt }: SearchHit): object {
  return { runId: run.id, startedAt: run.startedAt, step, field, path, excerpt };
}

async function printHits(context: CliContext, hits: SearchHit[], shortIds: Map<string, string>): Promise<void> {
  const paint = paintFor(context.terminal.color);
  const lines: string[] = [];
  const numberColumns = new Map<string, number>();
  for (const { run, step } of hits) {
    const columns = step === null ? 0 : String(step.index + 1).length;
    numberColumns.set(run.id, Math.max(columns, numberColumns.get(run.id) ?? 0));
  }
  let current = "";
  for (const hit of hits) {
    if (hit.run.id !== current) {
      if (current !== "") lines.push("");
      current = hit.run.id;
      lines.push(runLine(context, hit, shortIds.get(current) ?? current, paint));
    }
    const place = placeOf(hit, numberColumns.get(current) ?? 0);
    lines.push(`  ${place}  ${paint.dim(`${visible(hit.path)}:`)} ${highlighted(hit.excerpt, paint)}`);
  }
  await context.print(`${lines.join("\n")}\n`);
}

function runLine({ now, timeZone }: CliContext, { run }: SearchHit, shortId: string, paint: Paint): string {
  const host = run.host === null ? "unknown host" : run.host.app;
  return `${paint.bold(visible(shortId))}  ${clock(run.startedAt, timeZone)}  ${ago(run.startedAt, now())}  ${visible(host)}`;
}

/** Numbers of calls end in one column of a run. */
function placeOf({ step, field }: SearchHit, columns: number): string {
  if (step === null) return field === "note" ? "note" : "run";
  return `${String(step.index + 1).padStart(columns)} ${toolName({ ...step, qualifiedName: step.tool })}`;
}

function highlighted({ text, marks }: Excerpt, paint: Paint): string {
  let shown = "";
  let from = 0;
  for (const { start, end } of marks) {
    shown += visible(text.slice(from, start)) + paint.mark(visible(text.slice(start, end)));
    from = end;
  }
  return shown + visible(text.slice(from));
}
