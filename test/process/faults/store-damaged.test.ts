/**
 * The store is no store, is damaged while it is used, is a newer program's, or is gone: the session is whole, nothing is
 * written over, and recording goes on where it can.
 */

import { Database } from "bun:sqlite";
import {
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { test } from "../../harness/process-test.ts";
import { ComparedSession } from "./compared-session.ts";
import {
  closedSteps,
  integrityOf,
  onlyStoredRun,
  storedRuns,
  storedSteps,
  storeIn,
  untilStored,
} from "./stored-runs.ts";

const ASIDE = /^recordings\.db\.corrupt-\d{13}$/;
const namesIn = (home: string) => readdirSync(home).sort();
const setAside = (home: string) => namesIn(home).filter((name) => ASIDE.test(name));
const numbers = (home: string) => storedSteps(home).map((step) => (step.args as { n: number }).n);

/** Overwrites the whole of a file in place, as a bad disk or a stray program would: its size stays. */
function overwrite(path: string): void {
  const { size } = statSync(path);
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(size, 0xa5), 0, size, 0);
}

describe("DEG-13 the store is damaged", () => {
  test.for([
    ["text", Buffer.from("this is no database\n".repeat(500))],
    ["a header and nothing that fits it", Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(8176, 0xff)])],
  ] as const)("at the start (%s): set aside whole, and a new one recorded into", async ([, garbage], { box }) => {
    mkdirSync(box.birHome, { mode: 0o700 });
    writeFileSync(storeIn(box.birHome), garbage, { mode: 0o600 });
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await untilStored("the calls", () => closedSteps(box.birHome) === 10);
    await session.finish();

    const [aside = "", ...more] = setAside(box.birHome);
    expect(more).toEqual([]);
    expect(readFileSync(join(box.birHome, aside)).equals(garbage)).toBe(true);
    const run = onlyStoredRun(box.birHome);
    expect(numbers(box.birHome)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(run.gaps).toEqual([expect.objectContaining({ reason: expect.stringContaining("DEG-13") })]);
    expect(session.ownLines()[0]).toMatch(/damaged and was set aside.*\(DEG-13\)$/);
    expect(integrityOf(storeIn(box.birHome))).toBe("ok");
    expect(namesIn(box.birHome).filter((name) => !name.startsWith("recordings.db"))).toEqual([]);
  });

  test("in the middle of a session: what it held is counted, the rest is recorded in a new one", async ({ box }) => {
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await untilStored("the first calls", () => closedSteps(box.birHome) === 10);
    // A commit of somebody else makes every connection read the file again.
    const other = new Database(storeIn(box.birHome));
    other.run("INSERT INTO sinks (name, position) VALUES ('other', 0)");
    for (const name of namesIn(box.birHome).filter((one) => !one.endsWith("-shm"))) {
      overwrite(join(box.birHome, name));
    }
    await session.calls(10, 20);
    await session.host.stderr.untilMatch(/damaged and was set aside.*\(DEG-13\)/);
    await session.calls(20, 30);
    await session.finish();
    other.close();

    expect(setAside(box.birHome)).toHaveLength(1);
    const run = onlyStoredRun(box.birHome);
    expect(numbers(box.birHome)).toEqual(Array.from({ length: 20 }, (_, n) => n + 10));
    expect(run).toMatchObject({ status: "completed", lossy: true });
    expect(run.gaps).toEqual([expect.objectContaining({ reason: "DEG-13 store-lost", lost: 10 })]);
    expect(integrityOf(storeIn(box.birHome))).toBe("ok");
  });

  test("and found so by several at once: one store set aside, one new one, every call in it", async ({ box }) => {
    mkdirSync(box.birHome, { mode: 0o700 });
    writeFileSync(storeIn(box.birHome), "no database", { mode: 0o600 });
    const sessions = [0, 1, 2].map(() => new ComparedSession(box));
    await Promise.all(sessions.map((session) => session.calls(0, 10)));
    await untilStored("all calls", () => closedSteps(box.birHome) === 30);
    for (const session of sessions) await session.finish();
    expect(setAside(box.birHome)).toHaveLength(1);
    expect(storedRuns(box.birHome).map((run) => run.steps.length)).toEqual([10, 10, 10]);
  });
});

