import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  closingMembers,
  eachElement,
  eachMember,
  skipSpace,
  stringEnd,
  stringValue,
  valueEnd,
} from "../../src/jsonrpc/json-span.ts";

/** Strings that JSON writers treat in special ways, lone surrogates and structure among them. */
const nastyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", " ", "u", "\ud83d", "\ude00", "\u2028", "\0"),
  }),
);
const document = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    nastyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, 0, -1),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(nastyText, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const object = fc.dictionary(nastyText, document, { maxKeys: 6, noNullPrototype: true });

/** Writes a value with white space wherever JSON allows it, and some characters escaped that need no escape. */
function writeLoosely(value: unknown, spaces: () => string): string {
  const s = spaces;
  if (Array.isArray(value)) return `[${s()}${value.map((v) => s() + writeLoosely(v, s) + s()).join(",")}${s()}]`;
  if (typeof value === "string") return JSON.stringify(value).replaceAll("u", "\\u0075").replaceAll("\\\\u0075", "\\u");
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, v]) => `${s()}${JSON.stringify(key)}${s()}:${s()}${writeLoosely(v, s)}${s()}`,
  );
  return `{${s()}${members.join(",")}${s()}}`;
}

function membersOf(text: string, at = 0): { end: number; members: [string, string | null][] } {
  const members: [string, string | null][] = [];
  const end = eachMember(text, at, (key, from, to) => members.push([key, to < 0 ? null : text.slice(from, to)]));
  return { end, members };
}

