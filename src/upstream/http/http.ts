/**
 * What the remote transports need of HTTP, apart from how it is done: one request, and an answer whose body comes in pieces. Types only.
 */

/** Names as they are to be written, values without line ends. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface HttpRequest {
  method: "GET" | "POST" | "DELETE";
  url: URL;
  /** Of the protocol: sent wherever the request goes. */
  headers: HeaderList;
  /** What a person has configured: sent to the origin of `url` only, never to one that it is redirected to. */
  credentials: HeaderList;
  body: Uint8Array | null;
  /** Closes the connection: the server notices. */
  signal: AbortSignal;
  /** Told once the whole request has been handed to the system. */
  onSent?: () => void;
}

export interface HttpResponse {
  status: number;
  /** Names in small letters; values of one name joined with ", ". */
  headers: ReadonlyMap<string, string>;
  /**
   * The body, unchunked, in pieces as they come; no more is read than is taken. Throws `HttpFailure` when the connection ends
   * before it. A consumer that stops early closes the connection.
   */
  body: AsyncIterable<Uint8Array>;
}

export interface HttpClient {
  /** Resolves with the head of the answer, however long that takes. Rejects with `HttpFailure` only. */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Closes every connection. */
  close(): void;
}

/**
 * `unreachable`: no connection, so the request went nowhere. `lost`: the connection ended before the answer did, and what the server
 * did with the request is not known. `invalid`: what came is no HTTP, or a redirect that is not followed, or the request
 * cannot be written as one. `aborted`: by `signal`.
 */
export type HttpFailureKind = "unreachable" | "lost" | "invalid" | "aborted";

/** Why there is no (whole) answer. `message` is for people and models: short, without a header, a body or a query of the server. */
export class HttpFailure extends Error {
  readonly kind: HttpFailureKind;
  constructor(kind: HttpFailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
