import { REPEATED_ID } from "../jsonrpc/repeated-handshake.ts";

/**
 * Repeats the handshake before a restarted server and keeps its answer from the host. Until the answer has come, what
 * the server writes is looked at line by line; everything but that answer is passed on.
 */

const NEWLINE = 0x0a;

export class HandshakeReplay {
  readonly #answered = Promise.withResolvers<void>();
  /** The pieces of the line under way. */
  #held: Uint8Array[] = [];
  #done = false;

  /** Resolves when the server has answered the repeated `initialize`. */
  readonly answered: Promise<void> = this.#answered.promise;

  /** What of `bytes`, and of what was held before, is for the host. */
  filter(bytes: Uint8Array): Uint8Array {
    if (this.#done) return bytes;
    const passed: Uint8Array[] = [];
    let from = 0;
    for (let end = lineEnd(bytes, from); end > 0 && !this.#done; end = lineEnd(bytes, from)) {
      const line = Buffer.concat([...this.#held, bytes.subarray(from, end)]);
      this.#held = [];
      from = end;
      this.#done = isReplayAnswer(line);
      if (!this.#done) passed.push(line);
    }
    const rest = bytes.subarray(from);
    if (this.#done) {
      this.#answered.resolve();
      passed.push(rest);
      // The caller may use its buffer again.
    } else if (rest.length > 0) this.#held.push(new Uint8Array(rest));
    return Buffer.concat(passed);
  }
}

/** Position after the next newline, or 0. */
function lineEnd(bytes: Uint8Array, from: number): number {
  return bytes.indexOf(NEWLINE, from) + 1;
}

function isReplayAnswer(line: Uint8Array): boolean {
  const text = Buffer.from(line).toString("utf8");
  if (!text.includes(REPEATED_ID)) return false;
  try {
    return (JSON.parse(text) as { id?: unknown } | null)?.id === REPEATED_ID;
  } catch {
    return false;
  }
}
