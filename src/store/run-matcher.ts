import type { RunQuery } from "../core/run-query.ts";
import { foundInText } from "./excerpt.ts";
import type { IndexTables } from "./index/index-tables.ts";
import { nameKey } from "./index/names.ts";
import { namesOf, runsThatCalled, runsWithErrors } from "./index/run-facts.ts";
import { WordRuns } from "./index/word-runs.ts";
import { soughtWords } from "./index/words.ts";
import type { StoreReader } from "./reader.ts";
import type { ScanNeeds, ScannedRun } from "./run-scan.ts";

/**
 * What a query asks of a run beyond the table of runs: words, tools, servers, failures. One that asks the index, and one for
 * when there is none: slower, and its words are only looked for in prompts and answers.
 */
export interface RunMatcher {
  /** What it has to be told of a run. */
  readonly needs: ScanNeeds;
  /** True when it has nothing to ask: every run will do. */
  readonly isIdle: boolean;
  matches(run: ScannedRun): boolean;
}

type Test = (run: ScannedRun) => boolean;

/** Of a longer phrase the first words count. */
const MAX_PHRASE = 24;

/** For each word of a query the words that it is made of. */
export function soughtOf(query: RunQuery): string[][] {
  return query.words.map((word) => soughtWords(word).slice(0, MAX_PHRASE)).filter((words) => words.length > 0);
}

/** A word that may be a run's id, or its beginning, as `bir run list` prints it. */
const RUN_ID = /^run_[0-9a-z]{6,}$/i;

/** All the words are found in the run; or those that its id begins with, and all the others. */
function namedOr(query: RunQuery, hasWords: (sought: readonly string[][]) => Test): Test {
  const isFound = hasWords(soughtOf(query));
  const ids = query.words.filter((word) => RUN_ID.test(word)).map((word) => word.toLowerCase());
  if (ids.length === 0) return isFound;
  const others = soughtOf({ ...query, words: query.words.filter((word) => !RUN_ID.test(word)) });
  const hasOthers = others.length === 0 ? () => true : hasWords(others);
  return (run) => (ids.every((id) => run.id.toLowerCase().startsWith(id)) && hasOthers(run)) || isFound(run);
}

/** `isCurrent`: the index knows every run; of one that it does not know yet the prompt and the answer are searched. */
export function indexedMatcher(tables: IndexTables, query: RunQuery, isCurrent: boolean): RunMatcher {
  const tests: Test[] = [];
  const numbered = (test: (run: number) => boolean): Test => {
    return ({ id }) => {
      const number = tables.numberOf(id);
      return number !== null && test(number);
    };
  };
  if (query.tools.length > 0) tests.push(numbered(inSet(runsThatCalled(tables, namesOf(tables, query.tools, [])))));
  if (query.servers.length > 0) {
    const called = numbered(inSet(runsThatCalled(tables, namesOf(tables, [], query.servers))));
    tests.push((run) => called(run) || wraps(run, query.servers));
  }
  if (query.isError) {
    const hasErrors = numbered(inSet(runsWithErrors(tables)));
    tests.push((run) => run.status === "failed" || hasErrors(run));
  }
  const sought = soughtOf(query);
  if (sought.length > 0) {
    tests.push(
      namedOr(query, (words) => {
        const runs = new WordRuns(tables, words);
        return (run) => {
          const number = tables.numberOf(run.id);
          return number === null ? !isCurrent && saysAll(run, words) : runs.has(number);
        };
      }),
    );
  }
  return matcherOf(query, tests, sought.length > 0 && !isCurrent);
}

export function plainMatcher(reader: StoreReader, query: RunQuery): RunMatcher {
  const tests: Test[] = [];
  const runsWith = (condition: string, ...values: string[]) => {
    const sql = `SELECT DISTINCT run_id FROM steps WHERE ${condition}`;
    const ids = new Set(Array.from(reader.rows<{ run_id: string }>(sql, ...values), ({ run_id }) => run_id));
    return (run: ScannedRun) => ids.has(run.id);
  };
  const oneOf = (column: string, values: readonly string[]) =>
    values.map(() => `${column} = ? COLLATE NOCASE`).join(" OR ");
  if (query.tools.length > 0) tests.push(runsWith(oneOf("tool", query.tools), ...query.tools));
  if (query.servers.length > 0) {
    const called = runsWith(oneOf("server", query.servers), ...query.servers);
    tests.push((run) => called(run) || wraps(run, query.servers));
  }
  if (query.isError) {
    const hasErrors = runsWith("status = 'error'");
    tests.push((run) => run.status === "failed" || hasErrors(run));
  }
  const sought = soughtOf(query);
  if (sought.length > 0) {
    tests.push(namedOr(query, (words) => (run) => saysAll(run, words)));
  }
  return matcherOf(query, tests, sought.length > 0);
}

function matcherOf(query: RunQuery, tests: readonly Test[], texts: boolean): RunMatcher {
  return {
    needs: { status: query.isError, wrappedServers: query.servers.length > 0, texts },
    isIdle: tests.length === 0,
    matches: (run) => tests.every((test) => test(run)),
  };
}

/** True when all the words are in the prompt or the answer. */
function saysAll({ input, finalAnswer }: ScannedRun, sought: readonly (readonly string[])[]): boolean {
  return sought.every((words) =>
    [input, finalAnswer].some((text) => text !== null && foundInText("prompt", text, [words]) !== null),
  );
}

function wraps({ wrappedServers }: ScannedRun, servers: readonly string[]): boolean {
  return wrappedServers.some((name) => servers.some((wanted) => nameKey(wanted) === nameKey(name)));
}

function inSet(numbers: ReadonlySet<number>): (run: number) => boolean {
  return (run) => numbers.has(run);
}
