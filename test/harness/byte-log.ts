/**
 * Everything that came out of one stream of a process, and the means to wait for a part of it.
 * Owns the bytes (or, in `digest` mode, only their count, SHA-256 and last 64 KiB, for streams of any size).
 * Never drops, decodes or re-orders a byte it keeps.
 */

import { createHash } from "node:crypto";
import { Deadline } from "./deadline.ts";
import { News } from "./news.ts";

export type Keep = "all" | "digest";

const TAIL_BYTES = 64 * 1024;
const SHOWN_BYTES = 2000;

/** A JSON-RPC message as a test looks at it. */
export interface WireMessage {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

export class ByteLog {
  readonly name: string;
  readonly keep: Keep;
  sizeBytes = 0;
  ended = false;
  #kept = Buffer.alloc(0);
  #keptBytes = 0;
  #hash = createHash("sha256");
  #lineStarts = [0];
  #messages: WireMessage[] = [];
  #linesParsed = 0;
  readonly #news = new News();

  constructor(name: string, keep: Keep = "all") {
    this.name = name;
    this.keep = keep;
  }

  push(chunk: Uint8Array): void {
    this.sizeBytes += chunk.length;
    if (this.keep === "digest") {
      this.#hash.update(chunk);
      this.#keepTail(chunk);
    } else this.#append(chunk);
    this.#wake();
  }

  end(): void {
    this.ended = true;
    this.#wake();
  }

  /** Every byte so far (in `digest` mode the last ones). Valid until the next byte arrives: copy it to keep it. */
  bytes(): Buffer {
    return this.#kept.subarray(0, this.#keptBytes);
  }

  text(): string {
    return this.bytes().toString("utf8");
  }

  /** SHA-256 of every byte of a `digest` log; may be asked for once. */
  sha256(): string {
    return this.#hash.digest("hex");
  }

  /** The complete lines so far, without their line feed. */
  lines(): string[] {
    return this.#lineStarts.slice(1).map((_, index) => this.#line(index).toString("utf8"));
  }

  get lineCount(): number {
    return this.#lineStarts.length - 1;
  }

  /** The complete lines that are JSON-RPC messages (those inside batches too), in the order they came. */
  messages(): WireMessage[] {
    for (; this.#linesParsed < this.lineCount; this.#linesParsed++) {
      let value: unknown;
      try {
        value = JSON.parse(this.#line(this.#linesParsed).toString("utf8"));
      } catch {
        continue;
      }
      for (const one of Array.isArray(value) ? value : [value]) {
        if (typeof one === "object" && one !== null) this.#messages.push(one as WireMessage);
      }
    }
    return this.#messages;
  }

  /** Waits until `look` gives something other than undefined, false or null; looks again after every chunk. */
  async until<T>(
    what: string,
    look: (log: this) => T | undefined | false | null,
    deadline = new Deadline(),
  ): Promise<T> {
    for (;;) {
      const found = look(this);
      if (found !== undefined && found !== false && found !== null) return found;
      if (this.ended) throw new Error(`${this.name} ended before ${what}\n${this.describe()}`);
      if (!(await this.#news.next(deadline)))
        throw new Error(`${this.name}: waited in vain for ${what}\n${this.describe()}`);
    }
  }

  async untilSize(bytes: number, deadline?: Deadline): Promise<Buffer> {
    return await this.until(`${bytes} bytes`, (log) => log.sizeBytes >= bytes && log.bytes(), deadline);
  }

  async untilText(text: string, deadline?: Deadline): Promise<string> {
    return await this.until(`"${text}"`, (log) => log.bytes().includes(text) && log.text(), deadline);
  }

  async untilMatch(pattern: RegExp, deadline?: Deadline): Promise<RegExpExecArray> {
    return await this.until(String(pattern), (log) => pattern.exec(log.text()), deadline);
  }

  async untilLines(count: number, deadline?: Deadline): Promise<string[]> {
    return await this.until(`${count} lines`, (log) => log.lineCount >= count && log.lines(), deadline);
  }

  async untilMessage(what: string, wanted: (m: WireMessage) => boolean, deadline?: Deadline): Promise<WireMessage> {
    let looked = 0;
    return await this.until(
      what,
      (log) => {
        const messages = log.messages();
        for (; looked < messages.length; looked++) {
          const message = messages[looked];
          if (message && wanted(message)) return message;
        }
        return undefined;
      },
      deadline,
    );
  }

  /** The answer (result or error) with this id; `1` and `"1"` are different ids. */
  async untilAnswer(id: unknown, deadline?: Deadline): Promise<WireMessage> {
    return await this.untilMessage(
      `the answer to id ${JSON.stringify(id)}`,
      (m) => m.method === undefined && m.id === id && (m.result !== undefined || m.error !== undefined),
      deadline,
    );
  }

  async untilEnd(deadline?: Deadline): Promise<void> {
    await this.until("its end", (log) => log.ended, deadline);
  }

  /** What a failure message tells of this stream. */
  describe(): string {
    const bytes = this.bytes();
    const shown = bytes.subarray(Math.max(0, bytes.length - SHOWN_BYTES)).toString("utf8");
    return `--- ${this.name}: ${this.sizeBytes} bytes${this.ended ? ", ended" : ""}; the last of them:\n${shown}`;
  }

  #line(index: number): Buffer {
    return this.#kept.subarray(this.#lineStarts[index], (this.#lineStarts[index + 1] ?? 1) - 1);
  }

  #append(chunk: Uint8Array): void {
    const from = this.#keptBytes;
    const size = from + chunk.length;
    if (size > this.#kept.length) {
      const grown = Buffer.alloc(Math.max(size, this.#kept.length * 2, 4096));
      this.bytes().copy(grown);
      this.#kept = grown;
    }
    this.#kept.set(chunk, from);
    this.#keptBytes = size;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.#lineStarts.push(from + at + 1);
  }

  #keepTail(chunk: Uint8Array): void {
    const both = Buffer.concat([this.bytes(), chunk.subarray(Math.max(0, chunk.length - TAIL_BYTES))]);
    this.#kept = both.subarray(Math.max(0, both.length - TAIL_BYTES));
    this.#keptBytes = this.#kept.length;
  }

  #wake(): void {
    this.#news.tell();
  }
}
