/**
 * A compressed body, decompressed as it comes: what of it can be told is told at once, so that a stream of events goes on flowing.
 * Takes no more than is taken of it, however much a few bytes may stand for. Loaded only when an answer is compressed.
 */

import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import type { Coding } from "./content-codings.ts";
import { HttpFailure } from "./http.ts";

type Pieces = AsyncIterator<Uint8Array, unknown>;

const DONE: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };
/** A body that ends early is no fault of its compression; other clients are as lenient. */
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** @param codings in the order in which they were applied */
export function decodedBody(body: AsyncIterable<Uint8Array>, codings: readonly Coding[]): AsyncIterable<Uint8Array> {
  return codings.reduceRight<AsyncIterable<Uint8Array>>((pieces, coding) => new DecodedBody(pieces, coding), body);
}

class DecodedBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #input: Pieces;
  readonly #coding: Coding;
  #output: Promise<Pieces> | null = null;
  #decoder: Transform | null = null;
  #failure: unknown = null;
  #isOver = false;

  constructor(body: AsyncIterable<Uint8Array>, coding: Coding) {
    this.#input = body[Symbol.asyncIterator]();
    this.#coding = coding;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#isOver) return DONE;
    try {
      this.#output ??= this.#begin();
      const output = await this.#output;
      const piece = this.#isOver ? DONE : await output.next();
      if (piece.done !== true) return piece;
    } catch (error) {
      this.#failure ??= error instanceof HttpFailure ? error : undecodable();
    }
    if (this.#isOver) return DONE;
    const failure = this.#failure;
    await this.return();
    if (failure !== null) throw failure;
    return DONE;
  }

  /** Also ends a `next` that is waited for. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#isOver = true;
    this.#decoder?.destroy();
    await this.#input.return?.();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #begin(): Promise<Pieces> {
    const first = await this.#input.next();
    if (first.done === true || this.#isOver) return { next: () => Promise.resolve(DONE) };
    const decoder = decoderFor(this.#coding, first.value);
    decoder.on("error", () => {});
    this.#decoder = decoder;
    void this.#feed(decoder, first.value);
    return decoder[Symbol.asyncIterator]();
  }

  /** What has been decompressed before a failure is told before it. */
  async #feed(decoder: Transform, first: Uint8Array): Promise<void> {
    try {
      await written(decoder, first);
      while (!decoder.destroyed) {
        const piece = await this.#input.next();
        if (piece.done === true) break;
        await written(decoder, piece.value);
      }
    } catch (error) {
      this.#failure ??= error;
    }
    decoder.end();
  }
}

/** Resolves when it has been decompressed and there is room for more, or when there never will be. */
function written(decoder: Transform, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    decoder.once("close", resolve);
    decoder.write(piece, () => {
      decoder.off("close", resolve);
      resolve();
    });
  });
}

function decoderFor(coding: Coding, first: Uint8Array): Transform {
  if (coding === "gzip") return createGunzip(ZLIB);
  if (coding === "br") return createBrotliDecompress(BROTLI);
  // Half of those who say so leave out the head that belongs to it.
  const hasHead = ((first[0] ?? 0) & 0x0f) === 0x08;
  return hasHead ? createInflate(ZLIB) : createInflateRaw(ZLIB);
}

function undecodable(): HttpFailure {
  return new HttpFailure("invalid", "the answer is compressed and cannot be decompressed");
}
