import fc from "fast-check";
import { expect, it } from "vitest";
import { oneLine } from "../../src/upstream/remote/one-line.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const awkward = fc.string({ unit: fc.constantFrom('"', "\\", "\n", "\r", "{", ",", "\u2028", "é", "n") });
const json = fc.jsonValue({ stringUnit: fc.constantFrom('"', "\\", "\n", "\r", "a", "]") });

it("is the text without line ends for any JSON, however it is laid out", () => {
  fc.assert(
    fc.property(json, fc.constantFrom("\n", "\r\n", "\n\n  ", "\r\t"), (value, indent) => {
      // What JSON.stringify puts between values is a line end and the indent: no raw one can stand in its strings.
      const laidOut = JSON.stringify(value, null, indent.slice(0, 10));
      const expected = laidOut.replace(/[\r\n]/g, "");
      const answer = oneLine(bytes(laidOut));
      expect(answer === null ? null : new TextDecoder().decode(answer)).toBe(expected);
      expect(JSON.parse(expected)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it("never holds a line end, and is the input without them or nothing", () => {
  fc.assert(
    fc.property(awkward, (text) => {
      const answer = oneLine(bytes(text));
      if (answer === null) expect(text).toMatch(/"[\s\S]*[\r\n]/);
      else expect(new TextDecoder().decode(answer)).toBe(text.replace(/[\r\n]/g, ""));
    }),
  );
});
