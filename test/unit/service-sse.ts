/** Reads server-sent events off a stream, one after the other. */

export interface SentEvent {
  name: string;
  id: string | null;
  data: unknown;
}

export class SentEvents {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";
  /** Comments that were seen so far. */
  comments = 0;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** The next event; null when the stream has ended. Rejects where it broke off. */
  async next(): Promise<SentEvent | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const lines = this.#text.slice(0, end).split("\n");
        this.#text = this.#text.slice(end + 2);
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const name = field("event");
        if (name !== undefined) return { name, id: field("id") ?? null, data: JSON.parse(field("data") ?? "null") };
        this.comments++;
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** The next event of that name. */
  async nextOf<T>(name: string): Promise<{ id: string | null; data: T }> {
    for (;;) {
      const event = await this.next();
      if (event === null) throw new Error(`the stream ended before an event \`${name}\``);
      if (event.name === name) return { id: event.id, data: event.data as T };
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }
}
