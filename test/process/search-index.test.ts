/** The index as processes make it: one that is killed on the way, and several at once. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { RunFinder } from "../../src/store/run-finder.ts";
import { BUN } from "../harness/locations.ts";
import { RunWriter, T0, text } from "../unit/cli-fixture.ts";
import { allHits, allRuns, IndexedStore, query } from "../unit/store-index-fixture.ts";

const BUILDER = join(import.meta.dirname, "..", "fakes", "index-builder.ts");
const RUNS = 30;
const CALLS = 40;

function fill(store: IndexedStore): void {
  const runs = Array.from({ length: RUNS }, (_, n) => {
    const run = new RunWriter(`run_${String(n).padStart(4, "0")}`, T0 + n);
    for (let call = 0; call < CALLS; call++) run.call("say", `"word${call} in${n}"`, text(`said ${n} ${call}`), 1);
    return run.end();
  });
  store.record(...runs);
}

function build(store: IndexedStore) {
  const child = spawn(BUN, [BUILDER, store.indexPath, store.storePath], { stdio: ["ignore", "pipe", "inherit"] });
  return { child, progress: createInterface({ input: child.stdout }), exited: once(child, "exit") };
}

/** Everything can be found, once. */
function expectWhole(finder: RunFinder): void {
  expect(finder.total(query("word7"))).toBe(RUNS);
  expect(allRuns(finder, "in12 word39")).toEqual(["run_0012"]);
  expect(allHits(finder, "word39")).toHaveLength(RUNS);
  expect(new Set(allHits(finder, "said"))).toHaveLength(RUNS * CALLS);
  expect(finder.item("run_0003")).toMatchObject({ errorCount: 0, tools: [{ tool: "say", calls: CALLS }] });
}

describe("an index", () => {
  test("whose maker is killed on the way is gone on with", async () => {
    using store = new IndexedStore();
    fill(store);
    let kills = 0;
    for (let isDone = false; !isDone && kills < 8; ) {
      const { child, progress, exited } = build(store);
      let goes = 0;
      for await (const line of progress) {
        isDone = line === "1";
        if (isDone || ++goes < 4) continue;
        child.kill("SIGKILL");
        kills++;
        break;
      }
      await exited;
    }
    expect(kills).toBeGreaterThan(2);
    expectWhole(store.finder());
  });

  test("that several make at once is whole", async () => {
    using store = new IndexedStore();
    fill(store);
    const makers = [build(store), build(store), build(store)];
    for (const { progress } of makers) progress.resume();
    const ends = await Promise.all(makers.map(({ exited }) => exited));
    expect(ends).toEqual([
      [0, null],
      [0, null],
      [0, null],
    ]);
    const index = store.index();
    expect(index.state()).toEqual({ isCurrent: true, done: 1 });
    expectWhole(new RunFinder(store.reader(), index));
  });
});
