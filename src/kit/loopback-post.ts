import type { ServerAddress } from "./discovery.ts";

/**
 * One HTTP request to a server on this machine, over a connection of its own. Not `fetch`, which would ask the proxy that a
 * person has set in the environment, and could be cut off at no exact moment. Reads answers of a stated length only, as the
 * control server gives them. Never throws, never tries again.
 */

/**
 * What came of it. `silent`: somebody has taken the connection, and said nothing in time. `none`: nobody is there, or nobody
 * who speaks HTTP, or the connection broke.
 */
export type PostOutcome = { kind: "answered"; status: number; body: string } | { kind: "silent" } | { kind: "none" };

const MAX_ANSWER_BYTES = 1024 * 1024;
const NONE: PostOutcome = { kind: "none" };
const SILENT: PostOutcome = { kind: "silent" };

/** Posts a JSON text; resolves within `timeoutMs`. */
export function postJson(address: ServerAddress, route: string, json: string, timeoutMs: number): Promise<PostOutcome> {
  return new Promise((resolve) => {
    let connection: Bun.Socket | undefined;
    const settle = (outcome: PostOutcome): void => {
      clearTimeout(timer);
      resolve(outcome);
      connection?.end();
    };
    const timer = setTimeout(() => settle(SILENT), Math.max(0, timeoutMs));
    const answer = new Answer();
    let unsent = requestBytes(address, route, json);
    const send = (socket: Bun.Socket): void => {
      unsent = unsent.subarray(socket.write(unsent));
      if (unsent.length === 0) socket.flush();
    };
    const hostname = address.host === "[::1]" ? "::1" : address.host;
    Bun.connect({
      hostname,
      port: address.port,
      socket: {
        open: (socket) => {
          connection = socket;
          send(socket);
        },
        drain: send,
        data: (_, chunk) => {
          const outcome = answer.take(chunk);
          if (outcome !== null) settle(outcome);
        },
        close: () => settle(NONE),
        error: () => settle(NONE),
        connectError: () => settle(NONE),
      },
    }).catch(() => settle(NONE));
  });
}

function requestBytes({ host, port, token }: ServerAddress, route: string, json: string): Uint8Array {
  const head =
    `POST ${route} HTTP/1.1\r\nhost: ${host}:${port}\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n`;
  return new TextEncoder().encode(head + json);
}

/** An answer as it comes in: its status line, its headers, and a body as long as they say. */
class Answer {
  #bytes: Uint8Array = new Uint8Array(0);

  /** The outcome once it is known; null while more is needed. */
  take(chunk: Uint8Array): PostOutcome | null {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length > MAX_ANSWER_BYTES) return NONE;
    const text = new TextDecoder().decode(this.#bytes);
    const headEnd = text.indexOf("\r\n\r\n");
    if (headEnd < 0) return text.startsWith("HTTP/1.1 ".slice(0, text.length)) ? null : NONE;
    const status = text.startsWith("HTTP/1.1 ") ? Number(text.slice(9, 12)) : 0;
    const length = statedLength(text.slice(0, headEnd).toLowerCase());
    if (!(status >= 200) || !(length >= 0)) return NONE;
    // A head is ASCII: its characters are its bytes.
    const start = headEnd + 4;
    if (this.#bytes.length < start + length) return null;
    return { kind: "answered", status, body: new TextDecoder().decode(this.#bytes.subarray(start, start + length)) };
  }
}

/** What `content-length` says in a head in small letters; NaN where it says nothing. */
function statedLength(head: string): number {
  const name = "\r\ncontent-length:";
  const at = head.indexOf(name);
  if (at < 0) return Number.NaN;
  const end = head.indexOf("\r", at + name.length);
  const value = head.slice(at + name.length, end < 0 ? undefined : end).trim();
  return value === "" ? Number.NaN : Number(value);
}
