import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
} from "fast-check";
import { expect, test } from "vitest";
import { parseExact, stringifyExact } from "../../src/core/exact-json.ts";
import { RunFeed, type Write } from "../../src/sinks/base-in/run-feed.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { SinkEvents } from "../../src/store/sink-events.ts";
import type { Effect, Fault } from "../fakes/recordings-service/memory-service.ts";
import type { RunWriter } from "../unit/cli-fixture.ts";
import { SinkWorld } from "../unit/sink-fixture.ts";

/**
 * Whatever the service answers, whatever gets lost, and whenever the sender dies: in the end the service holds each run as the
 * journal has it, every write once and in order, but for what it was reported to refuse.
 */

const RUNS = 3;

/** One thing that happens in a run. */
type Happening =
  | { what: "open" | "note" | "gap" | "input" | "answer" | "close-run" | "reopen" | "owner"; run: number }
  | { what: "close" | "update" | "open-again" | "lost-opening"; run: number; step: number };

const happening: Arbitrary<Happening> = oneof(
  record({
    what: constantFrom("open", "open", "note", "gap", "input", "answer", "close-run", "reopen", "owner"),
    run: nat(RUNS - 1),
  }),
  record({
    what: constantFrom("close", "close", "update", "open-again", "lost-opening"),
    run: nat(RUNS - 1),
    step: nat(4),
  }),
);

const fault: Arbitrary<Fault> = oneof(
  { weight: 6, arbitrary: constant<Fault>("none") },
  constantFrom<Fault>("lost-before", "lost-after", "forgets", "killed-before", "killed-after"),
  record({ status: constantFrom(401, 403, 408, 429, 500, 502, 503, 302) }),
  record({ status: constant(429), retryAfterMs: integer({ min: 0, max: 90_000 }) }),
);

/** Writes one happening as the recorder would. */
function tell(
  run: RunWriter,
  state: { steps: number; isClosed: boolean; wasReopened: boolean },
  { what, ...more }: Happening,
): void {
  const step = "step" in more ? more.step : 0;
  const known = step < state.steps;
  run.wait(5);
  if (what === "open") {
    run.open("echo", '{"n":1e400}');
    state.steps++;
  } else if (what === "close" && known) run.close(step, "ok", '{"content":[{"type":"text","text":"é"}]}');
  else if (what === "open-again" && known) {
    run.add("step.opened", step, openingOf(run, step), '{"again":true}');
  } else if (what === "update" && known) {
    run.add("step.updated", step, { stepId: stepId(run, step), progress: 3, context: "so" });
  } else if (what === "lost-opening") {
    run.add("step.updated", 100 + step, { stepId: stepId(run, 100 + step), status: "running", callId: "toolu_x" });
  } else if (what === "note") run.add("note", 500 + run.entries.length, { kind: "thought", text: "hm", agentId: null });
  else if (what === "gap") run.add("gap", state.steps, { reason: "DEG-13 store-lost", lost: 2 });
  else if (what === "input") run.add("run.updated", state.steps, { input: `prompt ${run.entries.length}` });
  else if (what === "answer") run.add("run.updated", state.steps, { finalAnswer: `answer ${run.entries.length}` });
  else if (what === "owner") run.add("run.updated", state.steps, { owner: { pid: 1, startedAt: "x" } });
  else if (what === "close-run" && !state.isClosed) {
    state.isClosed = true;
    run.add("run.closed", state.steps, { status: "completed" });
  } else if (what === "reopen" && state.isClosed) {
    state.isClosed = false;
    state.wasReopened = true;
    run.add("run.updated", state.steps, { status: "running" });
  }
}

function stepId(run: RunWriter, seq: number): string {
  return `step_${run.id.slice(-1)}${seq}`;
}

function openingOf(run: RunWriter, seq: number): Record<string, unknown> {
  const { head } = run.entries.find(
    (entry) => entry.head.type === "step.opened" && entry.head.seq === seq,
  ) as JournalEntry;
  const { type: _type, runId: _runId, seq: _seq, at: _at, ...opening } = head as unknown as Record<string, unknown>;
  return opening;
}

/**
 * What the journal of a run comes to when nothing goes wrong. `quiet`: whether there is, at its end, a write that no event tells
 * and on which the rest rides: where the run is over, never, or as if it were.
 */
function writesOf(world: SinkWorld, runId: string, quiet: "if-over" | "never" | "always"): Write[] {
  return world.look((cursor) => {
    const run = cursor.run(runId);
    if (run === null) throw new Error(`${runId} is not to be sent`);
    const { salt } = cursor.facts();
    const isQuiet = quiet === "always" || (quiet === "if-over" && run.ended !== null);
    const ending = isQuiet && run.tail > run.latest ? { position: run.tail, status: "completed" as const } : null;
    const feed = new RunFeed(new SinkEvents(cursor.db), { ...run, position: -1, ending, ended: null }, salt);
    const writes: Write[] = [];
    for (let write = feed.next(); write !== null; write = feed.next()) writes.push(write);
    return writes.filter(({ kind }) => kind !== "run" && kind !== "none");
  });
}

