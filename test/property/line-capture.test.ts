import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Captured, HEAD_BYTES, LineCapture, TAIL_BYTES } from "../../src/jsonrpc/line-capture.ts";

const NEWLINE = 0x0a;
const BOUND = HEAD_BYTES + TAIL_BYTES;

/** One line as it was captured. */
interface Line {
  /** Null where its middle was left out. */
  whole: Buffer | null;
  head: Buffer;
  tail: Buffer;
  totalBytes: number;
  at: number;
}

function linesOf(captured: Captured): Line[] {
  if ("head" in captured) {
    const { head, tail, totalBytes, at } = captured;
    return [{ whole: null, head: Buffer.from(head.subarray(0, HEAD_BYTES)), tail: Buffer.from(tail), totalBytes, at }];
  }
  const { slab, start, end, at } = captured;
  const bytes = Buffer.from(slab.bytes.subarray(start, end));
  const lines: Line[] = [];
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, from);
    const to = newline < 0 ? bytes.length : newline;
    const whole = bytes.subarray(from, to);
    lines.push({ whole, head: whole, tail: whole, totalBytes: whole.length, at });
    from = to + 1;
  }
  return lines;
}

/** Lines that are not empty: the others carry nothing and may be left out. */
function nonEmptyLines(input: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < input.length; ) {
    const newline = input.indexOf(NEWLINE, from);
    const to = newline < 0 ? input.length : newline;
    if (to > from) lines.push(input.subarray(from, to));
    from = to + 1;
  }
  return lines;
}

function expectLines(found: Line[], input: Buffer): void {
  const expected = nonEmptyLines(input);
  const lines = found.filter((line) => line.totalBytes > 0);
  expect(lines.map((line) => line.totalBytes)).toEqual(expected.map((line) => line.length));
  for (const [i, line] of lines.entries()) {
    const bytes = expected[i] as Buffer;
    if (line.whole !== null) expect(line.whole.equals(bytes)).toBe(true);
    else {
      expect(bytes.length).toBeGreaterThan(BOUND);
      expect(line.head.equals(bytes.subarray(0, HEAD_BYTES))).toBe(true);
      expect(line.tail.equals(bytes.subarray(bytes.length - TAIL_BYTES))).toBe(true);
    }
  }
}

/** Feeds `input` in pieces through a buffer that is written over after each. */
function feedAll(capture: LineCapture, input: Buffer, sizes: Iterator<number>): void {
  for (let from = 0; from < input.length; ) {
    const size = Math.max(1, sizes.next().value ?? 1);
    const chunk = Buffer.from(input.subarray(from, from + size));
    capture.feed(chunk, from);
    chunk.fill(0xff);
    from += chunk.length;
  }
  capture.end(input.length);
}

function* repeating(sizes: readonly number[]): Generator<number> {
  for (;;) yield* sizes;
}

function captureAll(input: Buffer, sizes: readonly number[]): { captured: Captured[]; lines: Line[] } {
  const captured: Captured[] = [];
  feedAll(new LineCapture((one) => captured.push(one)), input, repeating(sizes));
  // Read at the end: what was not given back must not have been written over.
  return { captured, lines: captured.flatMap(linesOf) };
}

/** Lines that show it when a byte is missing, doubled or moved. */
function counting(length: number, seed = 0): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = 0x20 + ((i * 31 + (i >> 8) * 7 + seed) % 95);
  return bytes;
}

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 400 })), {
  minLength: 1,
  maxLength: 9,
});

