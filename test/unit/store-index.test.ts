/** The life of the index's file, and what stays in it. */

import { Database } from "bun:sqlite";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { Problem } from "../../src/core/problem.ts";
import { deleteRuns } from "../../src/store/delete-runs.ts";
import { pruneStore } from "../../src/store/retention.ts";
import { RunFinder } from "../../src/store/run-finder.ts";
import { RUN_A, RUN_B, RUN_C, RunWriter, T0, text } from "./cli-fixture.ts";
import { allHits, allRuns, IndexedStore, query } from "./store-index-fixture.ts";

/** A run with one call that says something. */
const saying = (id: string, words: string, at = T0) =>
  new RunWriter(id, at).update({ input: "go" }).call("say", JSON.stringify({ words }), text(words), 1).end();

const AN_HOUR = 3_600_000;

describe("the index", () => {
  test("is made when there is a store, for its owner alone", () => {
    using store = new IndexedStore();
    const index = store.index();
    expect(index.catchUp(10)).toEqual({ isCurrent: true, done: 1 });
    expect(existsSync(store.indexPath)).toBe(false);
    store.record(saying(RUN_A, "hello"));
    expect(allRuns(store.finder(index), "hello")).toEqual([RUN_A]);
    for (const suffix of ["", "-wal", "-shm"]) expect(statSync(store.indexPath + suffix).mode & 0o777).toBe(0o600);
  });

  test("takes what is new in several goes, and says how far it is", () => {
    using store = new IndexedStore();
    const run = new RunWriter(RUN_A, T0).update({ input: "begin" });
    for (let n = 0; n < 200; n++) run.call("say", `"word${n}"`, null, 1);
    store.record(run.end());
    const index = store.index();
    expect(index.state()).toEqual({ isCurrent: false, done: 0 });
    // What the index does not know yet is found by its prompt.
    expect(allRuns(new RunFinder(store.reader(), index), "begin")).toEqual([RUN_A]);
    const first = index.catchUp(0);
    expect(first.isCurrent).toBe(false);
    expect(first.done).toBeGreaterThan(0);
    expect(allHits(new RunFinder(store.reader(), index), "word0")).toHaveLength(1);
    let goes = 1;
    while (!index.catchUp(0).isCurrent) goes++;
    expect(goes).toBeGreaterThan(2);
    expect(allHits(new RunFinder(store.reader(), index), "word1")).toHaveLength(111);
  });

  test("goes on where another one stopped", () => {
    using store = new IndexedStore().record(saying(RUN_A, "hello"));
    const first = store.index();
    first.catchUp(1000);
    first.close();
    store.record(saying(RUN_B, "hello again", T0 + 1));
    const second = store.index();
    expect(second.state()).toMatchObject({ isCurrent: false });
    expect(allRuns(new RunFinder(store.reader(), second), "hello")).toEqual([RUN_A]);
    expect(allRuns(store.finder(second), "hello")).toEqual([RUN_B, RUN_A]);
  });

  test("is one for two that have it open at once", () => {
    using store = new IndexedStore().record(saying(RUN_A, "hello"));
    const [left, right] = [store.index(), store.index()];
    left.catchUp(1000);
    expect(allRuns(new RunFinder(store.reader(), right), "hello")).toEqual([RUN_A]);
    store.record(saying(RUN_B, "hello", T0 + 1));
    right.catchUp(1000);
    store.record(saying(RUN_C, "hello", T0 + 2));
    left.catchUp(1000);
    for (const index of [left, right]) {
      expect(index.catchUp(1000)).toEqual({ isCurrent: true, done: 1 });
      expect(allRuns(new RunFinder(store.reader(), index), "hello")).toEqual([RUN_C, RUN_B, RUN_A]);
    }
  });

  test("takes what it can of events that are damaged or nested without end", () => {
    using store = new IndexedStore();
    const deep = `{"deep":${"[".repeat(20_000)}"bottom"${"]".repeat(20_000)}}`;
    store.record(
      new RunWriter(RUN_A, T0)
        .call("dig", deep, deep, 1)
        .call("dig", "{}", null, 1)
        .note("text", "x")
        .call("dig", '"end"', null, 1),
    );
    const db = new Database(store.storePath);
    db.run(`UPDATE events SET body = '{"v":1' WHERE seq IN (1, 2) AND type IN ('step.closed', 'note')`);
    db.run("UPDATE events SET body = rtrim(body, '}') || ?1 WHERE type = 'step.closed' AND seq = 3", [
      `,"rpcError":${deep}}`,
    ]);
    db.close();
    const finder = store.finder();
    expect(store.index().state()).toEqual({ isCurrent: true, done: 1 });
    expect(allHits(finder, "bottom")).toContain(`${RUN_A} step_a0`);
    expect(allHits(finder, "dig end")).toEqual([`${RUN_A} step_a3`]);
  });

  test("is only read while another one writes", () => {
    using store = new IndexedStore().record(saying(RUN_A, "hello"));
    const index = store.index();
    index.catchUp(1000);
    store.record(saying(RUN_B, "hello", T0 + 1));
    const other = new Database(store.indexPath);
    other.run("BEGIN IMMEDIATE");
    expect(index.catchUp(1)).toMatchObject({ isCurrent: false });
    expect(allRuns(new RunFinder(store.reader(), index), "hello")).toEqual([RUN_A]);
    other.run("ROLLBACK");
    other.close();
    expect(allRuns(store.finder(index), "hello")).toEqual([RUN_B, RUN_A]);
  });
});

