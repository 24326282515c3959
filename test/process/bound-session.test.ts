/** A session whose proxy reports to a control server: the session is what it would be without, and the server is told all. */

import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect } from "vitest";
import { discoveryPath, offSwitchPath, serverDiscoveryPath } from "../../src/kit/paths.ts";
import { FakeControlServer, healthyReply } from "../fakes/control-server.ts";
import { Deadline } from "../harness/deadline.ts";
import { test } from "../harness/process-test.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { endedCalls, numberOf, reportsOf, spooled, untilEnded, upTo } from "./bound-reports.ts";
import { ComparedSession } from "./faults/compared-session.ts";
import { onlyStoredRun, storedRuns, storedSteps } from "./faults/stored-runs.ts";

const fakes: FakeControlServer[] = [];
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close();
});

/** A healthy server that the sandbox's sessions find by its file. */
async function announced(box: Sandbox): Promise<FakeControlServer> {
  const fake = await started();
  fake.announce(box.birHome, box.cwd);
  return fake;
}

async function started(): Promise<FakeControlServer> {
  const fake = await FakeControlServer.start();
  fakes.push(fake);
  return fake;
}

describe("bound", () => {
  test("from the first call on, and not before", async ({ box }) => {
    const fake = await announced(box);
    const session = new ComparedSession(box, { env: { CLAUDE_CODE_SESSION_ID: "ses-1", CLAUDE_PROJECT_DIR: "/p" } });
    await session.request("i", "initialize", {
      protocolVersion: "2025-11-25",
      clientInfo: { name: "codex-mcp-client", version: "0.171.0" },
    });
    await session.request("l", "tools/list");
    expect(fake.requests).toEqual([]);
    await session.calls(0, 20);
    await session.finish();
    const [registration, ...steps] = fake.requests;
    expect(registration).toMatchObject({
      route: "/proxy/register",
      body: {
        serverName: "fake",
        pid: session.host.pid,
        hostPid: process.pid,
        cwd: box.cwd,
        projectDir: "/p",
        sessionId: "ses-1",
        client: { name: "codex", version: "0.171.0" },
      },
    });
    expect(steps.every(({ route, body }) => route === "/proxy/step" && body.proxyId === "proxy-1")).toBe(true);
    const reports = reportsOf(fake.requests);
    expect(endedCalls(reports).map(numberOf)).toEqual(upTo(20));
    expect(endedCalls(reports)[0]).toMatchObject({
      serverName: "fake",
      toolName: "echo",
      qualifiedName: "mcp__fake__echo",
      status: "ok",
      isError: false,
      rpcError: null,
      hostMeta: null,
      legs: 1,
      truncated: false,
      isAmbiguous: false,
    });
    expect(reports.at(-1)).toMatchObject({ kind: "left", how: "ended" });
    expect(storedRuns(box.birHome)).toEqual([]);
    expect(session.ownLines()).toEqual([]);
  });

  test("payloads are told as they were on the wire, but for their secrets", async ({ box }) => {
    const fake = await announced(box);
    const session = new ComparedSession(box, { upstream: box.fake("--quiet") });
    const args = String.raw`{"n":1.0,"m":1e400,"a":{"2":1,"1":12345678901234567890},"a":"\ud800\u0041","password":"hunter2-hunter2"}`;
    await session.say(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${args},"_meta":{"claudecode/toolUseId":"toolu_1","x":1.50}}}\n`,
    );
    await session.host.stdout.untilAnswer(1);
    await session.say(
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":1],"b"}}\n`,
    );
    await session.finish();
    const bodies = fake.requests.map(({ text }) => text).join("\n");
    expect(bodies).toContain(`"args":${args.replace("hunter2-hunter2", "[REDACTED:key]")}`);
    expect(bodies).toContain('"hostMeta":{"claudecode/toolUseId":"toolu_1","x":1.50}');
    expect(bodies).not.toContain("hunter2");
    expect(fake.requests.every(({ body }) => body !== undefined)).toBe(true);
    expect(endedCalls(reportsOf(fake.requests))[0]).toMatchObject({ hostCallId: "toolu_1", argsHash: null });
  });

  test("a call that the host gives no id is told with the fingerprint of its arguments", async ({ box }) => {
    const fake = await announced(box);
    const session = new ComparedSession(box);
    let id = 0;
    for (const args of ['{"b":2,"a":"secret=hunter2-hunter2"}', '{"a":"secret=hunter2-hunter2","b":2}', "{}"]) {
      await session.say(`{"id":${++id},"method":"tools/call","params":{"name":"echo","arguments":${args}}}\n`);
      await session.host.stdout.untilAnswer(id);
    }
    await session.finish();
    const hashes = endedCalls(reportsOf(fake.requests)).map(({ argsHash }) => argsHash);
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });

  test("a call that goes on is told as running; cancelled, failed and unanswered ones as what they were", async ({
    box,
  }) => {
    const fake = await announced(box);
    const session = new ComparedSession(box, { upstream: box.fake() });
    await session.say('{"id":"n","method":"tools/call","params":{"name":"never","arguments":{}}}\n');
    await session.host.stderr.untilText('holding "n"');
    await session.call(1, "fail", { text: "no" });
    await session.call(2, "protocol-error");
    await session.say('{"id":"c","method":"tools/call","params":{"name":"cancellable","arguments":{}}}\n');
    await session.say('{"method":"notifications/cancelled","params":{"requestId":"c"}}\n');
    await session.call(3);
    await untilEnded(fake, 4);
    await session.finish();
    const steps = reportsOf(fake.requests).filter((report) => report.kind === "step");
    const never = steps.filter(({ toolName }) => toolName === "never");
    expect(never.map(({ status, durationMs }) => [status, durationMs === null])).toEqual([
      ["running", true],
      ["lost", false],
    ]);
    expect(never[1]?.callRef).toBe(never[0]?.callRef);
    expect(
      endedCalls(steps)
        .map(({ toolName, status }) => `${toolName} ${status}`)
        .toSorted(),
    ).toEqual(["cancellable cancelled", "echo ok", "fail error", "never lost", "protocol-error error"]);
    const refused = endedCalls(steps).find(({ toolName }) => toolName === "protocol-error");
    expect(refused).toMatchObject({ isError: true, result: null, rpcError: { code: -32602 } });
  });

  test("two thousand calls at once, the last just before the end: each is told once", async ({ box }) => {
    const fake = await announced(box);
    const session = new ComparedSession(box);
    await session.calls(0, 2000);
    await session.finish();
    const reports = reportsOf(fake.requests);
    const left = spooled(box.birHome).flatMap((line) => line.reports);
    // On a busy machine more may wait for the server than is meant to: what it cannot have had goes elsewhere.
    const own = storedSteps(box.birHome);
    const told = new Map([...reports, ...left].map((report) => [report.reportId, report]));
    const numbers = [...endedCalls([...told.values()]), ...own].map(numberOf);
    expect(numbers.length, "none is told twice").toBe(new Set(numbers).size);
    // What there was no time for any more, as the session says itself.
    const lost = session.ownLines().map((line) => Number(/ (\d+) call\(s\) could/.exec(line)?.[1] ?? 0));
    expect(numbers.length + lost.reduce((sum, count) => sum + count, 0)).toBe(2000);
    expect(Math.max(...fake.requests.map(({ body }) => body.reports?.length ?? 0))).toBeLessThanOrEqual(64);
    if (left.length > 0 || own.length > 0) return;
    expect(reports.at(-1)?.kind).toBe("left");
    expect(session.ownLines()).toEqual([]);
  });

  test("two proxies of one session", async ({ box }) => {
    const fake = await announced(box);
    fake.script = (request) => {
      const reply = healthyReply(request);
      return request.route === "/proxy/register" ? { body: { proxyId: `of ${request.body.pid}` } } : reply;
    };
    const sessions = [new ComparedSession(box), new ComparedSession(box)];
    await Promise.all(sessions.map((session, n) => session.calls(100 * n, 100 * n + 50)));
    await Promise.all(sessions.map((session) => session.finish()));
    for (const [n, { host }] of sessions.entries()) {
      const own = fake.requests.filter(({ body }) => body.proxyId === `of ${host.pid}`);
      expect(endedCalls(reportsOf(own)).map(numberOf)).toEqual(upTo(50).map((i) => 100 * n + i));
    }
  });
});

