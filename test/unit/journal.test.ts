import { describe, expect, test } from "vitest";
import type { RedactedJson } from "../../src/core/redacted.ts";
import { Journal, type LossReason } from "../../src/record/journal.ts";
import { trustedText } from "../../src/redact/redact.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { StoreError, type StoreFailure } from "../../src/store/store-error.ts";

const RUN = trustedText("run_1");
/** What an entry without a payload counts for. */
const OVERHEAD = 400;

const opened: JournalEntry = entry("run.opened", {});

function entry(type: string, fields: object, payload: string | null = null): JournalEntry {
  return { head: { type, runId: RUN, seq: 0, at: 1, ...fields }, payload } as unknown as JournalEntry;
}

const stepOpened = (id: number, payloadChars = 0) =>
  entry(
    "step.opened",
    { stepId: `step_${id}` },
    payloadChars === 0 ? null : ("x".repeat(payloadChars) as RedactedJson),
  );
const stepClosed = (id: number) => entry("step.closed", { stepId: `step_${id}` });

/** A store that does as told. `files` are what is at its path, one after the other. */
class FakeStore {
  readonly committed: JournalEntry[] = [];
  readonly asked: string[] = [];
  readonly setAside: (string | null)[] = [];
  file = "file-1";
  exists = true;
  failing: { open?: StoreFailure | undefined; append?: StoreFailure | undefined } = {};
  cannotSetAside = false;
  cannotLook = false;
  rejects: (entry: JournalEntry) => boolean = () => false;
  open_ = 0;

  open() {
    this.asked.push("open");
    if (this.failing.open !== undefined) throw new StoreError(this.failing.open, "told to");
    this.exists = true;
    this.open_++;
    const file = this.file;
    const close = () => {
      this.asked.push("close");
      this.open_--;
    };
    return {
      append: (entries: readonly JournalEntry[]) => {
        this.asked.push("append");
        if (this.failing.append !== undefined) throw new StoreError(this.failing.append, "told to");
        if (entries.some(this.rejects)) throw new StoreError("rejected", "told to");
        if (file === this.file && this.exists) this.committed.push(...entries);
      },
      close,
      leave: close,
    };
  }

  identity(): string | null {
    if (this.cannotLook) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
    return this.exists ? this.file : null;
  }

  setCorruptAside(identity: string | null): void {
    this.setAside.push(identity);
    if (this.cannotSetAside) throw new StoreError("unavailable", "told to");
    if (identity === this.file) this.replace();
  }

  /** Another file is at the path from now on, empty; or none. */
  replace(exists = true): void {
    this.file = `file-${Number(this.file.slice(5)) + 1}`;
    this.committed.length = 0;
    this.exists = exists;
    this.failing = {};
  }
}

function setUp(maxPendingBytes?: number) {
  const store = new FakeStore();
  const losses: [LossReason, number][] = [];
  const reports: string[] = [];
  const reopening: JournalEntry[] = [];
  const journal: Journal = new Journal({
    store,
    reopening: () => reopening,
    tellLoss: (reason, lost) => {
      losses.push([reason, lost]);
      journal.add(entry("gap", { reason, lost }));
    },
    report: (trouble, episode) => reports.push(`${trouble.failure} ${episode}`),
    ...(maxPendingBytes === undefined ? {} : { maxPendingBytes }),
  });
  const add = (...entries: JournalEntry[]) => {
    for (const one of entries) journal.add(one);
  };
  /** Flushes as long as it makes sense at once; answers the last answer. */
  const flushAll = () => {
    let again = journal.flush();
    for (let i = 0; again === 0 && i < 10_000; i++) again = journal.flush();
    return again;
  };
  const types = () => store.committed.map(({ head }) => head.type);
  return { store, journal, losses, reports, reopening, add, flushAll, types };
}