describe("an index that is not what it was", () => {
  const spoilt: [string, (path: string) => void][] = [
    ["damaged", (path) => writeFileSync(path, Buffer.alloc(20_000, "x"))],
    ["cut short", (path) => truncateSync(path, 9000)],
    ["empty", (path) => truncateSync(path, 0)],
    [
      "of another version",
      (path) => {
        const db = new Database(path);
        db.run("PRAGMA user_version = 99");
        db.close();
      },
    ],
  ];
  test.each(spoilt)("%s: is made anew", (_what, spoil) => {
    using store = new IndexedStore().record(saying(RUN_A, "hello"));
    const index = store.index();
    index.catchUp(1000);
    index.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(store.indexPath + suffix, { force: true });
    spoil(store.indexPath);
    expect(allRuns(store.finder(), "hello")).toEqual([RUN_A]);
  });

  test("removed while it is open: is made anew", () => {
    using store = new IndexedStore().record(saying(RUN_A, "hello"));
    const index = store.index();
    index.catchUp(1000);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(store.indexPath + suffix);
    store.record(saying(RUN_B, "hello", T0 + 1));
    expect(allRuns(store.finder(index), "hello")).toEqual([RUN_B, RUN_A]);
    expect(existsSync(store.indexPath)).toBe(true);
  });

  test("damaged while it is open: answers go without it, then it is made anew", () => {
    using store = new IndexedStore();
    for (let n = 0; n < 20; n++) store.record(saying(`run_${String(n).padStart(4, "0")}`, `hello word${n}`, T0 + n));
    const index = store.index();
    index.catchUp(1000);
    index.close();
    const bytes = readFileSync(store.indexPath);
    // What is read at the start is left sound.
    bytes.fill(0xff, Math.floor(bytes.length / 2));
    writeFileSync(store.indexPath, bytes);
    const reopened = store.index();
    expect(reopened.state().isCurrent).toBe(true);
    const finder = new RunFinder(store.reader(), reopened);
    expect(allRuns(finder, "go")).toHaveLength(20);
    expect(allHits(finder, "word7")).toEqual([]);
    expect(reopened.state()).toEqual({ isCurrent: false, done: 0 });
    expect(allRuns(store.finder(reopened), "word7")).toEqual(["run_0007"]);
  });

  test("of a store that was replaced: is made anew", () => {
    using store = new IndexedStore().record(saying(RUN_A, "hello"));
    const index = store.index();
    index.catchUp(1000);
    for (const suffix of ["-wal", "-shm"]) rmSync(store.storePath + suffix, { force: true });
    renameSync(store.storePath, `${store.storePath}.old`);
    store.record(saying(RUN_B, "hello", T0 + 1), saying(RUN_C, "other", T0 + 2));
    expect(allRuns(store.finder(index), "hello")).toEqual([RUN_B]);
    expect(allRuns(store.finder(), "")).toEqual([RUN_C, RUN_B]);
  });

  test("of a store that was copied: goes on", () => {
    using store = new IndexedStore().record(saying(RUN_A, "hello"));
    store.finder();
    const made = statSync(store.indexPath).ino;
    copyFileSync(store.storePath, `${store.storePath}.copy`);
    renameSync(`${store.storePath}.copy`, store.storePath);
    store.record(saying(RUN_B, "hello", T0 + 1));
    expect(allRuns(store.finder(), "hello")).toEqual([RUN_B, RUN_A]);
    expect(statSync(store.indexPath).ino).toBe(made);
  });

  test("without its store: answers are empty until there is one again", () => {
    using store = new IndexedStore().record(saying(RUN_A, "hello"));
    const index = store.index();
    index.catchUp(1000);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(store.storePath + suffix, { force: true });
    expect(index.catchUp(10)).toEqual({ isCurrent: true, done: 1 });
    expect(allRuns(new RunFinder(store.reader(), index), "hello")).toEqual([]);
    store.record(saying(RUN_B, "hello"));
    expect(allRuns(store.finder(index), "hello")).toEqual([RUN_B]);
  });
});

