/**
 * How a proxy ends: with its server, with its host, and never leaving a process behind (the sandbox checks that after
 * every test). Nothing here measures time; grace periods show in which signal ended the server.
 */

import { mkdirSync } from "node:fs";
import { describe, expect } from "vitest";
import { BIR, BUN } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import type { RunningProcess } from "../harness/running-process.ts";

const SIGNALS = [
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGHUP", 129],
] as const;

/** Waits until the fake upstream reads; its pid. */
async function ready(host: RunningProcess): Promise<number> {
  const [, pid] = await host.stderr.untilMatch(/fake upstream ready pid=(\d+)/);
  return Number(pid);
}

describe("the server ends", () => {
  test("with 7: so does the proxy", async ({ box }) => {
    const host = box.startProxy(box.fake("--exit-at-start", "7"));
    expect(await host.exit()).toEqual({ code: 7, signal: null });
    expect(host.stdout.sizeBytes).toBe(0);
  });

  test.for([
    ["SEGV", 139],
    ["KILL", 137],
    ["ABRT", 134],
  ] as const)("by SIG%s: 128 + its number", async ([name, code], { box }) => {
    const host = box.startProxy(["sh", "-c", `kill -${name} $$`]);
    expect(await host.exit()).toEqual({ code, signal: null });
  });

  test("with 0 of its own accord while the host is still there", async ({ box }) => {
    const host = box.startProxy(["sh", "-c", "echo last words"]);
    expect(await host.exit()).toEqual({ code: 0, signal: null });
    expect(host.stdout.text()).toBe("last words\n");
  });

  test("while a process that it started elsewhere holds its pipes: not waited for", async ({ box }) => {
    const host = box.startProxy(box.fake("--grandchild", "session"));
    const [, grandchild] = await host.stderr.untilMatch(/grandchild pid=(\d+)/);
    await ready(host);
    await host.send({ jsonrpc: "2.0", method: "tools/call", id: 1, params: { name: "die", arguments: { code: 4 } } });
    expect(await host.exit()).toEqual({ code: 4, signal: null });
    expect(box.survivors().map((one) => one.pid)).toEqual([Number(grandchild)]);
    await box.killSurvivors();
  });

  test("while a process of its own group holds its pipes: that one is ended too", async ({ box }) => {
    const host = box.startProxy(["sh", "-c", "sleep 600 & exit 7"]);
    expect(await host.exit()).toEqual({ code: 7, signal: null });
  });
});

describe("the host closes stdin", () => {
  test("the server ends as it likes, with 3", async ({ box }) => {
    const host = box.startProxy(box.fake("--on-eof", "3"));
    await ready(host);
    expect(await host.finish()).toEqual({ code: 3, signal: null });
    expect(host.stderr.text()).toContain("[fake] EOF");
  });

  test("before the server is even up", async ({ box }) => {
    const host = box.startProxy(box.fake("--on-eof", "3"));
    expect(await host.finish()).toEqual({ code: 3, signal: null });
  });

  test("right behind a hundred calls: every one is answered first", async ({ box }) => {
    const host = box.startProxy(box.fake());
    const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo" } });
    await host.write(Array.from({ length: 100 }, (_, id) => `${JSON.stringify(call(id))}\n`).join(""));
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.messages().map((m) => m.id)).toEqual(Array.from({ length: 100 }, (_, id) => id));
  });

  test("a server that does not care is terminated", async ({ box }) => {
    const host = box.startProxy(box.fake("--on-eof", "ignore"));
    await ready(host);
    expect(await host.finish()).toEqual({ code: 143, signal: null });
    expect(host.stderr.text()).toContain("[fake] EOF");
  });

  test("a server that does not care about SIGTERM either is killed", async ({ box }) => {
    const host = box.startProxy(box.fake("--on-eof", "ignore", "--ignore", "SIGTERM"));
    await ready(host);
    expect(await host.finish()).toEqual({ code: 137, signal: null });
    expect(host.stderr.text()).toMatch(/\[fake\] EOF\n[\s\S]*\[fake\] ignored SIGTERM/);
  });

  test("a shell with grandchildren that never read stdin goes with all of them", async ({ box }) => {
    const host = box.startProxy(["sh", "-c", 'sh -c "sleep 600" & echo up; wait']);
    await host.stdout.untilText("up");
    expect((await host.finish()).code).toBe(143);
  });
});

