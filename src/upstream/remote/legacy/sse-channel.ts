import { utf8 } from "../../../jsonrpc/utf8.ts";
import { debug, logDegradedOnce } from "../../../kit/log.ts";
import { HttpFailure } from "../../http/http.ts";
import { drain, isEventStream, isSuccess, readEvents, readRefusalBody, refuseAll, type StreamMark } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import { ourMessage } from "../our-message.ts";
import type { Outgoing } from "../outgoing.ts";
import { pause } from "../pause.ts";
import { postMessage } from "../post-message.ts";
import { failureText, refusalText } from "../refusals.ts";
import type { RemoteWire } from "../wire.ts";
import type { LegacyCarrier, OnAccepted, OnGone, PostOutcome } from "./legacy-carrier.ts";
import { type LegacySession, NO_SESSION, postHeaders } from "./legacy-headers.ts";
import { openStream, retryAfterMs } from "./resume.ts";

/**
 * HTTP with SSE (2024-11-05): one stream on which the server says everything, and an address that it names there for messages to it. The
 * session is that stream: with it gone, the server knows nothing any more.
 */

const NOT_FOUND = 404;
const LOST = "upstream connection lost before the answer";

/** One stream, and what was sent while it was the channel's. */
interface Stream {
  abort: AbortController;
  /** Told while it was open, and to be answered on it. */
  exchanges: Set<Exchange>;
  mark: StreamMark;
}

export class SseChannel implements LegacyCarrier {
  readonly #wire: RemoteWire;
  readonly #namingMs: number;
  /** Where messages go; null while there is no stream. */
  #endpoint: URL | null = null;
  #stream: Stream | null = null;
  /** Why the last attempt to open it came to nothing. */
  #why = "upstream has no stream of events";
  #onGone: OnGone | null = null;

  /** `namingMs`: how long the server may take to name the address. */
  constructor(wire: RemoteWire, namingMs: number) {
    this.#wire = wire;
    this.#namingMs = namingMs;
  }

  /** Opens the stream and waits for the address. */
  async open(): Promise<string | null> {
    this.#drop();
    const stream: Stream = {
      abort: new AbortController(),
      exchanges: new Set(),
      mark: { lastEventId: null, retryMs: null },
    };
    this.#stream = stream;
    const named = Promise.withResolvers<boolean>();
    void this.#run(stream, named.resolve).finally(() => named.resolve(false));
    const { signal } = stream.abort;
    const inTime = await Promise.race([named.promise, pause(this.#namingMs, signal).then(() => null)]);
    if (inTime === null && !signal.aborted) {
      this.#why = "upstream has a stream of events, but names no address for messages";
      stream.abort.abort();
    }
    return inTime === true ? null : this.#why;
  }

  async post(out: Outgoing, session: LegacySession, onAccepted: OnAccepted, isLast = false): Promise<PostOutcome> {
    const url = this.#endpoint;
    const stream = this.#stream;
    if (url === null || stream === null) return "session-gone";
    const { exchange } = out;
    stream.exchanges.add(exchange);
    void exchange.settled.then(() => stream.exchanges.delete(exchange));
    try {
      const response = await postMessage(this.#wire, out, postHeaders(session), url);
      if (isSuccess(response)) {
        this.#wire.reachability.answered();
        onAccepted(null);
        out.forget();
        await drain(response);
        return "taken";
      }
      if (response.status === NOT_FOUND && !isLast) {
        await drain(response);
        stream.exchanges.delete(exchange);
        if (this.#stream === stream) this.#drop();
        return "session-gone";
      }
      refuseAll(response.status, await readRefusalBody(response), this.#wire, exchange);
    } catch (cause) {
      out.left();
      const text = failureText(cause);
      if (!(cause instanceof HttpFailure && cause.kind === "aborted")) this.#wire.reachability.failed(text);
      this.#wire.inbox.fail(exchange, text);
    }
    return "failed";
  }

  /** It has only the one stream: with it the session is gone. */
  listen(_session: LegacySession, onGone: OnGone): void {
    this.#onGone = onGone;
  }

  async close(): Promise<void> {
    this.#onGone = null;
    this.#drop();
  }

  #drop(): void {
    const stream = this.#stream;
    this.#stream = null;
    this.#endpoint = null;
    stream?.abort.abort();
  }

  async #run(stream: Stream, named: (isNamed: boolean) => void): Promise<void> {
    const { serverName } = this.#wire;
    let text = LOST;
    try {
      const response = await openStream(this.#wire, NO_SESSION, stream.mark, stream.abort.signal);
      if (!isSuccess(response) || !isEventStream(response)) {
        await drain(response);
        this.#why = isSuccess(response) ? "upstream has no stream of events" : refusalText(response.status);
        return;
      }
      const onOther = (type: string, data: Uint8Array): void => {
        if (type !== "endpoint" || this.#stream !== stream) return;
        const endpoint = this.#address(utf8(data));
        if (endpoint === null) stream.abort.abort();
        else this.#endpoint = endpoint;
        named(endpoint !== null);
      };
      const refuse = (answer: string): void => void this.post(ourMessage(answer), NO_SESSION, () => {});
      await readEvents(response, stream.mark, this.#wire, null, refuse, onOther);
    } catch (cause) {
      if (!(cause instanceof HttpFailure)) throw cause;
      if (cause.kind !== "aborted") this.#why = text = failureText(cause);
      debug("proxy", () => `the stream of server "${serverName}" ended: ${cause.message}`);
    }
    if (stream.exchanges.size > 0 && !this.#wire.closing.aborted) {
      logDegradedOnce("DEG-19", `server "${serverName}": its stream was lost before an answer came`);
    }
    for (const exchange of stream.exchanges) this.#wire.inbox.fail(exchange, text);
    if (this.#stream !== stream) return;
    const wasOpen = this.#endpoint !== null;
    this.#drop();
    if (wasOpen) await this.#comeBack(stream.mark);
  }

  /** A stream that was lost while nothing was asked is opened again, with the session that it was: the server may have something to say. */
  async #comeBack(mark: StreamMark): Promise<void> {
    const { closing } = this.#wire;
    for (let failures = 0; this.#onGone !== null && !closing.aborted; failures++) {
      await pause(retryAfterMs(mark, failures), closing);
      if (this.#endpoint !== null || closing.aborted) return;
      if ((await this.#onGone?.()) === null) return;
    }
  }

  /** The address that a server names, which has to be its own. */
  #address(text: string): URL | null {
    const { url } = this.#wire;
    const address = URL.parse(text, url.href);
    if (address?.origin === url.origin) return address;
    this.#why = "upstream names an address for messages that is not its own";
    return null;
  }
}
