/** Pages of runs and hits for whoever shows them. */

import { describe, expect, test } from "vitest";
import { Problem } from "../../src/core/problem.ts";
import { deleteRuns } from "../../src/store/delete-runs.ts";
import { RunFinder } from "../../src/store/run-finder.ts";
import { eventfulRun, RUN_A, RUN_B, RUN_C, RunWriter, T0, text } from "./cli-fixture.ts";
import { ALIVE, allHits, allRuns, IndexedStore, query } from "./store-index-fixture.ts";

const id = (n: number) => `run_${String(n).padStart(6, "0")}`;
const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) =>
    new RunWriter(id(from + n), T0 + Math.floor((from + n) / 3)).call("say", '"word"', text(`n${from + n}`), 1).end(),
  );

describe("a page of runs", () => {
  test.each(["", "word", "tool:say word"])(
    "for %j: all pages together are the whole list, while runs are added",
    (asked) => {
      using store = new IndexedStore().record(...many(0, 25));
      const index = store.index();
      const finder = store.finder(index);
      const seen: string[] = [];
      let added = 25;
      for (let after: string | null = null; ; ) {
        const { runs, next } = finder.page(query(asked), after, 4);
        seen.push(...runs.map((run) => run.id));
        if (next === null) break;
        after = next;
        store.record(...many(added, 2));
        added += 2;
        index.catchUp(1000);
      }
      expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => id(24 - n)));
      expect(finder.total(query(asked))).toBe(added);
    },
  );

  test("goes on where its last run was, though that is deleted", () => {
    using store = new IndexedStore().record(...many(0, 9));
    const index = store.index();
    const finder = store.finder(index);
    const { next } = finder.page(query("word"), null, 3);
    deleteRuns(store.storePath, [id(6), id(5)]);
    index.catchUp(1000);
    expect(finder.page(query("word"), next, 3).runs.map((run) => run.id)).toEqual([id(4), id(3), id(2)]);
  });

  test("ends with no place for another one", () => {
    using store = new IndexedStore().record(...many(0, 4));
    expect(store.finder().page(query(""), null, 4)).toMatchObject({ next: null });
    expect(store.finder().page(query(""), null, 3).next).toMatch(/^[\w-]+$/);
  });

  test.each(["x", "e30", "////", "bnVsbA", "W10", "eyJzdGFydGVkQXQiOiIxIiwiaWQiOiJ4In0", "a".repeat(1000), ""])(
    "%j is no place in it",
    (cursor) => {
      using store = new IndexedStore().record(...many(0, 4));
      for (const finder of [store.finder(), new RunFinder(store.reader(), null)]) {
        expect(catching(() => finder.page(query("word"), cursor, 3)).code).toBe("bad-cursor");
        expect(catching(() => finder.hits(query("word"), cursor, 3)).code).toBe("bad-cursor");
      }
    },
  );

  test("cuts prompts and answers; one run alone has them whole", () => {
    using store = new IndexedStore();
    const long = "much ".repeat(200);
    store.record(new RunWriter(RUN_A, T0).update({ input: long, finalAnswer: long }).end());
    const finder = store.finder();
    const [run] = finder.page(query("much"), null, 1).runs;
    expect(run?.input).toBe(`${long.slice(0, 400)}…`);
    expect(run?.finalAnswer).toHaveLength(401);
    expect(finder.items([RUN_A, "run_none"])).toEqual([run]);
    expect(finder.item(RUN_A)).toEqual({ ...run, input: long, finalAnswer: long });
    expect(finder.item("run_none")).toBeNull();
  });

  test("says of each run which tools it called, and how much failed", () => {
    using store = new IndexedStore().record(eventfulRun());
    expect(store.finder().item(RUN_A)).toMatchObject({
      stepCount: 6,
      errorCount: 2,
      lostCount: 0,
      tools: [
        { server: "everything", tool: "echo", calls: 1 },
        { server: "everything", tool: "get-sum", calls: 1 },
        { server: "files", tool: "read", calls: 1 },
        { server: "everything", tool: "snap", calls: 1 },
        { server: "everything", tool: "missing", calls: 1 },
        { server: "everything", tool: "slow", calls: 1 },
      ],
    });
  });
});

