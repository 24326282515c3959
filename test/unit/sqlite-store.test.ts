import { Database } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Journal } from "../../src/record/journal.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { StoreReader } from "../../src/store/reader.ts";
import { SCHEMA_VERSION } from "../../src/store/schema.ts";
import { SqliteStore, setCorruptStoreAside, storeIdentity } from "../../src/store/sqlite-store.ts";
import { StoreError, storeError } from "../../src/store/store-error.ts";
import { BUN } from "../harness/locations.ts";
import { OWNER, RUN_A, RUN_B, RunWriter, T0, text } from "./cli-fixture.ts";

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "bir-store-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function storePath(): string {
  return join(directory(), "recordings.db");
}

/** A store with one finished run, closed again. */
function filledStore(path = storePath()): string {
  const store = SqliteStore.open(path);
  store.append(new RunWriter(RUN_A, T0).call("echo", "{}", text("hi"), 5).end().entries);
  store.close();
  return path;
}

function opened(path: string): SqliteStore {
  const store = SqliteStore.open(path);
  onTestFinished(() => store.close());
  return store;
}

/** What opening, or `work`, is refused with. */
function failureOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    return (error as StoreError).failure;
  }
  return "none";
}

function reading<T>(path: string, read: (reader: StoreReader) => T): T {
  const reader = StoreReader.open(path, () => false);
  try {
    return read(reader);
  } finally {
    reader.close();
  }
}

const WRITER = join(import.meta.dirname, "..", "fakes", "store-writer.ts");

interface Tally {
  lost: number;
  troubles: string[];
}

/** Processes that wait to write; each `go` resolves when it has written, each `finish` when it has closed and ended. */
async function startWriters(path: string, count: number, steps: number) {
  const writers = Array.from({ length: count }, (_, i) => {
    const command = [BUN, WRITER, path, `run_${i}`, String(steps)];
    const process = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
    onTestFinished(() => process.kill("SIGKILL"));
    const lines = linesOf(process.stdout);
    const told = async (word: string) => {
      process.stdin.write(`${word}\n`);
      await process.stdin.flush();
      return (await lines.next()).value ?? "";
    };
    return {
      ready: async () => expect((await lines.next()).value).toBe("ready"),
      go: async () => expect(await told("go")).toBe("written"),
      finish: async () => {
        const tally = JSON.parse(await told("finish")) as Tally;
        expect(await process.exited).toBe(0);
        return tally;
      },
    };
  });
  for (const writer of writers) await writer.ready();
  return writers;
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const chunk of stream) {
    rest += Buffer.from(chunk).toString();
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      yield rest.slice(0, end);
      rest = rest.slice(end + 1);
    }
  }
}

