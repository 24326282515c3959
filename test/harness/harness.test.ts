/** The harness must be able to fail: relays that are not transparent, waits in vain, processes left over. */

import { describe, expect } from "vitest";
import { ByteLog } from "./byte-log.ts";
import { Deadline } from "./deadline.ts";
import { GOLDEN_CASES } from "./golden-cases.ts";
import { test } from "./process-test.ts";
import { Sandbox } from "./sandbox.ts";
import { DIRECT } from "./transcript.ts";
import { expectUntouched } from "./untouched.ts";

const relay = (name: string, pipeline: string) => ({ name, wrap: ["sh", "-c", pipeline, "sh"] });
const turnsOf = (name: string) => GOLDEN_CASES.find((one) => one.name === name)?.turns ?? [];
const soon = () => new Deadline(1000);

describe("a relay that is not transparent is found out", () => {
  test("carriage returns dropped on the way up", async ({ box }) => {
    const relayed = expectUntouched(box, relay("tr", 'tr -d "\\r" | "$@"'), turnsOf("CR LF"), soon());
    await expect(relayed).rejects.toThrow(/ended before|waited in vain/);
    await box.killSurvivors();
  });

  test("one byte changed on the way down", async ({ box }) => {
    const relayed = expectUntouched(box, relay("sed", '"$@" | sed -u s/9/8/'), turnsOf("big integers"));
    await expect(relayed).rejects.toThrow(/sed: what the host got: \d+ bytes for \d+; from byte/);
  });

  test("a line feed added at the end", async ({ box }) => {
    const turns = turnsOf("no line feed before the end of either stream");
    await expect(expectUntouched(box, relay("echo", '"$@"; echo'), turns)).rejects.toThrow(/what the host got/);
  });

  test("half a line kept back until the line is whole", async ({ box }) => {
    const turns = [{ up: '{"a":' }, { down: "[" }, { up: "1}\n" }, { down: "]\n" }];
    await expectUntouched(box, DIRECT, turns);
    await expect(expectUntouched(box, relay("sed", 'sed -u "" | "$@"'), turns, soon())).rejects.toThrow(/in vain/);
    await box.killSurvivors();
  });
});

describe("a process left over", () => {
  test("fails the test it was started in, and is gone afterwards", async () => {
    const box = new Sandbox();
    const started = box.start(["sh", "-c", "setsid sleep 600 & exec sleep 601"]);
    const running = () => box.survivors().map((one) => one.command);
    await expect.poll(running, { timeout: 20_000 }).toEqual(expect.arrayContaining(["sleep 600", "sleep 601"]));
    await expect(box.dispose(false, 0)).rejects.toThrow(/left running after the test:\s.*sleep 60/);
    expect(box.survivors()).toEqual([]);
    expect(await started.exit()).toEqual({ code: null, signal: "SIGKILL" });
  });
});

describe("a log of bytes", () => {
  test("tells typed ids apart and looks into batches", async () => {
    const log = new ByteLog("log");
    log.push(
      Buffer.from('no json\n{"id":1,"method":"ping"}\n[{"id":"1","result":{}},{"id":1,"error":{"code":1}}]\n{"id":2'),
    );
    expect((await log.untilAnswer(1)).error?.code).toBe(1);
    expect((await log.untilAnswer("1")).result).toEqual({});
    expect(log.lineCount).toBe(3);
    await expect(log.untilAnswer(2, soon())).rejects.toThrow(/waited in vain for the answer to id 2\s[\s\S]*"id":2/);
    log.end();
    await expect(log.untilText("more", soon())).rejects.toThrow(/ended before "more"/);
  });
});
