import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TranscriptReader } from "../../src/hooks/transcript-reader.ts";
import { TranscriptRows } from "../../src/hooks/transcript-rows.ts";
import { linesOf, sessionsWith } from "../unit/hook-fixture.ts";
import { FakeFile } from "../unit/transcript-fixture.ts";

const sessions = sessionsWith("transcript");
const fields = [
  "type",
  "message",
  "content",
  "uuid",
  "isMeta",
  "toolUseResult",
  "usage",
  "origin",
  "timestamp",
  "agentId",
  "id",
];
const oddRow = fc.dictionary(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 3 }), {
  maxKeys: 8,
  noNullPrototype: true,
});

describe("a transcript", () => {
  test("tells the same however it grows and is read", () => {
    const cuts = fc.array(fc.nat({ max: 3_000 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        fc.constantFrom(...sessions),
        cuts,
        fc.integer({ min: 1, max: 500 }),
        (session, sizes, mostAtOnce) => {
          const whole = Buffer.from(`${linesOf(session, "transcript").join("\n")}\n`);
          const rows = new TranscriptRows(null);
          const expected = linesOf(session, "transcript").flatMap((line) => rows.read(line) ?? []);
          const file = new FakeFile("");
          file.mostAtOnce = mostAtOnce;
          const reader = new TranscriptReader(file, { maxPollBytes: 700 });
          const told = [];
          for (let at = 0, i = 0; at < whole.length; i++) {
            const size = (sizes[i % sizes.length] ?? 0) + 1;
            file.append(whole.subarray(at, at + size));
            at += size;
            const poll = reader.poll();
            expect(poll).toMatchObject({ isRestarted: false, lostRows: 0 });
            told.push(...poll.facts);
          }
          for (let poll = reader.poll(); ; poll = reader.poll()) {
            told.push(...poll.facts);
            if (!poll.isBehind) break;
          }
          expect(told).toEqual(expected);
          expect(reader.offset).toBe(whole.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("that is cut back or replaced at any time tells each row once, and every row that is there at the end", () => {
    const change = fc.record({
      keep: fc.double({ min: 0, max: 1, noNaN: true }),
      grow: fc.nat({ max: 6 }),
      replace: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 15 }), (changes) => {
        const file = new FakeFile("");
        const reader = new TranscriptReader(file);
        const told: (string | null)[] = [];
        let next = 0;
        for (const { keep, grow, replace } of changes) {
          const lines = (file.bytes ?? "").toString().split("\n").slice(0, -1);
          const kept = lines.slice(0, Math.round(keep * lines.length));
          const grown = Array.from({ length: grow }, () => {
            next++;
            return JSON.stringify({
              type: "user",
              message: { content: "p" },
              uuid: `row-${next}-${"x".repeat(next % 90)}`,
            });
          });
          if (replace) file.identity = `${next}`;
          file.write([...kept, ...grown].map((line) => `${line}\n`).join(""));
          told.push(...reader.poll().facts.map((fact) => fact.rowId));
        }
        expect(new Set(told).size).toBe(told.length);
        for (const line of (file.bytes ?? "").toString().split("\n").slice(0, -1))
          expect(told).toContain(JSON.parse(line).uuid);
      }),
      { numRuns: 200 },
    );
  });

  test("of anything at all never throws, and loses no row that is whole", () => {
    const line = fc.oneof(
      oddRow.map((row) => JSON.stringify(row)),
      fc.string({ unit: "binary" }),
      fc.constantFrom("", "{", "[]"),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), (lines) => {
        const marker = JSON.stringify({ type: "user", message: { content: "end" }, uuid: "the end" });
        const file = new FakeFile(`${lines.join("\n")}\n${marker}\n`);
        expect(new TranscriptReader(file).poll().facts.at(-1)?.rowId).toBe("the end");
      }),
      { numRuns: 500 },
    );
  });
});
