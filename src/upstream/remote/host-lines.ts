/**
 * What a remote server says, as one stream of lines for the host. Takes lines as fast as the host reads them; whoever writes waits
 * meanwhile, and so in the end the server.
 */

/** So much may wait for the host before writers have to. */
const HIGH_WATER_BYTES = 1024 * 1024;
/** A longer message is not copied to put a newline behind it. */
const COPIED_BYTES = 16 * 1024;
const NEWLINE = Uint8Array.of(0x0a);

export class HostLines {
  readonly stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #room: PromiseWithResolvers<void> | null = null;
  #isClosed = false;

  /** `onGone`: nobody reads any more. */
  constructor(onGone: () => void) {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#makeRoom(),
        cancel: () => {
          this.#isClosed = true;
          this.#makeRoom();
          onGone();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_BYTES }),
    );
  }

  /** Writes one message, which must hold no newline. Answers null when there is room for more, else a promise for when there is. */
  write(message: Uint8Array): Promise<void> | null {
    if (this.#isClosed) return null;
    if (message.length > COPIED_BYTES) {
      this.#enqueue(message);
      return this.#enqueue(NEWLINE);
    }
    const line = new Uint8Array(message.length + 1);
    line.set(message);
    line.set(NEWLINE, message.length);
    return this.#enqueue(line);
  }

  /** Writes an answer of ours: lines with their newlines. */
  writeText(lines: string): Promise<void> | null {
    return this.#isClosed || lines === "" ? null : this.#enqueue(Buffer.from(lines));
  }

  /** Nothing more will be written. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#controller?.close();
    this.#makeRoom();
  }

  #enqueue(bytes: Uint8Array): Promise<void> | null {
    this.#controller?.enqueue(bytes);
    if ((this.#controller?.desiredSize ?? 1) > 0) return null;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = null;
  }
}
