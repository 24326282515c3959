/** A control server that answers late, wrongly or not at all: the session is whole, and each call is told once. */

import { afterEach, describe, expect } from "vitest";
import { FakeControlServer, healthyReply, type Reply, type SeenRequest } from "../../fakes/control-server.ts";
import { test } from "../../harness/process-test.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { endedCalls, numberOf, reportsOf, spooled, untilEnded, upTo } from "../bound-reports.ts";
import { ComparedSession } from "./compared-session.ts";
import { peakMemoryMib } from "./peak-memory.ts";
import { onlyStoredRun, storedRuns, storedSteps, untilStored } from "./stored-runs.ts";

let fake: FakeControlServer;
afterEach(async () => await fake.close());

async function announced(box: Sandbox): Promise<FakeControlServer> {
  fake = await FakeControlServer.start();
  fake.announce(box.birHome, box.cwd);
  return fake;
}

/** Answers the first step requests in these ways, and all later ones well: those are in `taken`. */
function first(taken: Set<SeenRequest>, ...replies: Reply[]): (request: SeenRequest) => Reply {
  let nth = 0;
  return (request) => {
    const reply = request.route === "/proxy/step" ? replies[nth++] : undefined;
    if (reply === undefined) taken.add(request);
    return reply ?? healthyReply(request);
  };
}

const TOLD_TWICE: readonly [string, Reply][] = [
  ["503", { status: 503 }],
  ["500", { status: 500 }],
  ["429", { status: 429 }],
  ["404, for a proxy it does not know", { status: 404 }],
  ["401, as another server's port would", { status: 401 }],
  ["a reset", "reset"],
  ["the end of the connection", "close"],
  ["no HTTP", "garbage"],
  ["an answer of a program for web pages", { status: 302 }],
];

describe("DEG-02 an answer that is no acknowledgement", () => {
  test.for(TOLD_TWICE)("%s: the same is told again", async ([, reply], { box }) => {
    // Not by a file: a server in place of this one would be started.
    fake = await FakeControlServer.start();
    const taken = new Set<SeenRequest>();
    const isTaken = (request: SeenRequest) => taken.has(request);
    fake.script = first(taken, reply, reply, reply);
    const session = new ComparedSession(box, { env: fake.env });
    await session.calls(0, 20);
    await untilEnded(fake, 20, isTaken);
    await session.calls(20, 40);
    await untilEnded(fake, 40, isTaken);
    await session.finish();
    expect(fake.requests.length).toBeGreaterThan(taken.size);
    expect(endedCalls(reportsOf(fake.requests, isTaken)).map(numberOf)).toEqual(upTo(40));
    expect(storedRuns(box.birHome)).toEqual([]);
    expect(spooled(box.birHome)).toEqual([]);
    expect(session.ownLines()).toEqual([]);
  });

  test("400 for one report: it alone is dropped, and counted", async ({ box }) => {
    await announced(box);
    fake.script = (request) =>
      request.text.includes('"toolName":"odd"') ? { status: 400, body: { error: "no" } } : healthyReply(request);
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await session.call("odd", "odd");
    await session.calls(10, 20);
    await session.finish();
    const taken = reportsOf(fake.requests, ({ text }) => !text.includes('"toolName":"odd"'));
    expect(endedCalls(taken).map(numberOf)).toEqual(upTo(20));
    expect(taken.filter(({ kind }) => kind === "gap")).toEqual([
      expect.objectContaining({ reason: "DEG-15 report-refused", lost: 1 }),
    ]);
  });
});

