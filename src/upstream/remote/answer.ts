import { eachMember } from "../../jsonrpc/json-span.ts";
import { idKey, type Message, readMessages } from "../../jsonrpc/message.ts";
import { utf8 } from "../../jsonrpc/utf8.ts";
import { HttpFailure, type HttpResponse } from "../http/http.ts";
import { EventStream } from "./event-stream.ts";
import type { Exchange } from "./exchange.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { oneLine } from "./one-line.ts";
import { pause } from "./pause.ts";
import { refusalText } from "./refusals.ts";
import type { RemoteWire } from "./wire.ts";

/**
 * Reads what an HTTP answer holds: one JSON text, a stream of events, or a refusal. Every message goes to the inbox; who still waits at
 * the end is for the caller to know.
 */

/** How far a stream has come: what is needed to go on with it on another connection. */
export interface StreamMark {
  lastEventId: string | null;
  retryMs: number | null;
}

/** A refusal is read up to this size, to see whether it holds an error of the protocol. */
const MOST_REFUSAL_BYTES = 1024 * 1024;
/** Such a body has to be there within this. */
const REFUSAL_MS = 2_000;
/** Statuses whose bodies say nothing that a host may be told. */
const SILENT_STATUSES = new Set([401, 403, 407]);
/** Statuses that stand for an error of the protocol, whatever id it has. */
const PROTOCOL_STATUSES = new Set([400, 404]);

/** Without it, a body holds no error of the protocol. */
const ERROR_KEY = '"error"';

export function isEventStream(response: HttpResponse): boolean {
  return mediaType(response) === "text/event-stream";
}

export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/** Passes on every message of a stream (`onOther` gets events of other types), keeping `mark` up to date. Resolves at its end; throws `HttpFailure` when it breaks. */
export async function readEvents(
  response: HttpResponse,
  mark: StreamMark,
  wire: RemoteWire,
  exchange: Exchange | null,
  refuse: (answer: string) => void,
  onOther?: (type: string, data: Uint8Array) => void,
): Promise<void> {
  const events = new EventStream(wire.mostBytes);
  for await (const chunk of response.body) {
    for (const { data, hasData, oversized, type } of events.feed(chunk)) {
      if (oversized !== null) {
        const answer = wire.inbox.takeOversized(oversized, exchange);
        if (answer !== null) refuse(answer);
      } else if (hasData && type === "message") {
        const room = wire.inbox.take(data, exchange);
        if (room instanceof Promise) await room;
      } else if (hasData) onOther?.(type, data);
    }
    mark.lastEventId = toldBack(events.lastEventId) ?? mark.lastEventId;
    mark.retryMs = events.retryMs ?? mark.retryMs;
  }
}

/** An id that no header can hold is none. */
function toldBack(id: string | null): string | null {
  return id !== null && [...id].every((c) => c === "\t" || (c >= " " && c !== "\x7f")) ? id : null;
}

/** Reads the answer to a message to its end and passes on what it holds. Throws `HttpFailure` when it breaks. */
export async function readAnswer(
  response: HttpResponse,
  mark: StreamMark,
  wire: RemoteWire,
  exchange: Exchange,
  refuse: (answer: string) => void,
): Promise<void> {
  if (!isSuccess(response)) await readRefusal(response, wire, exchange);
  else if (isEventStream(response)) await readEvents(response, mark, wire, exchange, refuse);
  else if (mediaType(response) === "application/json") await readJson(response, wire, exchange);
  else await readNothing(response, wire, exchange);
}

async function readJson(response: HttpResponse, wire: RemoteWire, exchange: Exchange): Promise<void> {
  const body = await readWhole(response, wire.mostBytes);
  if (body === null) {
    wire.inbox.failTooLarge(exchange);
    return;
  }
  if (relayForeignError(body, exchange, wire)) return;
  if (exchange.isSettled && body.length === 0) return;
  const room = wire.inbox.take(body, exchange);
  if (room instanceof Promise) await room;
  if (room === false) wire.inbox.fail(exchange, "upstream answered with something that is no JSON-RPC message");
  else wire.inbox.fail(exchange, "upstream answered something else than what it was asked");
}

/** An answer that is neither JSON nor a stream, and says success. */
async function readNothing(response: HttpResponse, wire: RemoteWire, exchange: Exchange): Promise<void> {
  await drain(response);
  if (exchange.isSettled) return;
  const type = mediaType(response);
  const what = type === "" ? "without a message" : `with ${type}, which holds no message`;
  wire.inbox.fail(exchange, `upstream answered ${what}`);
}

