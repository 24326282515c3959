/** Where hooks put an id of ours into calls, the proxy takes it out again: the server never sees it, the record has it. */

import { readFileSync } from "node:fs";
import { afterEach, describe, expect } from "vitest";
import { FakeControlServer } from "../fakes/control-server.ts";
import { test } from "../harness/process-test.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { endedCalls, numberOf, reportsOf, untilEnded, upTo } from "./bound-reports.ts";
import { onlyStoredRun } from "./faults/stored-runs.ts";

let fake: FakeControlServer | null = null;
afterEach(async () => {
  await fake?.close();
  fake = null;
});

const ID = "__bir_call_id__";
const WANTED = { BIR_CORRELATION_DECISION: "none" };
const line = (id: unknown, args: string, tool = "echo") =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}\n`;

interface Session {
  host: RunningProcess;
  fake: FakeControlServer;
  /** What the server has got. */
  received(): string;
}

async function start(box: Sandbox, env: Record<string, string>, flags: readonly string[] = []): Promise<Session> {
  fake = await FakeControlServer.start();
  const log = box.file("received");
  const host = box.startProxy(box.fake("--log", log), { env: { ...fake.env, ...env }, flags });
  return { host, fake, received: () => readFileSync(log, "utf8") };
}

describe("an id that was put into a call", () => {
  test("does not reach the server, and is told", async ({ box }) => {
    const { host, fake, received } = await start(box, WANTED);
    await host.write('{"jsonrpc":"2.0","id":"i","method":"ping"}\n');
    for (let n = 0; n < 20; n++) await host.write(line(n, `{"${ID}":"bir_${n}","n":${n}}`));
    await host.write(line("last", '{"n":20}'));
    await host.stdout.untilAnswer("last");
    await untilEnded(fake, 21);
    await host.finish();
    expect(received()).toBe(
      `{"jsonrpc":"2.0","id":"i","method":"ping"}\n${upTo(20)
        .map((n) => line(n, `{"n":${n}}`))
        .join("")}${line("last", '{"n":20}')}`,
    );
    const told = endedCalls(reportsOf(fake.requests));
    expect(told.map((call) => [numberOf(call), call.args, call.injectedId])).toEqual(
      upTo(21).map((n) => [n, { n }, n < 20 ? `bir_${n}` : null]),
    );
    // With or without an id, the fingerprint is of what the model wrote.
    expect(told.every(({ argsHash }) => argsHash !== null)).toBe(true);
  });

  test("in a batch, in calls whose ids are used again, in one of 300 KB and in the last line without an end", async ({
    box,
  }) => {
    const { host, fake, received } = await start(box, WANTED);
    const text = "x".repeat(300_000);
    const lines = (id: (n: number) => string) =>
      `[${line(1, `{${id(1)}"n":1}`).trim()},${line(2, `{"n":2}`).trim()}]\n` +
      line(1, `{"n":3}`) +
      line(1, `{${id(4)}"n":4}`) +
      line(3, `{${id(5)}"n":5,"text":"${text}"}`) +
      line(4, `{${id(6)}"n":6}`).trim();
    const sent = Buffer.from(lines((n) => `"${ID}":"bir_${n}",`));
    for (let at = 0; at < sent.length; at += 7_919) await host.write(sent.subarray(at, at + 7_919));
    await host.finish();
    expect(received()).toBe(lines(() => ""));
    const told = new Map(endedCalls(reportsOf(fake.requests)).map((call) => [call.injectedId, call]));
    expect([...told.keys()].toSorted()).toEqual(["bir_1", "bir_4", "bir_5", "bir_6", null]);
    expect(told.get("bir_5")).toMatchObject({ truncated: true });
  });

  test("beside what the server asks: answers pass at once while a call is held", async ({ box }) => {
    const { host, received } = await start(box, WANTED);
    await host.write(line(1, `{"${ID}":"b","method":"roots/list","id":"r"}`, "ask"));
    await host.stdout.untilMessage("the request", ({ method }) => method === "roots/list");
    const held = line(2, `{"${ID}":"c","n":2}`);
    await host.write('{"jsonrpc":"2.0","id":"r","result":{"roots":[]}}\n');
    await host.stdout.untilAnswer(1);
    await host.write(held.slice(0, 90));
    await host.write(held.slice(90));
    await host.stdout.untilAnswer(2);
    await host.finish();
    expect(received()).not.toContain(ID);
  });

  test.for([
    ["--no-correlation", WANTED, ["--no-correlation"]],
    ["BIR_NO_CORRELATION=1", { ...WANTED, BIR_NO_CORRELATION: "1" }, []],
    ["BIR_CORRELATION_DECISION that is not set", {}, []],
  ] as const)("stays with %s", async ([, env, flags], { box }) => {
    const { host, received } = await start(box, env, flags);
    await host.write(line(1, `{"${ID}":"x"}`));
    await host.stdout.untilAnswer(1);
    await host.finish();
    expect(received()).toBe(line(1, `{"${ID}":"x"}`));
  });

  test("is taken out where nothing is recorded, too", async ({ box }) => {
    const { host, fake, received } = await start(box, WANTED, ["--no-record"]);
    await host.write(line(1, `{"${ID}":"x"}`));
    await host.stdout.untilAnswer(1);
    await host.finish();
    expect(received()).toBe(line(1, "{}"));
    expect(fake.requests).toEqual([]);
  });

  test("is in no run of our own", async ({ box }) => {
    const { host } = await start(box, WANTED, ["--standalone"]);
    await host.write(line(1, `{"${ID}":"x","n":1}`));
    await host.stdout.untilAnswer(1);
    await host.finish();
    expect(onlyStoredRun(box.birHome).steps.map(({ args }) => args)).toEqual([{ n: 1 }]);
  });
});

describe("DEG-06 a call that is too large to be held", () => {
  const SMALL = { ...WANTED, BIR_UPSTREAM_MAX_MESSAGE_BYTES: "10000" };
  const text = "x".repeat(300_000);

  test("is answered with an error, is recorded as that, and goes nowhere; others of any size pass", async ({ box }) => {
    const { host, fake, received } = await start(box, SMALL);
    await host.write(line(1, `{"${ID}":"x","text":"${text}"}`));
    const answer = await host.stdout.untilAnswer(1);
    expect(answer.result).toMatchObject({ isError: true });
    expect(JSON.stringify(answer)).toContain("over 10000 bytes");
    const other = `{"jsonrpc":"2.0","id":2,"method":"vendor/x","params":{"text":"${text}"}}\n`;
    await host.write(other);
    expect((await host.stdout.untilAnswer(2)).error?.code).toBe(-32601);
    await host.write(line(3, `{"${ID}":"y"}`));
    await host.stdout.untilAnswer(3);
    await host.finish();
    expect(received()).toBe(`${other}${line(3, "{}")}`);
    const told = endedCalls(reportsOf(fake.requests));
    expect(told.map(({ status, truncated }) => [status, truncated])).toEqual([
      ["error", true],
      ["ok", false],
    ]);
    expect(host.stderr.lines().filter((said) => said.includes("(DEG-06)"))).toHaveLength(1);
  });

  test("while the server is in the middle of a line: the answer waits for its end", async ({ box }) => {
    const [begun, rest] = ['{"jsonrpc":"2.0","method":"n",', '"params":{}}\n{"jsonrpc":"2.0","method":"m"}\n'];
    const script = box.file(
      "script.json",
      JSON.stringify([
        { readLine: true },
        { write: begun, encoding: "utf8" },
        { readLine: true },
        { write: rest, encoding: "utf8" },
      ]),
    );
    const host = box.startProxy(box.fake("--quiet", "--script", script), { env: SMALL });
    await host.write('{"jsonrpc":"2.0","method":"go"}\n');
    await host.stdout.untilText(begun);
    await host.write(line("big", `{"text":"${text}"}`));
    await host.write('{"jsonrpc":"2.0","method":"on"}\n');
    await host.stdout.untilText('"m"}\n');
    await host.finish();
    const [first, second, third] = host.stdout.lines();
    expect([first, third]).toEqual([`${begun}"params":{}}`, '{"jsonrpc":"2.0","method":"m"}']);
    expect(JSON.parse(second ?? "")).toMatchObject({ id: "big", result: { isError: true } });
  });

  test("of the stateless protocol is answered in its form", async ({ box }) => {
    const { host } = await start(box, SMALL);
    const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';
    await host.write(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",${meta},"arguments":{"text":"${text}"}}}\n`,
    );
    expect((await host.stdout.untilAnswer(1)).result).toMatchObject({ isError: true, resultType: "complete" });
    await host.finish();
  });
});
