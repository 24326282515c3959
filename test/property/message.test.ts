import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idKey, type Message, readMessage, readMessages } from "../../src/jsonrpc/message.ts";

const id = fc.oneof(fc.integer(), fc.string({ unit: "binary" }), fc.constant(null));
const method = fc.constantFrom("tools/call", "tools/list", "initialize", "notifications/progress", 'odd "method"');
const body = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4, noNullPrototype: true });

/** Any well-formed message, its members in any order, with members nobody knows. */
const message = fc
  .oneof(
    fc.record({ id, method, params: body }, { requiredKeys: ["id", "method"] }),
    fc.record({ method, params: body }, { requiredKeys: ["method"] }),
    fc.record({ id, result: fc.jsonValue() }),
    fc.record({ id, error: fc.record({ code: fc.integer(), message: fc.string() }) }),
  )
  .chain((fields) => {
    const entries = Object.entries({ jsonrpc: "2.0", ...fields, "x-other": 1 });
    return fc.shuffledSubarray(entries, { minLength: entries.length }).map((order) => Object.fromEntries(order));
  });

function kindOf(value: Record<string, unknown>): string {
  if ("method" in value) return "id" in value ? "request" : "notification";
  return "response";
}

function spanText(text: string, span: Message["params"]): string | null {
  return span === null ? null : text.slice(span.start, span.end);
}

function expectReading(read: Message | null | undefined, text: string, value: Record<string, unknown>): void {
  expect(read).toMatchObject({
    kind: kindOf(value),
    rawId: "id" in value ? JSON.stringify(value.id) : null,
    method: value.method ?? null,
  });
  for (const key of ["params", "result", "error"] as const) {
    expect(spanText(text, read?.[key] ?? null)).toBe(key in value ? JSON.stringify(value[key]) : null);
  }
}

describe("one message", () => {
  test("reads as JSON.parse would have it, in any order of its members", () => {
    fc.assert(
      fc.property(message, fc.constantFrom("", " ", "\t"), fc.constantFrom("", "\r", " "), (value, before, after) => {
        const text = before + JSON.stringify(value) + after;
        const read = readMessages(text);
        expect(read).toHaveLength(1);
        expectReading(read[0], text, value);
      }),
    );
  });

  test("cut at any place is no message, and never a throw", () => {
    fc.assert(
      fc.property(message, (value) => {
        const text = JSON.stringify(value);
        for (let cut = 0; cut < text.length; cut++) expect(readMessages(text.slice(0, cut))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test("cut in its body reads the same but for the body, with the end of the line as tail", () => {
    fc.assert(
      fc.property(message, body, fc.nat(), fc.nat(), (value, filling, a, b) => {
        const key = ["params", "result"].find((name) => name in value);
        fc.pre(key !== undefined);
        const long = { ...value, [key as string]: { filling, text: "long ".repeat(20), last: true } };
        const text = JSON.stringify(long);
        const start = text.indexOf(JSON.stringify(long[key as string]));
        const length = JSON.stringify(long[key as string]).length;
        // Head and tail both end and begin within the body, head first.
        const [from, to] = [1 + (a % (length - 2)), 1 + (b % (length - 2))].sort((x, y) => x - y) as [number, number];
        const head = text.slice(0, start + from);
        const read = readMessage(head, 0, text.slice(start + to));
        expect(read).toMatchObject({ kind: kindOf(long), rawId: "id" in long ? JSON.stringify(long.id) : null });
        expect(read?.[key as "params" | "result"]).toEqual({ start, end: -1 });
        expect(read?.method).toBe(long.method ?? null);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["the last of repeated members", '{"id":1,"method":"a","id":"2","method":"b"}', '"2"', "b"],
    ["an escaped key", '{"\\u0069d":1,"meth\\u006fd":"a\\/b"}', "1", "a/b"],
    ["an id that is a fraction, or no id at all", '{"id":1.50,"method":"a"}', "1.50", "a"],
    ["an id of null", '{"id":null,"method":"a"}', "null", "a"],
    ["a number no double holds", '{"id":12345678901234567890,"method":"a"}', "12345678901234567890", "a"],
  ])("%s", (_what, text, rawId, name) => {
    expect(readMessages(text)).toMatchObject([{ kind: "request", rawId, method: name }]);
  });

  test.each([
    "",
    "  ",
    "{}",
    "[]",
    "null",
    "12",
    '"text"',
    "Listening on port 3000",
    '{"id":1}',
    '{"result":{}}',
    '{"id":1,"error":null}',
    '{"id":,"result":{}}',
    '{"method":7,"params":{}}',
    '{"id":1 "method":"a"}',
    '{"id":1,"method":"a"',
    "[1,null,[]]",
    "\ufeff",
  ])("%j is none", (text) => {
    expect(readMessages(text)).toEqual([]);
  });

  test("a null error beside a result is none", () => {
    expect(readMessages('{"id":1,"error":null,"result":null}')).toMatchObject([{ kind: "response", error: null }]);
    expect(readMessages('{"id":1,"result":null,"error":{}}')[0]?.error).not.toBeNull();
  });

  test("a hostile one costs neither stack nor patience", () => {
    const depth = 100_000;
    const deep = `{"id":1,"result":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(readMessages(deep)).toMatchObject([{ kind: "response", rawId: "1" }]);
    expect(readMessages(deep.slice(0, -2))).toEqual([]);
    expect(readMessages("[".repeat(depth))).toEqual([]);
    expect(readMessages(`{"id":"${"x".repeat(1_000_000)}`)).toEqual([]);
    expect(readMessages(`{${'"a":1,'.repeat(depth)}"method":"m"}`)).toMatchObject([{ method: "m" }]);
  });
});

describe("a batch", () => {
  test("is its messages, each with spans into the line", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(message, fc.constantFrom(1, null, {}, [])), { maxLength: 5 }), (values) => {
        const text = `[${values.map((value) => ` ${JSON.stringify(value)} `).join(",")}]`;
        const expected = values.filter((value) => value !== null && typeof value === "object" && "jsonrpc" in value);
        const read = readMessages(text);
        expect(read).toHaveLength(expected.length);
        for (const [i, value] of expected.entries()) expectReading(read[i], text, value as Record<string, unknown>);
      }),
    );
  });

  test("cut off: what came whole is read", () => {
    expect(readMessages('[{"id":1,"method":"a"},{"id":2,"method":"b"},{"id":3,"meth')).toHaveLength(2);
  });
});

describe("ids", () => {
  test("are the same exactly where their types and values are", () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        expect(idKey(JSON.stringify(a)) === idKey(JSON.stringify(b))).toBe(a === b);
      }),
    );
  });

  test.each([
    ["1", "1.0", true],
    ["1", "1e0", true],
    ["100", "1E2", true],
    ["0", "-0", true],
    ["1", '"1"', false],
    ["null", '"null"', false],
    ['"a"', '"\\u0061"', true],
    ['"é"', '"\\u00e9"', true],
    ["9007199254740992", "9007199254740993", false],
    ["12345678901234567890", "12345678901234567891", false],
    ["1.5", '"1.5"', false],
    ["true", '"true"', false],
    ["-1", "1", false],
  ])("%s and %s", (a, b, same) => {
    expect(idKey(a) === idKey(b)).toBe(same);
  });
});
