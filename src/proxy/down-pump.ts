import type { HostSide } from "./host-side.ts";

/**
 * Passes what a server writes on to the host, chunk by chunk as it comes. Reads no further while the host has not taken
 * what was read; stops reading when the host is gone, so that the server notices.
 */

/** A process that is gone leaves nothing unread for longer than this; somebody else holds its pipe. */
const QUIET_MS = 50;
/** More than any pipe can hold: what comes after it was written by somebody else. */
const MOST_BYTES_AFTER_EXIT = 8 * 1024 * 1024;

export class DownPump {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #host: HostSide;
  readonly #passed: (bytes: Uint8Array) => void;
  readonly #done: Promise<void>;
  /** Decides what of the next bytes is passed on; none: all of it. */
  #filter: ((bytes: Uint8Array) => Uint8Array) | null;
  #bytesRead = 0;
  #writing = false;
  #ended = false;

  constructor(
    stream: ReadableStream<Uint8Array>,
    host: HostSide,
    passed: (bytes: Uint8Array) => void,
    filter: ((bytes: Uint8Array) => Uint8Array) | null,
  ) {
    this.#reader = stream.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    this.#host = host;
    this.#passed = passed;
    this.#filter = filter;
    this.#done = this.#pump();
  }

  /** Everything is passed on from now on. */
  removeFilter(): void {
    this.#filter = null;
  }

  /** The process is gone: resolves when what it wrote has been passed on, whoever else may hold its pipe. */
  async drained(): Promise<void> {
    const mostBytes = this.#bytesRead + MOST_BYTES_AFTER_EXIT;
    for (let before = -1; !this.#ended; ) {
      if (!this.#writing && (this.#bytesRead === before || this.#bytesRead > mostBytes)) {
        await this.#reader.cancel().catch(() => {});
        return;
      }
      before = this.#bytesRead;
      await Promise.race([this.#done, Bun.sleep(QUIET_MS)]);
    }
  }

  async #pump(): Promise<void> {
    try {
      for (;;) {
        const { value, done } = await this.#reader.read();
        if (done) break;
        this.#bytesRead += value.length;
        const bytes = this.#host.woven(this.#filter === null ? value : this.#filter(value));
        if (bytes.length === 0) continue;
        const taken = this.#host.write(bytes);
        this.#passed(bytes);
        if (taken !== null) {
          this.#writing = true;
          await taken;
          this.#writing = false;
        }
        if (this.#host.gone) {
          await this.#reader.cancel();
          break;
        }
      }
    } catch {
      // The pipe broke: to the host it is the same as its end.
    }
    this.#writing = false;
    this.#ended = true;
  }
}
