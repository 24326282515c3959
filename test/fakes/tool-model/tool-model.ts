/**
 * A scripted model that calls the tools it is told to, one after the other, then says its last word; on an ephemeral port of
 * 127.0.0.1, in the dialect of one API. Keeps what it was offered and what came back. A request without the prompt is another
 * question of the host (a title, say) and is answered with a word; one that the API does not know is kept as `unexpected`.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import type { Answer, Asked, Dialect, Use } from "./dialect.ts";

export interface ToolScript {
  /** Text that the person's words hold. */
  prompt: string;
  uses: readonly Use[];
  /** The last word. */
  text: string;
}

/** How often a host may come back for more after the last word, before it is refused: some never stop by themselves. */
const PATIENCE = 5;

export class ToolModel {
  /** The requests with the prompt, since the last `forget`. */
  asked: Asked[] = [];
  /** The last word is not said before this is done: real models take their time. */
  beforeLastWord: () => PromiseLike<unknown> = async () => {};
  /** What this API does not have, in words. */
  readonly unexpected: string[] = [];
  readonly #dialect: Dialect;
  readonly #script: ToolScript;
  readonly #server: Server;
  #serial = 0;

  private constructor(dialect: Dialect, script: ToolScript) {
    this.#dialect = dialect;
    this.#script = script;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((cause) => response.destroy(cause));
    });
  }

  static async start(dialect: Dialect, script: ToolScript): Promise<ToolModel> {
    const model = new ToolModel(dialect, script);
    await new Promise<void>((resolve, reject) => {
      model.#server.once("error", reject);
      model.#server.listen(0, "127.0.0.1", resolve);
    });
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Begins anew, for another session of the same script. */
  forget(): void {
    this.asked = [];
  }

  /** Breaks what is still open. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const { method = "" } = request;
    const [path = ""] = (request.url ?? "").split("?");
    if (method === "POST" && this.#dialect.isQuestion(path)) {
      const asked = this.#dialect.read(path, body);
      if (this.asked.length > this.#script.uses.length + PATIENCE) return this.#refuse(response, method, path);
      const { type, body: said } = this.#dialect.write(await this.#answerTo(asked), asked, ++this.#serial);
      response.writeHead(200, { "content-type": type });
      response.end(said);
      return;
    }
    const other = this.#dialect.other(method, path);
    if (other === undefined) return this.#refuse(response, method, path);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(other));
  }

  #refuse(response: ServerResponse, method: string, path: string): void {
    this.unexpected.push(`${method} ${path}`);
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "the scripted model has no more to say" } }));
  }

  async #answerTo(asked: Asked): Promise<Answer> {
    if (!asked.said.includes(this.#script.prompt) || asked.offered.length === 0) return { text: "Scripted" };
    this.asked.push(asked);
    const use = this.#script.uses[asked.results.length];
    if (use !== undefined) return { use, id: `call_${asked.results.length}` };
    await this.beforeLastWord();
    return { text: this.#script.text };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const encoding = request.headers["content-encoding"];
  const bytes = encoding === "gzip" ? gunzipSync(raw) : encoding === "zstd" ? zstdDecompressSync(raw) : raw;
  try {
    return JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
  } catch {
    return {};
  }
}
