/** A home that cannot be made, opened or written: one line, and a session that is whole. And odd homes that are fine. */

import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, type TestContext } from "vitest";
import { test } from "../../harness/process-test.ts";
import { needs } from "../../harness/requirement.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { ComparedSession } from "./compared-session.ts";
import { onlyStoredRun } from "./stored-runs.ts";

/** What a root without the right to pass over permissions is started by; nothing for other users. */
const OBEYING_MODES =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"] : [];

function needsModes(context: TestContext): void {
  const [setpriv] = OBEYING_MODES;
  const obeyed = setpriv === undefined || Bun.which(setpriv) !== null;
  needs(context, process.platform !== "win32" && obeyed, "modes bind root only through setpriv(1)");
}

/** A session of twenty calls that cannot be recorded: one line says why, one how many calls there were. */
async function expectUnrecorded(box: Sandbox, env: Record<string, string>, wrap: readonly string[] = []) {
  const session = new ComparedSession(box, { env, wrap });
  await session.calls(0, 10);
  await session.host.stderr.untilMatch(/^bir: .*\(DEG-13\)$/m);
  await session.calls(10, 20);
  await session.finish();
  expect(session.ownLines()).toEqual([
    expect.stringMatching(/^bir: .*recordings\.db cannot be written .*Check its directory.*\(DEG-13\)$/),
    expect.stringMatching(/^bir: 20 call\(s\) could not be recorded.*\(DEG-13\)$/),
  ]);
}

describe("DEG-13 the home cannot be used", () => {
  test("a file is in its place", async ({ box }) => {
    const file = box.file("home", "mine");
    await expectUnrecorded(box, { BIR_HOME: file });
    expect(statSync(file).size).toBe(4);
  });

  test("a file is in its parent's place", async ({ box }) => {
    await expectUnrecorded(box, { BIR_HOME: join(box.file("home", "mine"), "below") });
  });

  test("a directory is in the store's place", async ({ box }) => {
    mkdirSync(join(box.birHome, "recordings.db"), { recursive: true });
    await expectUnrecorded(box, {});
    expect(readdirSync(box.birHome)).toEqual(["recordings.db"]);
  });

  test("its path is longer than a path can be", async ({ box }) => {
    await expectUnrecorded(box, { BIR_HOME: join(box.home, ...Array.from({ length: 30 }, () => "d".repeat(200))) });
  });

  test("it is a link that leads to itself", async ({ box }) => {
    const link = join(box.home, "link");
    symlinkSync(link, link);
    await expectUnrecorded(box, { BIR_HOME: link });
  });

  test.for(["000", "100", "500"])("it is a directory with mode 0%s", async (mode, { box, task }) => {
    needsModes(task.context);
    const home = join(box.home, "mine");
    mkdirSync(home, { mode: Number.parseInt(mode, 8) });
    await expectUnrecorded(box, { BIR_HOME: home }, OBEYING_MODES);
    chmodSync(home, 0o700);
    expect(readdirSync(home)).toEqual([]);
  });

  test.for(["000", "400"])("the store is a file with mode 0%s", async (mode, { box, task }) => {
    needsModes(task.context);
    const before = new ComparedSession(box);
    await before.calls(0, 3);
    await before.finish();
    const store = join(box.birHome, "recordings.db");
    for (const name of readdirSync(box.birHome)) chmodSync(join(box.birHome, name), Number.parseInt(mode, 8));
    await expectUnrecorded(box, {}, OBEYING_MODES);
    expect(statSync(store).mode & 0o777).toBe(Number.parseInt(mode, 8));
  });
});

describe("DEG-13 an odd home is used like any other", () => {
  test.for([
    "with spaces and ünïcödé 家 😀",
    "with %20 ? # & * [x] 'quotes\" and \\ in it",
    "file:x?mode=ro",
    "with\na line feed",
  ])("%j", async (name, { box }) => {
    const home = join(box.home, name, "deeper");
    const session = new ComparedSession(box, { env: { BIR_HOME: home } });
    await session.calls(0, 10);
    await session.finish();
    expect(onlyStoredRun(home).steps).toHaveLength(10);
    expect(session.ownLines()).toEqual([]);
    expect([home, join(home, "recordings.db")].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  });

  test("a relative one, seen from where the proxy was started", async ({ box }) => {
    writeFileSync(join(box.cwd, "here"), "");
    const session = new ComparedSession(box, { env: { BIR_HOME: "file:odd relative?mode=memory" } });
    await session.calls(0, 10);
    await session.finish();
    expect(onlyStoredRun(join(box.cwd, "file:odd relative?mode=memory")).steps).toHaveLength(10);
    expect(readdirSync(box.cwd).sort()).toEqual(["file:odd relative?mode=memory", "here"]);
  });
});
