/**
 * A scripted stand-in for the Anthropic Messages API, on an ephemeral port of 127.0.0.1; the script's language is in
 * script.ts. Keeps every request it got, without credentials. A request that the script or the API does not know is
 * answered with an error and kept as `unexpected`, so that a test sees traffic it did not mean to have.
 *
 *   const api = await ModelApi.start([{ name: "greet", prompt: "Say hello", turns: [[text("Hello.")]] }]);
 *   …start a client with ANTHROPIC_BASE_URL=api.url…
 *   await api.close();
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Deadline } from "../../harness/deadline.ts";
import { News } from "../../harness/news.ts";
import { eventsOf, messageOf } from "./answer.ts";
import { type Conversation, type Failure, type MessagesBody, placeOf, type Turn, text, turnAt } from "./script.ts";

export interface ModelRequest {
  method: string;
  /** Without the query. */
  path: string;
  headers: Record<string, string>;
  /** Undefined without one; the text of one that is no JSON. */
  body: unknown;
  /** What it was taken for. `aside`: a question without tools (a title, say), which is no conversation's turn. */
  kind: "turn" | "aside" | "count_tokens" | "reachability" | "unexpected";
  conversation: string | null;
  /** From 0. */
  turn: number | null;
}

const CREDENTIALS = new Set(["authorization", "x-api-key", "cookie"]);
const ASIDE: Turn = { content: [text("Scripted")] };

export class ModelApi {
  readonly requests: ModelRequest[] = [];
  readonly #conversations: readonly Conversation[];
  readonly #server: Server;
  readonly #failed = new Map<string, number>();
  readonly #news = new News();
  #answers = 0;

  private constructor(conversations: readonly Conversation[]) {
    this.#conversations = conversations;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((cause) => response.destroy(cause));
    });
  }

  static async start(conversations: readonly Conversation[]): Promise<ModelApi> {
    const api = new ModelApi(conversations);
    await new Promise<void>((resolve, reject) => {
      api.#server.once("error", reject);
      api.#server.listen(0, "127.0.0.1", resolve);
    });
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests for turns of this conversation, in the order they came; a turn that failed is asked for again. */
  turnsOf(conversation: string): ModelRequest[] {
    return this.requests.filter((request) => request.kind === "turn" && request.conversation === conversation);
  }

  /** What should not have come, in words. */
  unexpected(): string[] {
    return this.requests
      .filter(({ kind }) => kind === "unexpected")
      .map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)?.slice(0, 300) ?? ""}`);
  }

  /** Waits until this turn of a conversation is asked for. */
  async untilTurn(conversation: string, turn: number, deadline = new Deadline()): Promise<ModelRequest> {
    for (;;) {
      const found = this.turnsOf(conversation).find((request) => request.turn === turn);
      if (found !== undefined) return found;
      if (!(await this.#news.next(deadline))) throw new Error(`turn ${turn} of ${conversation} was not asked for`);
    }
  }

  /** Breaks what is still open. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming);
    this.requests.push(request);
    this.#news.tell();
    const route = `${request.method} ${request.path}`;
    if (route === "POST /v1/messages") return await this.#answerMessages(request, response);
    if (route === "POST /v1/messages/count_tokens") {
      request.kind = "count_tokens";
      const characters = JSON.stringify(request.body).length;
      return this.#json(response, 200, { input_tokens: Math.ceil(characters / 4) });
    }
    if (route === "HEAD /" || route === "GET /") {
      request.kind = "reachability";
      return this.#json(response, 200, {});
    }
    this.#error(response, { status: 404, type: "not_found_error", message: `the fake model API has no ${route}` });
  }

  async #answerMessages(request: ModelRequest, response: ServerResponse): Promise<void> {
    const body = request.body as MessagesBody;
    if ((body.tools ?? []).length === 0) {
      request.kind = "aside";
      return this.#send(response, body, ASIDE, { name: "aside", turn: this.#answers });
    }
    const place = placeOf(this.#conversations, body);
    const turn = place && turnAt(place, body);
    if (place === undefined || turn === undefined) {
      const message = place ? `${place.conversation.name} has no turn ${place.turn}` : "no conversation has its prompt";
      return this.#error(response, { status: 400, type: "invalid_request_error", message });
    }
    const { name } = place.conversation;
    Object.assign(request, { kind: "turn", conversation: name, turn: place.turn });
    this.#news.tell();
    await turn.after;
    if (turn.delayMs !== undefined) await Bun.sleep(turn.delayMs);
    const failure = this.#nextFailure(`${name} ${place.turn}`, turn);
    if (failure === undefined) this.#send(response, body, turn, { name, turn: place.turn });
    else if ("status" in failure) this.#error(response, failure);
    else if (failure.broken === "before the answer") response.destroy();
    else this.#send(response, body, turn, { name, turn: place.turn }, true);
  }

  #nextFailure(key: string, { failures = [] }: Turn): Failure | undefined {
    const failed = this.#failed.get(key) ?? 0;
    this.#failed.set(key, failed + 1);
    return failures[failed];
  }

  #send(
    response: ServerResponse,
    { stream, model }: MessagesBody,
    turn: Turn,
    place: { name: string; turn: number },
    breaks = false,
  ): void {
    const message = messageOf(turn, model, place);
    if (stream !== true) {
      if (breaks) response.destroy();
      else this.#json(response, 200, message);
      return;
    }
    const events = eventsOf(message).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream", ...this.#requestId() });
    if (!breaks) response.end(events.join(""));
    else response.write(events.slice(0, 2).join(""), () => response.destroy());
  }

  #error(response: ServerResponse, { status, type, message }: { status: number; type: string; message: string }): void {
    this.#json(response, status, { type: "error", error: { type, message } });
  }

  #json(response: ServerResponse, status: number, value: unknown): void {
    response.writeHead(status, { "content-type": "application/json", ...this.#requestId() });
    response.end(JSON.stringify(value));
  }

  #requestId(): { "request-id": string } {
    return { "request-id": `req_${++this.#answers}` };
  }
}

async function read(incoming: IncomingMessage): Promise<ModelRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (!CREDENTIALS.has(name)) headers[name] = String(value);
  }
  const [path = ""] = (incoming.url ?? "").split("?");
  const body = parsed(Buffer.concat(chunks).toString("utf8"));
  return { method: incoming.method ?? "", path, headers, body, kind: "unexpected", conversation: null, turn: null };
}

function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
