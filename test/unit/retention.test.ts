/** What goes from the store by itself, and what never does. */

import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Owner, RunStatus } from "../../src/core/run.ts";
import { RunWriter } from "../../src/record/run-writer.ts";
import { redactJson, redactText, trustedText } from "../../src/redact/redact.ts";
import type { StoreEntry } from "../../src/store/entry.ts";
import { pruneStore } from "../../src/store/retention.ts";
import { MIGRATIONS } from "../../src/store/schema.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";

const LIVING = { pid: 1, startedAt: "alive" };
const DEAD = { pid: 2, startedAt: "dead" };
const isAlive = (pid: number) => pid === LIVING.pid;
const NO_LIMITS = { before: 0, maxBytes: Number.POSITIVE_INFINITY, reportsBefore: 0 };

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "bir-retention-"));
  path = join(directory, "recordings.db");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(entries: readonly StoreEntry[]): void {
  const store = SqliteStore.open(path);
  store.append(entries);
  store.close();
}

/** A run with one call whose result is `bytes` long. */
function record(id: string, at: number, status: RunStatus | null, owner: Owner = LIVING, bytes = 10): void {
  const entries: StoreEntry[] = [];
  const facts = {
    id: trustedText(id),
    tier: "bound" as const,
    cwd: redactText("/"),
    owner,
    sessionId: null,
    host: null,
  };
  const run = RunWriter.open({ ...facts, wrappedServers: [] }, at, (entry) => entries.push(entry));
  const name = { server: null, tool: redactText("t"), qualifiedName: redactText("t") };
  const call = { ...name, callId: null, join: null, agentId: null, hostMeta: null, truncated: false };
  const step = run.openStep(
    { ...call, stepId: trustedText(`step_${id}`), sources: ["hook"], startedAt: at },
    redactJson("{}"),
  );
  const rest = { isError: false, error: null, rpcError: null, waitingMs: 0, legs: 1, progress: 0, truncated: false };
  const closing = { status: "ok" as const, durationMs: 1, join: null, ...rest };
  run.closeStep(step, at, closing, redactJson(JSON.stringify("x".repeat(bytes))));
  if (status !== null) run.close(status, at + 1);
  write(entries);
}

/** What is left: runs, and whether there is more of them than there should be. */
function left(): string[] {
  const db = new Database(path, { readonly: true });
  try {
    const ids = (sql: string) =>
      db
        .query<{ id: string }, []>(sql)
        .all()
        .map(({ id }) => id);
    const runs = ids("SELECT id FROM runs ORDER BY started_at");
    expect(ids("SELECT DISTINCT run_id AS id FROM events ORDER BY id")).toEqual(runs.toSorted());
    expect(ids("SELECT DISTINCT run_id AS id FROM steps ORDER BY id")).toEqual(runs.toSorted());
    return runs;
  } finally {
    db.close();
  }
}

/** Passes until nothing is left to do. */
function prune(limits: Partial<typeof NO_LIMITS>): number {
  for (let removed = 0; ; ) {
    const pass = pruneStore(path, { ...NO_LIMITS, ...limits }, isAlive);
    removed += pass.removed;
    if (pass.isDone) return removed;
  }
}

describe("runs that are too old", () => {
  test("go with all of them, but for those that are being recorded", () => {
    record("old", 10, "completed");
    record("old-cut", 11, "interrupted");
    record("old-running", 12, null, LIVING);
    record("old-abandoned", 13, null, DEAD);
    record("new", 100, "completed");
    record("new-abandoned", 101, null, DEAD);
    expect(prune({ before: 100 })).toBe(3);
    expect(left()).toEqual(["old-running", "new", "new-abandoned"]);
    expect(prune({ before: 100 })).toBe(0);
  });

  test("go one after the other: whoever serves others meanwhile is not held up", () => {
    for (let n = 0; n < 5; n++) record(`run-${n}`, n, "completed");
    const limits = { ...NO_LIMITS, before: 4 };
    for (let n = 1; n <= 4; n++) {
      expect(pruneStore(path, limits, isAlive, 0)).toMatchObject({ removed: 1 });
      expect(left()).toHaveLength(5 - n);
    }
    expect(pruneStore(path, limits, isAlive, 0)).toEqual({ removed: 0, isDone: true });
  });
});

describe("a store that holds too much", () => {
  test("loses the oldest until it holds no more than that, but none that is being recorded", () => {
    record("first", 1, null, LIVING, 200_000);
    for (let n = 2; n <= 9; n++) record(`run-${n}`, n, "completed", LIVING, 200_000);
    const removed = prune({ maxBytes: 1_000_000 });
    expect(removed).toBeGreaterThanOrEqual(5);
    expect(removed).toBeLessThanOrEqual(6);
    expect(left()[0]).toBe("first");
    expect(left().at(-1)).toBe("run-9");
    expect(prune({ maxBytes: 1_000_000 })).toBe(0);
  });

  test("keeps all when there is room", () => {
    record("one", 1, "completed");
    expect(prune({ maxBytes: 10_000_000 })).toBe(0);
    expect(left()).toEqual(["one"]);
  });
});

describe("what the control server keeps", () => {
  test("goes when it is too old: reports, and sessions that are over", () => {
    const session = (key: string, isOpen: boolean, at: number): StoreEntry => ({
      book: "session",
      key,
      isOpen,
      at,
      state: "{}",
    });
    write([
      { book: "report", id: "r1", at: 10 },
      { book: "report", id: "r2", at: 20 },
      session("over-old", false, 10),
      session("over-new", false, 20),
      session("open-old", true, 10),
      { book: "held", id: "c1", at: 1, body: "{}" },
    ]);
    prune({ before: 15, reportsBefore: 20 });
    const db = new Database(path, { readonly: true });
    const column = (sql: string) => db.query(sql).values().flat();
    expect(column("SELECT id FROM reports")).toEqual(["r2"]);
    expect(column("SELECT key FROM sessions ORDER BY key")).toEqual(["open-old", "over-new"]);
    expect(column("SELECT id FROM held")).toEqual(["c1"]);
    db.close();
  });
});

describe("a store", () => {
  test("that is not there is not made", () => {
    expect(pruneStore(path, NO_LIMITS, isAlive)).toEqual({ removed: 0, isDone: true });
    expect(Array.from(new Bun.Glob("*").scanSync(directory))).toEqual([]);
  });

  test("of an older program is left alone", () => {
    const old = new Database(path);
    old.run(MIGRATIONS[0] ?? "");
    old.run("PRAGMA user_version = 1");
    old.close();
    expect(pruneStore(path, { ...NO_LIMITS, before: 100 }, isAlive)).toEqual({ removed: 0, isDone: true });
  });

  test("that another process writes to just now is left for later", () => {
    record("old", 1, "completed");
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    expect(() => pruneStore(path, { ...NO_LIMITS, before: 100 }, isAlive)).toThrow(/held by another process/);
    other.run("ROLLBACK");
    other.close();
    expect(prune({ before: 100 })).toBe(1);
  });
});
