/**
 * One answer out of the bytes of a connection, in chunks of any cut: its head, its body in pieces, and where it ends. Answers of
 * status 1xx before it are passed over. Knows nothing of sockets.
 */

import { ChunkedBody } from "./chunked-body.ts";
import { type Framing, framingOf, idleTimeMs } from "./framing.ts";
import { HttpFailure } from "./http.ts";
import { HeadReader, type ResponseHead } from "./response-head.ts";

export interface ResponseSink {
  onHead(head: ResponseHead): void;
  /** A part of the body, never empty: a view of the chunk it came in. */
  onPiece(piece: Uint8Array): void;
}

export class ResponseReader {
  readonly #sink: ResponseSink;
  readonly #headReader = new HeadReader();
  #framing: Framing | null = null;
  #left = 0;
  #chunked: ChunkedBody | null = null;
  #isComplete = false;
  #idleMs = 0;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Once complete: how long the connection may be kept for another request; 0 = not at all. */
  get idleMs(): number {
    return this.#isComplete ? this.#idleMs : 0;
  }

  /** @throws HttpFailure `invalid` for what is no answer; nothing more may be taken then */
  take(chunk: Buffer): void {
    let at = 0;
    while (this.#framing === null && at < chunk.length) at = this.#takeHead(chunk, at);
    if (this.#framing !== null && !this.#isComplete) at = this.#takeBody(chunk, at, this.#framing);
    // Bytes that nobody asked for: who knows what else is wrong with this connection.
    if (this.#isComplete && at < chunk.length) this.#idleMs = 0;
  }

  /**
   * The connection has ended.
   * @throws HttpFailure `lost` when that is not where the answer ends
   */
  end(): void {
    if (this.#isComplete) return;
    if (this.#framing?.kind !== "close") {
      throw new HttpFailure("lost", "the connection ended before the answer did");
    }
    this.#isComplete = true;
  }

  #takeHead(chunk: Buffer, start: number): number {
    const taken = this.#headReader.take(chunk, start);
    if (taken === null) return chunk.length;
    const { head, end } = taken;
    if (head.status === 101) throw new HttpFailure("invalid", "the server switches to another protocol");
    if (head.status < 200) return end;
    const framing = framingOf(head);
    this.#framing = framing;
    this.#idleMs = idleTimeMs(head, framing);
    this.#sink.onHead(head);
    if (framing.kind === "chunked") this.#chunked = new ChunkedBody();
    if (framing.kind === "length") this.#left = framing.bytes;
    this.#isComplete = framing.kind === "none" || (framing.kind === "length" && framing.bytes === 0);
    return end;
  }

  #takeBody(chunk: Buffer, start: number, framing: Framing): number {
    if (start === chunk.length) return start;
    if (this.#chunked !== null) {
      const end = this.#chunked.take(chunk, start, (piece) => this.#sink.onPiece(piece));
      this.#isComplete = end >= 0;
      return end < 0 ? chunk.length : end;
    }
    const end = framing.kind === "length" ? Math.min(chunk.length, start + this.#left) : chunk.length;
    this.#sink.onPiece(chunk.subarray(start, end));
    this.#left -= end - start;
    this.#isComplete = framing.kind === "length" && this.#left === 0;
    return end;
  }
}