describe("DEG-02 a server that never answers", () => {
  test("what it may have got goes to the spool, what follows into a run of our own", async ({ box }) => {
    await announced(box);
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await untilEnded(fake, 10);
    fake.script = () => "hang";
    await session.calls(10, 20);
    await fake.untilRequests(fake.requests.length + 1);
    await session.calls(20, 30);
    await session.host.stderr.untilText("(DEG-02)");
    await session.calls(30, 40);
    await session.finish();
    const run = onlyStoredRun(box.birHome);
    const left = endedCalls(spooled(box.birHome).flatMap(({ reports }) => reports)).map(numberOf);
    expect(left.length).toBeGreaterThanOrEqual(10);
    expect([...left, ...run.steps.map(numberOf)]).toEqual(upTo(40).slice(10));
    expect(run).toMatchObject({
      tier: "standalone",
      status: "completed",
      lossy: true,
      gaps: [{ reason: "DEG-02 server-gone", lost: 0 }],
    });
    expect(session.ownLines()).toHaveLength(1);
  });

  test("at the end of a session: nothing is waited for longer than a second", async ({ box }) => {
    await announced(box);
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await untilEnded(fake, 10);
    fake.script = () => "hang";
    await session.calls(10, 20);
    await session.finish();
    const [line, ...others] = spooled(box.birHome);
    expect(others).toEqual([]);
    expect(endedCalls(line?.reports ?? []).map(numberOf)).toEqual(upTo(20).slice(10));
    expect(storedRuns(box.birHome)).toEqual([]);
  });

  test("SIGTERM in the middle: all that is known is in the spool when the process is gone", async ({ box }) => {
    await announced(box);
    fake.script = (request) => (request.route === "/proxy/step" ? "hang" : healthyReply(request));
    const session = new ComparedSession(box, { upstream: box.fake() });
    await session.calls(0, 10);
    await session.say('{"id":"n","method":"tools/call","params":{"name":"never","arguments":{"n":10}}}\n');
    await session.host.stderr.untilText('holding "n"');
    session.host.signal("SIGTERM");
    await session.host.exit();
    const reports = spooled(box.birHome).flatMap((line) => line.reports);
    expect(endedCalls(reports).map((call) => `${numberOf(call)} ${call.status}`)).toEqual([
      ...upTo(10).map((n) => `${n} ok`),
      "10 lost",
    ]);
    expect(reports.at(-1)?.kind).toBe("left");
  });

  test("SIGKILL in the middle: what is lost is what was not acknowledged", async ({ box }) => {
    await announced(box);
    const host = box.startProxy(box.fake("--quiet"));
    for (let n = 0; n < 10; n++) await host.call(n, "echo", { n });
    await untilEnded(fake, 10);
    fake.script = () => "hang";
    for (let n = 10; n < 20; n++) await host.call(n, "echo", { n });
    host.signal("SIGKILL");
    await host.exit();
    const acknowledged = endedCalls(reportsOf(fake.requests)).map(numberOf);
    expect(acknowledged.slice(0, 10)).toEqual(upTo(10));
    expect(storedRuns(box.birHome)).toEqual([]);
  });
});

describe("DEG-03 more waits for the server than is meant to", () => {
  test("a store that takes nothing, and 400 calls: the server's, then a run of our own", async ({ box }) => {
    await announced(box);
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await untilEnded(fake, 10);
    fake.script = ({ route, ...rest }) =>
      route === "/proxy/step" ? { status: 503 } : healthyReply({ route, ...rest });
    for (let n = 10; n < 410; n += 20) await session.calls(n, n + 20);
    await session.host.stderr.untilText("(DEG-03)");
    // But for those that were on their way to it just then: they may have got there.
    const left = () => endedCalls(spooled(box.birHome).flatMap((line) => line.reports));
    await untilStored("the calls that waited", () => storedSteps(box.birHome).length + left().length >= 251);
    await session.finish();
    const own = onlyStoredRun(box.birHome);
    expect(own).toMatchObject({ lossy: true, gaps: [{ reason: "DEG-02 server-gone" }] });
    expect(left().length).toBeLessThanOrEqual(64);
    expect([...left(), ...own.steps].map(numberOf).toSorted((a, b) => a - b)).toEqual(upTo(410).slice(10));
    expect(session.ownLines()).toHaveLength(1);
  });

  test("a server that does not answer, and 60 MB of calls and answers: memory is bounded", async ({ box }) => {
    await announced(box);
    const session = new ComparedSession(box);
    await session.call(-1);
    await untilEnded(fake, 1);
    fake.script = () => "hang";
    const text = "m".repeat(100_000);
    for (let n = 0; n < 300; n += 20) await session.calls(n, n + 20, (i) => ({ n: i, text }));
    expect(peakMemoryMib(session.host.pid) ?? 0).toBeLessThan(MOST_MEMORY_MIB);
    await session.finish();
    const left = endedCalls(spooled(box.birHome).flatMap((line) => line.reports)).map(numberOf);
    const own = storedSteps(box.birHome).map(numberOf);
    expect([...left, ...own].toSorted((a, b) => a - b)).toEqual(upTo(300));
    expect(own.length).toBeGreaterThan(0);
  });
});

/** Without a bound the 60 MB, which are kept as text and told as another, would not fit. */
const MOST_MEMORY_MIB = 200;
