import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LiveMessages, RunItem, RunPage } from "../../src/core/service-wire.ts";
import { type Source, SourceProblem, type Watcher } from "../../src/viewer/data/source.ts";
import { RunList } from "../../src/viewer/list/run-list.ts";
import { listRows, withChanged, withFirstPage } from "../../src/viewer/list/run-rows.ts";

/** The list of runs: pages, what changes while it is shown, and what a person has to be told of it. */

const NOON = new Date(2026, 10, 30, 12).getTime();

/** The n-th newest run. */
function run(n: number, more: Partial<RunItem> = {}): RunItem {
  return {
    id: `run_${String(1000 - n)}`,
    sessionId: null,
    host: null,
    tier: "bound",
    cwd: "/",
    input: `prompt ${n}`,
    finalAnswer: null,
    status: "completed",
    startedAt: NOON - n * 1000,
    endedAt: NOON,
    lossy: false,
    gaps: [],
    wrappedServers: [],
    usage: null,
    hostHookCalls: 0,
    stepCount: 0,
    errorCount: 0,
    lostCount: 0,
    tools: [],
    ...more,
  };
}

const ids = (runs: readonly RunItem[]) => runs.map(({ id }) => Number(id.slice(4)) * -1 + 1000);

/** A source with some runs, asked as the service is; what is watched can be told. */
class FakeSource {
  runsThere: RunItem[] = [];
  asked: string[] = [];
  fault: Error | null = null;
  watcher: Watcher | null = null;
  readonly pageLength = 3;

  async runs(query: string, after: string | null): Promise<RunPage> {
    this.asked.push(`${query}|${after ?? ""}`);
    if (this.fault !== null) throw this.fault;
    const found = this.runsThere.filter(({ status, input }) =>
      query === "is:running" ? status === "running" : (input ?? "").includes(query),
    );
    const from = Number(after ?? 0);
    const runs = found.slice(from, from + this.pageLength);
    const next = from + runs.length < found.length ? String(from + runs.length) : null;
    return { runs, total: after === null ? found.length : null, next, index: { isCurrent: true, done: 1 }, issues: [] };
  }

  watch(_run: unknown, watcher: Watcher) {
    this.watcher = watcher;
    return { stop: () => {} };
  }

  tell(message: Partial<LiveMessages["runs"]>): void {
    this.watcher?.runs({ changed: [], removed: [], ...message });
  }
}

