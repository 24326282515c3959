import fc from "fast-check";
import { expect, it } from "vitest";
import { EventStream } from "../../src/upstream/remote/event-stream.ts";

interface Told {
  type: string;
  id: string | null;
  data: number[];
  totalBytes: number | null;
}

const MOST_BYTES = 40;

/** The rules of the WHATWG text, over a whole stream with one character a byte. */
function model(whole: Uint8Array): { events: Told[]; retryMs: number | null } {
  const latin1 = Buffer.from(whole)
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "");
  const lines = latin1.split(/\r\n|\r|\n/);
  lines.pop();
  const events: Told[] = [];
  let retryMs: number | null = null;
  let id: string | null = null;
  let [type, data, isTold] = ["", [] as string[], false];
  for (const line of lines) {
    if (line === "") {
      if (isTold) {
        const joined = Buffer.from(data.join("\n"), "latin1");
        const isOver = joined.length > MOST_BYTES;
        events.push({ type: type || "message", id, data: [...joined], totalBytes: isOver ? joined.length : null });
      }
      [type, data, isTold] = ["", [], false];
      continue;
    }
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "event") type = utf8(value);
    if (name === "data") [isTold, data] = [true, [...data, value]];
    if (name === "id" && !value.includes("\0")) [isTold, id] = [true, value === "" ? null : utf8(value)];
    if (name === "retry" && /^\d+$/.test(value)) retryMs = Number(value);
  }
  return { events, retryMs };
}

const utf8 = (latin1: string): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(latin1, "latin1"));

function parse(chunks: Uint8Array[]): { events: Told[]; retryMs: number | null } {
  const stream = new EventStream(MOST_BYTES);
  const events = chunks.flatMap((chunk) => {
    const own = chunk.slice();
    const told = stream.feed(own).map(({ type, id, data, oversized, hasData }) => {
      expect(hasData).toBe(data.length > 0 || oversized !== null);
      return { type, id, data: [...(oversized?.head ?? data)], totalBytes: oversized?.totalBytes ?? null };
    });
    // The chunk's buffer is used again for something else.
    own.fill(0x7a);
    return told;
  });
  return { events, retryMs: stream.retryMs };
}

const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("data", "data:", "data: ", "id: ", "id", "event: ", "retry: ", ":", " ", "\0", "x"),
  },
  { weight: 6, arbitrary: fc.constantFrom("\n", "\r", "\r\n", "\n\n", "\r\n\r\n") },
  { weight: 2, arbitrary: fc.stringMatching(/^[0-9a-z:{}"]{0,12}$/) },
  { weight: 1, arbitrary: fc.constantFrom("\u2028", "\u00e9", "datax: ", "idx: ") },
);
const body = fc
  .tuple(
    fc.constantFrom("", "\uFEFF"),
    fc.array(
      fc.oneof(
        piece.map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 3 }),
      ),
      { maxLength: 40 },
    ),
  )
  .map(([mark, pieces]) => Uint8Array.from(Buffer.concat([Buffer.from(mark), ...pieces])));

it("tells the events of the published rules, whatever the cut of the chunks", () => {
  fc.assert(
    fc.property(body, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (whole, cuts) => {
      const expected = model(whole);
      expect(parse([whole])).toEqual(expected);
      const chunks: Uint8Array[] = [];
      for (let at = 0, i = 0; at < whole.length; i++) {
        const size = cuts[i % cuts.length] ?? 1;
        chunks.push(whole.subarray(at, at + size), whole.subarray(at, at));
        at += size;
      }
      expect(parse(chunks)).toEqual(expected);
      expect(parse([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});
