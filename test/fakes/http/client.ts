/** A client under test with what it was told to warn of, and short ways to send with it. */

import type { HttpClient, HttpRequest, HttpResponse } from "../../../src/upstream/http/http.ts";
import { createHttpClient, type HttpClientOptions } from "../../../src/upstream/http/http-client.ts";

export class TestClient {
  readonly client: HttpClient;
  readonly warnings: string[] = [];

  constructor(options: Partial<HttpClientOptions> = {}) {
    const warn = (line: string): void => void this.warnings.push(line);
    this.client = createHttpClient({ connectTimeoutMs: 20_000, env: {}, warn, ...options });
  }

  /** Resolves with the head of the answer. */
  send(url: URL, request: Partial<HttpRequest> = {}): Promise<HttpResponse> {
    return this.client.send(requestTo(url, request));
  }

  /** Posts, and takes the whole answer. */
  async post(url: URL, body: string, request: Partial<HttpRequest> = {}): Promise<string> {
    return (await whole(await this.send(url, { body: Buffer.from(body), ...request }))).toString();
  }
}

/** A POST with nothing but what is given. */
export function requestTo(url: URL, request: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: "POST",
    url,
    headers: [],
    credentials: [],
    body: null,
    signal: new AbortController().signal,
    ...request,
  };
}

/** The body, taken to its end. */
export async function whole({ body }: HttpResponse): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
