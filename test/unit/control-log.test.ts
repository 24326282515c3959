import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openServerLog, serverLogPath } from "../../src/http-server/server-log.ts";
import { ownHome } from "./control-fixture.ts";

/** The server's own log. */

function makeLog() {
  const home = ownHome();
  const clock = { now: Date.UTC(2026, 10, 24, 14, 3, 22) };
  return {
    home,
    clock,
    log: openServerLog(home, () => clock.now),
    text: () => readFileSync(serverLogPath(home), "utf8"),
  };
}

test("has a time and a process before each line, and is its owner's alone", () => {
  const { home, log, text } = makeLog();
  log.say("one");
  log.say("two");
  expect(text()).toBe(`2026-11-24T14:03:22.000Z ${process.pid} one\n2026-11-24T14:03:22.000Z ${process.pid} two\n`);
  expect(statSync(serverLogPath(home)).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "log")).mode & 0o777).toBe(0o700);
});

test("says the same thing once a minute", () => {
  const { clock, log, text } = makeLog();
  for (let n = 0; n < 100; n++) {
    log.say("refused");
    log.say("other");
    clock.now += 1000;
  }
  expect(text().match(/refused/g)).toHaveLength(2);
  expect(text().match(/other/g)).toHaveLength(2);
});

test("is begun anew when it is too long", () => {
  const { home, log, text } = makeLog();
  log.say("first");
  writeFileSync(serverLogPath(home), "x".repeat(1024 * 1024 + 1));
  log.say("second");
  expect(text()).toMatch(/^\S+ \d+ second\n$/);
});

test("tells of a fault its kind alone", () => {
  const { log, text } = makeLog();
  log.fault("reading", new RangeError("hunter2"));
  log.fault("writing", Object.assign(new Error("hunter2"), { code: "ENOSPC" }));
  log.fault("thinking", "hunter2");
  expect(
    text()
      .split("\n")
      .map((line) => line.split(" ").slice(2).join(" ")),
  ).toEqual([
    "fault while reading: RangeError",
    "fault while writing: Error ENOSPC",
    "fault while thinking: string",
    "",
  ]);
});

test("is no reason to make a home that is gone, nor to fail", () => {
  const { home, log } = makeLog();
  rmSync(home, { recursive: true });
  log.say("lost");
  expect(existsSync(home)).toBe(false);
});