async function readRefusal(response: HttpResponse, wire: RemoteWire, exchange: Exchange): Promise<void> {
  refuseAll(response.status, await readRefusalBody(response), wire, exchange);
}

/** What a refusal says; null where that may not be told to anybody, or cannot be read. Consumes the body. */
export async function readRefusalBody(response: HttpResponse): Promise<Uint8Array | null> {
  if (!SILENT_STATUSES.has(response.status)) return await inTime(response, readWhole(response, MOST_REFUSAL_BYTES));
  await drain(response);
  return null;
}

/** A status that says no: an error of the protocol in its body is passed on; else who waits gets a word of ours. */
export function refuseAll(status: number, body: Uint8Array | null, wire: RemoteWire, exchange: Exchange): void {
  if (body !== null && relayError(body, status, exchange, wire)) return;
  if (!exchange.isSettled) wire.reachability.failed(refusalText(status));
  wire.inbox.fail(exchange, refusalText(status));
}

/** The rest of an answer is of no interest: read where it is short, so that the connection can be used again. */
export async function drain(response: HttpResponse): Promise<void> {
  await inTime(response, readWhole(response, MOST_REFUSAL_BYTES));
}

/** A body that nobody has a use for but a passing one: where it does not end soon, or breaks, there is none. */
async function inTime(response: HttpResponse, body: Promise<Uint8Array | null>): Promise<Uint8Array | null> {
  const done = new AbortController();
  const late = pause(REFUSAL_MS, done.signal).then(() => {
    if (!done.signal.aborted) void response.body[Symbol.asyncIterator]().return?.();
    return null;
  });
  const whole = body.catch((cause: unknown) => {
    if (cause instanceof HttpFailure) return null;
    throw cause;
  });
  try {
    return await Promise.race([whole, late]);
  } finally {
    done.abort();
  }
}

/** True where a body answers a request of this exchange under its own id. */
export function answersOwn(body: Uint8Array, exchange: Exchange): boolean {
  const messages = readMessages(utf8(body));
  return messages.some(
    ({ error, rawId }) => error !== null && rawId !== null && exchange.request(idKey(rawId)) !== null,
  );
}

/** The error of the protocol in a refusal goes to whoever waits for it. True when there was one. */
function relayError(body: Uint8Array, status: number, exchange: Exchange, wire: RemoteWire): boolean {
  if (answersOwn(body, exchange)) return wire.inbox.take(body, exchange) !== false;
  return PROTOCOL_STATUSES.has(status) && relayForeignError(body, exchange, wire);
}

/** An error under no id, or a foreign one, that can only mean the one request that waits: relayed under its id. */
function relayForeignError(body: Uint8Array, exchange: Exchange, wire: RemoteWire): boolean {
  const { only } = exchange;
  // Most answers are no errors: those are not read twice.
  if (only === null || !holds(body, ERROR_KEY)) return false;
  const line = oneLine(body);
  if (line === null) return false;
  const text = utf8(line);
  const [message, ...more] = readMessages(text);
  if (message?.error == null || message.error.end < 0 || more.length > 0 || hasOwnId(message)) return false;
  const error = text.slice(message.error.start, message.error.end);
  return wire.inbox.take(Buffer.from(`{"jsonrpc":"2.0","id":${only.rawId},"error":${error}}`), exchange) !== false;
}

function holds(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(text);
}

function hasOwnId({ rawId }: Message): boolean {
  return rawId !== null && rawId !== "null";
}

/** The code of the first error in a body, or null. */
export function errorCode(body: Uint8Array): number | null {
  const text = utf8(body);
  const [message] = readMessages(text);
  let code: number | null = null;
  if (message?.error == null) return null;
  eachMember(text, message.error.start, (key, from, to) => {
    if (key === "code" && to > from) code = Number(text.slice(from, to));
  });
  return code;
}

/** The whole body; null when it is over the bound. */
async function readWhole(response: HttpResponse, mostBytes: number): Promise<Uint8Array | null> {
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  if (length > mostBytes) {
    void response.body[Symbol.asyncIterator]().return?.();
    return null;
  }
  let body: GrowingBytes | null = null;
  let first: Uint8Array | null = null;
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > mostBytes) return null;
    if (first === null) {
      first = chunk;
      continue;
    }
    if (body === null) {
      body = new GrowingBytes(Number.isNaN(length) ? 0 : length);
      body.append(first);
    }
    body.append(chunk);
  }
  return body?.take() ?? first ?? new Uint8Array(0);
}

function mediaType(response: HttpResponse): string {
  return (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
