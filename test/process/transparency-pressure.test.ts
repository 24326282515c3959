/**
 * Full duplex under pressure: slow readers, readers that leave, lines of any length. What would have got through
 * without the proxy gets through with it, and nothing waits for ever.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { Deadline } from "../harness/deadline.ts";
import { test } from "../harness/process-test.ts";
import { onlyRun } from "../harness/recorded-runs.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import { commandFor, DIRECT, NO_RECORD, PIPES, RECORDING, SWITCHED_OFF } from "../harness/transcript.ts";

const WAYS = [DIRECT, RECORDING, NO_RECORD];
const MIB = 1 << 20;

const call = (id: number, name: string, args: object) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${JSON.stringify(args)}}}\n`;

/** Resolves when `progress` has not moved for a while (or has reached `end`): nothing tells of a writer that is blocked. */
async function untilStalled(progress: () => number, end: number): Promise<void> {
  for (let last = -1; progress() !== last && progress() < end; ) {
    last = progress();
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

describe.each([...WAYS, PIPES])("3,000 calls of 10 KB at once ($name)", (way) => {
  test("to a host that does not read for a while", async ({ box }) => {
    const calls = 3000;
    const text = `é${"x".repeat(10_000)}`;
    const host = box.start(commandFor(way, box.fake("--quiet")), { paused: true });
    let written = 0;
    const writing = (async () => {
      for (; written < calls; written++) await host.write(call(written, "echo", { text }));
    })();
    await untilStalled(() => written, calls);
    host.resumeStdout();
    await writing;
    await host.stdout.untilLines(calls);
    expect((await host.finish()).code).toBe(0);
    const answers = host.stdout.messages();
    expect(answers.map((m) => m.id)).toEqual(Array.from({ length: calls }, (_, n) => n));
    if (way === RECORDING) {
      const { steps, lossy } = await onlyRun(box);
      expect(lossy).toBe(false);
      expect(steps.filter((step) => step.tool === "echo" && step.status === "ok")).toHaveLength(calls);
    }
    const wanted = { content: [{ type: "text", text }] };
    expect(answers.filter((m) => JSON.stringify(m.result) === JSON.stringify(wanted))).toHaveLength(calls);
  });
});

describe.each(WAYS)("lines of any length ($name)", (way) => {
  test("130 MiB up, a ping, 130 MiB down, a ping", async ({ box }) => {
    const size = 130 * MIB;
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
    const pong = '{"jsonrpc":"2.0","id":1,"result":{}}\n';
    const write = (text: string) => ({ write: text, encoding: "utf8" });
    const script = box.file(
      "script.json",
      JSON.stringify([
        { digest: size + 1 },
        { read: ping.length },
        write(pong),
        { fill: size, text: "y" },
        write("\n"),
        { read: ping.length },
        write(pong),
      ]),
    );
    const deadline = new Deadline(50_000);
    const host = box.start(commandFor(way, box.fake("--quiet", "--script", script)), { stdout: "digest" });
    const piece = Buffer.alloc(MIB, "x");
    for (let n = 0; n < 130; n++) await host.write(piece);
    await host.write(`\n${ping}`);
    const head = 64 + 1 + pong.length;
    await host.stdout.untilSize(head, deadline);
    await host.stdout.untilSize(head + size + 1, deadline);
    await host.write(ping);
    const all = head + size + 1 + pong.length;
    await host.stdout.untilSize(all, deadline);
    if (way !== DIRECT) expectSmall(host);
    expect((await host.finish(deadline)).code).toBe(0);
    expect(host.stdout.sizeBytes).toBe(all);

    const up = createHash("sha256");
    const down = createHash("sha256");
    for (let n = 0; n < 130; n++) up.update(piece);
    down.update(`${up.update("\n").digest("hex")}\n${pong}`);
    const fill = Buffer.alloc(MIB, "y");
    for (let n = 0; n < 130; n++) down.update(fill);
    expect(host.stdout.sha256()).toBe(down.update(`\n${pong}`).digest("hex"));
  });

  test("200 MiB each way to a reader that has stopped: writers wait, nothing piles up", async ({ box }) => {
    const size = 200 * MIB;
    const steps = [{ digest: size }, { fill: size, text: "y" }];
    const script = box.file("script.json", JSON.stringify(steps));
    const deadline = new Deadline(50_000);
    const host = box.start(commandFor(way, box.fake("--script", script)), { stdout: "digest", paused: true });
    const [, pid] = await host.stderr.untilMatch(/ready pid=(\d+)/);
    process.kill(Number(pid), "SIGSTOP");
    let written = 0;
    const piece = Buffer.alloc(MIB, "x");
    const writing = (async () => {
      for (; written < size; written += MIB) await host.write(piece);
    })();
    await untilStalled(() => written, size);
    expect(written).toBeLessThan(size);
    if (way !== DIRECT) expectSmall(host);
    process.kill(Number(pid), "SIGCONT");
    await writing;
    // The server now writes into a pipe that nobody empties, for as long as its bytes find room.
    await new Promise((resolve) => setTimeout(resolve, 500));
    if (way !== DIRECT) expectSmall(host);
    host.resumeStdout();
    await host.stdout.untilSize(65 + size, deadline);
    expect((await host.finish(deadline)).code).toBe(0);
    expect(host.stdout.sizeBytes).toBe(65 + size);
  });

  test("1 MiB from a server that exits at once, to a host that reads slowly", async ({ box }) => {
    const script = box.file("script.json", JSON.stringify([{ fill: MIB, text: "z" }, { exit: 0 }]));
    const host = box.start(commandFor(way, box.fake("--quiet", "--script", script)), { paused: true });
    while (host.stdout.sizeBytes < MIB && !host.stdout.ended) {
      host.resumeStdout();
      await new Promise((resolve) => setTimeout(resolve, 1));
      host.pauseStdout();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    host.resumeStdout();
    expect(await host.exit()).toEqual({ code: 0, signal: null });
    expect(host.stdout.bytes().equals(Buffer.alloc(MIB, "z"))).toBe(true);
  });
});

describe.each([DIRECT, RECORDING, NO_RECORD, SWITCHED_OFF])("one side stops listening ($name)", (way) => {
  const env = way.env ?? {};

  test("a host that no longer reads still reaches its server, and ends it", async ({ box }) => {
    const log = box.file("received");
    const host = box.start(commandFor(way, box.fake("--log", log)), { env });
    await host.stderr.untilText("ready");
    await host.call(1, "echo", { text: "hello" });
    host.closeStdout();
    for (let id = 2; id < 6; id++) {
      await host.write(call(id, "stderr", { text: `heard ${id}.\n` }));
      await host.stderr.untilText(`heard ${id}.`);
    }
    expect((await host.finish()).code).toBe(0);
    expectNoFault(host);
    expect(readFileSync(log, "utf8").match(/heard \d/g)).toEqual(["heard 2", "heard 3", "heard 4", "heard 5"]);
  });

  test("a host that leaves in the middle of a long answer", async ({ box }) => {
    const host = box.start(commandFor(way, box.fake()), { env, paused: true });
    await host.stderr.untilText("ready");
    await host.write(call(1, "big", { bytes: 12 * MIB }));
    host.closeStdout();
    await host.write(call(2, "stderr", { text: "still here.\n" }));
    await host.stderr.untilText("still here.");
    expect((await host.finish()).code).toBe(0);
    expectNoFault(host);
  });

  test("a host that closes its end of stderr", async ({ box }) => {
    const host = box.start(commandFor(way, box.fake()), { env });
    await host.stderr.untilText("ready");
    host.closeStderr();
    for (let id = 1; id < 6; id++) await host.call(id, "stderr", { text: `${id} `.repeat(100_000) });
    expect((await host.call(6, "echo")).result).toBeDefined();
    expect((await host.finish()).code).toBe(0);
  });

  test("a server that no longer reads is still heard", async ({ box }) => {
    const host = box.start(commandFor(way, box.fake()), { env });
    const [, pid] = await host.stderr.untilMatch(/ready pid=(\d+)/);
    await host.write(call(1, "close-stdin", {}));
    await host.stderr.untilText("stdin closed");
    // Nobody reads this: it may fail, stall or be thrown away, as without a proxy.
    const unread = host.write(Buffer.alloc(4 * MIB, "\n")).catch(() => {});
    process.kill(Number(pid), "SIGUSR2");
    expect((await host.stdout.untilAnswer(1)).result).toEqual({ content: [{ type: "text", text: "late" }] });
    expect(await host.exit()).toEqual({ code: 0, signal: null });
    await unread;
    expectNoFault(host);
  });
});

/** A broken pipe is a fact of life, not a fault of the program. */
function expectNoFault(host: RunningProcess): void {
  expect(host.stderr.text()).not.toMatch(/EPIPE|internal fault|\$bunfs|at <anonymous>/);
}

/** No message is held whole: the peak stays far below the length of the line. */
function expectSmall({ pid }: RunningProcess): void {
  if (process.platform !== "linux") return;
  const peakKib = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  expect(peakKib).toBeGreaterThan(0);
  expect(peakKib / 1024).toBeLessThan(110);
}