describe("what is removed from the store", () => {
  const SECRET = "zanzibarium";
  const others = (count: number) =>
    Array.from({ length: count }, (_, n) => saying(`run_${String(n).padStart(4, "0")}`, `common words ${n}`, T0 + n));

  test("is nowhere in the index's files any more", () => {
    using store = new IndexedStore().record(...others(30));
    const index = store.index();
    index.catchUp(1000);
    store.record(
      new RunWriter(RUN_A, T0 + 100)
        .update({ input: `prompt ${SECRET}` })
        .call(SECRET, `{"${SECRET}":1}`, text(SECRET), 1, { server: SECRET })
        .note("text", SECRET)
        .update({ finalAnswer: `${SECRET}!` })
        .end(),
    );
    const finder = store.finder(index);
    expect(allHits(finder, SECRET)).toHaveLength(4);
    expect(store.bytes().includes(SECRET)).toBe(true);
    expect(deleteRuns(store.storePath, [RUN_A])).toEqual({ deleted: 1, wiped: true });
    expect(store.bytes().includes(SECRET)).toBe(false);
    expect(store.bytes().includes(SECRET.slice(2))).toBe(false);
    expect(allHits(finder, SECRET)).toEqual([]);
    expect(allRuns(finder, "common")).toHaveLength(30);
    expect(finder.facets().servers).toEqual([{ value: "everything", runs: 30 }]);
  });

  test("is removed by retention, too, a little at a time", () => {
    using store = new IndexedStore().record(...others(30), saying(RUN_A, SECRET, T0 + AN_HOUR));
    store.finder();
    const limits = { before: T0 + AN_HOUR + 1, maxBytes: Number.POSITIVE_INFINITY, reportsBefore: 0 };
    let passes = 1;
    while (!pruneStore(store.storePath, limits, () => false, 0).isDone) passes++;
    expect(passes).toBeGreaterThan(30);
    expect(readFileSync(store.indexPath).includes(SECRET.slice(2))).toBe(false);
    expect(allRuns(store.finder(), "")).toEqual([]);
  });

  test("goes from an index that could not be reached then", () => {
    using store = new IndexedStore().record(...others(5), saying(RUN_A, SECRET, T0 + AN_HOUR));
    const index = store.index();
    index.catchUp(1000);
    index.close();
    const aside = `${store.indexPath}.aside`;
    renameSync(store.indexPath, aside);
    deleteRuns(store.storePath, [RUN_A]);
    renameSync(aside, store.indexPath);
    const again = store.index();
    again.catchUp(1000);
    expect(allHits(new RunFinder(store.reader(), again), SECRET)).toEqual([]);
    expect(store.bytes().includes(SECRET.slice(2))).toBe(false);
  });

  test("a damaged index is thrown away with it", () => {
    using store = new IndexedStore().record(saying(RUN_A, SECRET));
    const index = store.index();
    index.catchUp(1000);
    index.close();
    writeFileSync(store.indexPath, `${SECRET} is in what once was an index `.repeat(400));
    expect(deleteRuns(store.storePath, [RUN_A])).toEqual({ deleted: 1, wiped: true });
    expect(existsSync(store.indexPath)).toBe(false);
  });
});