function readlinkOrNothing(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const sqlValue = (path: string, sql: string) => {
  const db = new Database(path);
  try {
    return Object.values(db.query(sql).get() as object)[0];
  } finally {
    db.close();
  }
};

describe("the files", () => {
  test.each([0o000, 0o022, 0o077, 0o277, 0o777])("are their owner's alone under umask %o", (mask) => {
    const before = process.umask(mask);
    onTestFinished(() => void process.umask(before));
    const home = join(directory(), "bir-home");
    const path = join(home, "recordings.db");
    const store = opened(path);
    store.append(new RunWriter(RUN_A, T0).entries);
    expect(modeOf(home)).toBe("700");
    for (const name of readdirSync(home)) expect([name, modeOf(join(home, name))]).toEqual([name, "600"]);
    expect(readdirSync(home).sort()).toEqual(["recordings.db", "recordings.db-shm", "recordings.db-wal"]);
  });

  test("in a directory that is there already leave it as it is", () => {
    const home = directory();
    mkdirSync(join(home, "shared"), { mode: 0o755 });
    opened(join(home, "shared", "recordings.db"));
    expect(modeOf(join(home, "shared"))).toBe("755");
  });

  test("are one file once everyone has closed", () => {
    const path = storePath();
    const [a, b] = [SqliteStore.open(path), SqliteStore.open(path)];
    a.append(new RunWriter(RUN_A, T0).entries);
    a.close();
    expect(readdirSync(join(path, ".."))).toContain("recordings.db-wal");
    b.close();
    expect(readdirSync(join(path, ".."))).toEqual(["recordings.db"]);
    expect(sqlValue(path, "SELECT count(*) FROM runs")).toBe(1);
  });

  test("are one file once everyone has left, unless folding a long log would take its time", () => {
    const long = text("x".repeat(1_000_000));
    for (const [steps, left] of [
      [1, ["recordings.db"]],
      [40, ["recordings.db", "recordings.db-shm", "recordings.db-wal"]],
    ] as const) {
      const path = storePath();
      const store = SqliteStore.open(path);
      const run = new RunWriter(RUN_A, T0);
      for (let i = 0; i < steps; i++) run.call("echo", "{}", long, 5);
      store.append(run.entries);
      store.leave();
      expect(readdirSync(join(path, "..")).sort()).toEqual(left);
      store.close();
      expect(sqlValue(path, "SELECT count(*) FROM steps")).toBe(steps);
    }
  });

  test.runIf(process.platform === "linux")("are let go of when a store is closed, or could not be opened", () => {
    const path = filledStore();
    const db = new Database(path);
    db.run("DROP TABLE steps");
    db.close();
    expect(failureOf(() => SqliteStore.open(path))).toBe("corrupt");
    const open = readdirSync("/proc/self/fd").map((fd) => readlinkOrNothing(`/proc/self/fd/${fd}`));
    expect(open.filter((file) => file.startsWith(path))).toEqual([]);
  });
});

describe("writing", () => {
  test("keeps payloads text for text", () => {
    const path = storePath();
    const args = '{"b":12345678901234567890,"a":1.0,"b":1e400,"u":"\\ud800 \\u00e9\\/"}';
    const run = new RunWriter(RUN_A, T0).call("echo", args, '{"content":[],"x":-0}', 5).end();
    opened(path).append(run.entries);
    expect(sqlValue(path, "SELECT payload FROM events WHERE type = 'step.opened'")).toBe(args);
    expect(sqlValue(path, "SELECT payload FROM events WHERE type = 'step.closed'")).toBe('{"content":[],"x":-0}');
  });

  test("is all or nothing", () => {
    const path = storePath();
    const store = opened(path);
    const run = new RunWriter(RUN_A, T0);
    run.call("echo", "{}", text("hi"), 5);
    const bad = { head: { ...run.entries[1]?.head, seq: "no number" }, payload: null } as unknown as JournalEntry;
    expect(failureOf(() => store.append([...run.entries, bad]))).toBe("rejected");
    expect(sqlValue(path, "SELECT count(*) FROM events")).toBe(0);
    expect(sqlValue(path, "SELECT count(*) FROM runs")).toBe(0);
    store.append(run.entries);
    expect(reading(path, (reader) => reader.counts())).toEqual({ runs: 1, steps: 1 });
  });

  test("finds another writer busy, at once, and goes on after it", () => {
    const path = filledStore();
    const store = opened(path);
    const other = new Database(path);
    onTestFinished(() => other.close());
    other.run("BEGIN IMMEDIATE");
    const run = new RunWriter(RUN_B, T0).entries;
    expect(failureOf(() => store.append(run))).toBe("busy");
    expect(failureOf(() => store.append(run))).toBe("busy");
    other.run("ROLLBACK");
    store.append(run);
    expect(reading(path, (reader) => reader.counts().runs)).toBe(2);
  });

  test("and reading do not wait for each other", () => {
    const path = filledStore();
    const store = opened(path);
    const reader = StoreReader.open(path, () => false);
    onTestFinished(() => reader.close());
    const listing = reader.runs();
    expect(listing.next().value?.id).toBe(RUN_A);
    store.append(new RunWriter(RUN_B, T0).entries);
    const writer = new Database(path);
    onTestFinished(() => writer.close());
    writer.run("BEGIN IMMEDIATE");
    writer.run("DELETE FROM runs");
    // What is being listed stays as it was when the listing began; who comes now sees what is committed.
    expect(listing.next().done).toBe(true);
    expect(reading(path, (other) => Array.from(other.runs(), (run) => run.id).sort())).toEqual([RUN_A, RUN_B]);
    writer.run("ROLLBACK");
  });
});

describe("a store of another version", () => {
  function newerStore(): string {
    const path = filledStore();
    const db = new Database(path);
    db.run(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    db.run("ALTER TABLE runs ADD COLUMN from_the_future TEXT");
    db.close();
    return path;
  }

  test("newer: refused, and not a byte of it changed", () => {
    const path = newerStore();
    const before = readFileSync(path);
    expect(failureOf(() => SqliteStore.open(path))).toBe("newer");
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(join(path, ".."))).toEqual(["recordings.db"]);
  });

  test("newer, while its writer is at work: refused, and its log left alone", () => {
    const path = newerStore();
    const writer = new Database(path);
    onTestFinished(() => writer.close());
    writer.run("UPDATE runs SET from_the_future = 'x'");
    const before = [readFileSync(path), readFileSync(`${path}-wal`)];
    expect(before[1]?.length).toBeGreaterThan(0);
    expect(failureOf(() => SqliteStore.open(path))).toBe("newer");
    expect([readFileSync(path), readFileSync(`${path}-wal`)]).toEqual(before);
  });

  test("newer, from one moment to the next: no more is written, and its version stands", () => {
    const path = filledStore();
    const store = opened(path);
    const newer = new Database(path);
    onTestFinished(() => newer.close());
    newer.run(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    expect(failureOf(() => store.append(new RunWriter(RUN_B, T0).entries))).toBe("newer");
    expect(sqlValue(path, "SELECT count(*) FROM runs")).toBe(1);
    expect(sqlValue(path, "PRAGMA user_version")).toBe(SCHEMA_VERSION + 1);
  });

  test("made but never brought up to date: is, in WAL", () => {
    const path = storePath();
    closeSync(openSync(path, "w"));
    opened(path);
    expect(sqlValue(path, "PRAGMA user_version")).toBe(SCHEMA_VERSION);
    expect(sqlValue(path, "PRAGMA journal_mode")).toBe("wal");
  });
});

describe("a store that cannot be used", () => {
  test.each([
    ["garbage in place of its header", (path: string) => writeFileSync(path, `garbage ${"x".repeat(8192)}`), "corrupt"],
    ["a text", (path: string) => writeFileSync(path, "hello"), "corrupt"],
    ["its first half", (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2)), "corrupt"],
    [
      "a database of somebody else",
      (path: string) => {
        rmSync(path);
        const db = new Database(path);
        db.run("CREATE TABLE events (name TEXT)");
        db.close();
      },
      "corrupt",
    ],
    [
      "a store without its tables",
      (path: string) => {
        const db = new Database(path);
        db.run("DROP TABLE steps");
        db.close();
      },
      "corrupt",
    ],
    [
      "a directory",
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
      "unavailable",
    ],
  ])("is %s", (_what, spoil, failure) => {
    const path = filledStore();
    spoil(path);
    expect(failureOf(() => opened(path).append(new RunWriter(RUN_B, T0).call("a", "{}", "{}", 1).entries))).toBe(
      failure,
    );
  });

  test("is in a directory that cannot be made", () => {
    const home = join(directory(), "home");
    writeFileSync(home, "");
    expect(failureOf(() => SqliteStore.open(join(home, "recordings.db")))).toBe("unavailable");
  });
});

describe("setting a damaged store aside", () => {
  const T = 1_795_528_800_000;

  test("moves all its files, and the new one is a store", () => {
    const path = filledStore();
    writeFileSync(path, "garbage");
    writeFileSync(`${path}-wal`, "wal");
    setCorruptStoreAside(path, storeIdentity(path), T);
    const names = ["recordings.db.corrupt-1795528800000", "recordings.db.corrupt-1795528800000-wal"];
    expect(readdirSync(join(path, "..")).sort()).toEqual(names);
    opened(path);
    expect(modeOf(path)).toBe("600");
  });

  test("leaves another file alone", () => {
    const path = filledStore();
    setCorruptStoreAside(path, "1:1", T);
    setCorruptStoreAside(path, null, T);
    expect(readdirSync(join(path, ".."))).toEqual(["recordings.db"]);
    rmSync(path);
    setCorruptStoreAside(path, "1:1", T);
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  test("is left to a process that is at it, unless that died long ago", () => {
    const path = filledStore();
    const lock = `${path}.setting-aside`;
    writeFileSync(lock, "");
    utimesSync(lock, T / 1000, T / 1000);
    setCorruptStoreAside(path, storeIdentity(path), T + 5_000);
    expect(readdirSync(join(path, "..")).sort()).toEqual(["recordings.db", "recordings.db.setting-aside"]);
    setCorruptStoreAside(path, storeIdentity(path), T + 10_001);
    expect(readdirSync(join(path, ".."))).toEqual([`recordings.db.corrupt-${T + 10_001}`]);
  });

  test("makes a new store wait while it goes on", () => {
    const path = storePath();
    writeFileSync(`${path}.setting-aside`, "");
    expect(failureOf(() => SqliteStore.open(path))).toBe("busy");
    expect(existsSync(path)).toBe(false);
  });

  test("takes nothing from the new store when an old connection closes", () => {
    const path = filledStore();
    const old = SqliteStore.open(path);
    old.append(new RunWriter(RUN_B, T0).entries);
    setCorruptStoreAside(path, storeIdentity(path), T);
    const next = opened(path);
    next.append(new RunWriter(RUN_A, T0).call("echo", "{}", text("new"), 5).entries);
    old.append([]);
    old.close();
    next.append(new RunWriter(RUN_B, T0).entries);
    expect(reading(path, (reader) => reader.counts())).toEqual({ runs: 2, steps: 1 });
    expect(existsSync(`${path}-wal`)).toBe(true);
  });
});

describe("a store that was removed", () => {
  test.each([
    ["alone", [""]],
    ["with its log", ["", "-wal"]],
    ["with all its files", ["", "-wal", "-shm"]],
  ])("%s is made anew, while another process still works with the old one", async (_how, suffixes) => {
    const path = filledStore();
    const [other] = await startWriters(path, 1, 20);
    await other?.go();
    for (const suffix of suffixes) rmSync(path + suffix);
    const next = opened(path);
    next.append(new RunWriter(RUN_B, T0).call("echo", "{}", text("new"), 5).entries);
    expect(reading(path, (reader) => Array.from(reader.runs(), (run) => run.id))).toEqual([RUN_B]);
    expect((await other?.finish())?.lost).toBe(0);
    next.append(new RunWriter(RUN_A, T0).entries);
    expect(reading(path, (reader) => reader.counts())).toEqual({ runs: 2, steps: 1 });
    expect(reading(path, (reader) => reader.flaws())).toEqual([]);
  });
});

describe("the journal over real files", () => {
  function journalOf(path: string, opening: JournalEntry) {
    const told: string[] = [];
    const journal: Journal = new Journal({
      store: {
        open: () => SqliteStore.open(path),
        identity: () => storeIdentity(path),
        setCorruptAside: (identity) => setCorruptStoreAside(path, identity, T0),
      },
      reopening: () => [opening],
      tellLoss: (reason, lost) => {
        told.push(`${reason} ${lost}`);
        journal.add(gap(reason, lost));
      },
      report: (trouble, episode) => told.push(`${trouble.failure} ${episode}`),
    });
    const flushAll = () => {
      for (let i = 0, again = journal.flush(); again !== null; again = journal.flush()) {
        if (++i > 50) throw new Error(`still ${again}`);
      }
    };
    onTestFinished(() => void journal.close());
    return { journal, told, flushAll };
  }
  const gap = (reason: string, lost: number) => new RunWriter(RUN_A, T0).gap(reason, lost).entries[1] as JournalEntry;

  test("goes on in a new store when the old one is garbage, and tells", () => {
    const path = filledStore();
    writeFileSync(path, "garbage ".repeat(2_000));
    const run = new RunWriter(RUN_A, T0);
    run.call("echo", "{}", text("kept"), 5);
    const { journal, told, flushAll } = journalOf(path, run.entries[0] as JournalEntry);
    for (const entry of run.entries) journal.add(entry);
    flushAll();
    expect(told).toEqual(["corrupt began", "store-lost 0", "corrupt ended"]);
    const found = reading(path, (reader) => reader.run(RUN_A));
    expect(found).toMatchObject({ lossy: true, steps: [{ tool: "echo", status: "ok" }] });
    expect(readdirSync(join(path, "..")).sort()[1]).toMatch(/^recordings\.db-/);
    expect(readFileSync(`${path}.corrupt-${T0}`, "utf8")).toBe("garbage ".repeat(2_000));
  });

  test("goes on in a new store when the old one is removed, and tells what went with it", () => {
    const path = storePath();
    const run = new RunWriter(RUN_A, T0);
    run.call("gone", "{}", text("x"), 5).call("gone too", "{}", text("x"), 5);
    const { journal, told, flushAll } = journalOf(path, run.entries[0] as JournalEntry);
    for (const entry of run.entries) journal.add(entry);
    flushAll();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix);
    const before = run.entries.length;
    for (const entry of run.call("kept", "{}", text("y"), 5).entries.slice(before)) journal.add(entry);
    flushAll();
    expect(told).toEqual(["store-lost 2"]);
    expect(reading(path, (reader) => reader.run(RUN_A))).toMatchObject({
      gaps: [{ reason: "store-lost", lost: 2 }],
      steps: [{ tool: "kept" }],
      wrappedServers: ["everything"],
    });
  });

  test("writes nothing to a newer store", () => {
    const path = filledStore();
    const db = new Database(path);
    db.run("PRAGMA user_version = 99");
    db.close();
    const before = readFileSync(path);
    const run = new RunWriter(RUN_B, T0);
    const { journal, told, flushAll } = journalOf(path, run.entries[0] as JournalEntry);
    journal.add(run.entries[0] as JournalEntry);
    flushAll();
    expect([told, journal.disabled]).toEqual([["newer began"], true]);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe("several processes", () => {
  async function runWriters(path: string, count: number, steps: number): Promise<Tally[]> {
    const writers = await startWriters(path, count, steps);
    await Promise.all(writers.map((writer) => writer.go()));
    return Promise.all(writers.map((writer) => writer.finish()));
  }

  test("make and open a store together", async () => {
    const path = storePath();
    const tallies = await runWriters(path, 8, 1);
    expect(tallies.map(({ lost, troubles }) => ({ lost, troubles }))).toEqual(Array(8).fill({ lost: 0, troubles: [] }));
    expect(reading(path, (reader) => reader.counts())).toEqual({ runs: 8, steps: 8 });
    expect(sqlValue(path, "PRAGMA user_version")).toBe(SCHEMA_VERSION);
  });

  test("write at the same time, never waiting in SQLite, and nothing is lost", async () => {
    const path = storePath();
    const steps = 400;
    const tallies = await runWriters(path, 4, steps);
    for (const { lost, troubles } of tallies) expect({ lost, troubles }).toEqual({ lost: 0, troubles: [] });
    reading(path, (reader) => {
      expect(reader.counts()).toEqual({ runs: 4, steps: 4 * steps });
      for (let i = 0; i < 4; i++) {
        const run = reader.run(`run_${i}`);
        expect(run?.steps.map((step) => step.args)).toEqual(Array.from({ length: steps }, (_, seq) => ({ seq })));
        expect(run?.steps.every((step) => step.status === "ok")).toBe(true);
      }
      expect(reader.flaws()).toEqual([]);
    });
  });

  test("find a damaged store together: one file is set aside, and all go on in the new one", async () => {
    const path = filledStore();
    writeFileSync(path, "garbage ".repeat(2_000));
    const tallies = await runWriters(path, 4, 50);
    expect(tallies.map(({ lost }) => lost)).toEqual([0, 0, 0, 0]);
    expect(readdirSync(join(path, "..")).filter((name) => /\.corrupt-\d+$/.test(name))).toHaveLength(1);
    expect(reading(path, (reader) => reader.counts())).toEqual({ runs: 4, steps: 200 });
  });
});

describe("what the store is refused with", () => {
  test.each([
    [{ code: "SQLITE_BUSY_SNAPSHOT" }, "busy"],
    [{ code: "SQLITE_LOCKED" }, "busy"],
    [{ code: "SQLITE_PROTOCOL" }, "busy"],
    [{ code: "SQLITE_FULL" }, "full"],
    [{ code: "ENOSPC" }, "full"],
    [{ code: "EDQUOT" }, "full"],
    [{ code: "SQLITE_CORRUPT_VTAB" }, "corrupt"],
    [{ code: "SQLITE_NOTADB" }, "corrupt"],
    [{ code: "SQLITE_CONSTRAINT_DATATYPE" }, "rejected"],
    [{ code: "SQLITE_TOOBIG" }, "rejected"],
    [new TypeError("a fault of ours"), "rejected"],
    [{ code: "SQLITE_IOERR_SHORT_READ" }, "unavailable"],
    [{ code: "SQLITE_READONLY_DIRECTORY" }, "unavailable"],
    [{ code: "SQLITE_CANTOPEN" }, "unavailable"],
    [{ code: "EACCES" }, "unavailable"],
    [{ code: "EROFS" }, "unavailable"],
    [new StoreError("newer", "x"), "newer"],
  ] as const)("%o is %s", (cause, failure) => {
    expect(storeError(cause).failure).toBe(failure);
  });
});

test("a run's owner is who a reader looks for", () => {
  const path = storePath();
  opened(path).append(new RunWriter(RUN_A, T0).entries);
  const reader = StoreReader.open(path, (pid, startedAt) => pid === OWNER.pid && startedAt === OWNER.startedAt);
  onTestFinished(() => reader.close());
  expect(reader.run(RUN_A)?.status).toBe("running");
});
