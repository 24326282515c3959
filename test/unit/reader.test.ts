import { Database } from "bun:sqlite";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringifyExact } from "../../src/core/exact-json.ts";
import { EXIT } from "../../src/core/exit-codes.ts";
import { Problem } from "../../src/core/problem.ts";
import { deleteRuns } from "../../src/store/delete-runs.ts";
import { StoreReader } from "../../src/store/reader.ts";
import { resolveRun, shortRunIds } from "../../src/store/resolve-run.ts";
import type { RunFilter } from "../../src/store/run-filter.ts";
import { SCHEMA_VERSION } from "../../src/store/schema.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import { eventfulRun, OWNER, RUN_A, RUN_B, RUN_C, RunWriter, record, T0, TestCli, text } from "./cli-fixture.ts";

const nobody = () => false;

/** A home, the path of its store, and a reader for the length of a callback. */
class Store {
  readonly home = new TestCli().home;
  readonly path = join(this.home, "recordings.db");

  record(...runs: RunWriter[]): this {
    record(this.home, ...runs);
    return this;
  }

  read<T>(work: (reader: StoreReader) => T, isAlive: (pid: number, startedAt: string) => boolean = nobody): T {
    const reader = StoreReader.open(this.path, isAlive);
    try {
      return work(reader);
    } finally {
      reader.close();
    }
  }

  ids(filter?: RunFilter): string[] {
    return this.read((reader) => Array.from(reader.runs(filter), ({ id }) => id));
  }

  /** Everything in the files of the store. */
  bytes(): Buffer {
    return Buffer.concat(readdirSync(this.home).map((name) => readFileSync(join(this.home, name))));
  }
}

function problemOf(work: () => unknown): Problem {
  try {
    work();
  } catch (cause) {
    expect(cause).toBeInstanceOf(Problem);
    return cause as Problem;
  }
  throw new Error("expected a Problem");
}

