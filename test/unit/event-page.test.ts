/** Parts of one run for whoever shows it. */

import { Database } from "bun:sqlite";
import { describe, expect, test } from "vitest";
import { BRIEF_LENGTH, isBrief } from "../../src/core/brief.ts";
import type { RunEvent } from "../../src/core/event.ts";
import { stringifyExact } from "../../src/core/exact-json.ts";
import { foldRun } from "../../src/core/fold.ts";
import type { Run } from "../../src/core/run.ts";
import { deleteRuns } from "../../src/store/delete-runs.ts";
import { eventfulRun, RUN_A, RUN_B, RunWriter, T0, text } from "./cli-fixture.ts";
import { ALIVE, IndexedStore } from "./store-index-fixture.ts";

const LONG = "long ".repeat(2000);

/** A run with much in it, and one with long texts everywhere. */
function twoRuns(): IndexedStore {
  const long = new RunWriter(RUN_B, T0 + 1, { owner: ALIVE });
  long.open("first", JSON.stringify({ LONG }), { context: LONG });
  long.call("second", `{"n":1.0,"m":12345678901234567890}`, text(LONG), 3, { status: "error", error: LONG });
  long.call("third", null, null, 1, { status: "error", rpcError: JSON.stringify({ code: -1, message: LONG }) });
  long.note("thought", LONG);
  return new IndexedStore().record(eventfulRun(), long);
}

describe("a page of events", () => {
  test.each(["brief", "whole"] as const)("%s: all pages together fold to the run", (payloads) => {
    using store = twoRuns();
    const reader = store.reader();
    for (const id of [RUN_A, RUN_B]) {
      const events: RunEvent[] = [];
      for (let after = 0; ; ) {
        const page = reader.eventPage(id, after, 3, payloads);
        if (page === null) throw new Error("no such run");
        expect(page.events.length).toBeLessThanOrEqual(3);
        events.push(...page.events);
        after = page.position;
        if (!page.more) break;
      }
      const [folded, run] = [foldRun(events), reader.run(id)];
      if (payloads === "whole") expect(stringifyExact(folded)).toBe(stringifyExact(run));
      else expect(withoutLong(folded)).toEqual(withoutLong(run));
    }
  });

  test("brief: long payloads are a beginning and a length, numbers are as they were", () => {
    using store = twoRuns();
    const run = foldRun(store.reader().eventPage(RUN_B, 0, 100, "brief")?.events ?? []);
    const [first, second, third] = run?.steps ?? [];
    expect(first?.args).toEqual({
      brief: true,
      length: JSON.stringify({ LONG }).length,
      head: JSON.stringify({ LONG }).slice(0, BRIEF_LENGTH),
    });
    expect(first?.context).toHaveLength(4001);
    expect(stringifyExact(second?.args)).toBe('{"n":1.0,"m":12345678901234567890}');
    expect(isBrief(second?.result)).toBe(true);
    expect(second?.error).toHaveLength(4001);
    expect(isBrief(third?.rpcError)).toBe(true);
    expect(run?.notes[0]?.text).toBe(`${LONG.slice(0, 4000)}…`);
  });

  test("is there only for runs that there are, and says whether one was abandoned", () => {
    using store = twoRuns();
    const gone = new RunWriter("run_gone", T0);
    gone.open("t", null);
    store.record(gone);
    const reader = store.reader();
    expect(reader.eventPage("run_none", 0, 9, "brief")).toBeNull();
    expect(reader.eventPage(RUN_B, 0, 1, "brief")).toMatchObject({ isAbandoned: false, more: true });
    expect(reader.eventPage("run_gone", 0, 9, "brief")).toMatchObject({ isAbandoned: true, more: false });
    const end = reader.eventPage(RUN_A, 0, 1000, "brief")?.position ?? 0;
    expect(reader.eventPage(RUN_A, end, 9, "brief")).toEqual({
      events: [],
      position: end,
      more: false,
      isAbandoned: false,
    });
  });
});