function listOf(source: FakeSource): RunList {
  return new RunList(source as unknown as Source);
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const settled = () => vi.advanceTimersByTimeAsync(0);

describe("pages", () => {
  test("come one behind the other, without repeats while new runs arrive", async () => {
    const source = new FakeSource();
    source.runsThere = [1, 2, 3, 4, 5, 6, 7].map((n) => run(n));
    const list = listOf(source);
    list.show("");
    await settled();
    expect(ids(list.runs.value)).toEqual([1, 2, 3]);
    expect(list.total.value).toBe(7);
    source.runsThere.unshift(run(0));
    source.tell({ changed: [run(0)] });
    list.more();
    await settled();
    list.more();
    await settled();
    expect(ids(list.runs.value)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(list.total.value).toBe(8);
    const asked = source.asked.length;
    list.more();
    await settled();
    expect(source.asked).toHaveLength(asked);
  });

  test("an answer that is outdated is not shown", async () => {
    const source = new FakeSource();
    source.runsThere = [run(1), run(2, { input: "other" })];
    const list = listOf(source);
    list.show("prompt");
    list.show("other");
    await settled();
    expect(ids(list.runs.value)).toEqual([2]);
    expect(list.shown.value).toBe("other");
  });

  test("a service that does not answer is asked again, later each time", async () => {
    const source = new FakeSource();
    source.fault = new SourceProblem("unreachable", "no");
    const list = listOf(source);
    list.show("");
    await settled();
    expect(list.problem.value?.code).toBe("unreachable");
    await vi.advanceTimersByTimeAsync(1000);
    expect(source.asked).toHaveLength(4);
    source.fault = null;
    source.runsThere = [run(1)];
    await vi.advanceTimersByTimeAsync(1999);
    expect(list.problem.value).not.toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(list.problem.value).toBeNull();
    expect(ids(list.runs.value)).toEqual([1]);
  });

  test("one that refuses is not", async () => {
    const source = new FakeSource();
    source.fault = new SourceProblem("refused", "no");
    const list = listOf(source);
    list.show("");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(source.asked).toHaveLength(2);
  });
});

describe("what changes", () => {
  async function shown(source: FakeSource, query = ""): Promise<RunList> {
    const list = listOf(source);
    list.show(query);
    await settled();
    return list;
  }

  test("changed runs change in their places, removed ones go, and are counted", async () => {
    const source = new FakeSource();
    source.runsThere = [run(1), run(2), run(3)];
    const list = await shown(source);
    source.tell({ changed: [run(2, { stepCount: 9 })], removed: [run(3).id] });
    expect(list.runs.value.map(({ stepCount }) => stepCount)).toEqual([0, 9]);
    expect(list.total.value).toBe(2);
    source.tell({ removed: ["run_unknown"] });
    expect(list.total.value).toBe(2);
  });

  test("new runs are counted only while the top is out of sight", async () => {
    const source = new FakeSource();
    source.runsThere = [run(5)];
    const list = await shown(source);
    source.tell({ changed: [run(4)] });
    expect(list.newCount.value).toBe(0);
    list.setAtTop(false);
    source.tell({ changed: [run(3), run(5, { stepCount: 1 })] });
    source.tell({ changed: [run(2)] });
    expect(list.newCount.value).toBe(2);
    list.setAtTop(true);
    expect(list.newCount.value).toBe(0);
  });

  test("a run that is brought back comes to its place", async () => {
    const source = new FakeSource();
    source.runsThere = [run(1), run(2), run(3)];
    const list = await shown(source);
    list.drop(run(2).id);
    expect(ids(list.runs.value)).toEqual([1, 3]);
    source.tell({ changed: [run(2)] });
    expect(ids(list.runs.value)).toEqual([1, 2, 3]);
  });

  test("runs under way stand on top, also those that began long ago, and stay there when they end until somebody comes back", async () => {
    const source = new FakeSource();
    source.runsThere = [run(1), run(2), run(3), run(4), run(9, { status: "running" })];
    const list = await shown(source);
    expect([...list.live.value]).toEqual([run(9).id]);
    source.tell({ changed: [run(9, { status: "completed" })] });
    const rows = listRows(list.runs.value, list.live.value, NOON);
    expect(rows.map((row) => (row.kind === "group" ? row.name : row.run.input))).toEqual([
      "Now",
      "prompt 9",
      "Today",
      "prompt 1",
      "prompt 2",
      "prompt 3",
    ]);
    source.tell({ changed: [run(0, { status: "running" })] });
    list.settle();
    expect([...list.live.value]).toEqual([run(0).id]);
  });

  test("whether a query finds a changed run is asked, at most once a second", async () => {
    const source = new FakeSource();
    source.runsThere = [run(1), run(2)];
    const list = await shown(source, "prompt");
    source.asked = [];
    source.runsThere = [run(0), run(1), run(2, { input: "no longer" })];
    for (let n = 0; n < 50; n++) source.tell({ changed: [run(0), run(2, { input: "no longer" })] });
    expect(ids(list.runs.value)).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(source.asked).toEqual(["prompt|"]);
    expect(ids(list.runs.value)).toEqual([0, 1]);
    expect(list.total.value).toBe(2);
  });

  test("what came and went without a connection is seen after it", async () => {
    const source = new FakeSource();
    source.runsThere = [run(1), run(2)];
    const list = await shown(source);
    source.watcher?.connected?.(false);
    source.runsThere = [run(0), run(2)];
    source.watcher?.connected?.(true);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ids(list.runs.value)).toEqual([0, 2]);
  });
});

describe("rows", () => {
  test("runs of a day stand under its name", () => {
    const day = 86_400_000;
    const runs = [run(1), run(2, { startedAt: NOON - day }), run(3, { startedAt: NOON - day - 1 })];
    expect(listRows(runs, new Set(), NOON).map((row) => (row.kind === "group" ? row.name : row.key))).toEqual([
      "Today",
      run(1).id,
      "Yesterday",
      run(2).id,
      run(3).id,
    ]);
  });

  test("of a list that goes on, what is older than its end is left to its page", () => {
    expect(ids(withChanged([run(1), run(3)], [run(2), run(7)], false))).toEqual([1, 2, 3]);
    expect(ids(withChanged([run(1), run(3)], [run(2), run(7)], true))).toEqual([1, 2, 3, 7]);
  });

  test("a first page that was asked for anew stands for as much as it covers", () => {
    expect(ids(withFirstPage([run(1), run(2), run(3), run(8)], [run(0), run(2), run(4)], false))).toEqual([0, 2, 4, 8]);
    expect(ids(withFirstPage([run(1), run(8)], [run(0)], true))).toEqual([0]);
  });
});
