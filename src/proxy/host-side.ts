import { ByteSink } from "../kit/byte-sink.ts";

/**
 * The host's end of the wire: our stdin and stdout. Every write is awaited, so that back-pressure reaches the server.
 */

const NEWLINE = 0x0a;

export class HostSide {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #sink = new ByteSink(Bun.stdout.writer());
  #lastByte = NEWLINE;

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
