/**
 * One scripted exchange over HTTP, held by a direct client and through the proxy, as a text that must be the same for both and the
 * same as a golden file: each request as the server got it, and under it what reached the host of what the server said there.
 *
 * `BIR_TEST_GOLDEN=write` makes the golden files anew. Read the difference before keeping it.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { EventStream } from "../fakes/http-peer/event-stream.ts";
import type { Exchange } from "../fakes/http-peer/exchange.ts";
import type { HttpPeer } from "../fakes/http-peer/http-peer.ts";
import { ROOT } from "./locations.ts";

/** What the server does with a message. */
export interface GoldenAnswer {
  status?: number;
  /** As the whole body; else `events`. */
  json?: string;
  events?: readonly string[];
  /** The stream ends behind an event with this id; a GET that names it gets the rest. */
  resumed?: { id: string; events: readonly string[] };
  /** Said on the stream of the server's own, after the message was answered. */
  pushed?: readonly string[];
}

export interface GoldenTurn {
  /** What the host writes. */
  say: string;
  /** Headers of the protocol that this message must have, besides those of every message. */
  headers?: Readonly<Record<string, string>>;
  answer: GoldenAnswer;
  /** The client now opens the stream of the server's own. */
  opensStream?: boolean;
}

export interface GoldenScript {
  name: string;
  kind: "legacy" | "modern" | "sse";
  turns: readonly GoldenTurn[];
}

/** Whoever talks for the host: writes a turn, and has got these messages so far. */
export interface GoldenHost {
  say(turn: GoldenTurn): Promise<void>;
  /** Resolves when that many messages have come. */
  untilGot(count: number): Promise<readonly string[]>;
  end(): Promise<void>;
}

export const SESSION_ID = "golden-session";
const ENDPOINT = "/messages?sid=golden";
const SHOWN = /^(?:accept|content-type|last-event-id|mcp-.*)$/;

const withoutLineEnds = (text: string) => text.replace(/[\r\n]/g, "");

/** Runs the script with this host before the peer; answers the text of it. */
export async function goldenText(peer: HttpPeer, script: GoldenScript, host: GoldenHost): Promise<string> {
  const server = new GoldenServer(script);
  peer.serve(server.handle);
  let got: readonly string[] = [];
  let expected = 0;
  for (const turn of script.turns) {
    const before = peer.exchanges.length;
    await host.say(turn);
    await peer.until(`an answer to ${turn.say}`, () => peer.exchanges.slice(before).some((one) => one.isAnswered));
    if (turn.opensStream) await peer.until("the stream to be open", () => server.own !== null);
    for (const text of turn.answer.pushed ?? []) server.push(text);
    const { json, events = [], resumed, pushed = [] } = turn.answer;
    expected += (json === undefined ? 0 : 1) + events.length + (resumed?.events.length ?? 0) + pushed.length;
    got = await host.untilGot(expected);
  }
  await host.end();
  expect(got.toSorted()).toEqual([...server.said.values()].flat().map(withoutLineEnds).toSorted());
  return `${peer.exchanges.map((exchange) => told(exchange, server, got)).join("\n")}`;
}

/** Fails unless the text is that of the golden file of this name. */
export function expectGoldenText(name: string, text: string): void {
  const path = join(ROOT, "test", "process", "remote-golden", `${name}.txt`);
  if (process.env.BIR_TEST_GOLDEN === "write") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  expect(text, path).toBe(readFileSync(path, "utf8"));
}

/** Answers by the script alone. */
class GoldenServer {
  /** What was said on the answer to each request, in order. */
  readonly said = new Map<Exchange, string[]>();
  /** The stream of the server's own. */
  own: EventStream | null = null;
  readonly #script: GoldenScript;

  constructor(script: GoldenScript) {
    this.#script = script;
  }

  readonly handle = (exchange: Exchange): void => {
    if (exchange.method === "GET") this.#listen(exchange);
    else if (exchange.method === "DELETE") exchange.reply(200);
    else this.#message(exchange);
  };

  push(text: string): void {
    if (this.own !== null) this.#say(this.own, text);
  }

  #listen(exchange: Exchange): void {
    const id = exchange.header("last-event-id");
    const stream = exchange.events();
    if (id === undefined) this.own = stream;
    if (this.#script.kind === "sse") stream.send(ENDPOINT, { event: "endpoint" });
    const resumed = this.#script.turns.find(({ answer }) => answer.resumed?.id === id)?.answer.resumed;
    for (const text of resumed?.events ?? []) this.#say(stream, text);
    if (resumed !== undefined) stream.end();
  }

  #message(exchange: Exchange): void {
    const turn = this.#script.turns.find(({ say }) => say === exchange.text);
    if (turn === undefined) {
      exchange.reply(418, "not in the script");
      return;
    }
    const { status, json, events, resumed } = turn.answer;
    const isFirst = exchange.message.method === "initialize" && this.#script.kind === "legacy";
    const headers = isFirst ? { "mcp-session-id": SESSION_ID } : {};
    if (json !== undefined) {
      this.said.set(exchange, [json]);
      exchange.json(json, status, headers);
    } else if (events === undefined) exchange.reply(status ?? 202);
    else {
      const stream = exchange.events(headers);
      for (const text of events) this.#say(stream, text);
      if (resumed !== undefined) stream.prime(resumed.id, 1);
      stream.end();
    }
  }

  #say(stream: EventStream, text: string): void {
    const { exchange } = stream;
    const texts = this.said.get(exchange) ?? [];
    texts.push(text);
    this.said.set(exchange, texts);
    stream.send(text);
  }
}

/** One request, and what came of what was said in answer to it, in the order in which it came. */
function told(exchange: Exchange, server: GoldenServer, got: readonly string[]): string {
  const headers = exchange.headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    // What a DELETE accepts means nothing, and fetch cannot leave it out.
    .filter(([name]) => SHOWN.test(name) && !(name === "accept" && exchange.method === "DELETE"))
    .map(([name, value]) => `  ${name}: ${value}\n`)
    .sort();
  const body = exchange.body.length > 0 ? `  > ${exchange.text}\n` : "";
  const said = new Set((server.said.get(exchange) ?? []).map(withoutLineEnds));
  const came = got.filter((text) => said.has(text)).map((text) => `  < ${text}\n`);
  return `${exchange.method} ${exchange.target}\n${headers.join("")}${body}${came.join("")}`;
}
