/** Messages that are too large, no JSON, unknown, or wrong in every way: they pass, and what can be told is recorded. */

import { describe, expect } from "vitest";
import type { Run, TruncatedPayload } from "../../../src/core/run.ts";
import { HEAD_BYTES, TAIL_BYTES } from "../../../src/jsonrpc/line-capture.ts";
import { test } from "../../harness/process-test.ts";
import { ComparedSession, callLine } from "./compared-session.ts";
import { peakMemoryMib } from "./peak-memory.ts";
import { onlyStoredRun } from "./stored-runs.ts";

const BOUND = HEAD_BYTES + TAIL_BYTES;
/** Twice what a proxy needs at its peak; the 120 MiB that pass would not fit beside it. */
const MOST_MEMORY_MIB = 144;
const textResult = (text: string) => ({ content: [{ type: "text", text }] });

/** Warnings of a run as one text. */
const warnings = (run: Run) => run.notes.map((note) => `${note.kind}: ${note.text}`).join("\n");

/** A call whose line, without its line feed, is exactly so long. */
function callOfSize(id: number, sizeBytes: number): string {
  const text = (count: number) => callLine(id, "echo", { text: "z".repeat(count) });
  return text(sizeBytes + 1 - text(0).length);
}

describe("DEG-07 a message over the bound", () => {
  test.for([
    ["ASCII", "a", 1],
    ["of two bytes a character", "é", 2],
    ["of four bytes a character", "😀", 4],
  ] as const)("%s: passes whole, its start and end are recorded", async ([, character, bytes], { box }) => {
    const line50 = `${character.repeat(50)}\n`;
    const text = `begin\n${line50.repeat((1 << 20) / (50 * bytes))}end`;
    const session = new ComparedSession(box);
    const line = callLine(1, "echo", { text });
    await session.say(line);
    await session.host.stdout.untilAnswer(1);
    await session.call(2, "echo", { text: "after" });
    await session.finish();

    const [step, after] = onlyStoredRun(box.birHome).steps;
    const args = step?.args as TruncatedPayload;
    const result = step?.result as TruncatedPayload;
    expect(step).toMatchObject({ tool: "echo", status: "ok", truncated: true, isError: false });
    expect(args).toMatchObject({ truncated: true, originalBytes: Buffer.byteLength(line) - 1 });
    expect(args.head).toMatch(/^\{"text":"begin\\n/);
    expect(args.tail).toMatch(/\\nend"\}\}\}$/);
    expect(result).toMatchObject({ truncated: true, originalBytes: session.host.stdout.bytes().indexOf(10) });
    expect(result.head).toMatch(/^\{"content":\[\{"type":"text","text":"begin\\n/);
    expect(result.tail).toMatch(/\\nend"\}\]\}\}$/);
    for (const part of [args.head, args.tail, result.head, result.tail]) {
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(HEAD_BYTES + 6);
    }
    expect(after).toMatchObject({ truncated: false, args: { text: "after" }, result: textResult("after") });
  });

  test("at the bound itself: whole up to it, cut beyond it", async ({ box }) => {
    const session = new ComparedSession(box);
    for (const [id, size] of [BOUND - 1, BOUND, BOUND + 1].entries()) {
      await session.say(callOfSize(id, size));
      await session.host.stdout.untilAnswer(id);
    }
    await session.finish();
    const { steps } = onlyStoredRun(box.birHome);
    expect(steps.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    const cut = steps.map(({ args }) => (args as Partial<TruncatedPayload>).truncated === true);
    expect(cut).toEqual([false, false, true]);
    expect(steps[0]?.args).toEqual({ text: expect.stringMatching(/^z+$/) });
    expect(steps[2]?.args).toMatchObject({ originalBytes: BOUND + 1 });
  });

  test("with its name, id and method at the end, as some writers put them", async ({ box }) => {
    const session = new ComparedSession(box);
    const big = "b".repeat(300_000);
    await session.say(
      `{"params":{"arguments":{"a":"${big}"},"name":"echo"},"method":"tools/call","jsonrpc":"2.0","id":"x"}\n`,
    );
    await session.host.stdout.untilAnswer("x");
    const answer = `{"result":{"content":[{"type":"text","text":"${big}"}],"isError":true},"jsonrpc":"2.0","id":2}\n`;
    await session.call(2, "raw", { base64: Buffer.from(answer).toString("base64") });
    await session.finish();
    expect(onlyStoredRun(box.birHome).steps).toMatchObject([
      { tool: "echo", status: "ok", truncated: true },
      { tool: "raw", status: "error", isError: true, truncated: true },
    ]);
  });

  test("sixty of them in flight: memory does not follow their size", async ({ box }) => {
    const session = new ComparedSession(box);
    const text = "m".repeat(1 << 20);
    await session.calls(0, 60, (n) => ({ n, text }));
    expect(peakMemoryMib(session.host.pid) ?? 0).toBeLessThan(MOST_MEMORY_MIB);
    await session.finish();
    const run = onlyStoredRun(box.birHome);
    expect(run.steps.filter((step) => step.truncated && step.status === "ok")).toHaveLength(60);
    expect(run.gaps).toEqual([]);
  });
});

describe("DEG-08 what is no JSON", () => {
  test("passes both ways and is counted", async ({ box }) => {
    const session = new ComparedSession(box);
    await session.request("hello", "ping");
    await session.call(1, "echo", { text: "before" });
    await session.say('not json\n{"half":\n');
    await session.call(2, "stray", {
      lines: ["Starting server...", "", '{"jsonrpc":"2.0","id":', "\u001b[31mred\u001b[0m"],
    });
    await session.say("\n \r\n");
    await session.call(3, "echo", { text: "after" });
    await session.finish();
    const run = onlyStoredRun(box.birHome);
    expect(run.steps.map((step) => [step.tool, step.status])).toEqual([
      ["echo", "ok"],
      ["stray", "ok"],
      ["echo", "ok"],
    ]);
    expect(warnings(run)).toMatch(/^warning: 2 line\(s\) of the host /m);
    expect(warnings(run)).toMatch(/^warning: 3 line\(s\) of the server /m);
    expect(session.ownLines()).toEqual([]);
  });

  test("and very long: passes, and is counted", async ({ box }) => {
    const session = new ComparedSession(box);
    await session.call(1);
    await session.say(`${"no json ".repeat(100_000)}\n`);
    await session.call(2);
    await session.finish();
    const run = onlyStoredRun(box.birHome);
    expect(run.steps.map((step) => step.status)).toEqual(["ok", "ok"]);
    expect(run.gaps).toEqual([expect.objectContaining({ lost: 1 })]);
  });

  /** Calls and answers that are JSON up to somewhere inside. Nobody can read them; the record of the others stays readable. */
  const BROKEN = [
    '{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"echo","arguments":{"a":"\\x"}}}',
    '{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"echo","arguments":{"a":01,}}}',
    '{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"echo","arguments":[1 2]}}',
    '{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"echo","arguments":{},"_meta":{"a":"\\x"}}}',
    '{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"echo","arguments":{},"_meta":{"a":[1 2],"b":nul}}}',
    '{"jsonrpc":"2.0","id":15,"method":"tools/call","params":{"name":"ec\\xho","arguments":{}}}',
    '{"jsonrpc":"2.0","id":16,"method":"tools/call","params":{"name":"echo","arguments":{"a":"tab\tand\u0001"}}}',
    '{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"echo","arguments":{}}} and more',
    '{"jsonrpc":"2.0","id":18,"method":"tools/call","params":{"name":"echo","arguments":{}',
    '{"jsonrpc":"2.0","id":19,"method":"tools/call","params":"echo"}',
    '{"jsonrpc":"2.0","id":20,"method":"tools/call"}',
  ];
  const BROKEN_ANSWERS = [
    '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\\x"}]}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":01,"message":"\\x"}}',
    '{"jsonrpc":"2.0","id":1,"error":"no object"}',
    '{"jsonrpc":"2.0","id":1,"error":nope}',
    '{"jsonrpc":"2.0","id":1,"result":nope}',
    '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text"',
  ];

  test("inside of calls: the run stays readable", async ({ box }) => {
    const session = new ComparedSession(box);
    await session.call(1, "echo", { text: "before" });
    await session.say(`${BROKEN.join("\n")}\n`);
    await session.call(2, "echo", { text: "after" });
    await session.finish();
    const { steps } = onlyStoredRun(box.birHome);
    expect(steps[0]).toMatchObject({ args: { text: "before" }, result: textResult("before"), status: "ok" });
    expect(steps.at(-1)).toMatchObject({ args: { text: "after" }, result: textResult("after"), status: "ok" });
    expect(session.ownLines()).toEqual([]);
  });

  test.for(BROKEN_ANSWERS.entries().toArray())(
    "inside of an answer (%i): the run stays readable",
    async ([, line], { box }) => {
      const session = new ComparedSession(box);
      await session.say(callLine(1, "raw", { base64: Buffer.from(`${line}\n`).toString("base64") }));
      await session.call(2, "echo", { text: "after" });
      await session.finish();
      const { steps } = onlyStoredRun(box.birHome);
      expect(steps).toHaveLength(2);
      expect(steps[1]).toMatchObject({ args: { text: "after" }, result: textResult("after"), status: "ok" });
      expect(session.ownLines()).toEqual([]);
    },
  );
});

describe("DEG-09 a method that is not known", () => {
  test("passes both ways, and so does its rejection; calls beside it are recorded", async ({ box }) => {
    const session = new ComparedSession(box);
    await session.request(1, "vendor/ask", { deep: [1] });
    await session.request("1", "");
    await session.say('{"jsonrpc":"2.0","method":"notifications/vendor/x","params":{"a":1.0}}\n');
    await session.say(callLine(2, "ask", { id: 1, method: "vendor/asks-back", params: { a: 1 } }));
    await session.host.stdout.untilMessage("the server's question", (m) => m.method === "vendor/asks-back");
    await session.say('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}\n');
    expect((await session.host.stdout.untilAnswer(2)).error).toBeUndefined();
    await session.finish();
    expect(session.host.stdout.messages().filter((m) => m.error?.code === -32601)).toHaveLength(2);
    const run = onlyStoredRun(box.birHome);
    expect(run.steps).toMatchObject([{ tool: "ask", status: "ok", legs: 1 }]);
    expect(run).toMatchObject({ lossy: false, gaps: [], notes: [] });
  });
});
