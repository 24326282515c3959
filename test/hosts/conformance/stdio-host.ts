/**
 * A plain stdio MCP host without an SDK, which the official client scenarios drive: it reads what the server offers and uses
 * all of it, in the era that the scenario names. Knows nothing of HTTP: the command it starts has all those duties.
 *
 * Started as `bun stdio-host.ts URL` with STDIO_PEER = the command (a JSON array) that the URL is appended to. Writes what it
 * was answered to stdout, as JSON; ends with 1 when the command behaved in a way that no server may.
 */

import { answerRequest, argumentsFor, inputResponses } from "./host-answers.ts";
import {
  asObject,
  CODE,
  type Id,
  isAnswer,
  isRequest,
  type Json,
  LATEST_LEGACY,
  META,
  type Message,
  MODERN,
  notification,
  type Request,
  request,
} from "./message.ts";
import { StdioPeer } from "./stdio-peer.ts";

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };
const CLIENT = { name: "stdio-host", version: "1.0.0" };
/** More rounds of input than any scenario has. */
const ROUNDS = 5;

class StdioHost {
  readonly answers: { request: string; answer: Message }[] = [];
  readonly #peer: StdioPeer;
  readonly #waiting = new Map<Id, (answer: Message) => void>();
  readonly #modern: boolean;
  readonly #failed: Promise<never>;
  #version: string;
  #ids = 0;

  constructor(command: readonly string[], version: string) {
    this.#version = version;
    this.#modern = version === MODERN;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.#failed = promise;
    this.#peer = new StdioPeer(command, {
      onEnd: (reason) => reject(new Error(reason)),
      onMessage: (message) => {
        if (isRequest(message)) return void this.#peer.send(answerRequest(message));
        if (!isAnswer(message)) return;
        const take = this.#waiting.get(message.id as Id);
        if (!take) reject(new Error(`an answer that nothing was asked for: ${JSON.stringify(message)}`));
        take?.(message);
      },
    });
  }

  async start(): Promise<void> {
    if (!this.#modern) {
      const params = { protocolVersion: this.#version, capabilities: CAPABILITIES, clientInfo: CLIENT };
      await this.ask("initialize", params);
      this.#peer.send(notification("notifications/initialized"));
      return;
    }
    const { error } = await this.ask("server/discover");
    const supported = (asObject(error?.data).supported ?? []) as string[];
    if (error?.code !== CODE.version || !supported.includes(MODERN)) return;
    this.#version = MODERN;
    await this.ask("server/discover");
  }

  /** Sends a request; what its answer asks for is given, until it is answered to the end. */
  async ask(method: string, params: Json = {}): Promise<Message> {
    let answer = await this.#send(method, params);
    for (let round = 0; round < ROUNDS && answer.result?.resultType === "input_required"; round++) {
      const { inputRequests, requestState } = answer.result;
      const state = requestState === undefined ? {} : { requestState };
      answer = await this.#send(method, { ...params, inputResponses: inputResponses(inputRequests), ...state });
    }
    return answer;
  }

  /** The items of a list; none when the server has no such list. */
  async list(kind: "tools" | "resources" | "prompts"): Promise<Json[]> {
    const { result } = await this.ask(`${kind}/list`);
    return (result?.[kind] ?? []) as Json[];
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  async #send(method: string, params: Json): Promise<Message> {
    const asked = this.#request(method, params);
    const answered = new Promise<Message>((resolve) => this.#waiting.set(asked.id, resolve));
    this.#peer.send(asked);
    const answer = await Promise.race([answered, this.#failed]);
    this.#waiting.delete(asked.id);
    this.answers.push({ request: `${method} ${String(params.name ?? params.uri ?? "")}`.trim(), answer });
    return answer;
  }

  #request(method: string, params: Json): Request {
    const id = ++this.#ids;
    if (!this.#modern) return request(id, method, params);
    const meta = { [META.version]: this.#version, [META.clientInfo]: CLIENT, [META.capabilities]: CAPABILITIES };
    return request(id, method, { ...params, _meta: meta });
  }
}

/** Uses everything that the server offers, many things at a time, as a host may. */
async function useAll(host: StdioHost, toolCalls: Json[] | undefined): Promise<void> {
  const tools = await host.list("tools");
  const calls = toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool, tools) }));
  await Promise.all(calls.map((call) => host.ask("tools/call", call)));
  const resources = await host.list("resources");
  await Promise.all(resources.map(({ uri }) => host.ask("resources/read", { uri })));
  const prompts = await host.list("prompts");
  await Promise.all(prompts.map(({ name }) => host.ask("prompts/get", { name })));
}

const { STDIO_PEER = "[]", MCP_CONFORMANCE_PROTOCOL_VERSION, MCP_CONFORMANCE_CONTEXT = "{}" } = process.env;
const command: string[] = [...JSON.parse(STDIO_PEER), ...process.argv.slice(2)];
const host = new StdioHost(command, MCP_CONFORMANCE_PROTOCOL_VERSION ?? LATEST_LEGACY);
try {
  await host.start();
  await useAll(host, JSON.parse(MCP_CONFORMANCE_CONTEXT).toolCalls);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await host.close();
  console.log(JSON.stringify(host.answers));
}