describe("a run's id", () => {
  test("finds it, whole or its beginning, beside what says that word", () => {
    using store = new IndexedStore();
    store.record(new RunWriter(RUN_A, T0).call("say", '"marigold"', text("x"), 1).end());
    store.record(new RunWriter(RUN_B, T0 + 1).call("say", JSON.stringify(`as in ${RUN_A}`), text("x"), 1).end());
    for (const finder of [store.finder(), new RunFinder(store.reader(), null)]) {
      const other = finder.item(RUN_A)?.tools === null ? [] : [RUN_B];
      expect(allRuns(finder, RUN_A)).toEqual([...other, RUN_A]);
      expect(allRuns(finder, RUN_A.slice(0, -1).toUpperCase())).toContain(RUN_A);
      expect(allRuns(finder, `${RUN_A} absent`)).toEqual([]);
      expect(allRuns(finder, `${RUN_A}0`)).toEqual([]);
      expect(allRuns(finder, RUN_A.slice(0, 9))).not.toContain(RUN_A);
      expect(finder.total(query(RUN_A))).toBe(other.length + 1);
    }
    expect(allRuns(store.finder(), `${RUN_A} marigold`)).toEqual([RUN_A]);
  });
});

describe("runs whose owner is gone", () => {
  test("read as abandoned everywhere, and what was open in them as lost", () => {
    using store = new IndexedStore();
    const open = (runId: string, at: number, fields: object) => {
      const run = new RunWriter(runId, at, { ...fields });
      run.open("wait", '"word"');
      return run.call("say", null, null, 1);
    };
    store.record(open(RUN_A, T0, {}), open(RUN_B, T0 + 1, { owner: ALIVE }), open(RUN_C, T0 + 2, {}).end());
    const finder = store.finder();
    expect(allRuns(finder, "is:running")).toEqual([RUN_B]);
    expect(allRuns(finder, "status:running word")).toEqual([RUN_B]);
    expect(allRuns(finder, "status:abandoned")).toEqual([RUN_A]);
    expect(allRuns(finder, "status:abandoned status:completed")).toEqual([RUN_C, RUN_A]);
    expect(allRuns(finder, "status:abandoned is:running")).toEqual([]);
    expect(allRuns(finder, "is:error")).toEqual([]);
    expect(finder.total(query("status:abandoned"))).toBe(1);
    expect(finder.item(RUN_A)).toMatchObject({ status: "abandoned", errorCount: 0, lostCount: 1 });
    expect(finder.item(RUN_B)).toMatchObject({ status: "running", errorCount: 0, lostCount: 0 });
    expect(finder.hits(query("is:error"), null, 9).hits).toEqual([]);
    expect(finder.hits(query("tool:wait"), null, 9).hits.map(({ run, step }) => [run.id, step?.status])).toEqual([
      [RUN_C, "running"],
      [RUN_B, "running"],
      [RUN_A, "lost"],
    ]);
    const plain = new RunFinder(store.reader(), null);
    expect(allRuns(plain, "status:abandoned")).toEqual([RUN_A]);
    expect(allRuns(plain, "is:error")).toEqual([]);
  });
});

