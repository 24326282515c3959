/** There is no daemon, no server, or no server any more: what the host is told, and what the record tells of it. */

import { describe, expect } from "vitest";
import { test } from "../../harness/process-test.ts";
import { ComparedSession, callLine } from "./compared-session.ts";
import { closedSteps, onlyStoredRun, storedRuns, untilStored } from "./stored-runs.ts";

const UNAVAILABLE = 'MCP server "fake" is not available';
const unavailableResult = { content: [{ type: "text", text: UNAVAILABLE }], isError: true };

describe("DEG-01 no daemon is meant", () => {
  test("the proxy records by itself, also what came in one burst before a long silence", async ({ box }) => {
    const session = new ComparedSession(box);
    await session.request("before", "ping");
    await session.calls(0, 5);
    await untilStored("the calls, while nothing else passes", () => closedSteps(box.birHome) === 5);
    expect(onlyStoredRun(box.birHome)).toMatchObject({ tier: "standalone", status: "running", cwd: box.cwd });
    await session.finish();
    expect(onlyStoredRun(box.birHome)).toMatchObject({ status: "completed", lossy: false, gaps: [] });
    expect(session.ownLines()).toEqual([]);
  });

  test("a session without a call leaves nothing behind", async ({ box }) => {
    const session = new ComparedSession(box);
    await session.request(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {} });
    await session.request(2, "tools/list");
    await session.finish();
    expect(storedRuns(box.birHome)).toEqual([]);
  });
});

describe("DEG-04 the server is not there", () => {
  test("at the start: each request is answered, then the proxy ends with 1", async ({ box }) => {
    const host = box.startProxy(["no-such-server-anywhere"]);
    await host.write(`{"jsonrpc":"2.0","id":"a","method":"initialize"}\n${callLine(2, "echo", { n: 2 })}`);
    expect((await host.stdout.untilAnswer("a")).error).toEqual({ code: -32000, message: UNAVAILABLE });
    expect((await host.stdout.untilAnswer(2)).result).toEqual(unavailableResult);
    expect(await host.exit()).toEqual({ code: 1, signal: null });
    expect(host.stderr.text()).toMatch(/^bir: cannot start "no-such-server-anywhere": .*\(DEG-04\)\n$/);
    expect(onlyStoredRun(box.birHome)).toMatchObject({
      status: "failed",
      steps: [{ tool: "echo", args: { n: 2 }, status: "error", isError: true, error: UNAVAILABLE, result: null }],
    });
  });

  test("any more, with requests in flight: they are answered, then the proxy ends as it did", async ({ box }) => {
    const host = box.startProxy(box.fake("--quiet"));
    await host.call(1, "echo", { n: 1 });
    await host.write(callLine(2, "never") + callLine(3, "never") + callLine(4, "die", { code: 9 }));
    for (const id of [2, 3, 4]) expect((await host.stdout.untilAnswer(id)).result).toEqual(unavailableResult);
    expect(await host.exit()).toEqual({ code: 9, signal: null });
    expect(host.stderr.text()).toMatch(/^bir: server "fake" ended with status 9 \(DEG-04\)$/m);
    const run = onlyStoredRun(box.birHome);
    expect(run.status).toBe("failed");
    expect(run.steps.map(({ tool, status, error }) => [tool, status, error])).toEqual([
      ["echo", "ok", null],
      ["never", "error", UNAVAILABLE],
      ["never", "error", UNAVAILABLE],
      ["die", "error", UNAVAILABLE],
    ]);
  });
});

describe("DEG-04 the server ends and the session goes on", () => {
  test.for([
    ["--stay-up", "failed", "what follows was answered in its place", UNAVAILABLE],
    ["--restart", "completed", "it was started again", null],
  ] as const)("%s: the run says so, and how it ended", async ([flag, status, words, error], { box }) => {
    const host = box.startProxy(box.fake("--quiet"), { flags: [flag] });
    await host.call(1, "echo", { n: 1 });
    await host.write(callLine(2, "die", { code: 9 }));
    expect((await host.stdout.untilAnswer(2)).result).toEqual(unavailableResult);
    await host.write(callLine(3, "echo", { n: 3 }));
    await host.stdout.untilAnswer(3);
    await host.finish();
    const run = onlyStoredRun(box.birHome);
    expect(run.status).toBe(status);
    expect(run.notes).toMatchObject([{ kind: "warning", text: `the server ended with status 9; ${words}` }]);
    expect(run.steps.map((step) => step.error)).toEqual([null, UNAVAILABLE, error]);
  });
});

describe("DEG-12 recording is switched off when the server ends", () => {
  test("the run says nothing of what it was not to see", async ({ box }) => {
    const host = box.startProxy(box.fake("--quiet"), { flags: ["--stay-up"] });
    await host.call(1, "echo", { n: 1 });
    await untilStored("the first call", () => closedSteps(box.birHome) === 1);
    await box.bir(["off"]);
    for (let id = 2; !host.stderr.text().includes("recording is switched off"); id++) await host.call(id, "echo", {});
    await host.write(callLine("die", "die", { code: 9 }));
    expect((await host.stdout.untilAnswer("die")).result).toEqual(unavailableResult);
    await host.finish();
    expect(onlyStoredRun(box.birHome).notes).toEqual([]);
  });
});

describe("DEG-05 the server dies during a call", () => {
  test.for([
    ["by a signal", { signal: "SIGKILL" }, 137],
    ["in the middle of its answer", { code: 3, partial: '{"jsonrpc":"2.0","id":1,"result":{"content":[' }, 3],
  ] as const)("%s: the call is answered with an error result, and recorded so", async ([, how, code], { box }) => {
    const host = box.startProxy(box.fake("--quiet"));
    await host.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "die", arguments: how } });
    expect((await host.stdout.untilAnswer(1)).result).toEqual(unavailableResult);
    expect(await host.exit()).toEqual({ code, signal: null });
    expect(onlyStoredRun(box.birHome)).toMatchObject({
      status: "failed",
      steps: [{ tool: "die", args: how, status: "error", isError: true, error: UNAVAILABLE }],
    });
  });
});
