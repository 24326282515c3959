/**
 * A control server by script, on an ephemeral port of 127.0.0.1: keeps every request it was sent, and answers as told, or
 * hangs, resets, closes, talks nonsense. Knows nothing of runs. As a program (`bun control-server.ts`) it answers as a
 * healthy one, prints its discovery as one line, and ends with its stdin: for tests that stop or kill a real process.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import type { Discovery } from "../../src/core/control-wire.ts";
import { discoveryPath, serverDiscoveryPath } from "../../src/kit/paths.ts";
import { processStartedAt } from "../../src/kit/process-identity.ts";
import { Deadline } from "../harness/deadline.ts";
import { News } from "../harness/news.ts";

/** One request, whole. */
export interface SeenRequest {
  method: string;
  route: string;
  authorization: string | undefined;
  /** As it came. */
  text: string;
  /** What that says; undefined where it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they please
  body: any;
  /** When its last byte came, by `performance.now()`. */
  at: number;
}

/** `hang`: read, never answered. `half`: an answer that stops in its body. `garbage`: bytes that are no HTTP. */
export type Reply =
  | { status?: number; body?: unknown; afterMs?: number }
  | "hang"
  | "reset"
  | "close"
  | "half"
  | "garbage";

/** What to answer to the `nth` request (from 0) in all. */
export type Script = (request: SeenRequest, nth: number) => Reply;

/** What a healthy server answers. */
export function healthyReply({ route, body }: SeenRequest): Reply {
  if (route === "/proxy/register") return { body: { proxyId: "proxy-1" } };
  if (route === "/proxy/step") return { body: { accepted: body?.reports?.length ?? 0 } };
  if (route === "/health") return { body: { ok: true } };
  return { body: { stragglers: 0, injectedId: null } };
}

export class FakeControlServer {
  readonly requests: SeenRequest[] = [];
  readonly token = crypto.randomUUID();
  /** Answers a request with its own token; set anew at any time. Others get 401. */
  script: Script;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #news = new News();

  private constructor(script: Script) {
    this.script = script;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(script: Script = healthyReply): Promise<FakeControlServer> {
    const fake = new FakeControlServer(script);
    await new Promise<void>((resolve, reject) => {
      fake.#server.once("error", reject);
      fake.#server.listen(0, "127.0.0.1", resolve);
    });
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What leads a process here without a file. */
  get env(): Record<string, string> {
    return { BIR_CONTROL_URL: this.url, BIR_CONTROL_TOKEN: this.token };
  }

  discovery(other: Partial<Discovery> = {}): Discovery {
    const processStarted = processStartedAt(process.pid) ?? "unknown";
    const own = { url: this.url, token: this.token, sessionId: null, pid: process.pid };
    return { ...own, startedAt: Date.now(), processStartedAt: processStarted, ...other };
  }

  /** Writes the server's discovery file, and with `directory` that directory's. */
  announce(home: string, directory?: string): void {
    for (const path of [
      serverDiscoveryPath(home),
      ...(directory === undefined ? [] : [discoveryPath(directory, home)]),
    ]) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, JSON.stringify(this.discovery()), { mode: 0o600 });
    }
  }

  /** Waits until so many requests came in all. */
  async untilRequests(count: number, deadline = new Deadline()): Promise<SeenRequest[]> {
    while (this.requests.length < count) {
      if (!(await this.#news.next(deadline))) throw new Error(`${this.requests.length} of ${count} requests came`);
    }
    return this.requests;
  }

  /** Ends at once; connections that are open are cut. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    let bytes: Uint8Array = new Uint8Array(0);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let found = takeRequest(bytes); found !== null; found = takeRequest(bytes)) {
        bytes = found.rest;
        this.#answer(socket, found.request);
      }
    });
  }

  #answer(socket: Socket, request: SeenRequest): void {
    const nth = this.requests.push(request) - 1;
    const isOurs = request.authorization === `Bearer ${this.token}`;
    const reply = isOurs ? this.script(request, nth) : { status: 401, body: { error: "unauthorized" } };
    if (reply === "reset") socket.resetAndDestroy();
    else if (reply === "close") socket.end();
    else if (reply === "garbage") socket.end("SSH-2.0-nothing\r\n\r\n");
    else if (reply === "half") socket.write('HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n{"stragglers":');
    else if (reply !== "hang") setTimeout(() => write(socket, reply), reply.afterMs ?? 0);
    this.#news.tell();
  }
}

function write(socket: Socket, { status = 200, body = {} }: Exclude<Reply, string>): void {
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 ${status} ${status === 200 ? "OK" : "No"}\r\ncontent-type: application/json\r\n`;
  if (!socket.destroyed) socket.write(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

/** The first whole request in `bytes`; its body has a stated length. */
function takeRequest(received: Uint8Array): { request: SeenRequest; rest: Uint8Array } | null {
  const bytes = Buffer.from(received.buffer, received.byteOffset, received.length);
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const head = bytes.subarray(0, headEnd).toString("latin1");
  const header = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, "im").exec(head)?.[1]?.trim();
  const end = headEnd + 4 + Number(header("content-length") ?? 0);
  if (bytes.length < end) return null;
  const [method = "", route = ""] = head.split(" ", 2);
  const text = bytes.subarray(headEnd + 4, end).toString();
  const request = { method, route, authorization: header("authorization"), text, body: parsed(text) };
  return { request: { ...request, at: performance.now() }, rest: bytes.subarray(end) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const fake = await FakeControlServer.start();
  console.log(JSON.stringify(fake.discovery()));
  process.stdin.resume().once("end", () => process.exit(0));
}
