import { describe, expect, test } from "vitest";
import type { Fault } from "../fakes/recordings-service/memory-service.ts";
import { OWNER, type RunWriter } from "./cli-fixture.ts";
import { SinkWorld } from "./sink-fixture.ts";

/** What a sink does with a service that is well, and with one that is not; in one process, on the test's own clock. */

const DAY_MS = 24 * 60 * 60_000;

/** A run with one call that is over. */
function aRun(world: SinkWorld, name = "a"): RunWriter {
  const run = world.run(name);
  run.close(run.open("echo", '{"n":12345678901234567890}'), "ok", '{"content":[]}');
  return run;
}

const SELECTED = "step_a0-selected";
const RESPONSE = "step_a0-response";

/** Writes all of a run and starts a sink. */
function recorded(world: SinkWorld, ...runs: RunWriter[]): SinkWorld {
  for (const run of runs) world.append(...run.entries);
  return world;
}

function idsOf(world: SinkWorld, run: RunWriter): string[] {
  return world.service.effectsOf(run.id).map(({ id }) => id);
}

/** Answers these first, one request after the other, and whatever `then` says. */
function answers(world: SinkWorld, ...faults: Fault[]): void {
  world.service.fault = () => faults.shift() ?? "none";
}

const times = (count: number, fault: Fault): Fault[] => Array.from({ length: count }, () => fault);

