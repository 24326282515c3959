import { describe, expect, test } from "vitest";
import { FirstJson } from "../../src/hooks/first-json.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function fed(text: string | Uint8Array, maxBytes = 1_000): FirstJson {
  const first = new FirstJson(maxBytes);
  first.feed(typeof text === "string" ? bytes(text) : text);
  return first;
}

describe("the first JSON value", () => {
  test.each([
    ['{"a":1}', '{"a":1}'],
    [' \r\n\t[1,"]"]\n{"b":2}', '[1,"]"]'],
    ['\ufeff {"a":"}\\""}trailing', '{"a":"}\\""}'],
    ['"a\\\\"b', '"a\\\\"'],
    ["12 ", "12"],
    ["null,", "null"],
    ["-1.5E+3\n", "-1.5E+3"],
    ['{"a":[{}],"b":{"c":"{"}}}', '{"a":[{}],"b":{"c":"{"}}'],
  ])("of %j is %j", (stream, value) => {
    const first = fed(stream);
    expect(first.state).toBe("complete");
    expect(first.text()).toBe(value);
  });

  test.each(["", "  ", "{", '{"a":"', '{"a":"}\\"', "[[]", '"', "tru", "12", "\ufeff"])(
    "is not there yet in %j",
    (stream) => {
      expect(fed(stream).state).toBe("open");
    },
  );

  test("is a number or a word only when something follows or the stream ends", () => {
    const first = fed("12");
    expect(first.end()).toBe("complete");
    expect(first.text()).toBe("12");
    expect(fed("{").end()).toBe("open");
    expect(fed("").end()).toBe("open");
  });

  test.each(["}", ",", "Hello", "<x>", "\0", "(1)", "ü"])("never comes after %j", (stream) => {
    const first = fed(stream);
    expect(first.state).toBe("not json");
    expect(first.feed(bytes("{}"))).toBe("not json");
    expect(first.text()).toBe("");
  });

  test("ends the reading: what follows is not looked at", () => {
    const first = fed("{}");
    expect(first.feed(bytes("[1]"))).toBe("complete");
    expect(first.end()).toBe("complete");
    expect(first.text()).toBe("{}");
  });

  test("is kept from a buffer that is used again", () => {
    const first = new FirstJson(100);
    const buffer = bytes('{"a":');
    first.feed(buffer);
    buffer.fill(0x20);
    first.feed(bytes("1}"));
    expect(first.text()).toBe('{"a":1}');
  });

  test("over the bound is given up, with what came of it; one of exactly the bound is not", () => {
    const first = fed(`  ["${"x".repeat(50)}`, 10);
    expect(first.state).toBe("too large");
    expect(first.text()).toBe('["xxxxxxxx');
    expect(first.feed(bytes('"]'))).toBe("too large");
    expect(fed('["xxxxxx"]', 10).state).toBe("complete");
    expect(fed('["xxxxxxx"]', 10).state).toBe("too large");
    expect(fed('["xxxxxxxx', 10).state).toBe("open");
  });

  test("of very many small parts is given up as well, and one of a very long text is not", () => {
    const text = `[${"1,".repeat(1_000_000)}1]`;
    for (const size of [text.length, 65_536]) {
      const first = new FirstJson(16_000_000);
      for (let i = 0; i < text.length; i += size) first.feed(bytes(text.slice(i, i + size)));
      expect(first.state).toBe("too large");
      expect(text.startsWith(first.text())).toBe(true);
      expect(first.text().length).toBeGreaterThan(1_000_000);
    }
    expect(fed(`["${'\\"'.repeat(1_000_000)}"]`, 16_000_000).state).toBe("too large");
    expect(fed(`["${"x".repeat(8_000_000)}"]`, 16_000_000).state).toBe("complete");
  });

  test("cut inside a character is still text", () => {
    expect(fed(bytes('{"a":"é').slice(0, -1)).text()).toBe('{"a":"\ufffd');
  });

  test("is found in time that grows with the stream, not with its cuts", () => {
    // Each of these took minutes if any byte were looked at again with every chunk.
    const hostile = [
      `"${"\\".repeat(1_000_000)}`,
      `["${'\\"'.repeat(500_000)}`,
      "[".repeat(1_000_000),
      `{"a":"${"x".repeat(1_000_000)}`,
    ];
    for (const text of hostile) {
      const stream = bytes(text);
      const first = new FirstJson(2_000_000);
      for (let i = 0; i < stream.length; i++) first.feed(stream.subarray(i, i + 1));
      expect(first.state).toBe("open");
      expect(first.text()).toBe(text);
    }
  });
});
