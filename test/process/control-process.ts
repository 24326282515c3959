/** The built control server as a process of a sandbox, and requests to it, well-formed and not. */

import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { Discovery } from "../../src/core/control-wire.ts";
import { serverDiscoveryPath } from "../../src/kit/paths.ts";
import { Deadline } from "../harness/deadline.ts";
import { BIR } from "../harness/locations.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";

export const READY = /bir: serving at (http:\/\/127\.0\.0\.1:\d+)\. /;

/** Starts `bir hooks serve`, and waits until it can be found. */
export async function startServer(box: Sandbox, flags: readonly string[] = []): Promise<RunningProcess> {
  const server = box.start([BIR, "hooks", "serve", ...flags]);
  await server.stderr.untilMatch(READY);
  return server;
}

export function discoveryOf(box: Sandbox): Discovery {
  return JSON.parse(readFileSync(serverDiscoveryPath(box.birHome), "utf8"));
}

export function serverLog(box: Sandbox): string {
  return readFileSync(join(box.birHome, "log", "server.log"), "utf8");
}

/** Ends a server as a person would, and expects it to go well. */
export async function endServer(server: RunningProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
  server.signal(signal);
  const { code } = await server.exit();
  return code;
}

/** Sends a request as our own programs do. */
export async function ask(
  { url, token }: Pick<Discovery, "url" | "token">,
  path: string,
  body?: unknown,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, connection: "close" },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** A connection on which anything can be sent. */
export class RawConnection {
  readonly #socket;
  readonly #ended: Promise<void>;
  text = "";

  constructor(url: string) {
    this.#socket = connect(Number(new URL(url).port), "127.0.0.1");
    this.#socket.on("data", (chunk: Buffer) => {
      this.text += chunk.toString("latin1");
    });
    // Refused, reset, or closed while we write: what came before is what counts.
    this.#socket.on("error", () => {});
    this.#ended = new Promise((resolve) => {
      this.#socket.on("close", () => resolve());
    });
  }

  /** Resolves when the system has taken it, or the connection is gone. */
  async send(data: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#socket.write(data, () => resolve());
    });
  }

  /** The status of the answer, once its head is here. */
  async status(deadline = new Deadline()): Promise<number> {
    const seen = new Promise<void>((resolve) => {
      const look = () => this.text.includes("\r\n\r\n") && resolve();
      this.#socket.on("data", look);
      look();
    });
    await deadline.race(Promise.race([seen, this.#ended]));
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.text)?.[1] ?? Number.NaN);
  }

  async closed(deadline = new Deadline()): Promise<boolean> {
    return await deadline.race(this.#ended);
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** The head of a request with a token; `more` are whole header lines. */
export function head({ url, token }: Discovery, method: string, path: string, more: readonly string[] = []): string {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${new URL(url).host}`, `Authorization: Bearer ${token}`, ...more];
  return `${lines.join("\r\n")}\r\n\r\n`;
}