describe("a run", () => {
  test("is sent as it grows, with what rides on its rows, and ended", async () => {
    const world = new SinkWorld();
    const run = world.run("a");
    world.append(...run.entries);
    world.start();
    await world.until(() => world.service.runs.has(run.id));
    const before = run.entries.length;
    run.add("run.updated", 0, { input: "do it", usage: { inputTokens: 1 } });
    run.add("note", 0, { kind: "thought", text: "hm", agentId: null });
    const call = run.open("echo", '{"n":12345678901234567890,"e":1e400}');
    world.append(...run.entries.slice(before));
    await world.until(() => idsOf(world, run).length === 1);
    const closing = run.entries.length;
    run.close(call, "error", '{"isError":true}', { error: "no", isError: true });
    run.add("run.updated", 1, { finalAnswer: "done" }).add("run.closed", 1, { status: "completed" });
    world.append(...run.entries.slice(closing));
    await world.until(() => idsOf(world, run).length === 4 && world.isDone);
    const [selected, response, answer, finish] = world.service.effectsOf(run.id).map(({ body }) => body);
    expect(selected).toMatchObject({
      type: "tool_selected",
      stepIndex: 0,
      toolName: "echo",
      bir: { notes: [{ kind: "thought", text: "hm" }], run: { input: "do it" } },
    });
    expect(JSON.stringify(selected?.toolInput)).toBe('{"n":12345678901234567890,"e":1e400}');
    expect(response).toMatchObject({ type: "tool_response", stepIndex: 1, toolError: "no", bir: { status: "error" } });
    expect(answer).toMatchObject({ type: "final_answer", finalOutput: "done", bir: { run: { finalAnswer: "done" } } });
    expect(finish).toMatchObject({ finalOutput: "done", bir: { status: "completed" }, metrics: { steps: 1 } });
    expect(world.service.repeats).toBe(0);
  });

  test("that began before the service was named is not sent; from the start, it is", async () => {
    const world = new SinkWorld();
    const old = aRun(world, "a");
    world.now += 1000;
    world.since = world.now;
    const young = aRun(world, "b");
    recorded(world, old, young).start();
    await world.until(() => idsOf(world, young).length === 2 && world.isDone);
    expect(world.service.runs.has(old.id)).toBe(false);
    await world.stop();
    world.since = 0;
    world.start();
    await world.until(() => idsOf(world, old).length === 2);
    expect(world.service.repeats).toBe(0);
  });

  test("that came from another recorder is not sent on", async () => {
    const world = new SinkWorld();
    const [foreign, own] = [aRun(world, "a"), aRun(world, "b")];
    world.look((cursor) =>
      cursor.db.run("INSERT INTO received (run_id, id, kind) VALUES (?, '', 'run')", [foreign.id]),
    );
    recorded(world, foreign, own).start();
    await world.until(() => idsOf(world, own).length === 2 && world.isDone);
    expect([...world.service.runs.keys()]).toEqual([own.id]);
  });

  test("that was deleted here leaves no trace in the cursor", async () => {
    const world = recorded(new SinkWorld(), aRun(new SinkWorld()));
    answers(world, ...times(50, { status: 500 }));
    world.start();
    await world.for(10_000);
    world.look(({ db }) => db.run("DELETE FROM events; DELETE FROM runs;"));
    await world.until(() => world.isDone);
    expect(world.look(({ db }) => db.query("SELECT * FROM sink_runs").all())).toEqual([]);
  });

  test("whose owner is gone is told to be abandoned; taken up again, it goes on", async () => {
    const world = new SinkWorld();
    const run = aRun(world);
    recorded(world, run).start();
    await world.until(() => world.isDone);
    await world.for(60_000);
    expect(idsOf(world, run)).toEqual([SELECTED, RESPONSE]);
    world.isAlive = false;
    await world.for(20_000);
    expect(idsOf(world, run)).toHaveLength(2);
    await world.until(() => idsOf(world, run).length === 3);
    expect(world.service.effectsOf(run.id)[2]?.body).toMatchObject({ bir: { status: "abandoned" } });
    world.isAlive = true;
    const before = run.entries.length;
    run.add("run.updated", 1, { owner: { ...OWNER, pid: 5 } }).open("echo", "{}");
    world.append(...run.entries.slice(before));
    await world.until(() => idsOf(world, run).length === 4);
    expect(world.service.effectsOf(run.id)[3]?.body).toMatchObject({ bir: { run: { status: "running" } } });
  });

  test("of which something becomes known after its end has that sent with another end", async () => {
    const world = new SinkWorld();
    const run = aRun(world).add("run.closed", 1, { status: "failed" });
    recorded(world, run).start();
    await world.until(() => idsOf(world, run).length === 3 && world.isDone);
    const before = run.entries.length;
    run.add("gap", 1, { reason: "DEG-16 hook-unreadable", lost: 1 });
    world.append(...run.entries.slice(before));
    await world.until(() => idsOf(world, run).length === 4);
    const [, , first, second] = world.service.effectsOf(run.id).map(({ body }) => body);
    expect(second).toMatchObject({ bir: { status: "failed", gaps: [{ reason: "DEG-16 hook-unreadable", lost: 1 }] } });
    const at = (first?.bir as { at: number } | undefined)?.at;
    expect(second).toMatchObject({ bir: { at } });
    await world.for(30_000);
    expect(idsOf(world, run)).toHaveLength(4);
  });

  test("with many rows goes to another bir in few requests, and to others in one each", async () => {
    for (const isBir of [true, false]) {
      const world = new SinkWorld();
      const run = world.run("a");
      for (let n = 0; n < 500; n++) run.close(run.open("echo", `{"n":${n}}`), "ok", "{}");
      world.service.isBir = isBir;
      recorded(world, run).start();
      await world.until(() => idsOf(world, run).length === 1000);
      if (isBir) expect(world.service.requests).toBeLessThan(20);
      else expect(world.service.requests).toBe(1001);
      expect(idsOf(world, run).slice(0, 3)).toEqual([SELECTED, RESPONSE, "step_a1-selected"]);
      await world.stop();
    }
  });
});

