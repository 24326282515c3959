/** The index against going through everything: random stores, told and indexed piece by piece. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Run } from "../../src/core/run.ts";
import { deleteRuns } from "../../src/store/delete-runs.ts";
import type { SearchIndex } from "../../src/store/index/search-index.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import { RUN_A, RUN_B, RUN_C, RunWriter, T0, text } from "../unit/cli-fixture.ts";
import {
  ALIVE,
  allHits,
  allRuns,
  DEAD,
  documentsOf,
  holdsWord,
  IndexedStore,
  query,
} from "../unit/store-index-fixture.ts";

const IDS = [RUN_A, RUN_B, RUN_C];
const words = fc
  .array(fc.constantFrom("alpha", "alphabet", "beta", "Ünder", "天气好", "x_y", "\n", '"', "gamma", "7.50"), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.join(" "));
const which = fc.nat(5);
const tool = fc.constantFrom("read", "Write", "list");

const operation = fc.oneof(
  fc.record({ kind: fc.constant("open" as const), run: fc.nat(2), tool, words }),
  fc.record({ kind: fc.constant("open" as const), run: fc.nat(2), tool, words }),
  fc.record({
    kind: fc.constant("close" as const),
    run: fc.nat(2),
    which,
    words,
    status: fc.constantFrom("ok" as const, "error" as const, "lost" as const, "cancelled" as const),
  }),
  fc.record({ kind: fc.constant("change" as const), run: fc.nat(2), which, tool, words: fc.option(words) }),
  fc.record({ kind: fc.constant("note" as const), run: fc.nat(2), words }),
  fc.record({
    kind: fc.constant("say" as const),
    run: fc.nat(2),
    part: fc.constantFrom("input", "finalAnswer"),
    words,
  }),
  fc.record({ kind: fc.constant("end" as const), run: fc.nat(2), status: fc.constantFrom("completed", "failed") }),
  fc.record({ kind: fc.constantFrom("index" as const, "reopen" as const), budget: fc.constantFrom(0, 1000) }),
  fc.record({ kind: fc.constant("delete" as const), run: fc.nat(2) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const QUESTIONS = [
  ...["a", "al", "ALPHA", "alphabet beta", '"alpha beta"', "under", "天", "天气", "气好", "x_y", "x y", "7.50", "zeta"],
  ...["tool:READ", "tool:write alpha", "is:error", "is:error beta", "status:failed alpha", "is:running", "read"],
  ...["status:abandoned", "server:everything gamma"],
];

class World {
  readonly home = new IndexedStore();
  readonly #runs = IDS.map((id, n) => new RunWriter(id, T0 + n, { owner: n === 0 ? ALIVE : DEAD }));
  readonly #told = [0, 0, 0];
  readonly #open: number[][] = [[], [], []];
  readonly #deleted = new Set<number>();
  readonly #fullShard: number;
  index: SearchIndex;

  constructor(fullShard: number) {
    this.#fullShard = fullShard;
    this.index = this.home.index(fullShard);
  }

  do(op: Operation): void {
    if ("budget" in op) {
      this.index.catchUp(op.budget);
      if (op.kind === "reopen") {
        this.index.close();
        this.index = this.home.index(this.#fullShard);
      }
      return;
    }
    const run = this.#runs[op.run];
    if (run === undefined || this.#deleted.has(op.run)) return;
    run.wait(1);
    const open = this.#open[op.run] ?? [];
    switch (op.kind) {
      case "open":
        open.push(run.open(op.tool, JSON.stringify({ said: op.words, n: 1.5 })));
        break;
      case "close": {
        const seq = open[op.which % Math.max(1, open.length)];
        if (seq !== undefined)
          run.close(seq, op.status, text(op.words), { error: op.status === "error" ? op.words : null });
        break;
      }
      case "change": {
        const seq = open[op.which % Math.max(1, open.length)];
        const stepId = `step_${run.id.slice(-1)}${seq}`;
        const args = op.words === null ? null : JSON.stringify([op.words]);
        if (seq !== undefined) run.add("step.updated", seq, { stepId, tool: op.tool, progress: 2 }, args);
        break;
      }
      case "note":
        run.note("text", op.words);
        break;
      case "say":
        run.update({ [op.part]: op.words });
        break;
      case "end":
        run.end(op.status);
        break;
      case "delete":
        this.#tell(op.run);
        deleteRuns(this.home.storePath, [run.id]);
        this.#deleted.add(op.run);
        return;
    }
    this.#tell(op.run);
  }

  #tell(n: number): void {
    const entries = this.#runs[n]?.entries ?? [];
    const store = SqliteStore.open(this.home.storePath);
    store.append(entries.slice(this.#told[n]));
    store.close();
    this.#told[n] = entries.length;
  }
}

/** What a query means, by going through the runs. */
function expected(runs: readonly Run[], asked: string): { runs: string[]; hits: string[] } {
  const { words: sought, tools, servers, statuses, isError, isRunning } = query(asked);
  const meant = runs.filter((run) => {
    const documents = documentsOf(run);
    const fields = documents.flatMap((document) => document.fields);
    const isNamed = (tool: string | null) => tools.some((wanted) => wanted.toLowerCase() === tool?.toLowerCase());
    return (
      sought.every((word) => holdsWord(fields, word)) &&
      (tools.length === 0 || documents.some(({ tool }) => isNamed(tool))) &&
      (servers.length === 0 || run.wrappedServers.some((server) => servers.includes(server))) &&
      (statuses.length === 0 || statuses.includes(run.status)) &&
      (!isRunning || run.status === "running") &&
      (!isError || run.status === "failed" || documents.some(({ failed }) => failed))
    );
  });
  const places = runs.flatMap((run) => {
    if (statuses.length > 0 && !statuses.includes(run.status)) return [];
    if (isRunning && run.status !== "running") return [];
    return documentsOf(run).filter(
      ({ fields, tool, failed }) =>
        sought.every((word) => holdsWord(fields, word)) &&
        (tools.length === 0 || tools.some((wanted) => wanted.toLowerCase() === tool?.toLowerCase())) &&
        (servers.length === 0 || tool !== null) &&
        (!isError || failed),
    );
  });
  const asksForPlaces = sought.length + tools.length + servers.length > 0 || isError;
  return { runs: meant.map(({ id }) => id), hits: asksForPlaces ? places.map(({ place }) => place) : [] };
}

