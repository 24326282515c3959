import { describe, expect, it } from "vitest";
import { readMessage } from "../../src/jsonrpc/message.ts";
import { EventStream, type StreamEvent } from "../../src/upstream/remote/event-stream.ts";

const MEBIBYTE = 1024 * 1024;
const encoder = new TextEncoder();
const bytes = (text: string): Uint8Array => encoder.encode(text);
const text = (data: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(data);

interface Told {
  type: string;
  id: string | null;
  data: string | null;
}

const told = ({ type, id, data, hasData }: StreamEvent): Told => ({ type, id, data: hasData ? text(data) : null });

function parse(...chunks: (string | Uint8Array)[]): Told[] {
  const stream = new EventStream(MEBIBYTE);
  return chunks.flatMap((chunk) => stream.feed(typeof chunk === "string" ? bytes(chunk) : chunk).map(told));
}

describe("events of a stream", () => {
  it("tells type, id and data, and persists the id", () => {
    expect(
      parse("event: message\nid: a-1\ndata: one\n\ndata:two\n\nevent: ping\ndata: three\n\ndata: four\n\n"),
    ).toEqual([
      { type: "message", id: "a-1", data: "one" },
      { type: "message", id: "a-1", data: "two" },
      { type: "ping", id: "a-1", data: "three" },
      { type: "message", id: "a-1", data: "four" },
    ]);
  });

  it("takes LF, CR and CRLF as line ends", () => {
    const expected = [
      { type: "message", id: null, data: "a\nb" },
      { type: "message", id: null, data: "c" },
    ];
    for (const end of ["\n", "\r", "\r\n"]) {
      expect(parse(["data: a", "data: b", "", "data: c", "", ""].join(end))).toEqual(expected);
    }
    expect(parse("data: a\rdata: b\r\n\ndata: c\n\r")).toEqual(expected);
  });

  it("tells an event at its last line end, also where a LF may still belong to it", () => {
    const stream = new EventStream(MEBIBYTE);
    expect(stream.feed(bytes("data: a\r\n\r")).map(told)).toEqual([{ type: "message", id: null, data: "a" }]);
    expect(stream.feed(bytes("\n"))).toEqual([]);
    expect(stream.feed(bytes("\r\n\n"))).toEqual([]);
    expect(stream.feed(bytes("data: b\r\n\r\n")).map(told)).toEqual([{ type: "message", id: null, data: "b" }]);
  });

  it("passes over one byte order mark at the start, and only there", () => {
    const mark = "\uFEFF";
    expect(parse(`${mark}data: a\n\n${mark}data: b\n\ndata: ${mark}c\n\n`).map((event) => event.data)).toEqual([
      "a",
      `${mark}c`,
    ]);
    const [first, second, third] = bytes(mark);
    expect(parse(Uint8Array.of(first!), Uint8Array.of(second!), Uint8Array.of(third!, 0x64), "ata: a\n\n")).toEqual([
      { type: "message", id: null, data: "a" },
    ]);
    // Half a mark is the start of a field of an unknown name.
    expect(parse(Uint8Array.of(first!, second!), "data: a\ndata: b\n\n").map((event) => event.data)).toEqual(["b"]);
  });

  it("takes one space after the colon away, and no more", () => {
    expect(parse("data:  a \ndata:b\ndata\ndata: \n\n").map((event) => event.data)).toEqual([" a \nb\n\n"]);
  });

  it("tells no event for comments, unknown fields and an event without data or id", () => {
    expect(
      parse(": keep-alive\n\n:\n\nfoo: bar\n\n data: x\n\nDATA: x\n\ndatas: x\n\nevent: lonely\n\nretry: 5\n\n\n\n"),
    ).toEqual([]);
    // The type of an event that was none does not stay.
    expect(parse("event: lonely\n\ndata: x\n\n")).toEqual([{ type: "message", id: null, data: "x" }]);
  });

  it("tells a priming event as one without data, so that its id counts", () => {
    const expected = [{ type: "message", id: "1", data: null }];
    expect(parse("id: 1\ndata: \n\n")).toEqual(expected);
    expect(parse("id: 1\ndata\n\n")).toEqual(expected);
    expect(parse("id: 1\n\n")).toEqual(expected);
  });

  it("ignores an id with NUL; an empty one takes the id back", () => {
    expect(parse("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\nid:\ndata: c\n\n").map((event) => event.id)).toEqual([
      "1",
      "1",
      null,
    ]);
  });

  it("knows the last id as of the last event that ended", () => {
    const stream = new EventStream(MEBIBYTE);
    expect(stream.lastEventId).toBeNull();
    stream.feed(bytes("id: 1\ndata: a\n\nid: 2\ndata: b\n"));
    expect(stream.lastEventId).toBe("1");
    expect(stream.feed(bytes("\n")).map(told)).toEqual([{ type: "message", id: "2", data: "b" }]);
    expect(stream.lastEventId).toBe("2");
  });

  it("forgets the id where one is too long to be told back, so that nothing is resumed too early", () => {
    const long = "x".repeat(20_000);
    for (const cut of [0, 3, 17_000]) {
      const whole = `id: 1\n\nid: ${long}\ndata: a\n\n`;
      const events = parse(whole.slice(0, cut + 7), whole.slice(cut + 7));
      expect(events.at(-1)?.id).toBe(cut === 0 ? long : null);
    }
  });

  it("reads retry in digits only", () => {
    const stream = new EventStream(MEBIBYTE);
    expect(stream.retryMs).toBeNull();
    stream.feed(bytes("retry: 1500\n"));
    expect(stream.retryMs).toBe(1500);
    stream.feed(bytes("retry: 2s\nretry: -1\nretry:\nretry: 1e3\nretry: 0x10\n"));
    expect(stream.retryMs).toBe(1500);
    stream.feed(bytes("retry:0"));
    expect(stream.retryMs).toBe(1500);
    stream.feed(bytes("\n"));
    expect(stream.retryMs).toBe(0);
  });

  it("leaves every byte of data as it came", () => {
    const odd = Uint8Array.of(0x22, 0, 0xff, 0xfe, 0xe2, 0x80, 0xa8, 0x85, 0x0b, 0x0c, 0xef, 0xbb, 0xbf, 0x22);
    const chunk = Uint8Array.of(...bytes("data: "), ...odd, ...bytes("\n\n"));
    expect([...(new EventStream(MEBIBYTE).feed(chunk)[0]?.data ?? [])]).toEqual([...odd]);
    const stream = new EventStream(MEBIBYTE);
    const events = [...chunk].flatMap((byte) => stream.feed(Uint8Array.of(byte)));
    expect([...(events[0]?.data ?? [])]).toEqual([...odd]);
  });

  it("does not copy one line of data in one chunk, and copies what a chunk leaves behind", () => {
    const chunk = bytes("id: 1\ndata: abc\n\ndata: left ");
    const stream = new EventStream(MEBIBYTE);
    const [event] = stream.feed(chunk);
    expect(event?.data.buffer).toBe(chunk.buffer);
    chunk.fill(0x78);
    const second = bytes("behind\ndata: and more\n");
    expect(stream.feed(second)).toEqual([]);
    second.fill(0x78);
    expect(stream.feed(bytes("\n")).map(told)).toEqual([{ type: "message", id: "1", data: "left behind\nand more" }]);
  });

  it("discards an event that the stream's end cut off", () => {
    expect(parse("data: a\n\ndata: b\n")).toEqual([{ type: "message", id: null, data: "a" }]);
  });
});

describe("data over the bound", () => {
  const big = `{"jsonrpc":"2.0","method":"m","params":"${"x".repeat(300_000)}","id":7}`;

  function feedIn(stream: EventStream, whole: Uint8Array, size: number): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (let at = 0; at < whole.length; at += size) events.push(...stream.feed(whole.subarray(at, at + size)));
    return events;
  }

  it("is told with its start, its end and its length, and the next event is whole", () => {
    const whole = bytes(`id: 1\ndata: ${big}\n\nid: 2\ndata: {"small":1}\n\n`);
    for (const size of [whole.length, 65_536, 1000, 7]) {
      const [over, small] = feedIn(new EventStream(200_000), whole, size);
      expect(over).toMatchObject({ type: "message", id: "1", hasData: true });
      expect(over?.data.length).toBe(0);
      expect(over?.oversized?.totalBytes).toBe(big.length);
      expect(text(over?.oversized?.head ?? new Uint8Array())).toBe(big.slice(0, 128 * 1024));
      expect(text(over?.oversized?.tail ?? new Uint8Array())).toBe(big.slice(-4096));
      expect(small && told(small)).toEqual({ type: "message", id: "2", data: '{"small":1}' });
    }
  });

  it("leaves id and method readable", () => {
    const [over] = new EventStream(200_000).feed(bytes(`data: ${big}\n\n`));
    const { head, tail } = over?.oversized ?? { head: new Uint8Array(), tail: new Uint8Array() };
    expect(readMessage(text(head), 0, text(tail))).toMatchObject({ kind: "request", rawId: "7", method: "m" });
  });

  it("counts line ends between lines of data; at the bound itself nothing is cut", () => {
    const [whole] = new EventStream(7).feed(bytes("data: abc\ndata: def\n\n"));
    expect(whole && told(whole)).toEqual({ type: "message", id: null, data: "abc\ndef" });
    const [over] = new EventStream(6).feed(bytes("data: abc\ndata: def\n\n"));
    expect(over?.oversized?.totalBytes).toBe(7);
    expect(text(over!.oversized!.head)).toBe("abc\ndef");
    expect(text(over!.oversized!.tail)).toBe("abc\ndef");
  });
});
