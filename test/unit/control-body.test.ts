import { describe, expect, test } from "vitest";
import { Refused, readBody } from "../../src/http-server/body.ts";

/** Bounds of a request's body in size and in time. */

const LIMIT = 1000;

/** A body that comes in pieces, without a word of its length; `ends` false: it never does. */
function pieces(sizes: readonly number[], ends = true): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      for (const size of sizes) controller.enqueue(new Uint8Array(size).fill(0x61));
      if (ends) controller.close();
    },
  });
}

const request = (body: string | ReadableStream<Uint8Array>, headers: Record<string, string> = {}) =>
  new Request("http://127.0.0.1/", { method: "POST", body, headers });

async function refusal(work: Promise<string>): Promise<[number, string | null]> {
  const cause = await work.catch((caught: unknown) => caught);
  if (!(cause instanceof Refused)) throw new Error(`not refused: ${String(cause)}`);
  return [cause.answer.status, cause.answer.headers.get("connection")];
}

describe("a body", () => {
  test.each([0, 1, LIMIT])("of %i bytes is read, with its length told or not", async (size) => {
    const told = request("a".repeat(size), { "content-length": String(size) });
    expect(await readBody(told, LIMIT)).toHaveLength(size);
    expect(await readBody(request(pieces([size])), LIMIT)).toHaveLength(size);
  });

  test("that is too large is refused once its sender has written it, whether it was told or not", async () => {
    for (const headers of [{ "content-length": String(LIMIT + 1) }, { "content-length": "many" }, {}]) {
      const seen: number[] = [];
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          seen.push(seen.length);
          controller.enqueue(new Uint8Array(LIMIT));
          if (seen.length === 10) controller.close();
        },
      });
      expect(await refusal(readBody(request(body, headers as Record<string, string>), LIMIT))).toEqual([413, "close"]);
      expect(seen).toHaveLength(10);
    }
  });

  test("that is too large and never ends is refused for its size, so that nobody sends it again", async () => {
    const told = request(pieces([1], false), { "content-length": String(LIMIT + 1) });
    expect(await refusal(readBody(told, LIMIT, 20))).toEqual([413, "close"]);
    expect(await refusal(readBody(request(pieces([LIMIT, 1], false)), LIMIT, 20))).toEqual([413, "close"]);
  });

  test("that never ends is not waited for", async () => {
    for (const headers of [{}, { "content-length": "10" }]) {
      expect(await refusal(readBody(request(pieces([5], false), headers), LIMIT, 20))).toEqual([503, "close"]);
    }
  });

  test("is text, however it was cut", async () => {
    const bytes = new TextEncoder().encode("aé😀z");
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(await readBody(request(stream), LIMIT)).toBe("aé😀z");
  });
});
