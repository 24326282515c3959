import type { RunStatus } from "../../core/run.ts";
import {
  type CommandGroup,
  choice,
  command,
  manyWords,
  noWords,
  option,
  optionalWord,
  type Proposal,
  toggle,
  twoWords,
} from "./args.ts";
import type { CliContext } from "./context.ts";

/** `bir run …`: the commands that read and delete what was recorded. */

const RUN_STATUSES = [
  "running",
  "completed",
  "failed",
  "interrupted",
  "abandoned",
] as const satisfies readonly RunStatus[];
const EXPORT_FORMATS = ["ndjson", "md", "html"] as const;
const PROPOSED_RUNS = 20;

const RUN = "RUN: the beginning of a run's id, or `latest`";
const json = toggle("Prints JSON, for programs");
const here = toggle("Only runs in this directory and below");
const server = option("NAME", "Only runs with this MCP server", String, knownServers);
const run = optionalWord("RUN", `${RUN} (the default)`, knownRuns);

const list = command({
  brief: "Lists recorded runs, newest first",
  flags: {
    limit: option("N", "At most so many: the newest 20 by default, all with --json", parseLimit),
    server,
    host: option("APP", "Only runs of this application, by the name it gives itself", String),
    status: choice(RUN_STATUSES, "Only runs that read so"),
    here,
    before: option("RUN", "Only runs older than this one: the next page", String, knownRuns),
    json,
  },
  words: noWords,
  load: async () => (await import("./commands/run-list.ts")).runList,
});

const show = command({
  brief: "Shows a run: every call, with its outcome and time",
  flags: { full: toggle("Folds nothing: whole arguments and results"), json },
  words: run,
  load: async () => (await import("./commands/run-show.ts")).runShow,
});

const search = command({
  brief: "Finds words in prompts, tools, servers, arguments and results",
  detail: [
    "A hit holds all the words, in any order; upper and lower case are the same. Quotes make a phrase:",
    "",
    "  bir run search weather paris      both words, wherever in the call they stand",
    '  bir run search "weather in paris" these words, one after the other',
  ].join("\n"),
  flags: {
    limit: option("N", "At most so many: the newest 50 by default, all with --json", parseLimit),
    server,
    here,
    json,
  },
  words: manyWords("WORDS", "What to look for", 1),
  load: async () => (await import("./commands/run-search.ts")).runSearch,
});

const exportRun = command({
  brief: "Writes a run as NDJSON, Markdown, or a page that shows itself",
  detail: [
    "html is one file for a browser: the page of `bir view` with this run in it. It loads nothing and sends nothing.",
    "Every format holds the whole run as it was recorded: prompts, arguments and results; what was known as a secret is",
    "not in it. Look through it before you hand it on.",
  ].join("\n"),
  flags: {
    format: choice(EXPORT_FORMATS, "ndjson, md or html; by default as the file's name ends, or ndjson"),
    output: option("FILE", "Writes this file, readable by you only, in place of stdout", String),
    force: toggle("Writes over a file that is there"),
  },
  words: run,
  load: async () => (await import("./commands/run-export.ts")).runExport,
});

const diff = command({
  brief: "Shows in what two runs differ: calls, arguments, results",
  detail: [
    "Calls are found again by their tool and arguments, those of subagents among the subagents'. That calls which ran at the",
    "same time were made in another order is no difference, nor is the order of keys.",
    "",
    "  ~ the same call with other arguments, result or outcome    - only in A    + only in B",
  ].join("\n"),
  flags: {
    full: toggle("Folds nothing: the same calls too, and whole differences"),
    "exit-code": toggle("Exits with 1 where the runs differ"),
    json,
  },
  words: twoWords(["A", "B"], RUN, knownRuns),
  load: async () => (await import("./commands/run-diff.ts")).runDiff,
});

const deleteRuns = command({
  brief: "Deletes runs for good",
  detail: "Give one of these: names of runs, --before, --all, or --ids-stdin.",
  usage: [
    "[--yes] [--json] RUN...",
    "[--yes] [--json] --before DATE",
    "[--yes] [--json] --all",
    "--yes [--json] --ids-stdin",
  ],
  flags: {
    before: option("DATE", "All runs begun before a date (2026-11-24), a time, or an age (30d)", String),
    all: toggle("All runs"),
    "ids-stdin": toggle("For programs: reads whole ids from stdin, a JSON array; one that is not there is let be"),
    yes: toggle("Does not ask"),
    json,
  },
  words: manyWords("RUN", RUN, 0, knownRuns),
  load: async () => (await import("./commands/run-delete.ts")).runDelete,
});

export const RUN_COMMANDS: CommandGroup = {
  kind: "group",
  brief: "Recorded runs: list, show, search, diff, export, delete",
  commands: { list, show, search, diff, export: exportRun, delete: deleteRuns },
};

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || !Number.isSafeInteger(limit)) throw new Error("write a number, 1 or more");
  return limit;
}

/** Runs to propose while a command line is typed. */
export async function knownRuns(context: CliContext): Promise<Proposal[]> {
  const [{ withReader }, { clock }, { visible }] = await Promise.all([
    import("./with-reader.ts"),
    import("../../core/text/when.ts"),
    import("../../core/text/visible.ts"),
  ]);
  return await withReader(context, async (reader) => {
    const proposed: Proposal[] = [{ word: "latest", brief: "The newest run" }];
    for (const { id, startedAt, wrappedServers } of reader.runs()) {
      const brief = `${clock(startedAt, context.timeZone)} ${wrappedServers.map(visible).join(", ")}`;
      if (proposed.push({ word: id, brief }) > PROPOSED_RUNS) break;
    }
    return proposed;
  });
}

/** Recorded servers whose names a shell takes as one plain word. */
async function knownServers(context: CliContext): Promise<Proposal[]> {
  const [{ withReader }, { counted }] = await Promise.all([
    import("./with-reader.ts"),
    import("../../core/text/when.ts"),
  ]);
  return await withReader(context, async (reader) =>
    reader
      .servers()
      .filter(({ name }) => /^[\w@%+,./-]+$/.test(name))
      .map(({ name, runs }) => ({ word: name, brief: counted(runs, "run") })),
  );
}