describe("DEG-13 the store is a newer program's", () => {
  test.for(["DELETE", "WAL"])("(journal mode %s): untouched byte for byte, said once", async (mode, { box }) => {
    mkdirSync(box.birHome, { mode: 0o700 });
    const db = new Database(storeIn(box.birHome));
    db.run(`PRAGMA journal_mode = ${mode}`);
    db.run("CREATE TABLE of_the_future (value TEXT)");
    db.run("INSERT INTO of_the_future VALUES ('kept')");
    db.run("PRAGMA user_version = 999");
    db.close();
    const before = readFileSync(storeIn(box.birHome));
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await session.host.stderr.untilMatch(/newer version of bir.*\(DEG-13\)/);
    await session.calls(10, 20);
    await session.finish();
    expect(session.ownLines()).toHaveLength(1);
    expect(readFileSync(storeIn(box.birHome)).equals(before)).toBe(true);
    expect(namesIn(box.birHome)).toEqual(["recordings.db"]);
  });

  test("and in use by it: what it has not yet folded into the file stays there, and readable", async ({ box }) => {
    mkdirSync(box.birHome, { mode: 0o700 });
    const newer = new Database(storeIn(box.birHome));
    newer.run("PRAGMA journal_mode = WAL");
    newer.run("PRAGMA user_version = 999");
    newer.run("CREATE TABLE of_the_future (value TEXT)");
    const before = ["", "-wal"].map((suffix) => readFileSync(storeIn(box.birHome) + suffix));
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await session.host.stderr.untilMatch(/newer version of bir.*\(DEG-13\)/);
    await session.finish();
    expect(["", "-wal"].map((suffix) => readFileSync(storeIn(box.birHome) + suffix))).toEqual(before);
    newer.run("INSERT INTO of_the_future VALUES ('still works')");
    newer.close();
  });

  test("and it died with all of it still in the log: nothing of that is lost", async ({ box }) => {
    const elsewhere = box.file("newer.db");
    const newer = new Database(elsewhere);
    newer.run("PRAGMA journal_mode = WAL");
    newer.run("PRAGMA user_version = 999");
    newer.run("CREATE TABLE of_the_future (value TEXT)");
    newer.run("INSERT INTO of_the_future VALUES ('kept')");
    mkdirSync(box.birHome, { mode: 0o700 });
    for (const suffix of ["", "-wal"]) copyFileSync(elsewhere + suffix, storeIn(box.birHome) + suffix);
    newer.close();
    const session = new ComparedSession(box);
    await session.calls(0, 10);
    await session.host.stderr.untilMatch(/newer version of bir.*\(DEG-13\)/);
    await session.finish();
    // SQLite itself may fold the log into the file when it is opened and closed; what the file says stays.
    const db = new Database(storeIn(box.birHome), { readonly: true });
    expect(db.query("SELECT * FROM of_the_future, pragma_user_version").all()).toEqual([
      { value: "kept", user_version: 999 },
    ]);
    expect(db.query("SELECT name FROM sqlite_master").all()).toEqual([{ name: "of_the_future" }]);
    db.close();
  });
});

describe("DEG-13 the store is gone", () => {
  test.for(["removed", "moved away", "removed with its directory"])(
    "(%s) while it is used: what it held is counted, the rest is recorded in a new one",
    async (how, { box }) => {
      const session = new ComparedSession(box);
      await session.calls(0, 10);
      await untilStored("the first calls", () => closedSteps(box.birHome) === 10);
      if (how === "removed") for (const name of namesIn(box.birHome)) rmSync(join(box.birHome, name));
      else if (how === "moved away") renameSync(storeIn(box.birHome), `${storeIn(box.birHome)}.old`);
      else rmSync(box.birHome, { recursive: true });
      await session.calls(10, 20);
      await untilStored("the rest", () => numbers(box.birHome).includes(19));
      await session.finish();

      const run = onlyStoredRun(box.birHome);
      expect(numbers(box.birHome)).toEqual(Array.from({ length: 10 }, (_, n) => n + 10));
      expect(run).toMatchObject({ status: "completed", lossy: true });
      expect(run.gaps).toEqual([expect.objectContaining({ reason: "DEG-13 store-lost", lost: 10 })]);
      expect(statSync(box.birHome).mode & 0o777).toBe(0o700);
      expect(integrityOf(storeIn(box.birHome))).toBe("ok");
    },
  );
});
