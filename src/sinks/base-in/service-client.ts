import { type HttpClient, HttpFailure, type HttpResponse } from "../../upstream/http/http.ts";
import { createHttpClient } from "../../upstream/http/http-client.ts";

/**
 * Requests to a recordings service: each is sent once, to the address that was configured and to no other, and comes back as a
 * status or as words why there is none. Never throws, never follows a redirect, keeps nothing of what the service says but
 * what it is.
 */

/** What came of a request. `isPage`: for people. `why`: short, for people; holds nothing that the service said. */
export type Answer =
  | { kind: "status"; status: number; retryAfterMs: number | null; isOfBir: boolean; isPage: boolean }
  | { kind: "none"; why: string };

export interface ServiceClientOptions {
  /** As `serviceUrl` spells it. */
  url: string;
  token: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Epoch ms; what a date in `Retry-After` is measured against. */
  now: () => number;
  connectTimeoutMs?: number;
  /** For connecting, the request and the whole answer together. */
  answerTimeoutMs?: number;
  /** Told one line for each file of certificates that cannot be read. */
  warn?: (line: string) => void;
}

const CONNECT_MS = 10_000;
const ANSWER_MS = 30_000;
/** Of an answer no more is read; what has more closes its connection. */
const MAX_ANSWER_BYTES = 64 * 1024;

export class ServiceClient {
  readonly #options: ServiceClientOptions;
  readonly #http: HttpClient;
  readonly #closing = new AbortController();

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    this.#http = createHttpClient({
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_MS,
      env: options.env,
      warn: options.warn ?? (() => {}),
      followsRedirects: false,
    });
  }

  /** Writes a body of JSON text to `path`, which begins with a slash. */
  async write(method: "POST" | "PATCH", path: string, json: string): Promise<Answer> {
    return await this.#exchange(method, path, new TextEncoder().encode(json));
  }

  /** Asks who is there: changes nothing. `isOfBir` where it says that it is another bir. */
  async ask(): Promise<Answer> {
    return await this.#exchange("GET", "/health", null);
  }

  /** Gives up what is under way, and closes every connection. */
  close(): void {
    this.#closing.abort();
    this.#http.close();
  }

  async #exchange(method: "GET" | "POST" | "PATCH", path: string, body: Uint8Array | null): Promise<Answer> {
    const { url, token, answerTimeoutMs = ANSWER_MS } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), answerTimeoutMs);
    try {
      const response = await this.#http.send({
        method,
        url: new URL(url + path),
        headers: [
          ["accept", "application/json"],
          ...(body === null ? [] : [["content-type", "application/json"] as const]),
        ],
        credentials: [["authorization", `Bearer ${token}`]],
        body,
        signal: AbortSignal.any([late.signal, this.#closing.signal]),
      });
      const text = await readAnswer(response);
      const { status, headers } = response;
      const retryAfterMs = retryAfter(headers.get("retry-after"), this.#options.now());
      const isPage = text === null || /^\s*</.test(text) || /\bhtml\b/i.test(headers.get("content-type") ?? "");
      const saysBir = body === null && status === 200 && isOfBir(text);
      return { kind: "status", status, retryAfterMs, isOfBir: saysBir, isPage };
    } catch (cause) {
      if (!(cause instanceof HttpFailure)) throw cause;
      const why = late.signal.aborted ? `no answer within ${Math.round(answerTimeoutMs / 1000)} s` : cause.message;
      return { kind: "none", why };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Reads all of a short answer, so that its connection can be used again; null for one that is too long. */
async function readAnswer({ body }: HttpResponse): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MAX_ANSWER_BYTES) return null;
    pieces.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

function isOfBir(text: string | null): boolean {
  try {
    return (JSON.parse(text ?? "") as { service?: unknown } | null)?.service === "bir";
  } catch {
    return false;
  }
}

/** `Retry-After` in ms: seconds, or a date; null where it says nothing that can be understood. RFC 9110 10.2.3. */
export function retryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
