import { ByteSink } from "../kit/byte-sink.ts";

/**
 * The host's end of the wire: our stdin and stdout. Every write is awaited, so that back-pressure reaches the server.
 */

const NEWLINE = 0x0a;

export class HostSide {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #sink = new ByteSink(Bun.stdout.writer());
  #lastByte = NEWLINE;
  /** Lines of ours that wait for the end of the server's line. */
  #inserted: Uint8Array[] = [];

  constructor() {
    this.#reader = Bun.stdin.stream().getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  /** True once the host no longer reads what we write. */
  get gone(): boolean {
    return this.#sink.broken;
  }

  /** The next bytes from the host; null when it has closed its end. */
  async read(): Promise<Uint8Array | null> {
    try {
      const { value, done } = await this.#reader.read();
      return done ? null : value;
    } catch {
      return null;
    }
  }

  /** Starts writing `bytes`. Answers null when they are taken already, else a promise for when they are. */
  write(bytes: Uint8Array): Promise<void> | null {
    this.#lastByte = bytes[bytes.length - 1] ?? this.#lastByte;
    return this.#sink.write(bytes);
  }

  /** A line of ours is to be written between two lines of the server. */
  insert(line: Uint8Array): void {
    this.#inserted.push(line);
  }

  get hasInserted(): boolean {
    return this.#inserted.length > 0;
  }

  /** The lines that wait, where nothing is in their way; else null. */
  takeInserted(): Uint8Array | null {
    if (this.#inserted.length === 0 || this.#lastByte !== NEWLINE) return null;
    const lines = Buffer.concat(this.#inserted);
    this.#inserted = [];
    return lines;
  }

  /** What to write for bytes of the server: the same, with the lines that wait behind the first end of a line. */
  woven(bytes: Uint8Array): Uint8Array {
    const lineEnd = this.#inserted.length === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    if (lineEnd === 0) return bytes;
    const all = Buffer.concat([bytes.subarray(0, lineEnd), ...this.#inserted, bytes.subarray(lineEnd)]);
    this.#inserted = [];
    return all;
  }

  /** Writes whole lines of ours, beginning on a line of their own. */
  async writeLines(lines: string): Promise<void> {
    await this.finishLine();
    await this.write(Buffer.from(lines));
  }

  /** Ends a line that a server has left unfinished. */
  async finishLine(): Promise<void> {
    if (this.#lastByte !== NEWLINE) await this.write(Buffer.from("\n"));
  }
}