describe("lines", () => {
  test("are captured as they are, however they come in pieces", () => {
    const input = fc
      .array(fc.oneof(fc.constant(NEWLINE), fc.constant(0x0d), fc.integer({ min: 0, max: 255 })), { maxLength: 600 })
      .map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(input, sizes, (bytes, pieces) => {
        expectLines(captureAll(bytes, pieces).lines, bytes);
      }),
      { numRuns: 500 },
    );
  });

  test("of every length around the bound are whole up to it, and head and tail above it", () => {
    const lengths = [HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1, BOUND - 1, BOUND, BOUND + 1, BOUND + TAIL_BYTES + 1];
    for (const length of lengths) {
      for (const size of [1_000, 4_096, 65_536, TAIL_BYTES - 1, TAIL_BYTES + 1]) {
        const input = Buffer.concat([counting(length), Buffer.from("\nnext\n")]);
        const { lines } = captureAll(input, [size]);
        expectLines(lines, input);
        expect(lines[0]?.whole === null).toBe(length > BOUND);
      }
    }
  });

  test("long and short, in pieces of any size", () => {
    const lines = fc.array(fc.oneof(fc.nat({ max: 300 }), fc.integer({ min: BOUND - 50, max: BOUND + 9_000 })), {
      minLength: 1,
      maxLength: 5,
    });
    const pieces = fc.array(fc.integer({ min: 1_000, max: 70_000 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(lines, pieces, fc.boolean(), (lengths, sizesOfPieces, isEnded) => {
        const parts = lengths.flatMap((length, i) => [counting(length, i), Buffer.from("\n")]);
        const input = Buffer.concat(isEnded ? parts : parts.slice(0, -1));
        expectLines(captureAll(input, sizesOfPieces).lines, input);
      }),
      { numRuns: 100 },
    );
  });

  test("carry the moment at which their last byte came", () => {
    const input = Buffer.from("ab\ncd\nef");
    const { lines } = captureAll(input, [4]);
    expect(lines.map(({ whole, at }) => [whole?.toString(), at])).toEqual([
      ["ab", 0],
      ["cd", 4],
      ["ef", 8],
    ]);
  });

  test("under way when there is no more are handed over once", () => {
    const captured: Captured[] = [];
    const capture = new LineCapture((one) => captured.push(one));
    capture.end(0);
    capture.feed(Buffer.from("half"), 1);
    capture.end(2);
    capture.end(3);
    capture.feed(Buffer.alloc(0), 4);
    capture.feed(Buffer.from("\n"), 5);
    expect(
      captured
        .flatMap(linesOf)
        .filter((line) => line.totalBytes > 0)
        .map(({ whole }) => whole?.toString()),
    ).toEqual(["half"]);
  });
});

describe("buffers", () => {
  test("hold what they hold until they are given back, however late", () => {
    const piece = fc.record({ length: fc.nat({ max: 30_000 }), give: fc.boolean() });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), sizes, (pieces, chunkSizes) => {
        const kept: Captured[] = [];
        const lines: Line[] = [];
        const capture = new LineCapture((one) => kept.push(one));
        const input: Buffer[] = [];
        for (const [i, { length, give }] of pieces.entries()) {
          const line = Buffer.concat([counting(length, i), Buffer.from("\n")]);
          input.push(line);
          for (let from = 0, n = 0; from < line.length; n++) {
            const size = (chunkSizes[n % chunkSizes.length] ?? 1) * 97;
            capture.feed(line.subarray(from, from + size), i);
            from += size;
          }
          // As the tap does: the oldest are looked at first, some at a time.
          while (give && kept.length > 1) {
            const oldest = kept.shift() as Captured;
            lines.push(...linesOf(oldest));
            capture.release(oldest);
          }
        }
        capture.end(0);
        for (const one of kept) lines.push(...linesOf(one));
        expectLines(lines, Buffer.concat(input));
      }),
      { numRuns: 200 },
    );
  });

  test("of long lines are used again without mixing them", () => {
    const lines: Line[] = [];
    const capture = new LineCapture((one) => {
      lines.push(...linesOf(one));
      capture.release(one);
    });
    const input = Buffer.concat(
      [0, 1, 2, 3].flatMap((seed) => [
        counting(BOUND + 5_000 * seed + 1, seed),
        Buffer.from("\n"),
        counting(100 + seed),
        Buffer.from("\n"),
      ]),
    );
    feedAll(capture, input, repeating([50_000]));
    expectLines(lines, input);
  });

  test("do not follow the size of a message", () => {
    const { captured } = captureAll(Buffer.concat([counting(5_000_000), Buffer.from("\n")]), [65_536]);
    expect(captured).toHaveLength(1);
    for (const one of captured) {
      expect("head" in one && one.head.length).toBe(BOUND);
      expect("head" in one && one.tail.length).toBe(TAIL_BYTES);
    }
  });

  test("of many small lines are shared", () => {
    const { captured } = captureAll(Buffer.from("0123456789\n".repeat(10_000)), [1_100]);
    const slabs = new Set(captured.map((one) => ("slab" in one ? one.slab : null)));
    expect(captured).toHaveLength(100);
    expect(slabs.size).toBeLessThanOrEqual(3);
  });
});

test("the work for a piece does not depend on what came before it", () => {
  let copied = 0;
  const { set, copyWithin } = Uint8Array.prototype;
  const spies = [
    vi.spyOn(Uint8Array.prototype, "set").mockImplementation(function (this: Uint8Array, from, at) {
      copied += from.length;
      return set.call(this, from, at);
    }),
    vi.spyOn(Uint8Array.prototype, "copyWithin").mockImplementation(function (this: Uint8Array, ...args) {
      copied += this.length;
      return copyWithin.apply(this, args);
    }),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  const capture = new LineCapture(() => {});
  const chunk = counting(1_024);
  const copiedFor = (chunks: number) => {
    const before = copied;
    for (let i = 0; i < chunks; i++) capture.feed(chunk, 0);
    return copied - before;
  };
  // Up to the bound each byte is kept once, and moved at most twice when the buffer grows.
  expect(copiedFor(BOUND / 1_024)).toBeLessThanOrEqual(3 * BOUND);
  const early = copiedFor(100);
  copiedFor(10_000);
  expect(copiedFor(100)).toBe(early);
  expect(early).toBeLessThanOrEqual(100 * (chunk.length + TAIL_BYTES));
});
