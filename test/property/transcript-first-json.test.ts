import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readClaudeCodeHook } from "../../src/hooks/claude-code.ts";
import { FirstJson } from "../../src/hooks/first-json.ts";
import { linesOf, sessionsWith } from "../unit/hook-fixture.ts";

const nasty = fc.string({
  unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", " ", "é", "😀", "\ud83d", "\u2028", "a"),
});
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    nasty,
    fc.constantFrom(null, true, false, 0, -1.5e300),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(nasty, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const cuts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 20 });

/** Feeds `bytes` in pieces of these sizes, over and over, from a buffer that is used again. */
function feed(first: FirstJson, bytes: Uint8Array, sizes: number[]): void {
  const buffer = new Uint8Array(20);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const piece = bytes.subarray(at, at + (sizes[i % sizes.length] ?? 1));
    buffer.set(piece);
    first.feed(buffer.subarray(0, piece.length));
    at += piece.length;
  }
}

describe("the first JSON value of a stream", () => {
  test("is found wherever the stream is cut, whatever stands before and after it", () => {
    const before = fc.constantFrom("", "\ufeff", " \n", "\ufeff\r\n\t");
    const after = fc.oneof(
      fc.constantFrom("\n", " ", ",", "]"),
      fc.string().map((rest) => `\n${rest}`),
    );
    fc.assert(
      fc.property(value, before, after, cuts, (json, lead, trail, sizes) => {
        const text = JSON.stringify(json);
        const first = new FirstJson(1_000_000);
        feed(first, Buffer.from(lead + text + trail), sizes);
        expect(first.state).toBe("complete");
        expect(first.text()).toBe(Buffer.from(text).toString());
      }),
      { numRuns: 1_000 },
    );
  });

  test("is open until its last byte came, and then complete at once", () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(value), fc.dictionary(nasty, value, { noNullPrototype: true }), nasty), (json) => {
        const bytes = Buffer.from(JSON.stringify(json));
        const first = new FirstJson(1_000_000);
        for (let i = 0; i < bytes.length; i++) {
          expect(first.feed(bytes.subarray(i, i + 1))).toBe(i === bytes.length - 1 ? "complete" : "open");
        }
      }),
    );
  });

  test("of anything else: the same wherever it is cut, and never more than the bound is kept", () => {
    const bytes = fc.oneof(
      nasty.map((text) => new Uint8Array(Buffer.from(text))),
      fc.uint8Array({ maxLength: 80 }),
    );
    fc.assert(
      fc.property(bytes, cuts, fc.integer({ min: 0, max: 60 }), (stream, sizes, bound) => {
        const once = new FirstJson(bound);
        once.feed(stream);
        const cut = new FirstJson(bound);
        feed(cut, stream, sizes);
        expect(cut.state).toBe(once.state);
        expect(cut.text()).toBe(once.text());
        expect(Buffer.from(once.text().replaceAll("\ufffd", "")).length).toBeLessThanOrEqual(bound);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a hook's text", () => {
  test("with fields of any kind never throws, and what it tells is JSON where it says so", () => {
    const lines = sessionsWith("hooks").flatMap((session) => linesOf(session, "hooks"));
    fc.assert(
      fc.property(
        fc.constantFrom(...lines),
        fc.dictionary(fc.string(), value, { noNullPrototype: true }),
        fc.nat(),
        value,
        (line, extra, which, odd) => {
          const known = JSON.parse(line);
          const keys = Object.keys(known);
          const read = readClaudeCodeHook(
            JSON.stringify({ ...extra, ...known, [keys[which % keys.length] ?? ""]: odd }),
          );
          if (read.kind === "malformed") expect(read.reason.length).toBeLessThan(30);
          if (read.kind !== "fact") return;
          for (const key of ["input", "response", "schema", "content"]) {
            const payload = (read.fact as unknown as Record<string, unknown>)[key];
            if (typeof payload === "string") expect(() => JSON.parse(payload)).not.toThrow();
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("of anything at all never throws, cut or not", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          nasty,
          fc.string({ unit: "binary" }),
          nasty.map((text) => `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"T",${text}`),
        ),
        fc.boolean(),
        (text, isCut) => {
          expect(["fact", "nothing", "malformed"]).toContain(readClaudeCodeHook(text, isCut).kind);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