describe("DEG-23 an index that cannot be used", () => {
  test("is told as a problem, and answers go without it", () => {
    using store = new IndexedStore().record(
      saying(RUN_A, "hello"),
      new RunWriter(RUN_B, T0 + 1).update({ input: "say hello" }).call("say", null, null, 1, { status: "error" }).end(),
    );
    // A directory in its place stands for all that cannot be opened: permissions stop nobody where tests run as root.
    mkdirSync(store.indexPath);
    const problem = problemOf(() => store.index());
    expect(problem.code).toBe("index-unusable");
    expect(problem.message).toContain(store.indexPath);
    const finder = new RunFinder(store.reader(), null);
    expect(allRuns(finder, "")).toEqual([RUN_B, RUN_A]);
    expect(finder.item(RUN_A)).toMatchObject({ errorCount: null, lostCount: null, tools: null });
    expect(allRuns(finder, "hello")).toEqual([RUN_B]);
    expect(allHits(finder, "hello")).toEqual([`${RUN_B} prompt`]);
    expect(allRuns(finder, "tool:SAY")).toEqual([RUN_B, RUN_A]);
    expect(allRuns(finder, "server:everything is:error")).toEqual([RUN_B]);
    expect(allRuns(finder, "server:nowhere")).toEqual([]);
    expect(finder.total(query("is:error"))).toBe(1);
    rmSync(store.indexPath, { recursive: true });
    expect(allRuns(store.finder(), "hello")).toEqual([RUN_B, RUN_A]);
  });

  test("for want of room: what was taken stays, and it goes on when there is some", () => {
    using store = new IndexedStore().record(saying(RUN_A, "hello"));
    const index = store.index();
    index.catchUp(1000);
    const pages = index.ask((tables) => tables.get<{ page_count: number }>("PRAGMA page_count")?.page_count) ?? 0;
    index.ask((tables) => tables.get(`PRAGMA max_page_count = ${pages}`));
    store.record(
      ...Array.from({ length: 40 }, (_, n) => saying(`run_${n}`, `hello word${n} `.repeat(200), T0 + 1 + n)),
    );
    const problem = problemOf(() => index.catchUp(1000));
    expect(problem.code).toBe("index-unusable");
    expect(problem.message).toContain("the disk is full");
    expect(allRuns(new RunFinder(store.reader(), index), "hello")).toEqual([RUN_A]);
    index.ask((tables) => tables.get("PRAGMA max_page_count = 1000000"));
    expect(allRuns(store.finder(index), "hello")).toHaveLength(41);
    expect(allRuns(store.finder(index), "word7")).toEqual(["run_7"]);
  });
});

function problemOf(work: () => unknown): Problem {
  try {
    work();
  } catch (cause) {
    expect(cause).toBeInstanceOf(Problem);
    return cause as Problem;
  }
  throw new Error("expected a Problem");
}
