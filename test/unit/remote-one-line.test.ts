import { describe, expect, it } from "vitest";
import { oneLine } from "../../src/upstream/remote/one-line.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const line = (text: string): string | null => {
  const answer = oneLine(bytes(text));
  return answer === null ? null : new TextDecoder().decode(answer);
};

describe("a message made fit for a line", () => {
  it("is the same bytes where it is one line already", () => {
    const message = bytes('{"a": "\u2028\\n\\r", "b" : [1.0,\t 2]}');
    expect(oneLine(message)).toBe(message);
    expect(oneLine(bytes(""))).toHaveLength(0);
  });

  it("loses line ends around it without a copy", () => {
    const message = bytes('\r\n{"a":1}\r\n\n');
    const answer = oneLine(message);
    expect(answer?.buffer).toBe(message.buffer);
    expect(line('\r\n{"a":1}\r\n\n')).toBe('{"a":1}');
    expect(line("\n\r\n")).toBe("");
  });

  it("loses line ends between its values and nothing else", () => {
    expect(line('{\r\n  "a": 1.0,\n\t"b": [\n 1,\r2\n],\n "c": "\\n\\\\"\n}\n')).toBe(
      '{  "a": 1.0,\t"b": [ 1,2], "c": "\\n\\\\"}',
    );
  });

  it("knows a string's end by its escapes", () => {
    expect(line('{"a":"\\"",\n"b":"\\\\",\n"c":"\\\\\\"",\n"d":"x"}')).toBe(
      '{"a":"\\"","b":"\\\\","c":"\\\\\\"","d":"x"}',
    );
  });

  it("is none where a line end stands inside a string", () => {
    for (const broken of ['{"a":"x\ny"}', '{"a":"x\ry"}', '{"a":"\\\\\n"}', '{"a":"\\\n"}', '{"a":"\\"\n,"b":1}']) {
      expect(line(broken)).toBeNull();
    }
  });

  it("leaves bytes that are no text alone", () => {
    const odd = Uint8Array.of(0x5b, 0x0a, 0x22, 0xff, 0, 0xe2, 0x80, 0xa8, 0x22, 0x0d, 0x5d);
    expect([...(oneLine(odd) ?? [])]).toEqual([0x5b, 0x22, 0xff, 0, 0xe2, 0x80, 0xa8, 0x22, 0x5d]);
  });
});
