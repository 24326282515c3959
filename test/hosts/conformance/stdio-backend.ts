/**
 * A stdio command behind the HTTP side: one process a session, one for all requests of 2026-07-28.
 * stdio does not say which request a message belongs to; where no progress token and no subscription tells it, the newest
 * request that is open is meant. Ids of different clients are kept apart by numbering the modern ones anew.
 */

import type { Backend, Session, SessionOutput } from "./backend.ts";
import {
  asObject,
  type Id,
  isAnswer,
  isRequest,
  type Json,
  META,
  type Message,
  MODERN,
  metaOf,
  type Request,
  request,
} from "./message.ts";
import { StdioPeer } from "./stdio-peer.ts";

export interface StdioBackendOptions {
  command: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** A request of a client that waits for its answer. */
interface Open {
  request: Request;
  emit(message: Message): void;
}

const TOKEN = "progressToken";

export class StdioBackend implements Backend {
  readonly #options: StdioBackendOptions;
  readonly #open = new Map<Id, Open>();
  #modern: StdioPeer | undefined;
  #ids = 0;

  constructor(options: StdioBackendOptions) {
    this.#options = options;
  }

  openSession(output: SessionOutput): Session {
    const open = new Map<Id, Request>();
    const peer = new StdioPeer(this.#options.command, {
      env: this.#options.env,
      onEnd: () => output.gone(),
      onMessage: (message) => {
        const about = isAnswer(message) ? (message.id as Id) : meant([...open.values()], message)?.id;
        if (isAnswer(message)) open.delete(message.id as Id);
        output.message(message, about);
      },
    });
    return {
      send(message) {
        if (isRequest(message)) open.set(message.id, message);
        peer.send(message);
      },
      close: () => peer.close(),
    };
  }

  exchange(original: Request, emit: (message: Message) => void): () => void {
    const id = ++this.#ids;
    const peer = this.#peer();
    this.#open.set(id, { request: original, emit });
    peer.send({ ...original, id });
    return () => {
      if (!this.#open.delete(id)) return;
      peer.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    };
  }

  /** Always asked anew: the fixture's tools change. */
  async tool(name: string): Promise<Json | undefined> {
    const _meta = { [META.version]: MODERN, [META.capabilities]: {} };
    const answer = await new Promise<Message>((resolve) => {
      this.exchange(request(0, "tools/list", { _meta }), resolve);
    });
    return ((answer.result?.tools ?? []) as Json[]).find((tool) => tool.name === name);
  }

  async close(): Promise<void> {
    await this.#modern?.close();
  }

  #peer(): StdioPeer {
    this.#modern ??= new StdioPeer(this.#options.command, {
      env: this.#options.env,
      onMessage: (message) => this.#take(message),
      onEnd: (reason) => {
        this.#modern = undefined;
        for (const [id] of this.#open) this.#take({ jsonrpc: "2.0", id, error: { code: -32603, message: reason } });
      },
    });
    return this.#modern;
  }

  #take(message: Message): void {
    const subscription = metaOf(message)[META.subscription] as Id | undefined;
    if (isAnswer(message)) {
      const open = this.#open.get(message.id as Id);
      this.#open.delete(message.id as Id);
      open?.emit({ ...message, id: open.request.id });
    } else if (subscription !== undefined) {
      const open = this.#open.get(subscription);
      const _meta = { ...metaOf(message), [META.subscription]: open?.request.id };
      open?.emit({ ...message, params: { ...message.params, _meta } });
    } else {
      const open = [...this.#open.values()].filter(({ request }) => request.method !== "subscriptions/listen");
      const requests = open.map(({ request }) => request);
      open[requests.indexOf(meant(requests, message) as Request)]?.emit(message);
    }
  }
}

/** The request that a message most likely belongs to: by its progress token, else the newest. */
function meant(open: readonly Request[], message: Message): Request | undefined {
  const token = asObject(message.params)[TOKEN];
  return (token === undefined ? undefined : open.find((one) => metaOf(one)[TOKEN] === token)) ?? open.at(-1);
}