describe("a store that takes writes", () => {
  test("gets everything in order, in batches, and is opened once", () => {
    const { store, journal, add } = setUp();
    const entries = Array.from({ length: 1_200 }, (_, i) => stepOpened(i));
    expect(journal.flush()).toBeNull();
    add(opened, ...entries);
    expect(journal.pendingEntries).toBe(1_201);
    expect(journal.flush()).toBe(0);
    expect(journal.flush()).toBe(0);
    expect(journal.flush()).toBeNull();
    expect(store.committed).toEqual([opened, ...entries]);
    expect(store.asked).toEqual(["open", "append", "append", "append"]);
    expect(journal).toMatchObject({ pendingEntries: 0, pendingBytes: 0, isRefused: false });
  });

  test("gets batches of bounded size", () => {
    const { store, journal, add } = setUp();
    add(...Array.from({ length: 10 }, (_, i) => stepOpened(i, 100_000)));
    journal.flush();
    expect(store.committed).toHaveLength(3);
  });

  test("is written to at once where memory would run out", () => {
    const { store, journal, add, losses } = setUp(100 * OVERHEAD);
    add(...Array.from({ length: 500 }, (_, i) => stepOpened(i)));
    expect(journal.pendingBytes).toBeLessThanOrEqual(100 * OVERHEAD);
    expect(store.committed.length + journal.pendingEntries).toBe(500);
    expect(losses).toEqual([]);
  });
});

describe("a unit", () => {
  /** What one transaction took, by size. */
  function commits(store: FakeStore) {
    const sizes: number[] = [];
    const open = store.open.bind(store);
    store.open = () => {
      const opened_ = open();
      const append = (entries: readonly JournalEntry[]) => {
        opened_.append(entries);
        sizes.push(entries.length);
      };
      return { ...opened_, append };
    };
    return sizes;
  }

  test("is taken whole, whatever its size, and with others as far as a batch goes", () => {
    const { store, journal, flushAll } = setUp();
    const sizes = commits(store);
    const unit = (count: number, from: number) => Array.from({ length: count }, (_, i) => stepOpened(from + i));
    journal.addUnit([]);
    journal.addUnit(unit(300, 0));
    journal.addUnit(unit(300, 300));
    journal.addUnit(unit(2_000, 600));
    journal.addUnit(unit(1, 3_000));
    flushAll();
    expect(sizes).toEqual([600, 2_000, 1]);
  });

  test("over the bound is neither divided nor cut", () => {
    const { store, journal, losses, flushAll } = setUp(10 * OVERHEAD);
    const sizes = commits(store);
    journal.addUnit(Array.from({ length: 50 }, (_, i) => stepOpened(i)));
    flushAll();
    store.failing.append = "full";
    journal.addUnit(Array.from({ length: 50 }, (_, i) => stepOpened(100 + i)));
    expect(journal).toMatchObject({ isFull: true, pendingEntries: 50 });
    store.failing = {};
    flushAll();
    expect(sizes).toEqual([50, 50]);
    expect(losses).toEqual([]);
  });
});

describe("a store that is busy", () => {
  test("is asked again soon, and nothing is said or lost", () => {
    const { store, journal, add, reports, losses, types } = setUp();
    store.failing.append = "busy";
    add(opened, stepOpened(1));
    expect([journal.flush(), journal.flush(), journal.flush()]).toEqual([10, 10, 10]);
    expect(journal.isRefused).toBe(true);
    store.failing = {};
    expect(journal.flush()).toBeNull();
    expect(types()).toEqual(["run.opened", "step.opened"]);
    expect([reports, losses, store.open_]).toEqual([[], [], 1]);
  });

  test("in between does not hide that a trouble is over", () => {
    const { store, journal, add, reports } = setUp();
    add(opened);
    store.failing.append = "full";
    journal.flush();
    store.failing.append = "busy";
    journal.flush();
    store.failing.append = "full";
    journal.flush();
    store.failing = {};
    journal.flush();
    expect(reports).toEqual(["full began", "full ended"]);
  });
});

