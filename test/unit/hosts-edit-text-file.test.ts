import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/hosts/edit/formats.ts";
import { decodeTextFile, encodeTextFile } from "../../src/hosts/edit/text-file.ts";

const bytes = (text: string, ...before: number[]) => new Uint8Array([...before, ...new TextEncoder().encode(text)]);

describe("bytes of a file", () => {
  test.each([
    ["plain", bytes('{"a": "\u00e9\ud83d\ude00"}\r\n')],
    ["a byte order mark", bytes("{}", 0xef, 0xbb, 0xbf)],
    ["two of them", bytes("{}", 0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf)],
    ["nothing", new Uint8Array()],
    ["only a mark", new Uint8Array([0xef, 0xbb, 0xbf])],
  ])("%s: come back as they were", (_, original) => {
    const file = decodeTextFile(original);
    expect(file.hasByteOrderMark).toBe(original[0] === 0xef);
    expect([...encodeTextFile(file)]).toEqual([...original]);
  });

  test.each([
    ["little-endian with a mark", new Uint8Array([0xff, 0xfe, 0x7b, 0])],
    ["big-endian with a mark", new Uint8Array([0xfe, 0xff, 0, 0x7b])],
    ["little-endian", new Uint8Array([0x7b, 0, 0x7d, 0])],
    ["big-endian", new Uint8Array([0, 0x7b, 0, 0x7d])],
  ])("UTF-16, %s: refused with what to do", (_, original) => {
    expect(() => decodeTextFile(original)).toThrow(/UTF-16.*save it as UTF-8/);
  });

  test.each([
    [[...bytes("{\n  \u00e9"), 0xff, 0x7d], 2, 4],
    [[...bytes("{}\n"), 0xc3], 2, 1],
    [[...bytes("ab", 0xef, 0xbb, 0xbf), 0xc0, 0x80], 1, 3],
  ])("no UTF-8: %j at line %d, column %d", (original, line, column) => {
    let error: unknown;
    try {
      decodeTextFile(new Uint8Array(original));
    } catch (cause) {
      error = cause;
    }
    expect(error).toMatchObject({ line, column });
  });
});

test("edits that overlap or lie outside are refused", () => {
  const edit = (offset: number, length: number) => ({ offset, length, text: "x" });
  expect(applyEdits("abc", [edit(3, 0), edit(0, 1)])).toBe("xbcx");
  expect(applyEdits("abc", [edit(1, 2), edit(1, 0)])).toBe("axx");
  expect(() => applyEdits("abc", [edit(0, 2), edit(1, 1)])).toThrow();
  expect(() => applyEdits("abc", [edit(2, 2)])).toThrow();
});