test("finds what is there and nothing else, however it was told and indexed", () => {
  fc.assert(
    fc.property(
      fc.array(operation, { minLength: 1, maxLength: 30 }),
      fc.constantFrom(1, 4, 1000),
      (operations, fullShard) => {
        const world = new World(fullShard);
        using home = world.home;
        for (const op of operations) world.do(op);
        const finder = home.finder(world.index);
        const reader = home.reader();
        const runs = Array.from(reader.runs(), ({ id }) => reader.run(id)).filter((run) => run !== null);
        for (const asked of QUESTIONS) {
          const { runs: meant, hits } = expected(runs, asked);
          expect(allRuns(finder, asked, 2), asked).toEqual(meant);
          expect(finder.total(query(asked)), asked).toBe(meant.length);
          expect(allHits(finder, asked, 2).sort(), asked).toEqual(hits.sort());
        }
        for (const run of runs) {
          const item = finder.item(run.id);
          const failed = documentsOf(run).filter((document) => document.failed).length;
          const tools = Map.groupBy(run.steps, (step) => step.tool);
          expect(item?.status).toBe(run.status);
          expect(item?.errorCount).toBe(failed);
          expect(item?.lostCount).toBe(run.steps.filter(({ status }) => status === "lost").length);
          expect(new Map(item?.tools?.map(({ tool, calls }) => [tool, calls]))).toEqual(
            new Map(Array.from(tools, ([tool, steps]) => [tool, steps.length])),
          );
        }
        world.index.close();
      },
    ),
    { numRuns: 60 },
  );
});