describe.each(["full", "unavailable"] as const)("a store that is %s", (failure) => {
  test("is asked again ever more rarely, said once, and gets everything when it works again", () => {
    const { store, journal, add, reports, losses } = setUp();
    const entries = [opened, stepOpened(1), stepClosed(1)];
    add(...entries);
    store.failing.append = failure;
    const waits = Array.from({ length: 8 }, () => journal.flush());
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
    store.failing = {};
    expect(journal.flush()).toBeNull();
    expect(store.committed).toEqual(entries);
    expect(reports).toEqual([`${failure} began`, `${failure} ended`]);
    expect(losses).toEqual([]);
    store.failing.append = failure;
    add(stepOpened(2));
    expect(journal.flush()).toBe(250);
    expect(reports).toEqual([`${failure} began`, `${failure} ended`, `${failure} began`]);
  });

  test("and cannot be opened: the same", () => {
    const { store, journal, add, flushAll } = setUp();
    store.failing.open = failure;
    store.exists = false;
    add(opened);
    expect([flushAll(), flushAll()]).toEqual([250, 500]);
    store.failing = {};
    expect(flushAll()).toBeNull();
    expect(store.committed).toEqual([opened]);
    expect(journal.close()).toBe(0);
  });

  test("keeps memory bounded: the oldest step events go, each step counts once, one gap tells", () => {
    const { store, journal, add, losses, flushAll } = setUp(100 * OVERHEAD);
    store.failing.append = failure;
    add(opened, entry("note", { text: "n" }));
    journal.flush();
    for (let i = 0; i < 300; i++) {
      add(stepOpened(i), stepClosed(i));
      expect(journal.pendingBytes).toBeLessThanOrEqual(100 * OVERHEAD);
    }
    expect(losses).toEqual([]);
    store.failing = {};
    expect(flushAll()).toBeNull();
    const kept = new Set(store.committed.flatMap(({ head }) => ("stepId" in head ? [head.stepId] : [])));
    const whole = store.committed.filter(({ head }) => head.type === "step.opened").length;
    expect(losses).toEqual([["store-unavailable", 300 - whole]]);
    expect(kept.size - whole).toBeLessThanOrEqual(1);
    expect(whole).toBeGreaterThan(40);
    expect(store.committed.slice(0, 2)).toEqual([opened, entry("note", { text: "n" })]);
    expect(store.committed.filter(({ head }) => head.type === "gap")).toHaveLength(1);
    expect(store.committed.at(-1)?.head.type).toBe("gap");
    // What is kept is the newest.
    expect(kept.has(trustedText("step_299"))).toBe(true);
  });

  test("does not look through the whole queue for every entry that comes", () => {
    const { store, add, journal } = setUp(4_000 * OVERHEAD);
    store.failing.append = failure;
    add(opened);
    journal.flush();
    let looks = 0;
    const { head } = entry("note", {});
    for (let i = 0; i < 2_000; i++) {
      add({
        get head() {
          looks++;
          return head;
        },
        payload: null,
      });
    }
    looks = 0;
    for (let i = 0; i < 20_000; i++) add(stepOpened(i));
    expect(looks / 20_000).toBeLessThan(50);
  });

  test("at the end: what waits is counted", () => {
    const { store, journal, add } = setUp(100 * OVERHEAD);
    store.failing.append = failure;
    add(opened);
    journal.flush();
    for (let i = 0; i < 300; i++) add(stepOpened(i), stepClosed(i));
    expect(journal.close()).toBe(300);
    expect(journal).toMatchObject({ pendingEntries: 0, pendingBytes: 0 });
  });
});

describe("an entry that the store rejects", () => {
  test("does not hold up the others, and is counted", () => {
    const { store, add, losses, flushAll, reports } = setUp();
    const entries = Array.from({ length: 700 }, (_, i) => stepOpened(i));
    const bad = new Set<JournalEntry>([3, 500, 501, 699].map((i) => entries[i] as JournalEntry));
    store.rejects = (one) => bad.has(one);
    add(opened, ...entries);
    expect(flushAll()).toBeNull();
    expect(store.committed.filter(({ head }) => head.type !== "gap")).toEqual([
      opened,
      ...entries.filter((one) => !bad.has(one)),
    ]);
    expect(losses.every(([reason]) => reason === "rejected")).toBe(true);
    expect(losses.reduce((sum, [, lost]) => sum + lost, 0)).toBe(4);
    expect(reports).toEqual([]);
  });

  test("once found, makes no later batch smaller", () => {
    const { store, add, flushAll } = setUp();
    store.rejects = ({ head }) => head.type === "note";
    add(opened, stepOpened(1), entry("note", {}), stepOpened(2));
    flushAll();
    store.asked.length = 0;
    add(...Array.from({ length: 300 }, (_, i) => stepOpened(i + 3)));
    flushAll();
    expect(store.asked).toEqual(["append"]);
  });

  test("while another process gets in between: nothing is written twice", () => {
    const { store, add, flushAll } = setUp();
    const bad = stepOpened(2);
    let tries = 0;
    store.rejects = (one) => {
      if (one === stepThree && ++tries === 2) {
        store.failing.append = "busy";
        throw new StoreError("busy", "told to");
      }
      return one === bad;
    };
    const stepThree = stepOpened(3);
    const all = [opened, stepOpened(1), stepThree, bad, stepOpened(4)];
    add(...all);
    expect(flushAll()).toBe(10);
    store.failing = {};
    expect(flushAll()).toBeNull();
    expect(store.committed.filter(({ head }) => head.type !== "gap")).toEqual(all.filter((one) => one !== bad));
  });

  test("that is the last one is still told, and one that nothing depends on is dropped quietly", () => {
    const { store, add, losses, flushAll, types } = setUp();
    store.rejects = ({ head }) => head.type === "step.closed" || head.type === "note";
    add(opened, stepOpened(1), stepClosed(1), entry("note", {}));
    expect(flushAll()).toBeNull();
    expect(losses).toEqual([["rejected", 1]]);
    expect(types()).toEqual(["run.opened", "step.opened", "gap"]);
  });
});

