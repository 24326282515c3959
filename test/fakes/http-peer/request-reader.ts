/**
 * Reads HTTP/1.1 requests out of the bytes of one connection, and keeps each exactly as it came: the target, the headers in
 * their order and spelling, the bytes of the body. Takes bodies with a length and chunked ones. Never answers; what is no
 * request is an error.
 */

/** As written, in the order it came. */
export type RawHeader = readonly [name: string, value: string];

export interface RawRequest {
  method: string;
  target: string;
  headers: readonly RawHeader[];
  body: Buffer;
}

interface Head extends Omit<RawRequest, "body"> {
  /** Null: chunked. */
  bodyBytes: number | null;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");

export class RequestReader {
  #pending = Buffer.alloc(0);
  #head: Head | null = null;
  #chunks: Buffer[] = [];
  /** Of the chunk that is being read; null between chunks. */
  #chunkBytes: number | null = null;

  /** The requests that are complete with these bytes. */
  feed(bytes: Buffer): RawRequest[] {
    this.#pending = Buffer.concat([this.#pending, bytes]);
    const requests: RawRequest[] = [];
    for (let request = this.#next(); request !== null; request = this.#next()) requests.push(request);
    return requests;
  }

  /** A request has begun and is not complete. */
  get isMidway(): boolean {
    return this.#head !== null || this.#pending.length > 0;
  }

  #next(): RawRequest | null {
    this.#head ??= this.#readHead();
    const head = this.#head;
    if (head === null) return null;
    const body = head.bodyBytes === null ? this.#readChunks() : this.#take(head.bodyBytes);
    if (body === null) return null;
    this.#head = null;
    return { method: head.method, target: head.target, headers: head.headers, body };
  }

  #readHead(): Head | null {
    const end = this.#pending.indexOf(HEAD_END);
    if (end < 0) return null;
    const [first = "", ...lines] = this.#pending.subarray(0, end).toString("latin1").split("\r\n");
    this.#pending = this.#pending.subarray(end + HEAD_END.length);
    const [, method, target] = /^([A-Z]+) (\S+) HTTP\/1\.1$/.exec(first) ?? [];
    if (method === undefined || target === undefined) throw new Error(`no request line: ${JSON.stringify(first)}`);
    const headers = lines.map((line): RawHeader => {
      const [, name, value] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`no header: ${JSON.stringify(line)}`);
      return [name, value];
    });
    return { method, target, headers, bodyBytes: bodyBytesOf(headers) };
  }

  #readChunks(): Buffer | null {
    for (;;) {
      if (this.#chunkBytes === null) {
        const end = this.#pending.indexOf(LINE_END);
        if (end < 0) return null;
        this.#chunkBytes = Number.parseInt(this.#pending.subarray(0, end).toString("latin1"), 16);
        this.#pending = this.#pending.subarray(end + LINE_END.length);
      }
      const chunk = this.#take(this.#chunkBytes + LINE_END.length);
      if (chunk === null) return null;
      const isLast = this.#chunkBytes === 0;
      this.#chunkBytes = null;
      if (!isLast) this.#chunks.push(chunk.subarray(0, -LINE_END.length));
      else {
        const body = Buffer.concat(this.#chunks);
        this.#chunks = [];
        return body;
      }
    }
  }

  #take(bytes: number): Buffer | null {
    if (this.#pending.length < bytes) return null;
    const taken = this.#pending.subarray(0, bytes);
    this.#pending = this.#pending.subarray(bytes);
    return taken;
  }
}

function bodyBytesOf(headers: readonly RawHeader[]): number | null {
  const named = (wanted: string) => headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  const lengths = named("content-length");
  const isChunked = named("transfer-encoding").includes("chunked");
  if (lengths.length + Number(isChunked) > 1) throw new Error("more than one length");
  if (isChunked) return null;
  const [length = "0"] = lengths;
  if (!/^\d+$/.test(length)) throw new Error(`no length: ${length}`);
  return Number(length);
}