describe("which server", () => {
  test("the one that the environment names, whose name the upstream does not get", async ({ box }) => {
    const filed = await announced(box);
    const named = await started();
    const session = new ComparedSession(box, { env: named.env });
    const seen = await session.host.call("env", "env", { name: "BIR_CONTROL_TOKEN" });
    expect(JSON.stringify(seen)).not.toContain(named.token);
    await untilEnded(named, 1);
    await session.host.finish();
    expect(filed.requests).toEqual([]);
  });

  test("never a proxy that the environment sets for other traffic", async ({ box }) => {
    const fake = await announced(box);
    const trap = await started();
    const env = { HTTP_PROXY: trap.url, http_proxy: trap.url, ALL_PROXY: trap.url };
    const session = new ComparedSession(box, { env });
    await session.calls(0, 3);
    await untilEnded(fake, 3);
    await session.finish();
    expect(trap.requests).toEqual([]);
  });

  test("none, with --standalone", async ({ box }) => {
    const fake = await announced(box);
    const session = new ComparedSession(box, { flags: ["--standalone"], env: fake.env });
    await session.calls(0, 3);
    await session.finish();
    expect(fake.requests).toEqual([]);
    expect(onlyStoredRun(box.birHome)).toMatchObject({ tier: "standalone", lossy: false });
  });

  test("DEG-01 a file that leads nowhere, or to another program: at once a run of our own", async ({ box }) => {
    const fake = await started();
    const other = { ...fake.discovery(), token: "of-another-server" };
    const nowhere = { ...fake.discovery(), url: "http://127.0.0.1:1" };
    for (const [n, discovery] of [other, nowhere, null].entries()) {
      const home = `${box.birHome}-${n}`;
      const path = serverDiscoveryPath(home);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, discovery === null ? "{ not json" : JSON.stringify(discovery));
      const session = new ComparedSession(box, { env: { BIR_HOME: home } });
      await session.calls(0, 3);
      await session.finish();
      expect(onlyStoredRun(home)).toMatchObject({ tier: "standalone", status: "completed", lossy: false, gaps: [] });
      expect(onlyStoredRun(home).steps.map(numberOf)).toEqual(upTo(3));
      expect(spooled(home)).toEqual([]);
      expect(session.ownLines()).toEqual([]);
    }
  });

  test("one that is meant and comes three seconds later is told everything", async ({ box }) => {
    const fake = await started();
    // A server that was killed has left these.
    fake.announce(box.birHome, box.cwd);
    writeFileSync(serverDiscoveryPath(box.birHome), JSON.stringify({ ...fake.discovery(), url: "http://127.0.0.1:1" }));
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await Bun.sleep(3_000);
    expect(storedRuns(box.birHome)).toEqual([]);
    await session.calls(10, 20);
    fake.announce(box.birHome);
    await untilEnded(fake, 20);
    await session.finish();
    expect(endedCalls(reportsOf(fake.requests)).map(numberOf)).toEqual(upTo(20));
    expect(storedRuns(box.birHome)).toEqual([]);
  });

  test("DEG-01 one that is meant and never comes: after ten seconds a run of our own", async ({ box }) => {
    mkdirSync(dirname(discoveryPath(box.cwd, box.birHome)), { recursive: true });
    writeFileSync(discoveryPath(box.cwd, box.birHome), "{}");
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await session.host.stderr.untilText("(DEG-01)");
    await session.calls(10, 20);
    await session.finish();
    expect(onlyStoredRun(box.birHome)).toMatchObject({ tier: "standalone", lossy: false });
    expect(onlyStoredRun(box.birHome).steps.map(numberOf)).toEqual(upTo(20));
    expect(session.ownLines()).toHaveLength(1);
  });

  test("one that is meant and did not come before the end gets it from the spool", async ({ box }) => {
    mkdirSync(dirname(discoveryPath(box.cwd, box.birHome)), { recursive: true });
    writeFileSync(discoveryPath(box.cwd, box.birHome), "{}");
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await session.finish();
    const [line, ...others] = spooled(box.birHome);
    expect(others).toEqual([]);
    expect(line).toMatchObject({ route: "/proxy/step", registration: { serverName: "fake", pid: session.host.pid } });
    expect(endedCalls(line?.reports ?? []).map(numberOf)).toEqual(upTo(10));
    expect(line?.reports.at(-1)).toMatchObject({ kind: "left" });
    const [name = ""] = (await import("node:fs")).readdirSync(join(box.birHome, "spool"));
    expect(name).toMatch(new RegExp(`^[0-9a-f]+-${session.host.pid}\\.ndjson$`));
    if (process.platform !== "win32") expect(statSync(join(box.birHome, "spool", name)).mode & 0o777).toBe(0o600);
    expect(storedRuns(box.birHome)).toEqual([]);
  });
});

