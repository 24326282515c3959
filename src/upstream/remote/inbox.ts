import { eachElement, skipSpace } from "../../jsonrpc/json-span.ts";
import { errorAnswer } from "../../jsonrpc/local-answer.ts";
import { idKey, type Message, readMessage, readMessages } from "../../jsonrpc/message.ts";
import { utf8 } from "../../jsonrpc/utf8.ts";
import { logDegradedOnce } from "../../kit/log.ts";
import type { OversizedData } from "./event-data.ts";
import type { Exchange } from "./exchange.ts";
import type { HostLines } from "./host-lines.ts";
import { oneLine } from "./one-line.ts";
import type { Pending } from "./pending.ts";

/**
 * What a remote server says, on its way to the host: whatever stream it came on, it goes out as it came, as one line. Looks only at whose
 * answer it is.
 */

/** Longer messages are told apart by this much of their start and end. */
export const LONG_BYTES = 64 * 1024;
export const TELLING_BYTES = 8 * 1024;
const INVALID_REQUEST = -32_600;
const OPEN_BRACKET = 0x5b;

export class Inbox {
  readonly #host: HostLines;
  readonly #pending: Pending;
  readonly #mostBytes: number;
  readonly #onToolsChanged: () => void;

  /** `onToolsChanged`: the server says that its tools are others now. */
  constructor(host: HostLines, pending: Pending, mostBytes: number, onToolsChanged: () => void) {
    this.#host = host;
    this.#pending = pending;
    this.#mostBytes = mostBytes;
    this.#onToolsChanged = onToolsChanged;
  }

  /**
   * Passes on one message, which came on the stream of `exchange` or on one of nobody's. Answers null when there is room for more, else a
   * promise; false when it is no JSON-RPC message, and went nowhere.
   */
  take(bytes: Uint8Array, exchange: Exchange | null): Promise<void> | null | false {
    const line = oneLine(withoutMark(bytes));
    if (line === null) return false;
    if (line[skipSpaceBytes(line)] === OPEN_BRACKET && exchange?.isBatch !== true)
      return this.#takeEach(line, exchange);
    const cut = line.length > LONG_BYTES ? readLongAnswer(line) : null;
    if (cut?.rawId != null) {
      const key = idKey(cut.rawId);
      const owner = this.#owner(key, exchange);
      if (owner?.passage == null) {
        if (owner !== null) this.#pending.settle(key, owner);
        return this.#host.write(line);
      }
    }
    const text = utf8(line);
    const messages = readMessages(text);
    if (messages.length === 0) return false;
    const passed = this.#settle(messages, line, text, exchange);
    return passed === null ? null : this.#host.write(passed);
  }

  /** Several messages in an array, for a host that sent none in an array: each on a line of its own. */
  #takeEach(line: Uint8Array, exchange: Exchange | null): Promise<void> | null | false {
    const text = utf8(line);
    let room: Promise<void> | null | false = false;
    eachElement(text, skipSpace(text, 0), (_key, start, end) => {
      const taken = end < 0 ? false : this.take(Buffer.from(text.slice(start, end)), exchange);
      if (taken !== false) room = taken;
    });
    return room;
  }

  /** A message that was too long to be held: who waits for it is told. Answers what to tell the server, or null. */
  takeOversized({ head, tail, totalBytes }: OversizedData, exchange: Exchange | null): string | null {
    const message = readMessage(utf8(head), 0, utf8(tail));
    logDegradedOnce("DEG-06", `a message of over ${this.#mostBytes} bytes was not passed on. ${REMEDY}`);
    const rawId = message?.rawId ?? null;
    if (message?.kind === "request" && rawId !== null) {
      return errorAnswer(rawId, `message of ${totalBytes} bytes: larger than the client takes`, INVALID_REQUEST);
    }
    if (rawId === null || message?.kind !== "response") return null;
    const key = idKey(rawId);
    const owner = this.#owner(key, exchange);
    const why = `the answer of ${totalBytes} bytes is over the limit of ${this.#mostBytes}. ${REMEDY}`;
    if (owner !== null) void this.#host.writeText(this.#pending.failReadably(key, owner, why));
    return null;
  }

  /** The answer to what is left of an exchange was too long to be held. */
  failTooLarge(exchange: Exchange): void {
    const why = `the answer is over the limit of ${this.#mostBytes} bytes. ${REMEDY}`;
    logDegradedOnce("DEG-06", `a message of over ${this.#mostBytes} bytes was not passed on. ${REMEDY}`);
    for (const key of exchange.waiting) void this.#host.writeText(this.#pending.failReadably(key, exchange, why));
  }

  /** Answers what is left of an exchange in the server's place. */
  fail(exchange: Exchange, text: string): void {
    void this.#host.writeText(this.#pending.fail(exchange, text));
  }

  /** Passes on a line of ours. */
  tell(line: string): void {
    void this.#host.writeText(line);
  }

  #settle(messages: readonly Message[], line: Uint8Array, text: string, exchange: Exchange | null): Uint8Array | null {
    let passed: Uint8Array | null = line;
    for (const message of messages) {
      if (message.method === "notifications/tools/list_changed") this.#onToolsChanged();
      if (message.kind !== "response" || message.rawId === null) continue;
      const key = idKey(message.rawId);
      const owner = this.#owner(key, exchange);
      if (owner === null) {
        // The late answer to what was cancelled, whose id asks for something else now.
        if (exchange?.hasAsked(key) === true && this.#pending.find(key) !== undefined) passed = null;
        continue;
      }
      if (owner.passage !== null) passed = owner.passage(line, message, text);
      this.#pending.settle(key, owner);
    }
    return passed;
  }

  /** Whose request that is: of the stream's own first, since an id may be used again while an older answer is still to come. */
  #owner(key: string, exchange: Exchange | null): Exchange | null {
    if (exchange?.hasAsked(key) === true) return exchange.request(key) === null ? null : exchange;
    return this.#pending.find(key) ?? null;
  }
}

const REMEDY = "Set BIR_UPSTREAM_MAX_MESSAGE_BYTES higher";

/** A long answer by its start and end; null where those do not show that it is one. */
function readLongAnswer(line: Uint8Array): Message | null {
  const message = readMessage(utf8(line.subarray(0, TELLING_BYTES)), 0, utf8(line.subarray(-TELLING_BYTES)));
  return message?.kind === "response" ? message : null;
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

function withoutMark(bytes: Uint8Array): Uint8Array {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

/** Where the first byte is that is no white space. */
function skipSpaceBytes(bytes: Uint8Array): number {
  let at = 0;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  return at;
}
