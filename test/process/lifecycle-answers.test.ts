/**
 * What a host is told when its server is gone: every request in flight is answered exactly once, in words a model can
 * read, and nothing is ever said that was not asked for.
 */

import { describe, expect } from "vitest";
import { test } from "../harness/process-test.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { call, expectGone, GONE, GONE_RESULT, line, MODERN_META } from "../harness/unavailable.ts";

/** An upstream that reads exactly these bytes, writes `last` and is gone with 9. */
function doomed(box: Sandbox, reads: string, last = ""): string[] {
  const steps = [{ read: Buffer.byteLength(reads) }, { write: last, encoding: "utf8" }, { exit: 9 }];
  return box.fake("--quiet", "--script", box.file("script.json", JSON.stringify(steps)));
}

/** Sends everything to an upstream that dies then; the messages that the host was left with. */
async function afterDeath(box: Sandbox, sent: string, last = ""): Promise<RunningProcess> {
  const host = box.startProxy(doomed(box, sent, last));
  await host.write(sent);
  expect(await host.exit()).toEqual({ code: 9, signal: null });
  return host;
}

describe("the server dies with requests in flight", () => {
  test("a tool call gets a result that is an error", async ({ box }) => {
    const host = await afterDeath(box, call(5));
    expect(host.stdout.messages()).toEqual([{ jsonrpc: "2.0", id: 5, result: GONE_RESULT }]);
    expect(host.stdout.text().endsWith("}\n")).toBe(true);
  });

  test("also when the server says that all is well", async ({ box }) => {
    const host = box.startProxy(box.fake("--quiet"));
    expectGone(await host.call(1, "die", { code: 0 }));
    expect(await host.exit()).toEqual({ code: 0, signal: null });
  });

  test("a tool call of 2026-07-28 gets a complete result", async ({ box }) => {
    const params = { name: "echo", arguments: {}, _meta: MODERN_META };
    const host = await afterDeath(box, line({ id: "a", method: "tools/call", params }));
    expect(host.stdout.messages()).toMatchObject([{ id: "a", result: { ...GONE_RESULT, resultType: "complete" } }]);
  });

  test("other requests get an error; notifications, answers and null ids get nothing", async ({ box }) => {
    const sent = [
      line({ id: "r", method: "resources/read", params: { uri: "a:b" } }),
      line({ id: 0, method: "ping" }),
      line({ id: -1, method: "vendor/ask" }),
      line({ id: "listen", method: "subscriptions/listen", params: { _meta: MODERN_META } }),
      line({ method: "notifications/initialized" }),
      line({ id: null, method: "tools/call", params: { name: "echo" } }),
      line({ id: 77, result: {} }),
      "not json\n",
    ].join("");
    const host = await afterDeath(box, sent);
    const error = { code: -32000, message: GONE };
    const answers = host.stdout.messages();
    expect(answers).toHaveLength(4);
    for (const id of ["r", 0, -1, "listen"]) expect(answers).toContainEqual({ jsonrpc: "2.0", id, error });
  });

  test("each id as it was written", async ({ box }) => {
    const ids = ["12345678901234567890", "1.0", '"1"', "2", '"\\u00e9\\"\\\\"', "-0", "1e2", '""'];
    const sent = ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"a"}}\n`).join("");
    const host = await afterDeath(box, sent);
    expect(host.stdout.lineCount).toBe(ids.length);
    for (const id of ids) expect(host.stdout.lines().filter((text) => text.includes(`"id":${id},`))).toHaveLength(1);
  });

  test("the calls of a batch, and one whose id stands behind a megabyte", async ({ box }) => {
    const params = { name: "echo", arguments: { text: "x".repeat(1_000_000) } };
    const batch = `[${call(10).trim()},${line({ id: 11, method: "ping" }).trim()}]\n`;
    const host = await afterDeath(box, batch + line({ method: "tools/call", params, id: "late" }));
    const answers = host.stdout.messages();
    expect(answers.map((m) => m.id).sort()).toEqual([10, 11, "late"]);
    for (const answer of answers) expectGone(answer);
  });

  test("in the middle of a line: the answers begin on a new one", async ({ box }) => {
    const partial = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","te';
    const host = await afterDeath(box, call(1) + call(2), partial);
    const [first, ...rest] = host.stdout.lines();
    expect(first).toBe(partial);
    expect(rest.map((text) => JSON.parse(text))).toEqual(
      [1, 2].map((id) => ({ jsonrpc: "2.0", id, result: GONE_RESULT })),
    );
  });

  test("in the middle of a line with nothing in flight: nothing is added to it", async ({ box }) => {
    const host = await afterDeath(box, line({ method: "notifications/initialized" }), "half a line");
    expect(host.stdout.text()).toBe("half a line");
  });

  test("only what was not answered yet is answered", async ({ box }) => {
    const host = box.startProxy(box.fake());
    await host.call(1, "echo");
    await host.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "never" } });
    await host.stderr.untilText("holding 2");
    await host.send({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "die", arguments: { code: 6 } } });
    expect(await host.exit()).toEqual({ code: 6, signal: null });
    expect(host.stdout.messages().map((m) => m.id)).toEqual([1, 2, 3]);
    for (const answer of host.stdout.messages().slice(1)) expectGone(answer);
  });

  test("a thousand of them", async ({ box }) => {
    const ids = Array.from({ length: 1000 }, (_, id) => id);
    const host = await afterDeath(box, ids.map((id) => call(id)).join(""));
    expect(host.stdout.messages().map((m) => m.id)).toEqual(ids);
  });

  test.for(["--no-record", "--standalone", "--no-correlation"])("with %s too", async (flag, { box }) => {
    const host = box.startProxy(box.fake("--quiet"), { flags: [flag] });
    await host.send({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "die", arguments: { code: 6 } } });
    expect(await host.exit()).toEqual({ code: 6, signal: null });
    expect(host.stdout.messages()).toEqual([{ jsonrpc: "2.0", id: 3, result: GONE_RESULT }]);
  });

  test("a request of the server's own is forgotten with it", async ({ box }) => {
    const asks = line({ id: 1, method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } });
    const host = await afterDeath(box, call(1), asks);
    expect(host.stdout.messages().map((m) => m.method ?? m.result?.isError)).toEqual(["sampling/createMessage", true]);
  });
});

describe("the host ends it: nothing is made up", () => {
  test("stdin closed with a call in flight", async ({ box }) => {
    const host = box.startProxy(box.fake());
    await host.write(call(1, "never"));
    await host.stderr.untilText("holding 1");
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.sizeBytes).toBe(0);
  });

  test("stdin closed, and the server has to be killed", async ({ box }) => {
    const host = box.startProxy(box.fake("--on-eof", "ignore"), { flags: ["--restart"] });
    await host.write(call(1, "never"));
    await host.stderr.untilText("holding 1");
    expect((await host.finish()).code).toBe(143);
    expect(host.stdout.sizeBytes).toBe(0);
    expect(host.stderr.text().match(/ready/g)).toHaveLength(1);
  });

  test.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s with a call in flight", async (signal, { box }) => {
    const host = box.startProxy(box.fake());
    await host.write(call(1, "never"));
    await host.stderr.untilText("holding 1");
    host.signal(signal);
    await host.exit();
    expect(host.stdout.sizeBytes).toBe(0);
  });
});
