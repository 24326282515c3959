import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { cpus, loadavg, release, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { SearchIndex } from "../src/store/index/search-index.ts";
import { StoreReader } from "../src/store/reader.ts";
import { RunFinder } from "../src/store/run-finder.ts";
import { MadeText } from "./search/made-text.ts";
import { makeStore } from "./search/make-store.ts";
import { type Measured, measure, percentile } from "./search/measure.ts";
import { KINDS } from "./search/questions.ts";

/**
 * `bun bench/search.ts`: a store of a million made-up calls, how fast it is indexed, and how long lists and searches over it
 * take, as Markdown. The targets: 95 of 100 pages within 100 ms, and memory that stays bounded.
 */

const USAGE = `usage: bun bench/search.ts [--steps N] [--questions N] [--slice MS] [--dir PATH]

  --steps      calls in the store, of about 1 KB each (1000000)
  --questions  of each kind (20)
  --slice      ms of each go of the indexer, as the service gives it (12)
  --dir        keep store and index there, and use those that are there`;

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "1000000" },
    questions: { type: "string", default: "20" },
    slice: { type: "string", default: "12" },
    dir: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

function main(): void {
  const directory = values.dir === undefined ? mkdtempSync(join(tmpdir(), "bir-search-")) : resolve(values.dir);
  mkdirSync(directory, { recursive: true });
  const [storePath, indexPath] = [join(directory, "recordings.db"), join(directory, "search.db")];
  try {
    console.log(
      `${cpus().length} × ${cpus()[0]?.model ?? "unknown CPU"}, Linux ${release()}, load ${loadavg()[0]?.toFixed(1)}\n`,
    );
    if (!existsSync(storePath)) makeStore(storePath, Number(values.steps));
    console.log(build(storePath, indexPath));
    console.log(ask(storePath, indexPath));
  } finally {
    if (values.dir === undefined) rmSync(directory, { recursive: true, force: true });
  }
}

function build(storePath: string, indexPath: string): string {
  if (existsSync(indexPath)) return "(the index was there)\n";
  const index = SearchIndex.open(indexPath, storePath);
  const slices: number[] = [];
  let rss = 0;
  const from = performance.now();
  for (let isCurrent = false; !isCurrent; ) {
    const began = performance.now();
    isCurrent = index.catchUp(Number(values.slice)).isCurrent;
    slices.push(performance.now() - began);
    if (slices.length % 100 === 0) rss = Math.max(rss, process.memoryUsage.rss());
  }
  const seconds = (performance.now() - from) / 1000;
  const steps = StoreReader.open(storePath).counts().steps;
  // When nothing is new, shards are put in order: the service does so between looks at the store.
  const tidying: number[] = [];
  const tidyingFrom = performance.now();
  while (index.ask((tables) => tables.get("SELECT 1 FROM shards WHERE to_purge > 0")) !== null) {
    const began = performance.now();
    index.catchUp(Number(values.slice));
    tidying.push(performance.now() - began);
  }
  const tidied = (performance.now() - tidyingFrom) / 1000;
  index.close();
  return [
    `- store: ${steps} calls, ${mib(statSync(storePath).size)} MiB; index: ${mib(statSync(indexPath).size)} MiB`,
    `- indexed in ${seconds.toFixed(0)} s (${Math.round(steps / seconds)} calls/s) in ${slices.length} goes of ${values.slice} ms: ` +
      `p95 ${ms(slices, 0.95)} ms, longest ${ms(slices, 1)} ms; ${mib(rss)} MiB of memory at most`,
    `- put in order in ${tidied.toFixed(0)} s more: p95 ${ms(tidying, 0.95)} ms, longest ${ms(tidying, 1)} ms\n`,
  ].join("\n");
}

function ask(storePath: string, indexPath: string): string {
  const reader = StoreReader.open(storePath);
  const index = SearchIndex.open(indexPath, storePath);
  index.catchUp(1000);
  const finder = new RunFinder(reader, index);
  const text = new MadeText(7);
  const facetsFrom = performance.now();
  finder.facets();
  const facets = performance.now() - facetsFrom;
  const measured = KINDS.map((kind) => measure(finder, kind, text, Number(values.questions)));
  const all: Measured = {
    kind: { title: "**all**", question: () => "" },
    list: measured.flatMap(({ list }) => list),
    search: measured.flatMap(({ search }) => search),
    deep: measured.flatMap(({ deep }) => deep),
    uncounted: measured.reduce((sum, { uncounted }) => sum + uncounted, 0),
    cutShort: measured.reduce((sum, { cutShort }) => sum + cutShort, 0),
  };
  const lines = [...measured, all].map(
    ({ kind, list, search, deep, uncounted, cutShort }) =>
      `| ${kind.title} | ${three(list)} | ${three(search)} | ${three(deep)} | ${uncounted} | ${cutShort} |`,
  );
  index.close();
  reader.close();
  return [
    `${all.list.length} questions, three or more pages of 50 each; ms, p50 / p95 / p99.\n`,
    "| question | list page with its total | search page | a page further down | not counted | cut short |",
    "| --- | --- | --- | --- | --- | --- |",
    ...lines,
    `\nWhat can be asked for: ${facets.toFixed(0)} ms. Memory: ${mib(process.memoryUsage.rss())} MiB.`,
  ].join("\n");
}

function three(samples: readonly number[]): string {
  return samples.length === 0 ? "" : `${ms(samples, 0.5)} / ${ms(samples, 0.95)} / ${ms(samples, 0.99)}`;
}

function ms(samples: readonly number[], p: number): string {
  return percentile(samples, p).toFixed(1);
}

function mib(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

if (values.help) console.log(USAGE);
else main();