describe("--scope user", () => {
  test("records where recording was set up, from then on: and else nothing", async ({ box }) => {
    const fake = await started();
    fake.announce(box.birHome);
    const session = new ComparedSession(box, { flags: ["--scope", "user"], env: { BIR_DEBUG: "proxy" } });
    await session.request("i", "initialize", {
      protocolVersion: "2025-11-25",
      clientInfo: { name: "gemini-cli", version: "1" },
    });
    await session.calls(0, 10);
    await session.host.stderr.untilText("was not set up");
    fake.announce(box.birHome, box.cwd);
    let n = 10;
    for (const deadline = new Deadline(20_000); fake.requests.length === 0; n++) {
      await session.call(n, "echo", { n });
      if (!(await deadline.race(Bun.sleep(250)))) throw new Error("the server was never told");
    }
    await untilEnded(fake, 1);
    await session.calls(n, n + 5);
    await session.finish();
    expect(fake.requests[0]).toMatchObject({ body: { client: { name: "gemini-cli", version: "1" } } });
    const told = endedCalls(reportsOf(fake.requests)).map(numberOf);
    expect(told[0]).toBeGreaterThanOrEqual(10);
    expect(told).toEqual(upTo(n + 5).slice(told[0]));
    expect(storedRuns(box.birHome)).toEqual([]);
    expect(spooled(box.birHome)).toEqual([]);
  });

  test("counts the directory that the host calls its project's", async ({ box }) => {
    const fake = await started();
    fake.announce(box.birHome, join(box.directory, "elsewhere"));
    const session = new ComparedSession(box, {
      flags: ["--scope=user"],
      env: { CLAUDE_PROJECT_DIR: join(box.directory, "elsewhere") },
    });
    await session.calls(0, 3);
    await session.finish();
    expect(endedCalls(reportsOf(fake.requests)).map(numberOf)).toEqual(upTo(3));
  });
});