describe("an event that holds what nobody can follow", () => {
  test.each(["brief", "whole"] as const)("%s: reads without that", (payloads) => {
    using store = new IndexedStore().record(new RunWriter(RUN_A, T0).call("echo", null, null, 3).end());
    const deep = `{"data":${"[".repeat(5000)}${"]".repeat(5000)}}`;
    const db = new Database(store.storePath);
    db.run("UPDATE events SET body = json_remove(body, '$.rpcError') WHERE type = 'step.closed'");
    db.run("UPDATE events SET body = rtrim(body, '}') || ?1 WHERE type = 'step.closed'", [`,"rpcError":${deep}}`]);
    db.close();
    const run = foldRun(store.reader().eventPage(RUN_A, 0, 100, payloads)?.events ?? []);
    expect(run?.steps[0]).toMatchObject({ status: "ok", rpcError: { unreadable: "nested too deeply" } });
    expect(run?.status).toBe("completed");
  });
});

describe("one call, one note", () => {
  test("is whole, as in its run", () => {
    using store = twoRuns();
    const gone = new RunWriter("run_gone", T0);
    gone.open("t", null);
    store.record(gone);
    const reader = store.reader();
    for (const id of [RUN_A, RUN_B, "run_gone"]) {
      const run = reader.run(id);
      expect(run?.steps.length).toBeGreaterThan(0);
      for (const step of run?.steps ?? []) {
        expect(stringifyExact(reader.step(id, step.id))).toBe(stringifyExact(step));
      }
      for (const note of run?.notes ?? []) expect(reader.note(id, note.seq)).toEqual(note);
    }
  });

  test("is null where there is none", () => {
    using store = twoRuns();
    const reader = store.reader();
    expect(reader.step(RUN_A, "step_b0")).toBeNull();
    expect(reader.step("run_none", "step_a0")).toBeNull();
    expect(reader.note(RUN_A, 0)).toBeNull();
    expect(reader.note("run_none", 2)).toBeNull();
  });
});

describe("what has changed", () => {
  test("is told by position, in pieces, each run once a piece", () => {
    using store = new IndexedStore().record(eventfulRun());
    const reader = store.reader();
    const last = reader.lastPosition();
    store.record(new RunWriter(RUN_B, T0).note("text", "a").note("text", "b"));
    expect(reader.changedRuns(last, 100)).toEqual({ runIds: [RUN_B], position: last + 3 });
    expect(reader.changedRuns(last - 1, 2)).toEqual({ runIds: [RUN_A, RUN_B], position: last + 1 });
    expect(reader.changedRuns(last + 3, 100)).toEqual({ runIds: [], position: last + 3 });
    expect(reader.lastPosition()).toBe(last + 3);
  });

  test("the newest position stays though its run is deleted", () => {
    using store = new IndexedStore().record(eventfulRun());
    const reader = store.reader();
    const last = reader.lastPosition();
    deleteRuns(store.storePath, [RUN_A]);
    expect(reader.lastPosition()).toBe(last);
  });

  test("the version of the data changes when somebody writes, and not otherwise", () => {
    using store = new IndexedStore().record(eventfulRun());
    const reader = store.reader();
    const before = reader.dataVersion();
    expect(reader.dataVersion()).toBe(before);
    store.record(new RunWriter(RUN_B, T0));
    expect(reader.dataVersion()).not.toBe(before);
  });

  test("a reader says when its store is no longer the one at its path", () => {
    using store = new IndexedStore();
    const early = store.reader();
    expect(early.isInPlace()).toBe(true);
    expect(early.lastPosition()).toBe(0);
    store.record(eventfulRun());
    expect(early.isInPlace()).toBe(false);
    const reader = store.reader();
    expect(reader.isInPlace()).toBe(true);
  });

  test("a process that was there is asked for again, one that was gone is not", async () => {
    using store = new IndexedStore().record(new RunWriter(RUN_A, T0), new RunWriter(RUN_B, T0, { owner: ALIVE }));
    const reader = store.reader();
    expect(reader.listed(RUN_A)?.status).toBe("abandoned");
    expect(reader.listed(RUN_B)?.status).toBe("running");
    expect(reader.listed("run_none")).toBeNull();
  });
});

/** A run without what is long in it. */
function withoutLong(run: Run | null): unknown {
  return JSON.parse(
    JSON.stringify(run, (_key, value) => {
      if (isBrief(value)) return "long";
      if (typeof value === "string" && value.length > 3000) return value.slice(0, 3000);
      const isLong = typeof value === "object" && value !== null && stringifyExact(value).length > BRIEF_LENGTH;
      return isLong && !Array.isArray(value) && !("steps" in value) && !("tool" in value) && !("kind" in value)
        ? "long"
        : value;
    }),
  );
}