describe("a hit", () => {
  const found = (words: string) => {
    using store = new IndexedStore().record(eventfulRun());
    return store.finder().hits(query(words), null, 9).hits;
  };

  test.each([
    ["weather", "prompt", "prompt", "…add the numbers and then tell me the weather.", ["weather"], null],
    ["made", "answer", "answer", "The sum could not be made.", ["made"], null],
    ["json", "note", "note", "a line of the server was no JSON", ["JSON"], null],
    ['"echo hel"', "result", "result.content[0].text", "Echo: hello", ["Echo: hel"], 0],
    ["12345678901234567890", "arguments", "arguments.n", "12345678901234567890", ["12345678901234567890"], 0],
    ['"/tmp/a"', "arguments", "arguments.path", "/tmp/a", ["tmp/a"], 2],
    ["big", "error", "error.data.big", "1e400", [], 4],
    ["get-sum", "tool", "tool", "get-sum", ["get-sum"], 1],
    ["tool:echo", "arguments", "arguments", null, [], 0],
    ["is:error tool:missing", "error", "error", null, [], 4],
  ])("of %j is in the %s", (words, field, path, shown, marked, index) => {
    const hits = found(words);
    expect(hits.map((hit) => [hit.field, hit.path, hit.step?.index ?? null])).toContainEqual([field, path, index]);
    const hit = hits.find((one) => one.path === path);
    const { text: excerpt = "", marks = [] } = hit?.excerpt ?? {};
    if (shown !== null) expect(excerpt).toBe(shown);
    expect(marks.map(({ start, end }) => excerpt.slice(start, end))).toEqual(marked);
  });

  test("tells its run and its call", () => {
    expect(found("hello")[0]).toMatchObject({
      run: { id: RUN_A, status: "completed", host: { app: "claude-code" }, startedAt: T0 },
      step: { id: "step_a0", index: 0, seq: 0, server: "everything", tool: "echo", status: "ok" },
    });
  });

  test.each(["", "->", "host:claude-code", "is:lossy after:2d"])(
    "is asked for with words or calls, not with %j",
    (asked) => {
      expect(found(asked)).toEqual([]);
    },
  );

  test("is shown around the first word, however long the text, and without breaking a character", () => {
    using store = new IndexedStore();
    const long = `${"😀".repeat(300)} Übergröße ${"😀".repeat(300)}`;
    store.record(new RunWriter(RUN_A, T0).call("t", null, text(long), 1).end());
    const [hit] = store.finder().hits(query("ubergr"), null, 1).hits;
    const { text: shown = "", marks = [] } = hit?.excerpt ?? {};
    expect(shown.isWellFormed()).toBe(true);
    expect(shown.length).toBeLessThan(170);
    expect(marks.map(({ start, end }) => shown.slice(start, end))).toEqual(["Übergr"]);
  });

  test("of words in an unspaced script, in the middle of a text", () => {
    using store = new IndexedStore();
    store.record(new RunWriter(RUN_A, T0).update({ input: "今天天气很好。" }).end());
    const [hit] = store.finder().hits(query("天气"), null, 1).hits;
    expect(hit?.excerpt).toEqual({ text: "今天天气很好。", marks: [{ start: 2, end: 4 }] });
    expect(allHits(store.finder(), "气天")).toEqual([]);
  });

  test("comes newest run first, what was said last first, in pages that go on while runs are added", () => {
    using store = new IndexedStore().record(...many(0, 12));
    const index = store.index();
    const finder = store.finder(index);
    const seen: (string | undefined)[] = [];
    for (let after: string | null = null, added = 12; ; added++) {
      const { hits, next } = finder.hits(query("word"), after, 5);
      seen.push(...hits.map(({ run }) => run.id));
      if (next === null) break;
      after = next;
      store.record(...many(added, 1));
      index.catchUp(1000);
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => id(11 - n)));
  });

  test("is looked for only in the runs that are meant", () => {
    using store = new IndexedStore().record(
      new RunWriter(RUN_A, T0, { host: { app: "Zed", version: null } }).call("t", '"word"', null, 1).end("failed"),
      new RunWriter(RUN_B, T0 + 60_000).call("t", '"word"', null, 1).gap("rejected", 1).end(),
    );
    const finder = store.finder();
    const runs = (asked: string) => finder.hits(query(`word ${asked}`), null, 9).hits.map(({ run }) => run.id);
    expect(runs("host:zed")).toEqual([RUN_A]);
    expect(runs("status:failed")).toEqual([RUN_A]);
    expect(runs("is:lossy")).toEqual([RUN_B]);
    expect(runs(`before:${new Date(T0 + 30_000).toISOString()}`)).toEqual([RUN_A]);
    expect(runs("")).toEqual([RUN_B, RUN_A]);
    expect(allRuns(finder, "is:error")).toEqual([RUN_A]);
  });
});

test("what can be asked for is counted by runs", () => {
  using store = new IndexedStore().record(
    new RunWriter(RUN_A, T0).call("t", null, null, 1).call("t", null, null, 1, { server: "files" }).end(),
    new RunWriter(RUN_B, T0, { host: null, wrappedServers: ["idle"] }).call("t", null, null, 1).end(),
    new RunWriter(RUN_C, T0, { host: { app: "zed", version: null }, wrappedServers: [] })
      .call("u", null, null, 1)
      .end(),
  );
  expect(store.finder().facets()).toEqual({
    hosts: [
      { value: "claude-code", runs: 1 },
      { value: "zed", runs: 1 },
    ],
    servers: [
      { value: "everything", runs: 3 },
      { value: "files", runs: 1 },
      { value: "idle", runs: 1 },
    ],
    tools: [
      { value: "t", runs: 2 },
      { value: "u", runs: 1 },
    ],
  });
});

function catching(work: () => unknown): Problem {
  try {
    work();
  } catch (cause) {
    if (cause instanceof Problem) return cause;
    throw cause;
  }
  throw new Error("expected a Problem");
}