describe("DEG-12 switched off in the middle", () => {
  test("what passes then is not told; the server learns that something is missing", async ({ box }) => {
    const fake = await announced(box);
    const session = new ComparedSession(box, { upstream: box.fake() });
    await session.calls(0, 5);
    await session.say('{"id":"n","method":"tools/call","params":{"name":"never","arguments":{"n":99}}}\n');
    await session.host.stderr.untilText('holding "n"');
    await untilEnded(fake, 5);
    await box.bir(["off"]);
    for (let n = 0; !session.host.stderr.text().includes("switched off"); n++) await session.request(`p${n}`, "ping");
    // The switches are looked at with the next traffic again.
    await Bun.sleep(250);
    await session.calls(5, 10);
    rmSync(offSwitchPath(box.birHome));
    for (let n = 0; !session.host.stderr.text().includes("on again"); n++) await session.request(`q${n}`, "ping");
    await session.calls(10, 15);
    await box.bir(["off"]);
    for (let n = 0; session.ownLines().length < 3; n++) await session.request(`r${n}`, "ping");
    await Bun.sleep(250);
    await box.bir(["on"]);
    // What passes first then is told, though nothing has looked at the switches since.
    await session.calls(15, 20);
    await session.finish();
    const reports = reportsOf(fake.requests);
    expect(endedCalls(reports).map((call) => `${numberOf(call)} ${call.status}`)).toEqual([
      ...upTo(5).map((n) => `${n} ok`),
      "99 lost",
      ...upTo(10).map((n) => `${n + 10} ok`),
    ]);
    expect(reports.filter(({ kind }) => kind === "gap")).toEqual([
      expect.objectContaining({ reason: "DEG-12 switched-off", lost: 1 }),
      expect.objectContaining({ reason: "DEG-12 switched-off", lost: 0 }),
    ]);
  });
});
