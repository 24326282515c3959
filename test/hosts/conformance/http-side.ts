/**
 * The HTTP side of an MCP server, both eras on one endpoint, in front of any `Backend`: the fixture and the front share it,
 * so that what differs between the two is only what the way in between did. Never looks into what a method does.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Backend } from "./backend.ts";
import { HttpSessions, type SessionOptions } from "./http-sessions.ts";
import {
  CODE,
  isAnswer,
  isRequest,
  LEGACY,
  META,
  type Message,
  metaOf,
  type Request,
  type RpcError,
} from "./message.ts";
import { headerError } from "./modern-headers.ts";
import { event, STREAM_HEADERS } from "./server-events.ts";

const STATUS = new Map<number, number>([
  [CODE.notFound, 404],
  [CODE.params, 400],
  [CODE.headers, 400],
  [CODE.capability, 400],
  [CODE.version, 400],
]);

export interface HttpSide {
  /** The endpoint. */
  url: string;
  /** How many sessions have begun and not ended. */
  sessions(): number;
  close(): Promise<void>;
}

/** Serves `backend` on a free port of 127.0.0.1. */
export async function serveHttp(backend: Backend, options: SessionOptions): Promise<HttpSide> {
  const sessions = new HttpSessions(backend, options);
  const server = createServer((req, res) => {
    answer(req, res).catch((error) => fail(res, 500, { code: -32603, message: String(error) }));
  });

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!isLocal(req)) return fail(res, 403, { code: -32000, message: "Host or Origin is not of this machine" });
    if (req.url !== "/mcp") return fail(res, 404, { code: -32000, message: "no such endpoint" });
    if (req.method !== "POST") return sessions.withoutBody(req, res);
    const message: Message = JSON.parse(await bodyOf(req));
    if (!isModern(req, message)) return sessions.post(req, res, message);
    const wrong = await headerError(req.headers, message, (name) => backend.tool(name));
    if (wrong) return fail(res, 400, wrong, message.id ?? null);
    if (!isRequest(message)) return void res.writeHead(202).end();
    exchange(message, res);
  }

  /** A JSON body when the answer is all there is, else a stream. */
  function exchange(request: Request, res: ServerResponse): void {
    const cancel = backend.exchange(request, (message) => {
      const last = isAnswer(message);
      if (last && !res.headersSent) {
        const status = message.error ? (STATUS.get(message.error.code) ?? 200) : 200;
        res.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(message));
        return;
      }
      if (!res.headersSent) res.writeHead(200, STREAM_HEADERS);
      res.write(event(message));
      if (last) res.end();
    });
    res.on("close", () => {
      if (!res.writableFinished) cancel();
    });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    sessions: () => sessions.size,
    async close() {
      server.close();
      server.closeAllConnections();
      await sessions.close();
      await backend.close();
    },
  };
}

/** Of the era without sessions: it says so in its body, or names no version that has them in its header. */
function isModern(req: IncomingMessage, message: Message): boolean {
  const version = req.headers["mcp-protocol-version"];
  return metaOf(message)[META.version] !== undefined || (version !== undefined && !LEGACY.includes(String(version)));
}

function isLocal({ headers }: IncomingMessage): boolean {
  const names = [`http://${headers.host}`, headers.origin].filter((name) => name !== undefined);
  return names.every((name) => ["localhost", "127.0.0.1", "[::1]"].includes(new URL(name).hostname));
}

function fail(res: ServerResponse, status: number, error: RpcError, id: Message["id"] = null): void {
  if (!res.headersSent) res.writeHead(status, { "Content-Type": "application/json" });
  res.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
