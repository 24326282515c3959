/**
 * What the remote transports need of HTTP, apart from how it is done: one request, and an answer whose body comes in pieces. Types only.
 */

/**
 * Names as they are to be written. Values are written in latin1, a byte a character: what is to be sent in UTF-8 has to be given as
 * its bytes in latin1 (`Buffer.from(text).toString("latin1")`), as it is read from the headers of an answer. A value with a
 * control character other than the tab, or a character above U+00FF, makes the request `invalid`.
 */
export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface HttpRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  url: URL;
  /** Of the protocol: sent wherever the request goes. */
  headers: HeaderList;
  /** What a person has configured: sent to the origin of `url` only, never to one that it is redirected to. */
  credentials: HeaderList;
  body: Uint8Array | null;
  /** Closes the connection: the server notices. */
  signal: AbortSignal;
  /**
   * Told once, when its bytes have left or never will: all has been handed to the system, or the exchange is over in whatever way (no
   * connection, given up, failed, an answer before the request was out whose connection is closed). Where a redirect is followed
   * before the request was out, told of the place it led to; where it was out, not told again.
   */
  onSent?: () => void;
}

export interface HttpResponse {
  status: number;
  /** Names in small letters; values in latin1, those of one name joined with ", ". Without those that say how the body was compressed. */
  headers: ReadonlyMap<string, string>;
  /**
   * The body, unchunked and decompressed, in pieces as they come; no more is read than is taken. Throws `HttpFailure` when the connection ends
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