type Told = Pick<Effect, "id" | "body"> & { kind: string };

/**
 * Writes as what they tell, in order: what rides on a write comes before it. An end that no event tells comes when things have been
 * quiet for a while, so it counts only for what rides on it. What only others read is as it is when it is sent. With `isWhole` false
 * only the writes themselves: what rode on a refused one is gone with it.
 */
function story(writes: readonly Told[], isWhole: boolean): string[] {
  const run: Record<string, unknown> = {};
  return writes.flatMap(({ kind, id, body }) => {
    const { notes = [], gaps = [], run: change = {}, ...bir } = body.bir as Record<string, never>;
    const { metrics: _metrics, finalOutput: _output, ...rest } = body;
    Object.assign(run, change);
    const own = id.includes("-end-") ? [] : [`${kind} ${id}`];
    if (!isWhole) return own;
    const ridden = [...(notes as unknown[]), ...(gaps as unknown[])].map((rider) => stringifyExact(rider));
    return [...ridden, ...own.map((name) => `${name} ${stringifyExact({ ...rest, bir })} ${stringifyExact(run)}`)];
  });
}

test("under any script of failures and deaths every write arrives once and in order, or is reported", async () => {
  await assert(
    asyncProperty(
      array(array(happening, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      array(fault, { maxLength: 40 }),
      record({
        isBir: constantFrom(true, false),
        refused: array(nat(30), { maxLength: 3 }),
        stumbled: array(nat(30), { maxLength: 2 }),
      }),
      async (parts, faults, { isBir, refused, stumbled }) => {
        const world = new SinkWorld();
        try {
          await deliverAll(world, parts, faults, { isBir, refused, stumbled });
        } finally {
          world.dispose();
        }
      },
    ),
    { numRuns: 60 },
  );
}, 120_000);

async function deliverAll(
  world: SinkWorld,
  parts: readonly Happening[][],
  faults: readonly Fault[],
  { isBir, refused, stumbled }: { isBir: boolean; refused: number[]; stumbled: number[] },
): Promise<void> {
  const { service } = world;
  const script = [...faults];
  service.isBir = isBir;
  service.fault = () => script.shift() ?? "none";
  const runs = Array.from({ length: RUNS }, (_, index) => ({
    writer: world.run(String(index)),
    state: { steps: 0, isClosed: false, wasReopened: false },
    written: 0,
  }));
  for (const number of refused)
    service.refuses.add(
      nameOf(
        runs.map(({ writer }) => writer.id),
        number,
      ),
    );
  for (const number of stumbled)
    service.stumblesOver.add(
      nameOf(
        runs.map(({ writer }) => writer.id),
        number,
      ),
    );
  for (const part of parts) {
    for (const one of part) {
      const run = runs[one.run];
      if (run !== undefined) tell(run.writer, run.state, one);
    }
    for (const run of runs) {
      world.append(...run.writer.entries.slice(run.written));
      run.written = run.writer.entries.length;
    }
    if (!world.isRunning) world.start();
    const until = world.now + 20_000;
    await world.until(() => !world.isRunning || world.now >= until, 5000);
  }
  await world.until(() => {
    if (!world.isRunning) world.start();
    return world.isDone && world.look((cursor) => cursor.toldAfterEnd().length === 0);
  }, 40_000);
  await world.stop();

  const reported = new Set(world.refused.map(({ row }) => row));
  for (const { writer, state } of runs) {
    const expected = (quiet: "if-over" | "never" | "always") =>
      writesOf(world, writer.id, quiet)
        .filter(({ id, rowId }) => !reported.has(id) && !(rowId !== null && reported.has(rowId)))
        .map(({ kind, id, json }) => ({ kind, id, body: parseExact(json) as Record<string, unknown> }));
    const isWhole = reported.size === 0;
    const got = story(service.effectsOf(writer.id), isWhole);
    const least = story(expected(state.isClosed ? "if-over" : "never"), isWhole);
    if (!state.wasReopened) expect(got).toEqual(least);
    else {
      // What was told while it was over may have been sent before it went on.
      expect(got.slice(0, least.length)).toEqual(least);
      expect(story(expected("always"), isWhole).slice(0, got.length)).toEqual(got);
    }
  }
  for (const row of reported) {
    expect(service.refuses.has(row) || service.stumblesOver.has(row)).toBe(true);
  }
}

/** A row that the service will not take. */
function nameOf(runs: readonly string[], number: number): string {
  const run = runs[number % RUNS] ?? "";
  return `step_${run.slice(-1)}${Math.floor(number / RUNS) % 4}-${number % 2 === 0 ? "selected" : "response"}`;
}