describe("a store that is damaged", () => {
  test("is set aside; the new one is told the run, and what was lost", () => {
    const { store, add, reopening, losses, reports, flushAll, types, journal } = setUp();
    const openStep = stepOpened(2);
    reopening.push(opened, openStep);
    add(opened, stepOpened(1), stepClosed(1), openStep);
    expect(flushAll()).toBeNull();
    store.failing.append = "corrupt";
    add(stepOpened(3));
    expect(journal.flush()).toBe(0);
    expect(store.setAside).toEqual(["file-1"]);
    expect(flushAll()).toBeNull();
    expect(types()).toEqual(["run.opened", "step.opened", "step.opened", "gap"]);
    expect(store.committed[1]).toBe(openStep);
    // Of the two that were committed, one is told again.
    expect(losses).toEqual([["store-lost", 1]]);
    expect(reports).toEqual(["corrupt began", "corrupt ended"]);
    expect(store.open_).toBe(1);
  });

  test("before anything was written: the new one is told that it is not the first", () => {
    const { store, add, reopening, losses, flushAll, types } = setUp();
    store.failing.open = "corrupt";
    reopening.push(opened);
    add(opened, stepOpened(1));
    expect(flushAll()).toBeNull();
    expect(store.setAside).toEqual(["file-1"]);
    expect(types()).toEqual(["run.opened", "step.opened", "gap"]);
    expect(losses).toEqual([["store-lost", 0]]);
  });

  test("and cannot be set aside: asked again ever more rarely, never in a circle", () => {
    const { store, add, journal, reports } = setUp();
    store.cannotSetAside = true;
    store.failing.open = "corrupt";
    add(opened);
    expect(Array.from({ length: 6 }, () => journal.flush())).toEqual([250, 500, 1000, 2000, 4000, 5000]);
    expect(reports).toEqual(["corrupt began"]);
    store.cannotSetAside = false;
    expect([journal.flush(), journal.flush()]).toEqual([0, null]);
    expect(store.committed[0]).toBe(opened);
  });

  test("and was set aside by another process: its new store is left alone", () => {
    const { store, add, reopening, flushAll, losses, types } = setUp();
    reopening.push(opened);
    add(opened, stepOpened(1), stepClosed(1));
    flushAll();
    store.replace();
    add(stepOpened(2));
    expect(flushAll()).toBeNull();
    expect(store.setAside).toEqual([]);
    expect(losses).toEqual([["store-lost", 1]]);
    expect(types()).toEqual(["run.opened", "step.opened", "gap"]);
  });

  test("and is set aside by another process just when this one finds it so: the sound one stays", () => {
    const { store, add, reopening, flushAll, types } = setUp();
    reopening.push(opened);
    const open = store.open.bind(store);
    store.open = () => {
      store.open = open;
      store.replace();
      throw new StoreError("corrupt", "told to");
    };
    add(opened, stepOpened(1));
    expect(flushAll()).toBeNull();
    expect(store.setAside).toEqual(["file-1"]);
    expect(store.file).toBe("file-2");
    expect(types()).toEqual(["run.opened", "step.opened", "gap"]);
  });

  test("and is set aside while this one opens it: nothing is written to the one that is gone", () => {
    const { store, add, journal, flushAll } = setUp();
    const open = store.open.bind(store);
    store.open = () => {
      store.open = open;
      const old = open();
      store.replace();
      return old;
    };
    add(opened, stepOpened(1));
    expect(journal.flush()).toBe(10);
    expect(flushAll()).toBeNull();
    expect(store.committed).toEqual([opened, stepOpened(1)]);
    expect(store.open_).toBe(1);
  });

  test("again: told again", () => {
    const { store, add, reopening, flushAll, losses } = setUp();
    reopening.push(opened);
    for (let i = 0; i < 3; i++) {
      add(stepOpened(i), stepClosed(i));
      flushAll();
      store.failing.append = "corrupt";
      add(entry("note", {}));
      flushAll();
    }
    expect(losses).toEqual([
      ["store-lost", 1],
      ["store-lost", 1],
      ["store-lost", 1],
    ]);
    expect(store.setAside).toEqual(["file-1", "file-2", "file-3"]);
  });
});