describe("DEG-21 a service that takes nothing for now", () => {
  test("is asked again after 5 s, doubling to 60 s, and nothing is lost or there twice", async () => {
    const world = new SinkWorld();
    const run = aRun(world);
    const asked: number[] = [];
    const faults = times(6, "lost-before");
    world.service.fault = () => {
      asked.push(world.now);
      return faults.shift() ?? "none";
    };
    recorded(world, run).start();
    await world.until(() => idsOf(world, run).length === 2);
    const pauses = asked.slice(1, 7).map((at, index) => Math.round((at - (asked[index] ?? 0)) / 1000));
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
    expect(world.said).toEqual([
      "the recordings service: connection refused. What waits is sent later (DEG-21)",
      "the recordings service takes what waits again (DEG-21)",
    ]);
    await world.stop();
    expect(world.state).toMatchObject({ closed: null, lastSuccessAt: expect.any(Number) });
  });

  test("is asked again in time where the clock is set back meanwhile, and what was taken is written down", async () => {
    const world = new SinkWorld();
    const [first, second] = [aRun(world), aRun(world, "b")];
    answers(world, "lost-before");
    recorded(world, first).start();
    await world.until(() => world.said.length > 0);
    const began = world.now;
    world.setBackMs = DAY_MS;
    await world.until(() => idsOf(world, first).length === 2);
    expect(world.now - began).toBeLessThan(6000);
    recorded(world, second);
    await world.until(() => world.isDone && idsOf(world, second).length === 2);
    await world.for(2000);
    expect(world.state).toMatchObject({ closed: null, lastSuccessAt: expect.any(Number) });
  });

  test("is back after a day, and gets all that was recorded meanwhile", async () => {
    const world = new SinkWorld();
    const end = world.now + DAY_MS;
    world.service.fault = () => (world.now < end ? "lost-before" : "none");
    const runs = ["a", "b", "c", "d", "e", "f"].map((name) => aRun(world, name));
    recorded(world, ...runs.slice(0, 3)).start();
    await world.hours(12);
    recorded(world, ...runs.slice(3));
    await world.hours(12);
    await world.until(() => runs.every((run) => idsOf(world, run).length === 2));
    expect(world.said.length).toBeLessThanOrEqual(2);
    expect(world.refused).toEqual([]);
  });

  test("wants another sign-in: everything waits, and is tried once a minute", async () => {
    const world = new SinkWorld();
    const run = aRun(world);
    answers(world, { status: 401 }, { status: 403 });
    recorded(world, run, aRun(world, "b"));
    world.start();
    await world.for(55_000);
    expect(world.state.closed).toMatchObject({ reason: "sign-in" });
    await world.until(() => idsOf(world, run).length === 2);
    expect(world.refused).toEqual([]);
  });

  test("asks to wait: that long, and no longer", async () => {
    const world = new SinkWorld();
    const run = aRun(world);
    answers(world, { status: 429, retryAfterMs: 30_000 });
    const began = world.now;
    recorded(world, run).start();
    await world.until(() => idsOf(world, run).length === 2);
    expect(world.now - began).toBeGreaterThanOrEqual(30_000);
    expect(world.now - began).toBeLessThan(32_000);
  });

  test("has forgotten a run: all of it is sent again", async () => {
    const world = new SinkWorld();
    const run = aRun(world);
    recorded(world, run).start();
    await world.until(() => idsOf(world, run).length === 2 && world.isDone);
    world.service.runs.clear();
    const before = run.entries.length;
    run.add("run.closed", 1, { status: "completed" });
    world.append(...run.entries.slice(before));
    await world.until(() => idsOf(world, run).length === 3);
    expect(idsOf(world, run).slice(0, 2)).toEqual([SELECTED, RESPONSE]);
  });

  test("knows no recordings at its address: everything waits", async () => {
    const world = new SinkWorld();
    const run = aRun(world);
    world.service.fault = () => ({ status: 404 });
    recorded(world, run).start();
    await world.for(120_000);
    expect(world.state.closed?.why).toBe("it takes no recordings at this address (HTTP 404)");
    world.service.fault = () => "none";
    await world.until(() => idsOf(world, run).length === 2);
  });

  test("does not know changes: they are reported, and the run is sent again once", async () => {
    const world = new SinkWorld();
    const run = world.run("a");
    const call = run.open("echo", "{}");
    for (let n = 0; n < 5; n++) run.add("step.updated", call, { stepId: "step_a0", progress: n });
    run.close(call, "ok", "{}");
    world.service.fault = (path) => (path.includes("selected") ? { status: 404 } : "none");
    recorded(world, run).start();
    await world.until(() => world.isDone && idsOf(world, run).length === 2);
    expect(world.refused).toHaveLength(5);
    expect(world.service.requests).toBeLessThan(15);
  });

  test("answers web pages, as the sign-in of a network does: nothing of it counts as taken", async () => {
    const world = new SinkWorld();
    const run = aRun(world);
    answers(world, "none", { status: 200, isPage: true }, { status: 200, isPage: true });
    recorded(world, run).start();
    await world.until(() => world.isDone && idsOf(world, run).length === 2);
    expect(world.said[0]).toContain("it answers a web page (HTTP 200)");
    expect(world.refused).toEqual([]);
  });

  test("redirects: that is trouble, and goes nowhere else", async () => {
    const world = new SinkWorld();
    answers(world, { status: 301 });
    recorded(world, aRun(world)).start();
    await world.until(() => world.said.length > 0);
    expect(world.said[0]).toContain("it redirects elsewhere, which is not followed (HTTP 301)");
  });
});