describe("a store that is not there, or not ours", () => {
  test("reads as empty and is not made", () => {
    const store = new Store();
    store.read((reader) => {
      expect(reader.version()).toBeNull();
      expect([...reader.runs()]).toEqual([]);
      expect(reader.run(RUN_A)).toBeNull();
      expect(reader.counts()).toEqual({ runs: 0, steps: 0 });
      expect(reader.flaws()).toEqual([]);
      expect(problemOf(() => resolveRun(reader, "latest")).code).toBe("no-runs");
    });
    expect(deleteRuns(store.path, [RUN_A])).toEqual({ deleted: 0, wiped: true });
    expect(existsSync(store.home)).toBe(false);
  });

  test("a file without tables yet reads as empty and stays as it is", () => {
    const store = new Store();
    mkdirSync(store.home);
    writeFileSync(store.path, "");
    expect(store.ids()).toEqual([]);
    expect(readFileSync(store.path)).toHaveLength(0);
  });

  test("a newer store is refused and told to be newer", () => {
    const store = new Store().record(eventfulRun());
    const db = new Database(store.path);
    db.run(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    db.close();
    for (const work of [() => store.ids(), () => deleteRuns(store.path, [RUN_A])]) {
      const problem = problemOf(work);
      expect(problem).toMatchObject({ code: "store-newer", exitCode: EXIT.notSetUp });
      expect(problem.hint).toContain("Update bir");
    }
  });

  test("a file that is no store is told to be damaged, and left alone", () => {
    const store = new Store();
    mkdirSync(store.home);
    writeFileSync(store.path, "not a database, but long enough to be looked at as one ".repeat(40));
    const before = readFileSync(store.path);
    expect(problemOf(() => store.ids())).toMatchObject({ code: "store-corrupt", exitCode: EXIT.failed });
    expect(readFileSync(store.path).equals(before)).toBe(true);
  });

  test("damage found on the way is told, not thrown as it is", () => {
    const store = new Store().record(eventfulRun());
    store.read(() => {});
    const size = readFileSync(store.path).length;
    truncateSync(store.path, size - 8192);
    const work = () =>
      store.read((reader) => {
        const flaws = reader.flaws();
        return [flaws, reader.run(RUN_A), [...reader.runs()], reader.counts()];
      });
    expect(problemOf(work).code).toBe("store-corrupt");
  });

  test("a home that is a file is told to be no home", () => {
    const store = new Store();
    writeFileSync(store.home, "");
    expect(problemOf(() => store.ids())).toMatchObject({ code: "home-unusable", exitCode: EXIT.notSetUp });
  });

  test("a directory in the store's place is told", () => {
    const store = new Store();
    mkdirSync(store.path, { recursive: true });
    expect(problemOf(() => store.ids())).toMatchObject({ code: "home-unusable", exitCode: EXIT.notSetUp });
  });
});

describe("reading beside writers", () => {
  test("sees what is committed while another writes, and does not keep the other from writing", () => {
    const store = new Store().record(eventfulRun());
    const writer = new Database(store.path);
    writer.run("PRAGMA busy_timeout = 0");
    writer.run("BEGIN IMMEDIATE");
    writer.run("DELETE FROM runs");
    expect(store.ids()).toEqual([RUN_A]);
    store.read((reader) => {
      for (const _ of reader.runs()) writer.run("COMMIT");
    });
    expect(store.ids()).toEqual([]);
    writer.close();
  });

  test("folds the log of a writer that never checkpoints into the file", () => {
    const store = new Store();
    const writer = SqliteStore.open(store.path);
    writer.append(eventfulRun().entries);
    const copy = join(store.home, "copy.db");
    const copied = () => {
      copyFileSync(store.path, copy);
      const reader = StoreReader.open(copy, nobody);
      const ids = Array.from(reader.runs(), ({ id }) => id);
      reader.close();
      return ids;
    };
    expect(store.ids()).toEqual([RUN_A]);
    expect(copied()).toEqual([RUN_A]);
    writer.close();
  });

  test("cannot change the store", () => {
    const store = new Store().record(eventfulRun());
    store.read((reader) => {
      expect(() => [...reader.rows("DELETE FROM runs")]).toThrow(/cannot be used: it cannot be written/);
    });
    expect(store.ids()).toEqual([RUN_A]);
  });

  test("a question inside a question does not disturb it", () => {
    const store = new Store().record(
      new RunWriter(RUN_A, T0),
      new RunWriter(RUN_B, T0 + 1),
      new RunWriter(RUN_C, T0 + 2),
    );
    const pairs = store.read((reader) =>
      Array.from(reader.runs(), (outer) => Array.from(reader.runs(), (inner) => `${outer.id} ${inner.id}`)).flat(),
    );
    expect(new Set(pairs).size).toBe(9);
  });
});

describe("a run", () => {
  test("is folded from its events, its payloads as they were on the wire", () => {
    const store = new Store().record(eventfulRun());
    const run = store.read((reader) => reader.run(RUN_A));
    expect(run).toMatchObject({ id: RUN_A, status: "completed", lossy: true, hostHookCalls: 2, endedAt: T0 + 8916 });
    expect(run?.steps).toHaveLength(6);
    expect(stringifyExact(run?.steps[0]?.args)).toBe('{"message":"hello","n":12345678901234567890}');
    expect(stringifyExact(run?.steps[1]?.args)).toBe('{"a":1.0,"b":"x"}');
    expect(stringifyExact(run?.steps[4]?.rpcError)).toContain('{"big":1e400}');
    expect(run?.steps[4]).toMatchObject({ args: null, result: null, error: "no such tool" });
  });

  test("with a payload that is no JSON gives it as text", () => {
    const store = new Store().record(new RunWriter(RUN_A, T0).call("t", "{broken", '"fine"', 1).end());
    const step = store.read((reader) => reader.run(RUN_A))?.steps[0];
    expect(step).toMatchObject({ args: "{broken", result: "fine" });
  });

  test("is abandoned when its owner is gone, in the list as in itself", () => {
    const run = new RunWriter(RUN_A, T0);
    run.open("slow", "{}");
    const store = new Store().record(run);
    const seen = (isAlive: () => boolean) =>
      store.read((reader) => {
        const read = reader.run(RUN_A);
        return [[...reader.runs()][0]?.status, read?.status, read?.steps[0]?.status, [...reader.recordings()].length];
      }, isAlive);
    expect(seen(() => true)).toEqual(["running", "running", "running", 1]);
    expect(seen(() => false)).toEqual(["abandoned", "abandoned", "lost", 0]);
  });

  test("each owner is looked for once", () => {
    const runs = [RUN_A, RUN_B, RUN_C].map((id, index) => new RunWriter(id, T0 + index));
    const asked: unknown[] = [];
    const isAlive = (...owner: unknown[]) => {
      asked.push(owner);
      return true;
    };
    new Store().record(...runs).read((reader) => [...reader.runs(), ...reader.runs()], isAlive);
    expect(asked).toEqual([[OWNER.pid, OWNER.startedAt]]);
  });
});

describe("the list of runs", () => {
  const runs = () => [
    new RunWriter(RUN_A, T0, { cwd: "/code/a", wrappedServers: ["files", "git"] }).end(),
    new RunWriter(RUN_B, T0 + 1000, { cwd: "/code/a/deep", host: null }).gap("rejected", 1).end("failed"),
    new RunWriter(RUN_C, T0 + 1000, { cwd: "/code/ab", host: { app: "cursor", version: null } }),
  ];

  test.each<[string, RunFilter, string[]]>([
    ["all, newest first", {}, [RUN_C, RUN_B, RUN_A]],
    ["by server", { server: "git" }, [RUN_A]],
    ["by a part of a server's name", { server: "gi" }, []],
    ["by host", { host: "cursor" }, [RUN_C]],
    ["by directory and below", { directory: "/code/a" }, [RUN_B, RUN_A]],
    ["by the root directory", { directory: "/" }, [RUN_C, RUN_B, RUN_A]],
    ["by status", { status: "failed" }, [RUN_B]],
    ["abandoned ones", { status: "abandoned" }, [RUN_C]],
    ["running ones", { status: "running" }, []],
    ["lossy ones", { lossy: true }, [RUN_B]],
    ["from a moment on", { startedFrom: T0 + 1 }, [RUN_C, RUN_B]],
    ["before a moment", { startedBefore: T0 + 1000 }, [RUN_A]],
    ["after a run, of the same moment", { after: { startedAt: T0 + 1000, id: RUN_C } }, [RUN_B, RUN_A]],
    ["of two kinds at once", { directory: "/code/a", status: "completed" }, [RUN_A]],
  ])("%s", (_name, filter, expected) => {
    expect(new Store().record(...runs()).ids(filter)).toEqual(expected);
  });

  test("in pages of any size has every run once", () => {
    const store = new Store();
    const moments = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(moments, fc.integer({ min: 1, max: 5 }), (startedAt, size) => {
        deleteRuns(store.path, store.ids());
        store.record(...startedAt.map((at, index) => new RunWriter(`run_${String(index).padStart(4, "0")}`, T0 + at)));
        const seen: string[] = [];
        let after: RunFilter["after"];
        for (;;) {
          const page = store.read((reader) => Array.from(reader.runs({ after })).slice(0, size));
          const last = page.at(-1);
          if (last === undefined) break;
          seen.push(...page.map(({ id }) => id));
          after = last;
        }
        expect(seen).toEqual(store.ids());
        expect(seen).toHaveLength(startedAt.length);
      }),
      { numRuns: 25 },
    );
  });

  test("agrees with the runs themselves", () => {
    const store = new Store().record(eventfulRun());
    store.read((reader) => {
      const { steps, notes, ...summary } = reader.run(RUN_A) ?? expect.fail();
      expect([...reader.runs()]).toEqual([{ ...summary, stepCount: steps.length }]);
      expect(notes).toHaveLength(1);
    });
  });
});

