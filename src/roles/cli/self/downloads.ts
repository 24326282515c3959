import { closeSync, openSync, writeSync } from "node:fs";
import { EXIT } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { type HttpClient, HttpFailure, type HttpResponse } from "../../../upstream/http/http.ts";
import { createHttpClient } from "../../../upstream/http/http-client.ts";
import { VERSION } from "../../../version.ts";

/**
 * Files of a release over HTTP, by the client that remote servers are reached with: proxies and certificates as everywhere, never
 * from https to http. Nothing but the server's falling silent bounds how long a file may take. Never shows what a server answers.
 */
export class Downloads {
  readonly #client: HttpClient;
  readonly #timeoutMs: number;

  /** `timeoutMs`: for connecting, and for the time in which nothing comes. */
  constructor(timeoutMs: number, warn: (line: string) => void) {
    this.#timeoutMs = timeoutMs;
    this.#client = createHttpClient({ connectTimeoutMs: timeoutMs, env: process.env, warn });
  }

  /** The text of a small file. Throws Problem. */
  async text(url: string, mostBytes: number): Promise<string> {
    const pieces: Uint8Array[] = [];
    let sizeBytes = 0;
    await this.#get(url, (piece) => {
      sizeBytes += piece.length;
      if (sizeBytes > mostBytes) throw new HttpFailure("invalid", "the server sends more than that file may be");
      pieces.push(piece.slice());
    });
    return Buffer.concat(pieces).toString();
  }

  /** Writes a file to `path`, where nothing is yet; answers its SHA-256. Throws Problem, and what the system says of `path`. */
  async file(url: string, path: string): Promise<string> {
    const hasher = new Bun.CryptoHasher("sha256");
    const file = openSync(path, "wx", 0o600);
    try {
      await this.#get(url, (piece) => {
        hasher.update(piece);
        for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
      });
    } finally {
      closeSync(file);
    }
    return hasher.digest("hex");
  }

  close(): void {
    this.#client.close();
  }

  async #get(url: string, take: (piece: Uint8Array) => void): Promise<void> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), this.#timeoutMs);
    const heard = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), this.#timeoutMs);
    };
    try {
      const { status, body } = await this.#send(new URL(url), silence.signal);
      heard();
      if (status !== 200) throw new HttpFailure("invalid", `the server answered HTTP ${status}`);
      for await (const piece of body) {
        heard();
        take(piece);
      }
    } catch (cause) {
      if (!(cause instanceof HttpFailure)) throw cause;
      const why = silence.signal.aborted ? `the server sent nothing for ${this.#timeoutMs} ms` : cause.message;
      throw new Problem(
        "not-got",
        `${url} could not be got: ${why}`,
        "Nothing was changed; try again later.",
        EXIT.upstream,
      );
    } finally {
      clearTimeout(timer);
    }
  }

  #send(url: URL, signal: AbortSignal): Promise<HttpResponse> {
    const headers = [
      ["accept", "*/*"],
      ["user-agent", `bir/${VERSION}`],
    ] as const;
    return this.#client.send({ method: "GET", url, headers, credentials: [], body: null, signal });
  }
}
