import { type HttpClient, HttpFailure, type HttpRequest, type HttpResponse } from "../../src/upstream/http/http.ts";
import { RemoteUpstream } from "../../src/upstream/remote/remote-upstream.ts";

/** A remote upstream on an HTTP client that answers as a test says, and what came out for the host. */

export interface AskedRequest extends HttpRequest {
  text: string;
  header(name: string): string | undefined;
  answer(status: number, headers: Record<string, string>, ...pieces: string[]): void;
  json(value: unknown, headers?: Record<string, string>): void;
  /** A stream that stays open until `end`. */
  stream(headers?: Record<string, string>): { say(text: string): void; end(): void; breakOff(): void };
  fail(kind: "unreachable" | "lost" | "invalid", message: string): void;
}

export class FakeClient implements HttpClient {
  readonly requests: AskedRequest[] = [];
  #waiting: (() => void)[] = [];
  isClosed = false;
  /** Nothing that is sent leaves. */
  isSlow = false;

  send(request: HttpRequest): Promise<HttpResponse> {
    const head = Promise.withResolvers<HttpResponse>();
    request.signal.addEventListener("abort", () => head.reject(new HttpFailure("aborted", "given up")));
    if (request.signal.aborted) head.reject(new HttpFailure("aborted", "given up"));
    const respond = (status: number, headers: Record<string, string>, body: AsyncIterable<Uint8Array>): void => {
      head.resolve({ status, headers: new Map(Object.entries(headers)), body });
    };
    const asked: AskedRequest = {
      ...request,
      text: Buffer.from(request.body ?? []).toString(),
      header: (name) => [...request.headers, ...request.credentials].find(([n]) => n.toLowerCase() === name)?.[1],
      answer: (status, headers, ...pieces) => respond(status, headers, bodyOf(pieces)),
      json: (value, headers = {}) => {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        respond(200, { "content-type": "application/json", ...headers }, bodyOf([text]));
      },
      stream: (headers = {}) => {
        const live = new LiveBody(request.signal);
        respond(200, { "content-type": "text/event-stream", ...headers }, live);
        return live;
      },
      fail: (kind, message) => head.reject(new HttpFailure(kind, message)),
    };
    this.requests.push(asked);
    if (!this.isSlow) request.onSent?.();
    for (const wake of this.#waiting.splice(0)) wake();
    return head.promise;
  }

  close(): void {
    this.isClosed = true;
  }

  /** The request number `n`, counted from 0, once it was made. */
  async request(n: number): Promise<AskedRequest> {
    for (;;) {
      const asked = this.requests[n];
      if (asked !== undefined) return asked;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

async function* bodyOf(pieces: readonly string[]): AsyncIterable<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

class LiveBody implements AsyncIterable<Uint8Array> {
  #said: (Uint8Array | null | HttpFailure)[] = [];
  #wake: (() => void) | null = null;

  constructor(signal: AbortSignal) {
    signal.addEventListener("abort", () => this.#push(new HttpFailure("aborted", "given up")));
  }

  say(text: string): void {
    this.#push(Buffer.from(text));
  }

  end(): void {
    this.#push(null);
  }

  breakOff(): void {
    this.#push(new HttpFailure("lost", "the connection broke"));
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for (;;) {
      const next = this.#said.shift();
      if (next === null) return;
      if (next instanceof HttpFailure) throw next;
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #push(next: Uint8Array | null | HttpFailure): void {
    this.#said.push(next);
    this.#wake?.();
  }
}

/** A remote upstream and its ends. */
export class RemoteDesk {
  readonly client = new FakeClient();
  readonly upstream: RemoteUpstream;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #text = "";
  isOver = false;

  constructor(options: Partial<ConstructorParameters<typeof RemoteUpstream>[0]> = {}) {
    this.upstream = new RemoteUpstream(
      {
        serverName: "far",
        url: new URL("http://far.test/mcp"),
        transport: null,
        configured: [],
        mostBytes: 1_000_000,
        connectTimeoutMs: 1_000,
        ...options,
      },
      this.client,
    );
    this.#reader = this.upstream.output.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  host(...messages: (string | object)[]): Promise<void> | null {
    const lines = messages.map((message) => (typeof message === "string" ? message : JSON.stringify(message)));
    return this.upstream.write(Buffer.from(lines.map((line) => `${line}\n`).join("")));
  }

  /** The next line for the host; null at the end. */
  async line(): Promise<string | null> {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 1);
        return line;
      }
      const { value, done } = await this.#reader.read();
      if (done) return null;
      this.#text += Buffer.from(value).toString();
    }
  }

  /** Everything that is still to come, at the end. */
  async rest(): Promise<string[]> {
    const lines: string[] = [];
    for (let line = await this.line(); line !== null; line = await this.line()) lines.push(line);
    return lines;
  }

  /** Shakes hands; the next request of the client is number 3 (initialize, initialized, the server's stream). */
  async shakeHands(sessionId: string | null = "s1"): Promise<void> {
    this.host(INITIALIZE);
    const headers: Record<string, string> = sessionId === null ? {} : { "mcp-session-id": sessionId };
    (await this.client.request(0)).json({ jsonrpc: "2.0", id: 0, result: { protocolVersion: "2025-11-25" } }, headers);
    await this.line();
    this.host({ jsonrpc: "2.0", method: "notifications/initialized" });
    (await this.client.request(1)).answer(202, {});
    (await this.client.request(2)).answer(405, {});
  }
}

export const INITIALIZE = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } };

export const MODERN_META = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };

export function call(id: number | string, name = "echo", args: object = {}, meta?: object): object {
  const params = meta === undefined ? { name, arguments: args } : { name, arguments: args, _meta: meta };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}
