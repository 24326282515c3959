import { debug } from "../../../kit/log.ts";
import { type HeaderList, HttpFailure, type HttpResponse } from "../../http/http.ts";
import { errorCode, isSuccess, readAnswer, readRefusalBody, refuseAll, type StreamMark } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import type { HostMessage } from "../message-meta.ts";
import { ourMessage } from "../our-message.ts";
import type { Outgoing } from "../outgoing.ts";
import type { Pending } from "../pending.ts";
import { postMessage } from "../post-message.ts";
import { failureText } from "../refusals.ts";
import type { RemoteWire } from "../wire.ts";
import { modernHeaders } from "./modern-headers.ts";
import { paramHeaders } from "./param-headers.ts";
import { ToolListing } from "./tool-listing.ts";

/**
 * A server of the stateless protocol (2026-07-28): every message is a request of its own, whose headers say again what its body says. The
 * connection is the request: closing it cancels, losing it loses the answer, and nothing is asked twice but what the server has refused for
 * its headers.
 */

const HEADER_MISMATCH = -32_020;
const BAD_REQUEST = 400;
/** Streams of this protocol are never gone on with. */
const NO_MARK: StreamMark = { lastEventId: null, retryMs: null };

export class ModernServer {
  readonly #wire: RemoteWire;
  readonly #pending: Pending;
  readonly #tools: ToolListing;
  /** What was asked this way and is unanswered, by request. */
  readonly #asked = new Map<string, Exchange>();

  constructor(wire: RemoteWire, pending: Pending) {
    this.#wire = wire;
    this.#pending = pending;
    this.#tools = new ToolListing(wire, async (text, passage, withinMs) => {
      const out = ourMessage(text);
      out.exchange.passage = passage;
      void this.#ask(out, []);
      await Promise.race([out.exchange.settled, Bun.sleep(withinMs)]);
      out.exchange.giveUp();
    });
  }

  /** Sends a message of the host. */
  deliver(out: Outgoing): void {
    const { exchange } = out;
    const keys = exchange.waiting;
    for (const key of keys) this.#asked.set(key, exchange);
    if (exchange.isRequest) void exchange.settled.then(() => this.#forget(keys, exchange));
    this.#tools.watch(out);
    void this.#parameterHeaders(out)
      .then((headers) => this.#ask(out, headers))
      .catch((cause: unknown) => this.#lose(exchange, failureText(cause)))
      .finally(out.accept);
  }

  /** The host no longer wants a request. True when it was asked this way: its connection is closed, which is what tells the server. */
  cancel(key: string): boolean {
    const exchange = this.#asked.get(key);
    if (exchange === undefined) return false;
    debug("proxy", () => "a request was cancelled: its connection is closed");
    this.#asked.delete(key);
    this.#pending.settle(key, exchange);
    exchange.giveUp();
    return true;
  }

  /** A message of the server has passed that may change what is known of its tools. */
  toolsChanged(): void {
    this.#tools.changed();
  }

  async #ask(out: Outgoing, ofParameters: HeaderList): Promise<void> {
    const { inbox } = this.#wire;
    const { exchange } = out;
    try {
      let response = await this.#send(out, ofParameters);
      if (response.status === BAD_REQUEST) {
        const body = await readRefusalBody(response);
        const headers = await this.#otherHeaders(out, ofParameters, body);
        if (headers === null) {
          refuseAll(response.status, body, this.#wire, exchange);
          return;
        }
        response = await this.#send(out, headers);
      }
      if (isSuccess(response)) {
        this.#wire.reachability.answered();
        out.forget();
      }
      await readAnswer(response, NO_MARK, this.#wire, exchange, () => {});
      if (!exchange.isSettled) this.#lose(exchange, "upstream ended its answer before it was whole");
    } catch (cause) {
      out.left();
      if (cause instanceof HttpFailure && cause.kind === "aborted") inbox.fail(exchange, failureText(cause));
      else this.#lose(exchange, failureText(cause));
    }
  }

  #send(out: Outgoing, ofParameters: HeaderList): Promise<HttpResponse> {
    return postMessage(this.#wire, out, modernHeaders(out.line, ofParameters));
  }

  #lose(exchange: Exchange, text: string): void {
    if (!exchange.isSettled) this.#wire.reachability.failed(text);
    this.#wire.inbox.fail(exchange, text);
  }

  async #parameterHeaders(out: Outgoing): Promise<HeaderList> {
    const call = toolCall(out);
    if (call?.arguments == null) return [];
    return paramHeaders(await this.#tools.declarationsFor(call, out), out.text, call.arguments.start);
  }

  /** A call was refused for its headers: those that the tool asks for now, where they are others. */
  async #otherHeaders(out: Outgoing, before: HeaderList, body: Uint8Array | null): Promise<HeaderList | null> {
    if (body === null || errorCode(body) !== HEADER_MISMATCH || toolCall(out) === null) return null;
    await this.#tools.refresh(out);
    const headers = await this.#parameterHeaders(out);
    return JSON.stringify(headers) === JSON.stringify(before) ? null : headers;
  }

  #forget(keys: readonly string[], exchange: Exchange): void {
    for (const key of keys) if (this.#asked.get(key) === exchange) this.#asked.delete(key);
  }
}

function toolCall({ line }: Outgoing): HostMessage | null {
  const [message] = line.messages;
  return message?.method === "tools/call" && !line.isBatch ? message : null;
}
