import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RunEvent } from "../../src/core/event.ts";
import type { EventPage, LiveMessages, RunItem } from "../../src/core/service-wire.ts";
import { type Source, SourceProblem, type Watcher } from "../../src/viewer/data/source.ts";
import { NOTHING_READ, RunReading, type RunReadout } from "../../src/viewer/run/run-reading.ts";
import { storyStep } from "./story-fixture.ts";

const base = { v: 1, runId: "run_1" };
const opened: RunEvent = {
  ...base,
  type: "run.opened",
  seq: 0,
  at: 100,
  tier: "bound",
  cwd: "/work",
  owner: { pid: 1, startedAt: "a" },
  sessionId: null,
  host: null,
  wrappedServers: [],
};

function call(seq: number, more: { agentId?: string; tool?: string; result?: unknown } = {}): RunEvent[] {
  const { agentId = null, tool = "t", result = {} } = more;
  const { durationMs, ...step } = { ...storyStep(`step_${seq}`, 100 + seq, { agentId, tool, server: null }) };
  const stepId = step.id;
  const begin: RunEvent = { ...base, ...step, type: "step.opened", seq, at: 100 + seq, stepId };
  const end: RunEvent = { ...base, ...step, type: "step.closed", seq, at: 101 + seq, stepId, durationMs, result };
  return [begin, end];
}

/** A service that gives pages one after the other, and tells what a test has it tell. */
class FakeSource {
  readonly asked: number[] = [];
  readonly wholeSteps = new Map<string, unknown>();
  /** Settles when it is watched. */
  readonly watched = Promise.withResolvers<Watcher>();
  isStopped = false;
  pages: (EventPage | SourceProblem)[];

  constructor(...pages: (EventPage | SourceProblem)[]) {
    this.pages = pages;
  }

  events(_id: string, after: number): Promise<EventPage> {
    this.asked.push(after);
    const page = this.pages.shift();
    if (page === undefined || page instanceof Error) return Promise.reject(page ?? new Error("no more pages"));
    return Promise.resolve(page);
  }

  run(): Promise<RunItem> {
    return Promise.reject(new SourceProblem("unreachable", "not asked for here"));
  }

  step(_runId: string, id: string) {
    return Promise.resolve(storyStep(id, 0, { result: this.wholeSteps.get(id) ?? null }));
  }

  watch(_run: unknown, watcher: Watcher) {
    this.watched.resolve(watcher);
    return {
      stop: () => {
        this.isStopped = true;
      },
    };
  }
}

function page(events: RunEvent[], position: number, more = false, isAbandoned = false): EventPage {
  return { events, position, more, isAbandoned };
}

/** Reads, and waits until what was told is as wanted. */
function read(source: FakeSource) {
  let latest: RunReadout = NOTHING_READ;
  const waiting: { is: (readout: RunReadout) => boolean; resolve: () => void }[] = [];
  const reading = new RunReading(source as unknown as Source, "run_1", (readout) => {
    latest = readout;
    reading.shown();
    for (const { is, resolve } of waiting) if (is(readout)) resolve();
  });
  void reading.start();
  const until = (is: (readout: RunReadout) => boolean) =>
    is(latest) ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ is, resolve }));
  return { reading, until, latest: () => latest };
}

const callCount = ({ story }: RunReadout) => story?.run.steps.length ?? 0;
const runs = (message: Partial<LiveMessages["runs"]>): LiveMessages["runs"] => ({
  changed: [],
  removed: [],
  ...message,
});

describe("reading a run", () => {
  beforeEach(() => {
    vi.stubGlobal("requestAnimationFrame", (run: (time: number) => void) => setTimeout(() => run(0), 0));
    vi.stubGlobal("cancelAnimationFrame", (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer));
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test("goes from page to page, then on with what comes", async () => {
    const source = new FakeSource(page([opened, ...call(1)], 3, true), page(call(2), 5));
    const { reading, until, latest } = read(source);
    const watcher = await source.watched.promise;
    expect(source.asked).toEqual([0, 3]);
    expect(callCount(latest())).toBe(2);
    watcher.events?.(page(call(3), 7));
    watcher.events?.(page(call(4), 9));
    await until((readout) => callCount(readout) === 4);
    reading.stop();
    expect(source.isStopped).toBe(true);
  });

  test("what is told twice is there once", async () => {
    const source = new FakeSource(page([opened, ...call(1)], 3));
    const { reading, until, latest } = read(source);
    const watcher = await source.watched.promise;
    watcher.events?.(page([...call(1), ...call(2)], 5));
    await until((readout) => callCount(readout) >= 2);
    expect(callCount(latest())).toBe(2);
    reading.stop();
  });

  test("a run whose owner is gone reads as abandoned", async () => {
    const { reading, until, latest } = read(new FakeSource(page([opened], 1, false, true)));
    await until(({ isWhole }) => isWhole);
    expect(latest().story?.run.status).toBe("abandoned");
    reading.stop();
  });

  test("says when it is removed, and when it is back", async () => {
    const source = new FakeSource(page([opened], 1));
    const { reading, until } = read(source);
    const watcher = await source.watched.promise;
    watcher.runs(runs({ removed: ["run_2"] }));
    watcher.runs(runs({ removed: ["run_1"] }));
    await until(({ isRemoved }) => isRemoved);
    watcher.runs(runs({ changed: [{ id: "run_1" } as RunItem] }));
    await until(({ isRemoved }) => !isRemoved);
    reading.stop();
  });

  test("says why it cannot be read", async () => {
    const { reading, until } = read(new FakeSource(new SourceProblem("not-found", "no such run")));
    await until(({ problem }) => problem?.code === "not-found");
    reading.stop();
  });

  test("asks which agent a call launched where its result in brief does not tell", async () => {
    const brief = { brief: true, length: 5000, head: '{"status":"completed","prompt":"x' };
    const source = new FakeSource(
      page(
        [
          opened,
          ...call(1, { tool: "Agent", result: brief }),
          ...call(2, { tool: "Agent", result: brief }),
          ...call(3, { agentId: "a" }),
          ...call(4, { agentId: "b" }),
        ],
        9,
      ),
    );
    source.wholeSteps.set("step_1", { agentId: "b" });
    source.wholeSteps.set("step_2", { agentId: "a" });
    const { reading, until, latest } = read(source);
    const all = (readout: RunReadout) => [...(readout.story?.agents.values() ?? [])];
    await until((readout) => all(readout).length === 2 && all(readout).every(({ launch }) => launch === "told"));
    const launched = latest().story?.parts.map((part) => (part.kind === "step" ? part.agents.map(({ id }) => id) : []));
    expect(launched).toEqual([["b"], ["a"]]);
    reading.stop();
  });
});
