import { isJson } from "../../jsonrpc/is-json.ts";
import { errorAnswer, failureAnswer } from "../../jsonrpc/local-answer.ts";
import { idKey } from "../../jsonrpc/message.ts";
import { utf8 } from "../../jsonrpc/utf8.ts";
import { logDegradedOnce } from "../../kit/log.ts";
import { VERSION } from "../../version.ts";
import { signalExitStatus } from "../exit-status.ts";
import type { HeaderList, HttpClient } from "../http/http.ts";
import type { EndSignal, Upstream } from "../upstream.ts";
import { Exchange } from "./exchange.ts";
import { HostLines } from "./host-lines.ts";
import { type HeldMessage, HostMessages } from "./host-messages.ts";
import { Inbox, LONG_BYTES, TELLING_BYTES } from "./inbox.ts";
import { LegacyServer } from "./legacy/legacy-server.ts";
import { type HostLine, type HostMessage, readCutHostLine, readHostLine, VERSION_KEY } from "./message-meta.ts";
import { ModernServer } from "./modern/modern-server.ts";
import { Outbox } from "./outbox.ts";
import { Outgoing } from "./outgoing.ts";
import { Pending } from "./pending.ts";
import { Reachability } from "./reachability.ts";
import type { RemoteWire } from "./wire.ts";

/**
 * A remote server: the host's lines go to it as messages over HTTP, and what it says comes back as lines. Each message says itself under
 * which version it was made. Stays up whatever becomes of the server: every request gets an answer, the server's or one of ours.
 */

export interface RemoteOptions {
  serverName: string;
  url: URL;
  transport: "http" | "sse" | null;
  /** Headers for the origin of `url` only. */
  configured: HeaderList;
  mostBytes: number;
  connectTimeoutMs: number;
}

/** So many bytes beside one of the longest messages may wait to leave; with more, the host has to wait. */
const HIGH_WATER_BYTES = 16 * 1024 * 1024;
/** How long the server may take to hear that the session is over. */
const FAREWELL_MS = 1_000;
/** The same after a signal: hosts give another one after 100 ms, and then no time at all. */
const FAREWELL_ON_SIGNAL_MS = 80;
const PARSE_ERROR = -32_700;

export class RemoteUpstream implements Upstream {
  readonly label: string;
  readonly isDeaf = false;
  readonly diagnostics = null;
  readonly #lines = new HostLines(() => void this.#close(0));
  readonly #messages: HostMessages;
  readonly #pending = new Pending(() => this.#finishIfDone());
  readonly #inbox: Inbox;
  readonly #client: HttpClient;
  readonly #legacy: LegacyServer;
  readonly #modern: ModernServer;
  readonly #mostBytes: number;
  readonly #highWaterBytes: number;
  readonly #closing = new AbortController();
  readonly #gone = Promise.withResolvers<number>();
  readonly #outbox: Outbox;
  #unsentBytes = 0;
  #room: PromiseWithResolvers<void> | null = null;
  #hostClosed = false;
  /** Notifications and answers that the server has not accepted yet. */
  #unaccepted = 0;
  /** What the first signal ends it with. */
  #status: number | null = null;