describe("a run's name", () => {
  const store = () => new Store().record(...[RUN_A, RUN_B, RUN_C].map((id, index) => new RunWriter(id, T0 - index)));

  test.each([
    ["latest", RUN_A],
    [RUN_B, RUN_B],
    [RUN_B.slice(4), RUN_B],
    ["run_019ab3d", RUN_C],
    ["019ab3d", RUN_C],
  ])("%s", (word, expected) => {
    expect(store().read((reader) => resolveRun(reader, word))).toBe(expected);
  });

  test.each([
    ["run_019ab3c", "ambiguous-run"],
    ["019ab3", "ambiguous-run"],
    ["run_", "ambiguous-run"],
    ["nope", "no-such-run"],
    ["", "no-such-run"],
    ["%", "no-such-run"],
    ["RUN_019", "no-such-run"],
  ])("%s is refused: %s", (word, code) => {
    expect(store().read((reader) => problemOf(() => resolveRun(reader, word)).code)).toBe(code);
  });

  test("is as short as it can be and still one run's", () => {
    store().read((reader) => {
      const short = shortRunIds(reader, [RUN_A, RUN_C], 16);
      expect(short).toEqual([RUN_A, RUN_C.slice(0, 16)]);
      for (const id of short) expect(resolveRun(reader, id)).toMatch(id);
    });
  });
});

