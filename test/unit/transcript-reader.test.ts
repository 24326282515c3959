import { describe, expect, test } from "vitest";
import { type Poll, TranscriptReader } from "../../src/hooks/transcript-reader.ts";
import { linesOf } from "./hook-fixture.ts";
import { FakeFile, promptRow } from "./transcript-fixture.ts";

const ids = (poll: Poll) => poll.facts.map((fact) => fact.rowId);

describe("following a transcript", () => {
  test("tells each row once, as it is appended", () => {
    const file = new FakeFile(promptRow("a"));
    const reader = new TranscriptReader(file);
    expect(reader.poll()).toMatchObject({
      facts: [{ rowId: "a" }],
      isMissing: false,
      isRestarted: false,
      isBehind: false,
    });
    expect(ids(reader.poll())).toEqual([]);
    file.append(promptRow("b") + promptRow("c"));
    expect(ids(reader.poll())).toEqual(["b", "c"]);
    expect(reader.offset).toBe(file.bytes?.length);
    expect(file.openCount).toBe(0);
  });

  test("waits for the end of a line, cut anywhere", () => {
    const row = Buffer.from(promptRow("é€😀"));
    for (let cut = 1; cut < row.length; cut++) {
      const file = new FakeFile("");
      const reader = new TranscriptReader(file);
      file.append(row.subarray(0, cut));
      expect(ids(reader.poll())).toEqual([]);
      expect(reader.offset).toBe(0);
      file.append(row.subarray(cut));
      expect(ids(reader.poll())).toEqual(["é€😀"]);
    }
  });

  test("waits for a file that is not there yet, or not there any more", () => {
    const file = new FakeFile(null);
    const reader = new TranscriptReader(file);
    expect(reader.poll()).toMatchObject({ facts: [], isMissing: true });
    file.write(promptRow("a"));
    expect(ids(reader.poll())).toEqual(["a"]);
    file.bytes = null;
    expect(reader.poll()).toMatchObject({ facts: [], isMissing: true });
    file.write(promptRow("a") + promptRow("b"));
    expect(ids(reader.poll())).toEqual(["b"]);
  });

  test("leaves what is appended meanwhile to the next poll", () => {
    const file = new FakeFile(promptRow("a"));
    const reader = new TranscriptReader(file);
    file.onRead = () => {
      file.onRead = () => undefined;
      file.append(promptRow("b"));
    };
    expect(ids(reader.poll())).toEqual(["a"]);
    expect(ids(reader.poll())).toEqual(["b"]);
  });

  test("takes short reads, and one that gives nothing", () => {
    const file = new FakeFile(promptRow("a") + promptRow("b"));
    const reader = new TranscriptReader(file);
    file.mostAtOnce = 7;
    expect(ids(reader.poll())).toEqual(["a", "b"]);
    file.append(promptRow("c"));
    file.mostAtOnce = 0;
    expect(reader.poll().facts).toEqual([]);
    file.mostAtOnce = 1_000;
    expect(ids(reader.poll())).toEqual(["c"]);
  });

  test.each([
    ["shorter", (file: FakeFile) => file.write(promptRow("a") + promptRow("d"))],
    [
      "longer, but another file",
      (file: FakeFile) => {
        file.identity = "2";
        file.write(promptRow("d") + (file.bytes ?? "").toString());
      },
    ],
    [
      "longer, rewritten in place",
      (file: FakeFile) => file.write(promptRow("d") + promptRow("a") + promptRow("b") + promptRow("c")),
    ],
    [
      "as long, another file",
      (file: FakeFile) => {
        file.identity = "2";
        file.write(promptRow("a") + promptRow("d") + promptRow("c"));
      },
    ],
    [
      "empty first",
      (file: FakeFile, reader: TranscriptReader) => {
        file.write("");
        expect(reader.poll()).toMatchObject({ facts: [], isRestarted: true });
        file.write(promptRow("d"));
      },
    ],
  ])("begins again in a file that is %s, and tells only what is new", (_, change) => {
    const file = new FakeFile(promptRow("a") + promptRow("b") + promptRow("c"));
    const reader = new TranscriptReader(file);
    reader.poll();
    change(file, reader);
    expect(ids(reader.poll())).toEqual(["d"]);
    file.append(promptRow("e"));
    expect(reader.poll()).toMatchObject({ facts: [{ rowId: "e" }], isRestarted: false });
  });

  test("goes on where another reader was, before a line that is not whole", () => {
    const file = new FakeFile(`${promptRow("a")}${promptRow("b").slice(0, 20)}`);
    const first = new TranscriptReader(file);
    first.poll();
    file.append(promptRow("b").slice(20));
    const second = new TranscriptReader(file, { offset: first.offset });
    expect(ids(second.poll())).toEqual(["b"]);
    expect(ids(new TranscriptReader(file, { offset: 1_000_000 }).poll())).toEqual(["a", "b"]);
  });

  test("passes over lines that are no rows, and counts them; empty lines do not count", () => {
    const file = new FakeFile(`\n{"type":"us\n\0\0\0\n  \r\n${promptRow("a").trimEnd()}\r\n`);
    expect(new TranscriptReader(file).poll()).toMatchObject({ facts: [{ rowId: "a" }], lostRows: 2 });
  });

  test("passes over a row over the bound without keeping it, however it comes", () => {
    const file = new FakeFile("");
    const reader = new TranscriptReader(file, { maxRowBytes: 200 });
    for (let i = 0; i < 100; i++) {
      file.append("x".repeat(50));
      reader.poll();
    }
    expect(reader.offset).toBe(0);
    file.append(`\n${promptRow("a")}`);
    expect(reader.poll()).toMatchObject({ facts: [{ rowId: "a" }], lostRows: 1 });
    expect(reader.offset).toBe(file.bytes?.length);
  });

  test("reads a bounded part at a time, each byte once", () => {
    const rows = Array.from({ length: 3_000 }, (_, i) => promptRow(`row ${i} ${"x".repeat(300)}`));
    const file = new FakeFile(rows.join(""));
    const reader = new TranscriptReader(file, { maxPollBytes: 300_000 });
    let told = 0;
    let polls = 0;
    for (let poll = reader.poll(); ; poll = reader.poll()) {
      polls++;
      told += poll.facts.length;
      if (!poll.isBehind) break;
    }
    expect(told).toBe(3_000);
    expect(polls).toBeGreaterThan(4);
    expect(file.readBytes).toBeLessThan((file.bytes?.length ?? 0) + polls * 100);
  });

  test("tells nothing of rows from before it was asked to, but for those without a time", () => {
    const file = new FakeFile(
      promptRow("old", { timestamp: "2026-01-01T00:00:00.000Z" }) +
        promptRow("timeless") +
        promptRow("new", { timestamp: "2026-01-01T00:00:01.000Z" }),
    );
    const reader = new TranscriptReader(file, { since: Date.parse("2026-01-01T00:00:01.000Z") });
    expect(ids(reader.poll())).toEqual(["timeless", "new"]);
  });

  test("of a forked session tells only its own part", () => {
    const rows = linesOf("interrupt-resume-fork", "transcript");
    const forkedAt = Date.parse("2026-11-30T02:32:35.000Z");
    const reader = new TranscriptReader(new FakeFile(`${rows.join("\n")}\n`), { since: forkedAt });
    const { facts } = reader.poll();
    expect(facts.map((fact) => fact.kind)).toEqual(["prompt", "tool-use", "usage", "tool-result", "text", "usage"]);
    expect(facts.some((fact) => fact.isCopied)).toBe(false);
  });

  test("closes the file also where reading it fails", () => {
    const file = new FakeFile(promptRow("a"));
    file.onRead = () => {
      throw new Error("gone");
    };
    expect(() => new TranscriptReader(file).poll()).toThrow("gone");
    expect(file.openCount).toBe(0);
  });
});