  constructor(
    { serverName, url, transport, configured, mostBytes, connectTimeoutMs }: RemoteOptions,
    client: HttpClient,
  ) {
    this.label = url.origin + url.pathname;
    this.#mostBytes = mostBytes;
    this.#highWaterBytes = mostBytes + HIGH_WATER_BYTES;
    this.#client = client;
    this.#messages = new HostMessages(mostBytes, (message) => this.#take(message));
    this.#inbox = new Inbox(this.#lines, this.#pending, mostBytes, () => this.#modern.toolsChanged());
    const { signal: closing } = this.#closing;
    const isNamed = configured.some(([name]) => name.toLowerCase() === "user-agent");
    const credentials: HeaderList = isNamed ? configured : [["User-Agent", `bir/${VERSION}`], ...configured];
    const wire: RemoteWire = {
      serverName,
      url,
      client,
      credentials,
      mostBytes,
      connectTimeoutMs,
      inbox: this.#inbox,
      reachability: new Reachability(serverName, closing),
      closing,
    };
    this.#legacy = new LegacyServer(wire, this.#pending, transport);
    this.#modern = new ModernServer(wire, this.#pending);
    this.#outbox = new Outbox(
      (out) => this.#send(out),
      () => this.#finishIfDone(),
    );
  }

  get output(): ReadableStream<Uint8Array> {
    return this.#lines.stream;
  }

  get gone(): Promise<number> {
    return this.#gone.promise;
  }

  write(bytes: Uint8Array): Promise<void> | null {
    this.#messages.feed(bytes);
    if (this.#unsentBytes < this.#highWaterBytes) return null;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** What was asked is still answered, for as long as the caller lets it. */
  end(): void {
    this.#messages.end();
    this.#hostClosed = true;
    this.#finishIfDone();
  }

  signal(signal: EndSignal): void {
    const status = this.#hostClosed ? 0 : signalExitStatus(signal);
    this.#status ??= status;
    if (signal === "SIGKILL" || this.#closing.signal.aborted) this.#leave(status);
    else void this.#close(status, FAREWELL_ON_SIGNAL_MS);
  }

  /** Nothing is left behind. */
  async endRest(): Promise<void> {}

  // From the host.

  #take(held: HeldMessage): void {
    if (held.kind === "oversized") {
      this.#refuseOversized(held.head, held.tail);
      return;
    }
    const { bytes } = held;
    const long = this.#readLong(bytes);
    const text = long === null ? utf8(bytes) : null;
    const line = long ?? readHostLine(text ?? "");
    if (line.messages.length === 0 && text !== null && !isJson(text)) {
      if (text.trim() !== "") this.#inbox.tell(errorAnswer("null", "Parse error: the message is no JSON", PARSE_ERROR));
      return;
    }
    if (this.#cancels(line.messages)) return;
    this.#unsentBytes += bytes.length;
    const out = new Outgoing(bytes, text, line, new Exchange(line), () => this.#left(bytes.length));
    this.#pending.add(out.exchange);
    this.#outbox.add(out);
  }

  #send(out: Outgoing): Promise<unknown> | null {
    if (!out.exchange.isRequest) this.#awaitAcceptance(out);
    if (!out.line.messages.some(({ protocolVersion }) => protocolVersion !== null)) return this.#legacy.deliver(out);
    this.#modern.deliver(out);
    return null;
  }

  /** What asks for nothing has to arrive all the same before the session ends. */
  #awaitAcceptance(out: Outgoing): void {
    this.#unaccepted++;
    void out.accepted.then(() => {
      this.#unaccepted--;
      this.#finishIfDone();
    });
  }

  /** A long message of a server that has shaken hands, by its start and end; null where it has to be read whole. */
  #readLong(bytes: Uint8Array): HostLine | null {
    if (bytes.length <= LONG_BYTES || !this.#legacy.isInUse || mayBeModern(bytes)) return null;
    const message = readCutHostLine(utf8(bytes.subarray(0, TELLING_BYTES)), utf8(bytes.subarray(-TELLING_BYTES)));
    const isLegacy = message !== null && message.kind !== "other" && message.protocolVersion === null;
    return isLegacy ? { isBatch: false, messages: [message] } : null;
  }

  /** True for a cancellation that is told by closing a connection, and so must not be sent. */
  #cancels(messages: readonly HostMessage[]): boolean {
    const [message] = messages;
    if (message?.cancelledRawId == null || messages.length > 1) return false;
    const key = idKey(message.cancelledRawId);
    if (this.#modern.cancel(key)) return true;
    const exchange = this.#pending.find(key);
    if (exchange !== undefined) {
      // The server is told; whatever it answers, nobody waits for it any more.
      this.#pending.settle(key, exchange);
      if (exchange.isSettled && this.#outbox.takeBack(exchange)) return true;
    }
    return message.protocolVersion !== null || !this.#legacy.isInUse;
  }

  #refuseOversized(head: Uint8Array, tail: Uint8Array): void {
    logDegradedOnce("DEG-06", `a message of over ${this.#mostBytes} bytes was not passed on. ${REMEDY}`);
    const message = readCutHostLine(utf8(head), utf8(tail));
    const { kind, rawId = null, method = null, protocolVersion = null } = message ?? {};
    if (kind !== "request" || rawId === null || method === null) return;
    const stateless = protocolVersion !== null;
    const why = `message over ${this.#mostBytes} bytes. ${REMEDY}`;
    this.#inbox.tell(failureAnswer({ rawId, method, stateless }, why));
  }

  #left(bytes: number): void {
    this.#unsentBytes -= bytes;
    if (this.#unsentBytes >= this.#highWaterBytes) return;
    this.#room?.resolve();
    this.#room = null;
  }

  // The end.

  #finishIfDone(): void {
    const isDone = this.#outbox.isEmpty && this.#pending.isIdle && this.#unaccepted === 0;
    if (this.#hostClosed && isDone) void this.#close(0);
  }

  async #close(status: number, farewellMs = FAREWELL_MS): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    for (const exchange of this.#pending.all()) exchange.giveUp();
    await Promise.race([this.#legacy.close(), Bun.sleep(farewellMs)]);
    this.#leave(status);
  }

  #leave(status: number): void {
    this.#closing.abort();
    this.#client.close();
    this.#lines.close();
    this.#gone.resolve(this.#status ?? status);
  }
}

const REMEDY = "Set BIR_UPSTREAM_MAX_MESSAGE_BYTES higher";

/** The words by which a message says that it is of the stateless protocol stand somewhere in it. */
function mayBeModern(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(VERSION_KEY);
}
