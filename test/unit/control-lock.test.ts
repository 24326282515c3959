import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { takeServerLock } from "../../src/control/server-lock.ts";
import { ExclusiveLock } from "../../src/store/exclusive-lock.ts";
import { ownHome } from "./control-fixture.ts";

/** The lock that makes one server of many starters. */

/** SQLite keeps two connections of one process apart just as those of two processes. */
describe("the lock", () => {
  test("is one's at a time, and free again after it", () => {
    const path = join(ownHome(), "server.lock");
    const first = ExclusiveLock.take(path);
    expect(first).not.toBeNull();
    expect(ExclusiveLock.take(path)).toBeNull();
    first?.release();
    const second = ExclusiveLock.take(path);
    expect(second?.isInPlace()).toBe(true);
    second?.release();
  });

  test("is a private file of no bytes, with nothing beside it", () => {
    const home = ownHome();
    const path = join(home, "server.lock");
    writeFileSync(path, "", { mode: 0o644 });
    const lock = ExclusiveLock.take(path);
    expect(readdirSync(home)).toEqual(["server.lock"]);
    expect([statSync(path).size, statSync(path).mode & 0o777]).toEqual([0, 0o600]);
    lock?.release();
  });

  test("can be taken where the file was spoiled", () => {
    const path = join(ownHome(), "server.lock");
    writeFileSync(path, "x".repeat(10_000));
    const lock = ExclusiveLock.take(path);
    expect(lock).not.toBeNull();
    expect(ExclusiveLock.take(path)).toBeNull();
    lock?.release();
  });

  test("knows when another file has its name", () => {
    const path = join(ownHome(), "server.lock");
    const lock = ExclusiveLock.take(path);
    renameSync(path, `${path}.moved`);
    expect(lock?.isInPlace()).toBe(false);
    writeFileSync(path, "");
    expect(lock?.isInPlace()).toBe(false);
    rmSync(path);
    renameSync(`${path}.moved`, path);
    expect(lock?.isInPlace()).toBe(true);
    lock?.release();
  });

  test("cannot be taken where no file can be made", () => {
    expect(() => ExclusiveLock.take(join(ownHome(), "nowhere", "server.lock"))).toThrow(/ENOENT/);
  });
});

describe("starters that come too late", () => {
  const nobody = async () => false;

  function homeWithControl(): { home: string; held: ExclusiveLock } {
    const home = ownHome();
    const control = join(home, "control");
    Bun.spawnSync(["mkdir", control]);
    const held = ExclusiveLock.take(join(control, "server.lock"));
    if (held === null) throw new Error("the lock of a new home is taken");
    return { home, held };
  }

  test("leave at once where a server answers", async () => {
    const { home, held } = homeWithControl();
    expect(await takeServerLock(home, async () => true)).toBeNull();
    held.release();
  });

  test("take the place of a server that is just leaving: one of them", async () => {
    const { home, held } = homeWithControl();
    let looks = 0;
    const release = async () => {
      if (++looks === 2) held.release();
      return false;
    };
    const all = await Promise.all([1, 2, 3, 4].map(() => takeServerLock(home, release)));
    expect(all.filter((lock) => lock !== null)).toHaveLength(1);
    for (const lock of all) lock?.release();
    expect(existsSync(join(home, "control", "next.lock"))).toBe(true);
  });

  test("do not queue up behind a server that neither answers nor leaves", async () => {
    const { home, held } = homeWithControl();
    const waiting = takeServerLock(home, nobody);
    expect(await takeServerLock(home, nobody)).toBeNull();
    held.release();
    const lock = await waiting;
    expect(lock).not.toBeNull();
    lock?.release();
  });
});