describe("spans", () => {
  test("of an object's members are what JSON.parse makes of it", () => {
    const spaces = fc.array(fc.constantFrom("", " ", "\t", "\r", "\n", "  "), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(object, spaces, fc.string(), (value, pad, before) => {
        let next = 0;
        const text = before + writeLoosely(value, () => pad[next++ % pad.length] ?? "");
        const { end, members } = membersOf(text, before.length);
        expect(end).toBe(text.length);
        // Built as JSON.parse builds it: the last of equal keys wins.
        const read = JSON.parse(text.slice(before.length));
        expect(Object.fromEntries(members.map(([key, raw]) => [key, JSON.parse(raw ?? "")]))).toEqual(read);
        expect(members.map(([key]) => key).sort()).toEqual(Object.keys(value).sort());
      }),
    );
  });

  test("of an array's elements are what JSON.parse makes of it", () => {
    fc.assert(
      fc.property(fc.array(document), (values) => {
        const text = JSON.stringify(values);
        const found: unknown[] = [];
        const end = eachElement(text, 0, (_key, from, to) => found.push(JSON.parse(text.slice(from, to))));
        expect(end).toBe(text.length);
        expect(found).toEqual(JSON.parse(text));
      }),
    );
  });

  test("end where the value ends, whatever follows", () => {
    fc.assert(
      fc.property(document, fc.constantFrom(",", "}", "]", " ", "\r\n"), fc.string(), (value, next, rest) => {
        const text = JSON.stringify(value) + next + rest;
        expect(valueEnd(text, 0)).toBe(JSON.stringify(value).length);
      }),
    );
  });

  test("tell where each member's key begins", () => {
    fc.assert(
      fc.property(object, (value) => {
        const text = JSON.stringify(value);
        eachMember(text, 0, (key, from, _to, keyStart) => {
          expect(JSON.parse(text.slice(keyStart, stringEnd(text, keyStart)))).toBe(key);
          expect(text.slice(keyStart, from)).toBe(`${JSON.stringify(key)}:`);
        });
      }),
    );
  });

  test("of a text that was cut off: complete values are the same, at most one last one is open", () => {
    fc.assert(
      fc.property(object, (value) => {
        const text = JSON.stringify(value);
        const whole = membersOf(text).members;
        for (let cut = 0; cut < text.length; cut++) {
          const { end, members } = membersOf(text.slice(0, cut));
          expect(end).toBe(-1);
          const complete = members.filter(([, raw]) => raw !== null);
          expect(complete).toEqual(whole.slice(0, complete.length));
          expect(members.length - complete.length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("of anything else end early, in bounds", () => {
    const structure = fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", " ", "1", "t", "é") });
    fc.assert(
      fc.property(fc.oneof(structure, fc.string({ unit: "binary" })), fc.nat({ max: 40 }), (text, at) => {
        const visit = (key: string, from: number, to: number, keyStart: number) => {
          expect(typeof key).toBe("string");
          expect(from).toBeGreaterThanOrEqual(at);
          expect(keyStart).toBeLessThanOrEqual(from);
          expect(to === -1 || (to >= from && to <= text.length)).toBe(true);
        };
        for (const end of [eachMember(text, at, visit), eachElement(text, at, visit), valueEnd(text, at)]) {
          expect(end === -1 || (end >= at && end <= text.length)).toBe(true);
        }
        expect(skipSpace(text, at)).toBeGreaterThanOrEqual(at);
      }),
      { numRuns: 2_000 },
    );
  });

  test("cost no stack in deep nesting, closed or not", () => {
    const depth = 100_000;
    const closed = "[".repeat(depth) + "]".repeat(depth);
    expect(valueEnd(closed, 0)).toBe(closed.length);
    expect(valueEnd(closed.slice(0, -1), 0)).toBe(-1);
    const objects = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(membersOf(objects).members).toHaveLength(1);
    expect(membersOf(objects.slice(0, -1)).end).toBe(-1);
  });

  test("cost no more than the text is long, in runs of backslashes and quotes", () => {
    const hostile = [`"${"\\".repeat(1_000_000)}`, `"${'\\"'.repeat(500_000)}`, `{"a":"${"\\\\".repeat(500_000)}"}`];
    for (const text of hostile) expect(valueEnd(text, 0) === -1 || valueEnd(text, 0) === text.length).toBe(true);
    expect(closingMembers(`${'\\"'.repeat(500_000)}"}`, 1)).toBeNull();
  });

  test("of repeated keys are all told, in order", () => {
    expect(membersOf('{"id":1,"id":"2","\\u0069d":3}').members).toEqual([
      ["id", "1"],
      ["id", '"2"'],
      ["id", "3"],
    ]);
  });
});

describe("strings", () => {
  test("read as JSON.parse reads them, lone surrogates included", () => {
    fc.assert(
      fc.property(nastyText, (value) => {
        const text = JSON.stringify(value);
        expect(stringEnd(text, 0)).toBe(text.length);
        expect(stringValue(text, 0, text.length)).toBe(value);
      }),
    );
    expect(stringValue('"\ud800"', 0, 3)).toBe("\ud800");
  });

  test("that are not well formed read as they are; other values read as none", () => {
    expect(stringValue('"\\x"', 0, 4)).toBe("\\x");
    expect(stringValue('"\\u12"', 0, 6)).toBe("\\u12");
    for (const [text, end] of [
      ["12", 2],
      ["null", 4],
      ["{}", 2],
      ['"open', -1],
    ] as const) {
      expect(stringValue(text, 0, end)).toBeNull();
    }
  });

  test("that never end have no end", () => {
    for (const text of ['"', '"abc', '"abc\\"', '"\\\\\\"']) expect(stringEnd(text, 0)).toBe(-1);
  });
});

describe("the last members of an object that began before the text", () => {
  /** A message whose value under `body` is cut, and the part of it from `cut` on. */
  const message = fc.record({
    before: object,
    body: object,
    after: object,
  });

  test("are members of the message and of its body, the last ones, each whole", () => {
    fc.assert(
      fc.property(message, fc.double({ min: 0, max: 1, noNaN: true }), ({ before, body, after }, where) => {
        const head = `${JSON.stringify(before).slice(0, -1)}${Object.keys(before).length > 0 ? "," : ""}"body":`;
        const inner = JSON.stringify(body);
        const rest = Object.keys(after).length > 0 ? `,${JSON.stringify(after).slice(1)}` : "}";
        const text = head + inner + rest;
        // The cut is somewhere in the body: after its first character, before its last.
        const cut = head.length + 1 + Math.floor(where * (inner.length - 2));
        const tail = text.slice(cut);
        for (const [depth, all] of [
          [1, Object.entries(after)],
          [2, Object.entries(JSON.parse(inner))],
        ] as const) {
          const closing = closingMembers(tail, depth);
          if (closing === null) continue;
          const { end, members } = membersOf(closing);
          expect(end).toBeGreaterThan(0);
          const expected = all.slice(all.length - members.length).map(([key, value]) => [key, JSON.stringify(value)]);
          expect(members).toEqual(expected);
        }
        // All that follows the body is there; of the body, all that begins after the cut and a comma.
        if (Object.keys(after).length > 0) {
          expect(membersOf(closingMembers(tail, 1) ?? "").members).toHaveLength(Object.keys(after).length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("are none where a whole value stands in the text, or nothing follows a comma at that depth", () => {
    expect(closingMembers('x"}', 1)).toBeNull();
    expect(closingMembers('{"a":1,"b":2}', 1)).toBeNull();
    expect(closingMembers('x"}},"c":{"a":1,"b":2},"id":4}', 2)).toBeNull();
    expect(closingMembers("", 1)).toBeNull();
  });

  test("are the outer ones, past objects and strings that look like the end", () => {
    expect(closingMembers('..."}},"_meta":{"id":9},"s":",\\"id\\":8}","id":4} \r', 1)).toBe(
      '{"_meta":{"id":9},"s":",\\"id\\":8}","id":4} \r',
    );
    expect(closingMembers('x","isError":true},"id":1}', 2)).toBe('{"isError":true},"id":1}');
    expect(closingMembers('x"}],"isError":true},"meta":{"x":1,"isError":false},"id":1}', 2)).toBe(
      '{"isError":true},"meta":{"x":1,"isError":false},"id":1}',
    );
  });

  test("are looked for in anything without a throw", () => {
    const structure = fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", " ", "1") });
    fc.assert(
      fc.property(structure, fc.constantFrom(1, 2, 3), (text, depth) => {
        const closing = closingMembers(text, depth);
        if (closing !== null) expect(text.endsWith(closing.slice(1))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