describe.each(SIGNALS)("the proxy gets %s", (signal, code) => {
  test("a shell with grandchildren goes with all of them", async ({ box }) => {
    const host = box.startProxy(["sh", "-c", 'sh -c "sleep 600" & echo up; wait']);
    await host.stdout.untilText("up");
    host.signal(signal);
    expect(await host.exit()).toEqual({ code, signal: null });
    expect(await box.untilNoneLeft()).toEqual([]);
  });

  test("a server with something to say at the end says it", async ({ box }) => {
    const script = `trap 'echo bye; exit 5' ${signal.slice(3)}; echo up; while :; do sleep 0.05; done`;
    const host = box.startProxy(["sh", "-c", script]);
    await host.stdout.untilText("up");
    host.signal(signal);
    expect([5, code]).toContain((await host.exit()).code);
    expect(host.stdout.text()).toBe("up\nbye\n");
  });

  test("a server that ignores everything is killed", async ({ box }) => {
    const host = box.startProxy(box.fake("--on-eof", "ignore", "--ignore", "SIGTERM,SIGINT,SIGHUP"));
    await ready(host);
    host.signal(signal);
    expect([137, code]).toContain((await host.exit()).code);
  });

  test("before it is fully up", async ({ box }) => {
    const host = box.startProxy(box.fake());
    host.signal(signal);
    const exit = await host.exit();
    expect([code, signal]).toContain(exit.code ?? exit.signal);
  });
});

test("the proxy is killed: its server sees the end of stdin", async ({ box }) => {
  const host = box.startProxy(box.fake());
  await ready(host);
  host.signal("SIGKILL");
  expect(await host.exit()).toEqual({ code: null, signal: "SIGKILL" });
  expect(await box.untilNoneLeft()).toEqual([]);
});

describe("the server cannot be started", () => {
  test.for(["no such command", "no such path", "not executable", "a directory"])("%s", async (kind, { box }) => {
    const path = kind === "not executable" ? box.file("server", "#!/bin/sh\n") : box.file("server");
    if (kind === "a directory") mkdirSync(path);
    const host = box.startProxy([kind === "no such command" ? "no-such-command-of-ours" : path, "--flag"], {
      name: "x",
    });
    await host.send({ jsonrpc: "2.0", id: "first", method: "initialize", params: {} });
    const { error } = await host.stdout.untilAnswer("first");
    expect(error).toMatchObject({ code: -32000, message: 'MCP server "x" is not available' });
    expect(await host.exit()).toEqual({ code: 1, signal: null });
    expect(host.stdout.lineCount).toBe(1);
    expect(host.stderr.lines()).toHaveLength(1);
    expect(host.stderr.text()).toContain(kind === "no such command" ? "no-such-command-of-ours" : path);
  });
});

test("the host is killed while a server that reads nothing blocks what it wrote: nobody is left", async ({ box }) => {
  const program = `
    const server = ["sh", "-c", "echo up >&2; exec sleep 600"];
    const proxy = Bun.spawn([${JSON.stringify(BIR)}, "proxy", "--server-name", "deaf", "--", ...server], {
      stdin: "pipe", stdout: "ignore", stderr: "inherit",
    });
    proxy.stdin.write(new Uint8Array(4_000_000));
    proxy.stdin.flush();
    await proxy.exited;`;
  const host = box.start([BUN, "-e", program]);
  await host.stderr.untilMatch(/up/);
  host.signal("SIGKILL");
  expect(await host.exit()).toEqual({ code: null, signal: "SIGKILL" });
  expect(await box.untilNoneLeft(20_000)).toEqual([]);
});
