/** The other ways to go on without a server: start it once more, stay and say so, or not be there in the first place. */

import { readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { test } from "../harness/process-test.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { call, expectGone, line, MODERN_META } from "../harness/unavailable.ts";

describe("--restart", () => {
  const initialize = {
    protocolVersion: "2025-06-18",
    capabilities: { roots: {} },
    clientInfo: { name: "host", version: "1.0" },
    _meta: { big: 1 },
  };

  test("starts the server once more, with the handshake that the host had made", async ({ box }) => {
    const log = box.file("received");
    const host = box.startProxy(box.fake("--log", log), { flags: ["--restart"] });
    await host.request(0, "initialize", initialize);
    await host.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    expectGone(await host.call(1, "die", { code: 3 }));
    expect((await host.call(2, "echo", { text: "again" })).result).toEqual({
      content: [{ type: "text", text: "again" }],
    });
    expectGone(await host.call(3, "die", { code: 5 }));
    expect(await host.exit()).toEqual({ code: 5, signal: null });

    expect(host.stdout.messages().map((m) => m.id)).toEqual([0, 1, 2, 3]);
    expect(host.stdout.text()).not.toContain("bir:");
    expect(new Set(host.stderr.text().match(/ready pid=\d+/g))).toHaveLength(2);
    const received = readFileSync(log, "utf8")
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(received.map((m) => m.params?.name ?? m.method)).toEqual([
      ...["initialize", "notifications/initialized", "die"],
      ...["initialize", "notifications/initialized", "echo", "die"],
    ]);
    expect(received[3]).toMatchObject({ params: initialize, id: expect.stringMatching(/^bir:/) });
  });

  test("without a handshake when the host had made none (2026-07-28)", async ({ box }) => {
    const log = box.file("received");
    const host = box.startProxy(box.fake("--log", log, "--era", "modern"), { flags: ["--restart"] });
    await host.request("d", "server/discover", { _meta: MODERN_META });
    expectGone(await host.call(1, "die", { code: 3 }, MODERN_META));
    const { result } = await host.call(2, "echo", { text: "again" }, MODERN_META);
    expect(result).toMatchObject({ content: [{ text: "again" }], resultType: "complete" });
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    const received = readFileSync(log, "utf8")
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(received.map((m) => m.id)).toEqual(["d", 1, 2]);
  });

  test("what was sent meanwhile is answered once, by the new server or as gone", async ({ box }) => {
    const host = box.startProxy(box.fake(), { flags: ["--restart"] });
    await host.request(0, "initialize", initialize);
    await host.write(call(1, "die") + Array.from({ length: 50 }, (_, n) => call(n + 2)).join(""));
    await host.stdout.untilLines(52);
    expect((await host.call("after", "echo")).result).toEqual({ content: [{ type: "text", text: "{}" }] });
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    const ids = host.stdout.messages().map((m) => m.id);
    expect(ids).toHaveLength(53);
    expect(new Set(ids)).toHaveLength(53);
  });

  test("a line that the death cut in two reaches no server, and is answered", async ({ box }) => {
    const log = box.file("received");
    const host = box.startProxy(box.fake("--log", log), { flags: ["--restart"] });
    const [, pid] = await host.stderr.untilMatch(/ready pid=(\d+)/);
    const whole = call(5, "echo", { text: "cut" });
    await host.write(whole.slice(0, 30));
    await expect.poll(() => readFileSync(log, "utf8"), { timeout: 20_000 }).toBe(whole.slice(0, 30));
    process.kill(Number(pid), "SIGKILL");
    await host.stderr.untilMatch(/ready[\s\S]*ready/);
    await host.write(whole.slice(30) + call(6, "echo", { text: "whole" }));
    expectGone(await host.stdout.untilAnswer(5));
    expect((await host.stdout.untilAnswer(6)).result).toEqual({ content: [{ type: "text", text: "whole" }] });
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(readFileSync(log, "utf8")).toBe(whole.slice(0, 30) + call(6, "echo", { text: "whole" }));
  });

  /** The fake upstream at first; once that is gone, `second`. */
  const firstThen = (box: Sandbox, second: readonly string[]) => {
    const quote = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
    const flag = box.file("started");
    return ["sh", "-c", `if [ -e ${flag} ]; then exec ${quote(second)}; fi; touch ${flag}; exec ${quote(box.fake())}`];
  };

  test("only the answer to the repeated handshake is kept back, however it is written", async ({ box }) => {
    const note = line({ method: "notifications/message", params: { level: "info", data: "é" } });
    const steps = [
      { readLine: true },
      { write: `${note}stray\r\n{"result":{"x":"bir:"},"id"`, encoding: "utf8" },
      { write: ` : <id>,"jsonrpc":"2.0"}\n${note}[1.0]`, encoding: "utf8" },
      { readLine: true },
      { write: "\n", encoding: "utf8" },
      { readLine: true },
      { write: '{"id":<id>,"result":{"n":1.0}}\n', encoding: "utf8" },
    ];
    const script = box.file("script.json", JSON.stringify(steps));
    const host = box.startProxy(firstThen(box, box.fake("--script", script)), { flags: ["--restart"] });
    await host.request(0, "initialize", initialize);
    await host.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    const before = host.stdout.sizeBytes;
    expectGone(await host.call(1, "die", { code: 3 }));
    await host.write(call(2));
    await host.stdout.untilAnswer(2);
    const came = host.stdout.bytes().subarray(before).toString("utf8").split("\n").slice(1).join("\n");
    expect(came).toBe(`${note}stray\r\n${note}[1.0]\n{"id":2,"result":{"n":1.0}}\n`);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
  });

  test("a second server that ends at once ends the session", async ({ box }) => {
    const host = box.startProxy(firstThen(box, ["sh", "-c", "exit 8"]), { flags: ["--restart"] });
    await host.request(0, "initialize", initialize);
    await host.write(call(1, "never"));
    await host.stderr.untilText("holding 1");
    expectGone(await host.call(2, "die", { code: 3 }));
    expect(await host.exit()).toEqual({ code: 8, signal: null });
    expect(host.stdout.messages().map((m) => m.id)).toEqual([0, 1, 2]);
  });

  test("not when the server ends because the host does", async ({ box }) => {
    const host = box.startProxy(box.fake("--on-eof", "3"), { flags: ["--restart"] });
    await host.request(0, "initialize", initialize);
    expect(await host.finish()).toEqual({ code: 3, signal: null });
    expect(host.stderr.text().match(/ready/g)).toHaveLength(1);
  });
});

describe.each([
  { name: "--stay-up", flags: ["--stay-up"], env: {} },
  { name: "BIR_PROXY_STAY_UP=1", flags: [], env: { BIR_PROXY_STAY_UP: "1" } },
])("$name", ({ flags, env }) => {
  test("answers for a server that is gone until the host goes", async ({ box }) => {
    const host = box.startProxy(box.fake(), { flags, env });
    expectGone(await host.call(1, "die", { code: 3 }));
    expectGone(await host.call(2, "echo"));
    expectGone(await host.request("three", "resources/list"));
    await host.write(
      [line({ method: "notifications/initialized" }), line({ id: null, method: "ping" }), "no json\n"].join(""),
    );
    expectGone(await host.request(4, "ping"));
    expect(await host.finish()).toEqual({ code: 3, signal: null });
    expect(host.stdout.messages().map((m) => m.id)).toEqual([1, 2, "three", 4]);
  });

  test("answers for a server that never was", async ({ box }) => {
    const host = box.startProxy(["no-such-command-of-ours"], { flags, env });
    expectGone(await host.request(1, "initialize", {}));
    expectGone(await host.call(2, "echo"));
    expect(await host.finish()).toEqual({ code: 1, signal: null });
    expect(host.stderr.lines()).toHaveLength(1);
  });

  test("is ended by a signal", async ({ box }) => {
    const host = box.startProxy(box.fake(), { flags, env });
    expectGone(await host.call(1, "die", { code: 3 }));
    host.signal("SIGTERM");
    expect([3, 143]).toContain((await host.exit()).code);
  });
});

describe("switched off by BIR_OFF=1: the proxy is the server", () => {
  const env = { BIR_OFF: "1" };

  test("its exit code, its signal, its stderr, its silence", async ({ box }) => {
    const exits = box.startProxy(box.fake("--exit-at-start", "7"), { env });
    expect(await exits.exit()).toEqual({ code: 7, signal: null });
    const killed = box.startProxy(["sh", "-c", "kill -SEGV $$"], { env });
    expect([139, "SIGSEGV"]).toContain((({ code, signal }) => code ?? signal)(await killed.exit()));
    const speaks = box.startProxy(["sh", "-c", "echo as it is >&2"], { env });
    await speaks.exit();
    expect(speaks.stderr.text()).toBe("as it is\n");
    const dies = box.startProxy(box.fake(), { env });
    await dies.write(call(1, "die", { code: 6 }));
    expect(await dies.exit()).toEqual({ code: 6, signal: null });
    expect(dies.stdout.sizeBytes).toBe(0);
  });

  test("and takes signals itself", async ({ box }) => {
    const host = box.startProxy(["sh", "-c", "trap 'exit 5' TERM; echo up; while :; do sleep 0.05; done"], { env });
    await host.stdout.untilText("up");
    host.signal("SIGTERM");
    expect(await host.exit()).toEqual({ code: 5, signal: null });
  });
});