describe("DEG-22 a part of a run that is refused for good", () => {
  test.each([400, 409, 413, 422])("with HTTP %i: it is reported, and the rest goes on", async (status) => {
    for (const isBir of [true, false]) {
      const world = new SinkWorld();
      const run = world.run("a");
      for (let n = 0; n < 40; n++) run.close(run.open("echo", `{"n":${n}}`), "ok", "{}");
      world.service.isBir = isBir;
      world.service.refuses.add("step_a7-response");
      const { take } = world.service;
      world.service.take = (...request) => {
        const answer = take.apply(world.service, request);
        return answer === 422 ? status : answer;
      };
      recorded(world, run, aRun(world, "b")).start();
      await world.until(() => world.isDone);
      expect(idsOf(world, run)).toHaveLength(79);
      expect(world.refused).toEqual([{ row: "step_a7-response", status }]);
      expect(world.said.filter((line) => line.includes("DEG-22"))).toHaveLength(1);
      expect(world.look((cursor) => cursor.facts().refused)).toBe(1);
      await world.stop();
    }
  });

  test("the run itself: nothing of it is sent, and others are", async () => {
    const world = new SinkWorld();
    const [run, other] = [aRun(world, "a"), aRun(world, "b")];
    world.service.refuses.add(run.id);
    recorded(world, run, other).start();
    await world.until(() => world.isDone && idsOf(world, other).length === 2);
    expect(world.refused).toEqual([{ row: run.id, status: 422 }]);
    world.isAlive = false;
    await world.for(90_000);
    expect(world.service.runs.has(run.id)).toBe(false);
  });

  test("a row over which a healthy service stumbles holds up nobody, and is given up", async () => {
    const world = new SinkWorld();
    const run = aRun(world).add("run.closed", 1, { status: "completed" });
    world.service.stumblesOver.add(SELECTED);
    recorded(world, run).start();
    await world.for(20_000);
    const other = aRun(world, "b");
    const at = world.now;
    recorded(world, other);
    await world.until(() => idsOf(world, other).length === 2);
    expect(world.now - at).toBeLessThan(2000);
    await world.until(() => world.isDone);
    expect(world.refused).toEqual([{ row: SELECTED, status: 500 }]);
    expect(idsOf(world, run).slice(0, 1)).toEqual([RESPONSE]);
    expect(idsOf(world, run)).toHaveLength(2);
  });

  test("a row is not given up while the whole service is in trouble", async () => {
    const world = new SinkWorld();
    const run = aRun(world);
    recorded(world, run).start();
    world.service.fault = () => ({ status: 500 });
    await world.hours(6);
    expect(world.refused).toEqual([]);
    world.service.fault = () => "none";
    await world.until(() => idsOf(world, run).length === 2);
  });
});