describe("a store that is removed behind our back", () => {
  test("is made again and told the run", () => {
    const { store, add, reopening, flushAll, losses, types } = setUp();
    reopening.push(opened);
    add(opened, stepOpened(1), stepClosed(1));
    flushAll();
    store.replace(false);
    add(stepOpened(2));
    expect(flushAll()).toBeNull();
    expect(losses).toEqual([["store-lost", 1]]);
    expect(types()).toEqual(["run.opened", "step.opened", "gap"]);
  });

  test("also where the new file gets the old one's number", () => {
    const { store, add, reopening, flushAll, losses } = setUp();
    reopening.push(opened);
    add(opened, stepOpened(1), stepClosed(1));
    flushAll();
    store.replace(false);
    store.failing.open = "unavailable";
    add(stepOpened(2));
    flushAll();
    store.failing = {};
    store.file = "file-1";
    expect(flushAll()).toBeNull();
    expect(losses).toEqual([["store-lost", 1]]);
  });

  test("in a directory that cannot be looked at: a trouble like others", () => {
    const { store, add, journal, flushAll, reports } = setUp();
    add(opened);
    flushAll();
    store.cannotLook = true;
    add(stepOpened(1));
    expect([journal.flush(), journal.flush()]).toEqual([250, 500]);
    store.cannotLook = false;
    expect(journal.flush()).toBeNull();
    expect(reports).toEqual(["unavailable began", "unavailable ended"]);
    expect(store.committed).toHaveLength(2);
  });

  test("damaged, in a directory that cannot be looked at: no throw", () => {
    const { store, add, journal } = setUp();
    add(opened);
    store.failing.open = "corrupt";
    store.setCorruptAside = () => {
      store.cannotLook = true;
    };
    expect(journal.flush()).toBe(250);
  });
});

describe("a newer store", () => {
  test("ends the recording in this process: said once, nothing kept, nothing written", () => {
    const { store, add, journal, reports, losses } = setUp();
    store.failing.open = "newer";
    add(opened, stepOpened(1));
    expect(journal.flush()).toBeNull();
    expect(journal).toMatchObject({ disabled: true, pendingEntries: 0, pendingBytes: 0 });
    add(stepOpened(2));
    expect(journal.flush()).toBeNull();
    expect(journal.close()).toBe(0);
    expect(reports).toEqual(["newer began"]);
    expect([losses, store.committed, store.asked]).toEqual([[], [], ["open"]]);
  });

  test("that comes in the middle of a session as well", () => {
    const { store, add, journal, flushAll } = setUp();
    add(opened);
    flushAll();
    store.failing.append = "newer";
    add(stepOpened(1));
    expect(flushAll()).toBeNull();
    expect(journal.disabled).toBe(true);
    expect(store.open_).toBe(0);
  });
});

describe("the end", () => {
  test("leaves the store, even one that cannot be closed", () => {
    const { store, add, journal, flushAll } = setUp();
    add(opened);
    flushAll();
    expect(journal.close()).toBe(0);
    expect(store.open_).toBe(0);
    const broken = setUp();
    const open = broken.store.open.bind(broken.store);
    broken.store.open = () => ({
      ...open(),
      leave: () => {
        throw new Error("no");
      },
    });
    broken.add(opened);
    broken.flushAll();
    expect(broken.journal.close()).toBe(0);
  });

  test("counts each step once, whatever became of its events", () => {
    const { store, add, journal } = setUp();
    store.rejects = ({ head }) => head.type === "step.opened";
    add(opened, stepOpened(1));
    while (journal.flush() === 0 && journal.pendingEntries > 1);
    store.failing.append = "full";
    add(stepClosed(1), stepOpened(2), stepClosed(2), entry("note", {}));
    journal.flush();
    expect(journal.close()).toBe(2);
  });
});