describe("deleting runs", () => {
  const secret = "the-words-that-must-go";
  const told = (id: string, words: string) =>
    new RunWriter(id, T0)
      .call("t", JSON.stringify({ words }), text(`${words} `.repeat(5000)), 1)
      .note("text", words)
      .end();

  test("leaves nothing of them in any file, and the others as they were", () => {
    const store = new Store().record(told(RUN_A, secret), told(RUN_B, "these stay"));
    const kept = store.read((reader) => reader.run(RUN_B));
    expect(store.bytes().includes(secret)).toBe(true);
    expect(deleteRuns(store.path, [RUN_A, RUN_A, "run_none"])).toEqual({ deleted: 1, wiped: true });
    expect(store.bytes().includes(secret)).toBe(false);
    expect(store.read((reader) => reader.run(RUN_B))).toEqual(kept);
    expect(store.read((reader) => [reader.counts(), reader.flaws()])).toEqual([{ runs: 1, steps: 1 }, []]);
  });

  test("gives the room back", () => {
    const store = new Store();
    const large = Array.from({ length: 40 }, (_, i) => told(`run_${1000 + i}`, secret.repeat(20)));
    store.record(told(RUN_A, "these stay"), ...large);
    store.read(() => {});
    const before = statSync(store.path).size;
    deleteRuns(
      store.path,
      large.map(({ id }) => id),
    );
    expect(before).toBeGreaterThan(4 * 1024 * 1024);
    expect(statSync(store.path).size).toBeLessThan(512 * 1024);
    expect(store.bytes().includes(secret)).toBe(false);
    expect(store.ids()).toEqual([RUN_A]);
  });

  test("reaches the copies that a writer's page splits leave behind", () => {
    const store = new Store();
    const sizes = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 400 })), { minLength: 20, maxLength: 120 });
    fc.assert(
      fc.property(sizes, (calls) => {
        const [kept, gone] = [new RunWriter(RUN_B, T0), new RunWriter(RUN_A, T0)];
        for (const [isKept, size] of calls) {
          const [run, words] = isKept ? [kept, "stays "] : [gone, secret];
          run.call("t", JSON.stringify(words.repeat(size % 20)), text(words.repeat(size)), 1);
        }
        const writer = SqliteStore.open(store.path);
        const entries = [...kept.entries, ...gone.entries].sort((a, b) => a.head.at - b.head.at);
        for (const entry of entries) writer.append([entry]);
        writer.close();
        expect(deleteRuns(store.path, [RUN_A]).wiped).toBe(true);
        expect(store.bytes().includes(secret)).toBe(false);
        deleteRuns(store.path, [RUN_B]);
      }),
      { numRuns: 15 },
    );
  });

  test("works, and wipes, beside an open writer", () => {
    const store = new Store();
    const writer = SqliteStore.open(store.path);
    writer.append(told(RUN_A, secret).entries);
    expect(deleteRuns(store.path, [RUN_A])).toEqual({ deleted: 1, wiped: true });
    expect(store.bytes().includes(secret)).toBe(false);
    writer.append(told(RUN_B, "later").entries);
    expect(store.ids()).toEqual([RUN_B]);
    writer.close();
  });

  test("says so when a reader keeps the log from being emptied", () => {
    const store = new Store().record(told(RUN_A, secret), told(RUN_B, "x"));
    store.read((reader) => {
      for (const run of reader.runs()) {
        if (run.id === RUN_B) expect(deleteRuns(store.path, [RUN_A])).toEqual({ deleted: 1, wiped: false });
      }
    });
  });

  test("waits for a lock that another process holds for a while", async () => {
    const store = new Store().record(told(RUN_A, secret));
    const holder = spawn(process.execPath, ["-e", HOLD_LOCK, store.path], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(holder, "exit");
    await once(holder.stdout, "data");
    expect(deleteRuns(store.path, [RUN_A]).deleted).toBe(1);
    expect(await ended).toEqual([0, null]);
  });
});

/** Takes the write lock, says so, and lets go a moment later; fails when it was not held until then. */
const HOLD_LOCK = `
  const { Database } = require("bun:sqlite");
  const db = new Database(process.argv[1]);
  db.run("BEGIN IMMEDIATE");
  process.stdout.write("held");
  setTimeout(() => { db.run("COMMIT"); db.close(); }, 150);
`;
