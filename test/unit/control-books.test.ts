/** What a control server reads back of the store that another one wrote. */

import { Database } from "bun:sqlite";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ControlBooks } from "../../src/store/control-books.ts";
import type { JournalEntry, StoreEntry } from "../../src/store/entry.ts";
import { MIGRATIONS } from "../../src/store/schema.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";

let directory: string;
let path: string;
let books: ControlBooks;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "bir-books-"));
  path = join(directory, "recordings.db");
  books = new ControlBooks(path);
});
afterEach(() => {
  books.close();
  rmSync(directory, { recursive: true, force: true });
});

function write(...entries: StoreEntry[]): void {
  const store = SqliteStore.open(path);
  store.append(entries);
  store.close();
}

const session = (key: string, isOpen: boolean, state: string, at = 1): StoreEntry => ({
  book: "session",
  key,
  isOpen,
  at,
  state,
});

describe("the books", () => {
  test("of a store that is not there are empty, and nothing is made", () => {
    expect(books.hasReport("r")).toBe(false);
    expect(books.session("s")).toBeNull();
    expect(books.openSessions()).toEqual([]);
    expect(books.held()).toEqual([]);
    expect(books.eventsOf("run")).toEqual([]);
    expect(Array.from(new Bun.Glob("*").scanSync(directory))).toEqual([]);
  });

  test("tell what was taken, where sessions stood, and what waited", () => {
    write(
      { book: "report", id: "r1", at: 1 },
      { book: "report", id: "r1", at: 2 },
      session("s1", true, "one"),
      session("s1", true, "two", 3),
      session("s2", false, "over"),
      session("s3", true, "older", 2),
      { book: "held", id: "c2", at: 9, body: "b" },
      { book: "held", id: "c1", at: 4, body: "a" },
      { book: "held", id: "c1", at: 7, body: "later" },
      { book: "held", id: "c3", at: 5, body: "gone" },
      { book: "released", id: "c3" },
      { book: "released", id: "unknown" },
    );
    expect([books.hasReport("r1"), books.hasReport("r2")]).toEqual([true, false]);
    expect([books.session("s1"), books.session("s2"), books.session("s4")]).toEqual(["two", "over", null]);
    expect(books.openSessions()).toEqual(["older", "two"]);
    // It waits from when it was told last.
    expect(books.held()).toEqual([
      { id: "c1", at: 7, body: "later" },
      { id: "c2", at: 9, body: "b" },
    ]);
  });

  test("show what was committed since, also in a store that took the place of another", () => {
    write(session("s1", true, "one"));
    expect(books.session("s1")).toBe("one");
    write(session("s1", true, "two"));
    expect(books.session("s1")).toBe("two");
    for (const suffix of ["", "-wal", "-shm"]) {
      try {
        renameSync(path + suffix, `${path}.old${suffix}`);
      } catch {
        // The log is gone once it was folded in.
      }
    }
    expect(books.session("s1")).toBeNull();
    write(session("s1", true, "new"));
    expect(books.session("s1")).toBe("new");
  });

  test("of a store that an older program wrote are empty, until a server has brought it up to date", () => {
    const old = new Database(path);
    old.run("PRAGMA journal_mode = WAL");
    old.run(MIGRATIONS[0] ?? "");
    old.run("PRAGMA user_version = 1");
    old.close();
    expect(books.hasReport("r")).toBe(false);
    expect(books.openSessions()).toEqual([]);
    expect(books.eventsOf("run")).toEqual([]);
    write({ book: "report", id: "r", at: 1 });
    expect(books.hasReport("r")).toBe(true);
  });
});

describe("the events of a run", () => {
  const head = (type: string, seq: number, more: object) =>
    ({ type, runId: "run_1", seq, at: 5, ...more }) as unknown as JournalEntry["head"];

  const opening = (seq: number, callId: string | null) =>
    head("step.opened", seq, {
      stepId: `step_${seq}`,
      sources: ["hook"],
      server: "s",
      tool: "t",
      qualifiedName: "mcp__s__t",
      callId,
      join: null,
      agentId: null,
      hostMeta: null,
      startedAt: 5,
      truncated: false,
    });

  const payload = (json: string) => json as JournalEntry["payload"];

  test("come in order, with the arguments of calls without an id, and no other payload", () => {
    write(
      { head: opening(0, "toolu_1"), payload: payload('{"big":1}') },
      { head: opening(1, null), payload: payload('{"big":12345678901234567890}') },
      { head: head("step.updated", 1, { stepId: "step_1", sources: ["hook"] }), payload: payload('{"own":2}') },
      {
        head: head("step.closed", 1, {
          stepId: "step_1",
          status: "ok",
          isError: false,
          error: null,
          rpcError: null,
          durationMs: 1,
          waitingMs: 0,
          legs: 1,
          progress: 0,
          truncated: false,
          join: null,
        }),
        payload: payload('"result"'),
      },
      { head: { ...opening(0, null), runId: "run_2" } as JournalEntry["head"], payload: null },
    );
    const events = books.eventsOf("run_1") as { type: string; args?: unknown; result?: unknown }[];
    expect(events.map(({ type }) => type)).toEqual(["step.opened", "step.opened", "step.updated", "step.closed"]);
    expect(events[0]?.args).toBeNull();
    expect(JSON.stringify(events[1]?.args)).toBe('{"big":12345678901234567890}');
    expect(events[2]?.args).toEqual({ own: 2 });
    expect(events[3]?.result).toBeNull();
  });
});
