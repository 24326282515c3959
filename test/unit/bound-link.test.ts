import { describe, expect, test } from "vitest";
import type { ProxyReport, ProxyStepReport } from "../../src/core/control-wire.ts";
import type { RecordedCall } from "../../src/proxy/tiers/tiered-recorder.ts";
import { trustedText } from "../../src/redact/redact.ts";
import { BoundWorld } from "./bound-fixture.ts";
import { START } from "./wire-fixture.ts";

const number = ({ args }: { args: unknown }) => (args as { n: number }).n;
const reportsOf = (body: string) => (JSON.parse(body) as { reports: ProxyReport[] }).reports;
const stepsOf = (texts: readonly string[]) =>
  texts
    .map((text) => JSON.parse(text) as ProxyReport)
    .filter((report): report is ProxyStepReport => report.kind === "step");

/** A world whose proxy is bound and has nothing to tell. */
async function boundWorld(): Promise<BoundWorld> {
  const world = new BoundWorld();
  await world.work();
  expect(world.changes).toEqual(["bound"]);
  return world;
}

describe("bound", () => {
  test("a call that ends soon is told once, 40 ms later", async () => {
    const world = await boundWorld();
    world.end(world.call(1));
    await world.pass(39);
    expect(world.server.bodies).toEqual([]);
    await world.pass(1);
    expect(world.server.steps).toEqual([expect.objectContaining({ status: "ok", args: { n: 1 }, durationMs: 0 })]);
    expect(world.recorder.waiting).toBe(0);
    expect(world.entries).toEqual([]);
  });

  test("a call that goes on is told as running, once, and again under the same reference when it has ended", async () => {
    const world = await boundWorld();
    const call = world.call(1);
    await world.pass(500);
    world.end(world.call(2));
    await world.pass(500);
    world.end(call);
    await world.pass(500);
    expect(world.server.steps.map((step) => [number(step), step.status, step.durationMs])).toEqual([
      [1, "running", null],
      [2, "ok", 0],
      [1, "ok", 1000],
    ]);
    const [running, , ended] = world.server.steps;
    expect(ended?.callRef).toBe(running?.callRef);
    expect(ended?.reportId).not.toBe(running?.reportId);
  });

  test("a batch holds 64 reports, in their order; a full one does not wait", async () => {
    const world = await boundWorld();
    for (let n = 0; n < 100; n++) world.end(world.call(n));
    world.due = world.now;
    await world.work();
    expect(world.server.bodies.map((body) => reportsOf(body).length)).toEqual([64]);
    await world.pass(40);
    expect(world.server.bodies.map((body) => reportsOf(body).length)).toEqual([64, 36]);
    expect(world.server.steps.map(number)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  test("what happens beside calls is told too", async () => {
    const world = await boundWorld();
    const at = START + world.now;
    const { recorder } = world;
    recorder.learnHost({ app: trustedText("codex"), version: trustedText("1") }, at);
    recorder.learnHost({ app: trustedText("codex"), version: trustedText("1") }, at);
    for (let n = 0; n < 5; n++) recorder.countHostHookCall(at);
    recorder.gap(trustedText("DEG-12 switched-off"), 2, at);
    recorder.warn(trustedText("odd"), at);
    await world.pass(50);
    recorder.countHostHookCall(at);
    await world.pass(50);
    expect([...world.server.reports.values()].map(({ reportId: _, ...report }) => report)).toEqual([
      { kind: "client", at, name: "codex", version: "1" },
      { kind: "host-hook-calls", at, count: 5 },
      { kind: "gap", at, reason: "DEG-12 switched-off", lost: 2 },
      { kind: "warning", at, text: "odd" },
      { kind: "host-hook-calls", at, count: 1 },
    ]);
  });

  test("a server that does not know the proxy any more is registered with again, and told the same", async () => {
    const world = await boundWorld();
    world.server.answer("/proxy/register", "{}", world.server.token);
    const call = world.call(1);
    await world.pass(50);
    world.server.restart();
    world.end(call);
    await world.pass(200);
    expect(world.server.ended.map(number)).toEqual([1]);
    expect(world.changes).toEqual(["bound"]);
  });

  test("a store that does not take it now is asked again with the same ids, less and less often", async () => {
    const world = await boundWorld();
    world.server.behaviour = "busy";
    let asked = 0;
    const answer = world.server.answer.bind(world.server);
    const ids = new Set<string>();
    world.server.answer = (route, body, token) => {
      asked++;
      for (const { reportId } of reportsOf(body)) ids.add(reportId);
      return answer(route, body, token);
    };
    world.end(world.call(1));
    await world.pass(60_000);
    expect(asked).toBeGreaterThan(50);
    expect(asked).toBeLessThan(80);
    expect(ids.size).toBe(1);
    expect(world.changes).toEqual(["bound"]);
    world.server.behaviour = "well";
    await world.pass(1_000);
    expect([...world.server.reports.keys()]).toEqual([...ids]);
  });

  test("a report that is refused is singled out and counted; the others are taken", async () => {
    const world = await boundWorld();
    world.server.refusedTool = "odd";
    for (let n = 0; n < 50; n++) world.end(world.call(n, n === 17 ? "odd" : "echo"));
    await world.pass(1_000);
    expect(world.server.steps.map(number)).toEqual(Array.from({ length: 50 }, (_, n) => n).filter((n) => n !== 17));
    expect(world.changes).toEqual(["bound", "refused"]);
    const gaps = [...world.server.reports.values()].filter(({ kind }) => kind === "gap");
    expect(gaps).toEqual([expect.objectContaining({ reason: "DEG-15 report-refused", lost: 1 })]);
  });

  test("an answer that is lost: told again under the same id", async () => {
    const world = await boundWorld();
    world.server.behaviour = "acks-lost";
    world.end(world.call(1));
    await world.pass(100);
    world.server.behaviour = "well";
    await world.pass(1_000);
    expect(world.server.bodies.length).toBeGreaterThan(1);
    expect(world.server.steps).toHaveLength(1);
  });
});

describe("DEG-02 the server goes", () => {
  test("is waited for ten seconds; then what follows is a run of our own, which says so", async () => {
    const world = await boundWorld();
    world.server.behaviour = "dead";
    world.end(world.call(1));
    await world.pass(9_900);
    expect(world.ownRuns).toEqual([]);
    await world.pass(1_200);
    world.end(world.call(2));
    expect(world.changes).toEqual(["bound", "gone"]);
    expect(world.ownRuns.map(({ steps, gaps, lossy }) => [steps.map(number), gaps, lossy])).toEqual([
      [[1, 2], [expect.objectContaining({ reason: "DEG-02 server-gone", lost: 0 })], true],
    ]);
    expect(world.spooled).toEqual([]);
  });

  test("what it may have got already is left for the next one, and so is the end of a call that it knows", async () => {
    const world = await boundWorld();
    const known = world.call(1);
    await world.pass(50);
    world.server.behaviour = "lost";
    const maybe = world.call(2);
    await world.pass(50);
    world.server.behaviour = "dead";
    world.end(world.call(3));
    const unknown = world.call(4);
    await world.pass(11_000);
    expect(world.spooled.map((texts) => stepsOf(texts).map(number))).toEqual([[2]]);
    for (const call of [known, maybe, unknown]) world.end(call);
    await world.pass(50);
    const spooled = world.spooled.flat();
    expect(stepsOf(spooled).map((step) => [number(step), step.status])).toEqual([
      [2, "running"],
      [1, "ok"],
      [2, "ok"],
    ]);
    expect(world.ownRuns.flatMap(({ steps }) => steps.map(number))).toEqual([3, 4]);
  });

  test("it is started again while it is waited for, once in a while", async () => {
    const world = await boundWorld();
    world.server.behaviour = "dead";
    world.end(world.call(1));
    await world.pass(5_000);
    expect(world.revivals).toBe(5);
    world.server.restart();
    await world.pass(2_000);
    expect(world.server.ended.map(number)).toEqual([1]);
    expect(world.changes).toEqual(["bound"]);
  });

  test("it is started again when it is looked for, too", async () => {
    const world = await boundWorld();
    world.server.behaviour = "dead";
    world.end(world.call(1));
    await world.pass(26_000);
    const before = world.revivals;
    world.traffic();
    await world.work();
    expect(world.revivals).toBe(before + 1);
    world.isDown = true;
    await world.pass(16_000);
    world.traffic();
    await world.work();
    expect(world.revivals).toBe(before + 1);
  });

  test("one that was never bound starts none", async () => {
    const world = new BoundWorld();
    world.server.behaviour = "dead";
    world.end(world.call(1));
    await world.pass(12_000);
    expect(world.revivals).toBe(0);
    expect(world.changes).toEqual(["missing"]);
    expect(world.ownRuns.map(({ steps, lossy }) => [steps.map(number), lossy])).toEqual([[[1], false]]);
  });

  test("switched down, it is not waited for", async () => {
    const world = await boundWorld();
    world.server.behaviour = "dead";
    world.isDown = true;
    world.end(world.call(1));
    await world.pass(100);
    expect(world.changes).toEqual(["bound", "down"]);
    expect(world.revivals).toBe(0);
    expect(world.ownRuns.flatMap(({ steps }) => steps.map(number))).toEqual([1]);
  });

  test("one that is stopped is asked once, and what it was sent is left for the next", async () => {
    const world = await boundWorld();
    world.server.behaviour = "stopped";
    world.end(world.call(1));
    await world.pass(11_000);
    expect(world.changes).toEqual(["bound", "gone"]);
    expect(world.spooled.flatMap(stepsOf).map(number)).toEqual([1]);
    world.server.goOn();
    world.drainSpool();
    expect(world.server.steps).toHaveLength(1);
    expect(world.ownRuns).toEqual([]);
  });
});

describe("DEG-03 too much waits for the server", () => {
  test("250 reports may wait; with one more what no server has seen becomes a run of our own", async () => {
    const world = await boundWorld();
    world.server.behaviour = "busy";
    for (let n = 0; n < 250; n++) world.end(world.call(n));
    await world.pass(50);
    expect(world.changes).toEqual(["bound"]);
    world.end(world.call(250));
    expect(world.changes).toEqual(["bound", "behind"]);
    expect(world.recorder.waiting).toBe(0);
    expect(world.ownRuns.flatMap(({ steps }) => steps.map(number))).toEqual(Array.from({ length: 251 }, (_, n) => n));
  });

  test("what is on its way just then is left for a server: it may arrive", async () => {
    const world = await boundWorld();
    world.server.behaviour = "stopped";
    world.end(world.call(0));
    world.meanwhile = () => {
      for (let n = 1; n <= 251; n++) world.end(world.call(n));
    };
    await world.pass(50);
    expect(world.changes).toEqual(["bound", "behind"]);
    expect(world.spooled.flatMap(stepsOf).map(number)).toEqual([0]);
    expect(world.ownRuns.flatMap(({ steps }) => steps.map(number))).toEqual(
      Array.from({ length: 251 }, (_, n) => n + 1),
    );
  });

  test("16 MiB may wait", async () => {
    const world = await boundWorld();
    world.server.behaviour = "busy";
    for (let n = 0; n < 20 && world.changes.length < 2; n++) {
      const call = world.call(n);
      if (call.reported !== null) call.reported.fact.args = trustedText(`"${"x".repeat(1_000_000)}"`) as never;
      world.end(call);
    }
    expect(world.changes).toEqual(["bound", "behind"]);
    expect(world.ownRuns.flatMap(({ steps }) => steps)).toHaveLength(17);
  });

  test("calls that a server knew of and that all end at once when it is gone are left to the next one", async () => {
    const world = await boundWorld();
    const calls: RecordedCall[] = [];
    while (calls.length < 900) {
      calls.push(world.call(calls.length));
      if (calls.length % 100 === 0) await world.pass(200);
    }
    expect(world.server.steps).toHaveLength(900);
    world.server.behaviour = "dead";
    world.isDown = true;
    world.end(world.call(900));
    await world.pass(1_000);
    expect(world.changes).toEqual(["bound", "down"]);
    for (const call of calls) world.end(call);
    await world.finish();
    world.drainSpool();
    expect(world.server.ended.map(number)).toEqual(Array.from({ length: 900 }, (_, n) => n));
    expect(world.ownRuns).toMatchObject([{ gaps: [{ reason: "DEG-02 server-gone" }], steps: [{ args: { n: 900 } }] }]);
  });

  test("where not even the spool takes it, the oldest is dropped and counted", async () => {
    const world = await boundWorld();
    const calls = Array.from({ length: 200 }, (_, n) => world.call(n));
    await world.pass(200);
    world.server.behaviour = "dead";
    world.isDown = true;
    world.spoolWorks = false;
    const more = Array.from({ length: 100 }, (_, n) => world.call(200 + n));
    await world.pass(1_000);
    for (const call of [...calls, ...more]) world.end(call);
    expect(world.recorder.waiting).toBe(200);
    await world.finish();
    const gaps = world.ownRuns.flatMap((run) => run.gaps.map(({ reason, lost }) => `${reason} ${lost}`));
    expect(gaps).toEqual(["DEG-02 server-gone 0", "DEG-03 reports-dropped 200"]);
  });
});

describe("a server that is found later", () => {
  test("without one, this process records by itself at once; it looks again with traffic, every 15 s", async () => {
    const world = new BoundWorld();
    world.isMeant = false;
    world.isAnnounced = false;
    const early = world.call(1);
    await world.work();
    expect(world.changes).toEqual(["alone"]);
    expect(world.ownRuns.flatMap(({ steps }) => steps.map(number))).toEqual([1]);
    world.isAnnounced = true;
    await world.pass(14_000);
    world.traffic();
    expect(world.due).toBe(null);
    await world.pass(1_000);
    world.traffic();
    await world.work();
    expect(world.changes).toEqual(["alone", "bound"]);
    world.end(world.call(2));
    await world.pass(100);
    expect(world.server.ended.map(number)).toEqual([2]);
    expect(world.ownRuns.map(({ status }) => status)).toEqual(["running"]);
    world.end(early);
    expect(world.ownRuns.map(({ status, lossy }) => [status, lossy])).toEqual([["completed", false]]);
  });

  test("where one is meant, what happens waits ten seconds for it", async () => {
    const world = new BoundWorld();
    world.isAnnounced = false;
    world.end(world.call(1));
    await world.pass(8_000);
    expect(world.entries).toEqual([]);
    world.isAnnounced = true;
    await world.pass(1_100);
    expect(world.server.ended.map(number)).toEqual([1]);
  });

  test("one that nothing says is meant has half a second to answer", async () => {
    const world = new BoundWorld();
    world.isMeant = false;
    world.server.behaviour = "stopped";
    world.end(world.call(1));
    await world.pass(1);
    expect(world.changes).toEqual(["alone"]);
    expect(world.now).toBeLessThan(1_000 + 600);
  });

  test("each tie that is lost begins a run of our own, each that is found ends it", async () => {
    const world = await boundWorld();
    for (let n = 0; n < 3; n++) {
      world.server.behaviour = "dead";
      world.end(world.call(2 * n));
      await world.pass(26_000);
      world.traffic();
      world.server.restart();
      await world.pass(100);
      world.end(world.call(2 * n + 1));
      await world.pass(100);
    }
    expect(world.server.ended.map(number)).toEqual([1, 3, 5]);
    expect(world.ownRuns.map(({ steps, status }) => [steps.map(number), status])).toEqual([
      [[0], "completed"],
      [[2], "completed"],
      [[4], "completed"],
    ]);
  });
});

describe("the end of a session", () => {
  test("what waits and that the proxy leaves is told", async () => {
    const world = await boundWorld();
    world.end(world.call(1));
    await world.finish();
    expect([...world.server.reports.values()].map(({ kind }) => kind)).toEqual(["step", "left"]);
    expect(world.spooled).toEqual([]);
  });

  test("more than may wait, all at once: it goes to the spool, and into no other run", async () => {
    const world = await boundWorld();
    world.link.ending();
    for (let n = 0; n < 1_000; n++) world.end(world.call(n));
    await world.finish();
    expect(world.entries).toEqual([]);
    world.drainSpool();
    expect(world.server.ended.map(number).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 1_000 }, (_, n) => n),
    );
  });

  test("with a server that is gone: all of it goes to the spool, as one line", async () => {
    const world = await boundWorld();
    const call = world.call(0);
    await world.pass(50);
    world.server.behaviour = "dead";
    for (let n = 1; n < 100; n++) world.end(world.call(n));
    world.end(call, "lost");
    await world.finish();
    expect(world.spooled).toHaveLength(1);
    expect(world.spooled.flatMap(stepsOf)).toHaveLength(100);
    expect(JSON.parse(world.spooled[0]?.at(-1) ?? "")).toMatchObject({ kind: "left", how: "ended" });
    expect(world.entries).toEqual([]);
  });

  test("where the spool takes nothing, what no server has seen becomes a run of our own", async () => {
    const world = await boundWorld();
    world.server.behaviour = "dead";
    world.spoolWorks = false;
    world.end(world.call(1));
    await world.finish();
    expect(world.ownRuns.map(({ steps, status }) => [steps.map(number), status])).toEqual([[[1], "completed"]]);
  });

  test("a server that was meant and did not come in time gets it from the spool", async () => {
    const world = new BoundWorld();
    world.isAnnounced = false;
    world.end(world.call(1));
    await world.pass(500);
    await world.finish();
    expect(world.spooled.flatMap(stepsOf).map(number)).toEqual([1]);
    expect(world.entries).toEqual([]);
    // Somebody has to take that up: one is asked for, at once and once more at the end.
    expect([world.starts, world.revivals]).toEqual([2, 0]);
  });

  test("before anything is known of a server, what happened becomes a run of our own", async () => {
    const world = new BoundWorld();
    world.end(world.call(1));
    await world.link.settle();
    expect(world.spooled).toEqual([]);
    expect(world.ownRuns.flatMap(({ steps }) => steps.map(number))).toEqual([1]);
  });

  test("a proxy that tells nobody leaves nothing behind", async () => {
    const world = new BoundWorld();
    world.isMeant = false;
    world.isAnnounced = false;
    world.end(world.call(1));
    await world.finish();
    expect(world.spooled).toEqual([]);
    expect(world.ownRuns.map(({ status }) => status)).toEqual(["completed"]);
  });
});
