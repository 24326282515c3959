/** The conformance fixture: everything that the official server scenarios need, in process behind the HTTP side. */

import type { Backend, Session, SessionOutput } from "./backend.ts";
import { type Call, Fault } from "./fixture-call.ts";
import { CACHEABLE, LEGACY_METHODS, MODERN_METHODS, SERVER } from "./fixture-methods.ts";
import { TOOLS } from "./fixture-tools.ts";
import { type HttpSide, serveHttp } from "./http-side.ts";
import {
  asObject,
  CODE,
  isAnswer,
  isRequest,
  type Json,
  META,
  type Message,
  MODERN,
  metaOf,
  notification,
  type Request,
  type RpcError,
  request,
} from "./message.ts";

/** How long a client waits before it comes back for what `test_reconnection` has to say. */
const RETRY_MS = 1000;
const CACHED = { ttlMs: 300_000, cacheScope: "public" };

export interface FixtureSide extends HttpSide {
  /** How many `subscriptions/listen` are open. */
  subscribers(): number;
}

/** Serves the fixture on a free port. */
export async function serveFixture(): Promise<FixtureSide> {
  const fixture = new Fixture();
  const side = await serveHttp(fixture, { retryMs: RETRY_MS });
  return { ...side, subscribers: () => fixture.subscribers };
}

class Fixture implements Backend {
  readonly #subscribers = new Set<(list: string) => void>();

  get subscribers(): number {
    return this.#subscribers.size;
  }

  openSession(output: SessionOutput): Session {
    const asked = new Map<unknown, (answer: Message) => void>();
    let capabilities: Json = {};
    const callOf = (about: Request): Call => ({
      ...this.#common(about),
      modern: false,
      capabilities,
      notify: (method, params) => output.message(notification(method, params), about.id),
      suspend: () => output.suspend(about.id),
      ask: async (method, params) => {
        const id = asked.size;
        const answer = await new Promise<Message>((resolve) => {
          asked.set(id, resolve);
          output.message(request(id, method, params), about.id);
        });
        if (answer.error) throw new Fault(answer.error.code, answer.error.message, answer.error.data);
        return asObject(answer.result);
      },
    });
    return {
      send(message) {
        if (isAnswer(message)) return asked.get(message.id)?.(message);
        if (!isRequest(message)) return;
        if (message.method === "initialize") capabilities = asObject(message.params?.capabilities);
        void answerTo(message, LEGACY_METHODS, callOf(message)).then((answer) => output.message(answer, message.id));
      },
      close: async () => {},
    };
  }

  exchange(asked: Request, emit: (message: Message) => void): () => void {
    let given = true;
    const send = (message: Message) => given && emit(message);
    const wrong = metaError(asked);
    if (wrong) send({ jsonrpc: "2.0", id: asked.id, error: wrong });
    else if (asked.method === "subscriptions/listen") return this.#subscribe(asked, send);
    else {
      const call: Call = {
        ...this.#common(asked),
        modern: true,
        capabilities: asObject(metaOf(asked)[META.capabilities]),
        notify: (method, params) => send(notification(method, params)),
        suspend: () => {},
        ask: () => Promise.reject(new Error("a 2026-07-28 server asks nothing by itself")),
      };
      void answerTo(asked, MODERN_METHODS, call).then((answer) => send(finished(asked.method, answer)));
    }
    return () => {
      given = false;
    };
  }

  async tool(name: string): Promise<Json | undefined> {
    return { ...TOOLS[name] };
  }

  async close(): Promise<void> {}

  #common({ params = {} }: Request) {
    return {
      params,
      meta: asObject(params._meta),
      changed: (list: "tools" | "prompts") => {
        for (const tell of this.#subscribers) tell(list);
      },
    };
  }

  #subscribe({ id, params }: Request, send: (message: Message) => void): () => void {
    const wanted = asObject(params?.notifications);
    const _meta = { [META.subscription]: id };
    const granted = Object.fromEntries(
      ["tools", "prompts"]
        .map((list) => `${list}ListChanged`)
        .flatMap((name) => (wanted[name] === true ? [[name, true]] : [])),
    );
    send(notification("notifications/subscriptions/acknowledged", { _meta, notifications: granted }));
    const tell = (list: string) => {
      if (granted[`${list}ListChanged`]) send(notification(`notifications/${list}/list_changed`, { _meta }));
    };
    this.#subscribers.add(tell);
    return () => this.#subscribers.delete(tell);
  }
}

async function answerTo(asked: Request, methods: typeof LEGACY_METHODS, call: Call): Promise<Message> {
  const method = methods[asked.method];
  try {
    if (method === undefined) throw new Fault(CODE.notFound, `Method not found: ${asked.method}`);
    return { jsonrpc: "2.0", id: asked.id, result: await method(call) };
  } catch (error) {
    const { code, message, data } = error instanceof Fault ? error : new Fault(-32603, String(error));
    return { jsonrpc: "2.0", id: asked.id, error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}

/** A result with what 2026-07-28 adds to every one. */
function finished(method: string, answer: Message): Message {
  if (answer.result === undefined) return answer;
  const _meta = { [META.serverInfo]: SERVER };
  const cached = CACHEABLE.has(method) ? CACHED : {};
  return { ...answer, result: { resultType: "complete", ...cached, ...answer.result, _meta } };
}

function metaError(asked: Request): RpcError | undefined {
  const { [META.version]: version, [META.capabilities]: capabilities } = metaOf(asked);
  if (capabilities === undefined) return { code: CODE.params, message: `_meta lacks ${META.capabilities}` };
  if (version === MODERN) return undefined;
  const data = { supported: [MODERN], requested: version };
  return { code: CODE.version, message: "Unsupported protocol version", data };
}
